//! Progress: a bar on a terminal, an occasional line elsewhere.

use std::fmt;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::format::size;
use super::{interrupt, terminal};
use tars_base::domain::{Progress, Stage};

/// Interval of progress lines without a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
/// Narrower terminals have no room for a bar beside the numbers.
const MIN_COLUMNS: usize = 60;

/// A bar with rate and remaining time on a terminal; elsewhere a line every ten seconds. Warnings in both cases.
pub(super) struct Bar {
    quiet: bool,
    bytes: bool,
    columns: Option<usize>,
    began: Instant,
    shown: Mutex<StageDisplay>,
}

/// The display of the current stage.
enum StageDisplay {
    Bar(Option<ProgressBar>),
    Lines(Lines),
}

/// Produces a progress line at intervals.
#[derive(Default)]
struct Lines {
    stage: Option<&'static str>,
    done: usize,
    total: usize,
    bytes: bool,
    /// Time of the last line, since the start of the run.
    said: Duration,
}

impl Lines {
    fn start(&mut self, stage: &'static str, total: usize) {
        (self.stage, self.done, self.total) = (Some(stage), 0, total);
    }

    /// Returns the line to print at `now`, if one is due.
    fn line(&mut self, now: Duration) -> Option<String> {
        let stage = self.stage.filter(|_| now.saturating_sub(self.said) >= LINE_INTERVAL)?;
        self.said = now;
        let number = |number: usize| if self.bytes { size(number as u64) } else { number.to_string() };
        Some(format!("{stage}: {} of {}", number(self.done), number(self.total)))
    }
}

impl Bar {
    /// Creates a bar that counts notes and passages; `quiet` shows only warnings.
    pub(super) fn new(quiet: bool) -> Self {
        let shown = match std::io::stderr().is_terminal() {
            true => StageDisplay::Bar(None),
            false => StageDisplay::Lines(Lines::default()),
        };
        let columns = terminal::columns_of(std::io::stderr());
        Self { quiet, bytes: false, columns, began: Instant::now(), shown: Mutex::new(shown) }
    }

    /// Creates a bar that counts bytes.
    pub(super) fn of_bytes() -> Self {
        Self { bytes: true, ..Self::new(false) }
    }

    fn with(&self, work: impl FnOnce(&mut StageDisplay)) {
        work(&mut self.shown.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    }

    fn say(&self, lines: &mut Lines) {
        if let Some(line) = lines.line(self.began.elapsed()) {
            terminal::print_note(&line);
        }
    }

    /// Returns the template of the bar; on a narrow terminal, it fits into 40 columns.
    fn template(&self) -> &'static str {
        let narrow = self.columns.is_some_and(|columns| columns < MIN_COLUMNS);
        match (self.bytes, narrow) {
            (false, false) => "{msg:10} {wide_bar} {pos}/{len}  {rate}  {eta} left ",
            (true, false) => "{msg:10} {wide_bar} {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left ",
            (false, true) => "{msg} {pos}/{len}  {eta}",
            (true, true) => "{msg} {bytes}/{total_bytes}  {eta}",
        }
    }
}

/// Formats the rate per second, in whole numbers if large enough.
fn rate(state: &ProgressState, to: &mut dyn fmt::Write) {
    let rate = state.per_sec();
    // A closed terminal is no reason to abort.
    let _ = if rate < 10.0 { write!(to, "{rate:.1}/s") } else { write!(to, "{rate:.0}/s") };
}

impl Progress for Bar {
    fn start(&self, stage: Stage, total: usize) {
        if self.quiet || total == 0 {
            return;
        }
        self.with(|shown| match shown {
            StageDisplay::Bar(slot) => {
                let style = ProgressStyle::with_template(self.template());
                let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key("rate", rate);
                *slot = Some(ProgressBar::new(total as u64).with_style(style).with_message(stage.name()));
            }
            StageDisplay::Lines(lines) => {
                lines.bytes = self.bytes;
                lines.start(stage.name(), total);
                self.say(lines);
            }
        });
    }

    fn advance(&self, count: usize) {
        self.with(|shown| match shown {
            StageDisplay::Bar(Some(bar)) => bar.inc(count as u64),
            StageDisplay::Bar(None) => {}
            StageDisplay::Lines(lines) => {
                lines.done += count;
                self.say(lines);
            }
        });
    }

    fn finish(&self) {
        self.with(|shown| match shown {
            StageDisplay::Bar(slot) => {
                if let Some(bar) = slot.take() {
                    bar.finish_and_clear();
                }
            }
            StageDisplay::Lines(lines) => lines.stage = None,
        });
    }

    fn warn(&self, message: &str) {
        self.with(|shown| match shown {
            StageDisplay::Bar(Some(bar)) => bar.suspend(|| terminal::print_note(message)),
            _ => terminal::print_note(message),
        });
    }

    fn cancelled(&self) -> bool {
        interrupt::is_requested()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_terminal_prints_progress_lines() {
        let mut lines = Lines::default();
        lines.start("embedding", 1_000);
        let mut said = Vec::new();
        for second in 0..=99 {
            lines.done += 10;
            said.extend(lines.line(Duration::from_secs(second)).map(|line| (second, line)));
        }
        let times: Vec<u64> = said.iter().map(|(second, _)| *second).collect();
        assert_eq!(times, [10, 20, 30, 40, 50, 60, 70, 80, 90]);
        assert_eq!(said[0].1, "embedding: 110 of 1000");
        // The interval spans stages, and there is no line between two stages.
        lines.stage = None;
        assert_eq!(lines.line(Duration::from_secs(120)), None);
        lines.start("reading", 7);
        assert_eq!(lines.line(Duration::from_secs(121)).as_deref(), Some("reading: 0 of 7"));
    }
}
