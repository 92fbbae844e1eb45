//! Progress on a terminal.

use std::io::IsTerminal;
use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressStyle};

use super::{interrupt, terminal};
use crate::domain::{Progress, Stage};

/// A bar with rate and time left on a terminal; elsewhere, warnings alone.
pub(super) struct Bar {
    quiet: bool,
    bytes: bool,
    bar: Mutex<Option<ProgressBar>>,
}

impl Bar {
    /// Counts notes and passages; `quiet` shows nothing but warnings.
    pub(super) fn new(quiet: bool) -> Self {
        Self { quiet: quiet || !std::io::stderr().is_terminal(), bytes: false, bar: Mutex::new(None) }
    }

    /// Counts bytes.
    pub(super) fn of_bytes() -> Self {
        Self { bytes: true, ..Self::new(false) }
    }

    fn with(&self, work: impl FnOnce(&mut Option<ProgressBar>)) {
        work(&mut self.bar.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    }
}

impl Progress for Bar {
    fn start(&self, stage: Stage, total: usize) {
        if self.quiet || total == 0 {
            return;
        }
        let template = if self.bytes {
            "{msg:10} {bar:32} {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left"
        } else {
            "{msg:10} {bar:32} {pos}/{len}  {per_sec}  {eta} left"
        };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(total as u64).with_style(style).with_message(stage.name());
        self.with(|slot| *slot = Some(bar));
    }

    fn advance(&self, count: usize) {
        self.with(|slot| {
            if let Some(bar) = slot {
                bar.inc(count as u64);
            }
        });
    }

    fn finish(&self) {
        self.with(|slot| {
            if let Some(bar) = slot.take() {
                bar.finish_and_clear();
            }
        });
    }

    fn warn(&self, message: &str) {
        self.with(|slot| match slot {
            Some(bar) => bar.suspend(|| terminal::note(message)),
            None => terminal::note(message),
        });
    }

    fn cancelled(&self) -> bool {
        interrupt::asked()
    }
}
