//! Progress: a bar on a terminal, now and then a line elsewhere.

use std::fmt;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::human::size;
use super::{interrupt, terminal};
use crate::domain::{Progress, Stage};

/// How long a run is silent where there is no terminal, at most, while it gets on.
const SILENCE: Duration = Duration::from_secs(10);
/// Terminals with fewer columns have no room for a bar beside the numbers.
const ROOMY: usize = 60;

/// A bar with rate and time left on a terminal; elsewhere a line every ten seconds. Warnings in either case.
pub(super) struct Bar {
    quiet: bool,
    bytes: bool,
    columns: Option<usize>,
    began: Instant,
    shown: Mutex<Shown>,
}

/// What is shown of the running stage.
enum Shown {
    Bar(Option<ProgressBar>),
    Lines(Lines),
}

/// Says from time to time how far a run is.
#[derive(Default)]
struct Lines {
    stage: Option<&'static str>,
    done: usize,
    total: usize,
    bytes: bool,
    /// When something was last said, since the run began.
    said: Duration,
}

impl Lines {
    fn start(&mut self, stage: &'static str, total: usize) {
        (self.stage, self.done, self.total) = (Some(stage), 0, total);
    }

    /// Returns what to say at `now`, if it is time.
    fn line(&mut self, now: Duration) -> Option<String> {
        let stage = self.stage.filter(|_| now.saturating_sub(self.said) >= SILENCE)?;
        self.said = now;
        let number = |number: usize| if self.bytes { size(number as u64) } else { number.to_string() };
        Some(format!("{stage}: {} of {}", number(self.done), number(self.total)))
    }
}

impl Bar {
    /// Counts notes and passages; `quiet` shows nothing but warnings.
    pub(super) fn new(quiet: bool) -> Self {
        let shown = match std::io::stderr().is_terminal() {
            true => Shown::Bar(None),
            false => Shown::Lines(Lines::default()),
        };
        let columns = terminal::columns_of(std::io::stderr());
        Self { quiet, bytes: false, columns, began: Instant::now(), shown: Mutex::new(shown) }
    }

    /// Counts bytes.
    pub(super) fn of_bytes() -> Self {
        Self { bytes: true, ..Self::new(false) }
    }

    fn with(&self, work: impl FnOnce(&mut Shown)) {
        work(&mut self.shown.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    }

    fn say(&self, lines: &mut Lines) {
        if let Some(line) = lines.line(self.began.elapsed()) {
            terminal::note(&line);
        }
    }

    /// Returns what a bar shows: where the terminal is narrow, no more than fits into 40 columns.
    fn template(&self) -> &'static str {
        let narrow = self.columns.is_some_and(|columns| columns < ROOMY);
        match (self.bytes, narrow) {
            (false, false) => "{msg:10} {wide_bar} {pos}/{len}  {rate}  {eta} left ",
            (true, false) => "{msg:10} {wide_bar} {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left ",
            (false, true) => "{msg} {pos}/{len}  {eta}",
            (true, true) => "{msg} {bytes}/{total_bytes}  {eta}",
        }
    }
}

/// Says how many of them are done in a second, in whole numbers where that tells enough.
fn rate(state: &ProgressState, to: &mut dyn fmt::Write) {
    let rate = state.per_sec();
    // A terminal that takes no more is no reason to end.
    let _ = if rate < 10.0 { write!(to, "{rate:.1}/s") } else { write!(to, "{rate:.0}/s") };
}

impl Progress for Bar {
    fn start(&self, stage: Stage, total: usize) {
        if self.quiet || total == 0 {
            return;
        }
        self.with(|shown| match shown {
            Shown::Bar(slot) => {
                let style = ProgressStyle::with_template(self.template());
                let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key("rate", rate);
                *slot = Some(ProgressBar::new(total as u64).with_style(style).with_message(stage.name()));
            }
            Shown::Lines(lines) => {
                lines.bytes = self.bytes;
                lines.start(stage.name(), total);
                self.say(lines);
            }
        });
    }

    fn advance(&self, count: usize) {
        self.with(|shown| match shown {
            Shown::Bar(Some(bar)) => bar.inc(count as u64),
            Shown::Bar(None) => {}
            Shown::Lines(lines) => {
                lines.done += count;
                self.say(lines);
            }
        });
    }

    fn finish(&self) {
        self.with(|shown| match shown {
            Shown::Bar(slot) => {
                if let Some(bar) = slot.take() {
                    bar.finish_and_clear();
                }
            }
            Shown::Lines(lines) => lines.stage = None,
        });
    }

    fn warn(&self, message: &str) {
        self.with(|shown| match shown {
            Shown::Bar(Some(bar)) => bar.suspend(|| terminal::note(message)),
            _ => terminal::note(message),
        });
    }

    fn cancelled(&self) -> bool {
        interrupt::asked()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_terminal_was_silent_to_its_end() {
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
        // A later stage goes by the same clock, and between two stages there is nothing to say.
        lines.stage = None;
        assert_eq!(lines.line(Duration::from_secs(120)), None);
        lines.start("reading", 7);
        assert_eq!(lines.line(Duration::from_secs(121)).as_deref(), Some("reading: 0 of 7"));
    }
}
