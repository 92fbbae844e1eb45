//! The result of a run, on its way out.

use std::fmt::Write;

use anyhow::Result;
use jiff::Zoned;

use super::{command, notify, webhook};
use crate::config::{Delivery, Environment, ScheduleSettings};
use crate::domain::{clean, clean_line};
use crate::redact::redact;

/// The most that is delivered of a result, in bytes.
const LONGEST: usize = 64 << 10;
/// The most that is kept of it, or of a failure, in characters.
const LONGEST_LINE: usize = 200;
/// Stands where a result was cut.
const CUT: &str = "\n[cut here: the result is longer]";

/// Where the caller takes results.
pub trait Deliver {
    /// Shows a result on the terminal, or in the log of a process that has none.
    fn stdout(&self, schedule: &ScheduleSettings, text: &str);

    /// Writes a result into the log of the day.
    ///
    /// # Errors
    /// The memory cannot be written.
    fn daily_memory(&self, schedule: &ScheduleSettings, text: &str) -> Result<()>;
}

/// A result and what its deliveries need.
pub(super) struct Parcel<'a> {
    pub(super) schedule: &'a ScheduleSettings,
    /// Redacted, without control characters, of bounded length, never empty.
    pub(super) text: &'a str,
    /// When the run began.
    pub(super) time: &'a Zoned,
    pub(super) environment: &'a Environment,
}

impl Parcel<'_> {
    /// Delivers to each place of the schedule and returns what went wrong, in one line; `None` if nothing did.
    pub(super) fn deliver(&self, own: &dyn Deliver) -> Option<String> {
        let mut failures = String::new();
        for delivery in &self.schedule.deliver {
            if let Err(error) = self.deliver_to(*delivery, own) {
                // Writing to a string does not fail.
                let _ =
                    write!(failures, "{}{}: {error:#}", if failures.is_empty() { "" } else { "; " }, delivery.as_str());
            }
        }
        (!failures.is_empty()).then(|| line(&format!("not delivered to {failures}")))
    }

    fn deliver_to(&self, delivery: Delivery, own: &dyn Deliver) -> Result<()> {
        match delivery {
            Delivery::Stdout => own.stdout(self.schedule, self.text),
            Delivery::DailyMemory => own.daily_memory(self.schedule, self.text)?,
            Delivery::Notify => notify::notify(self)?,
            Delivery::Command => command::give(&self.schedule.command, self)?,
            Delivery::Webhook => webhook::post(self)?,
        }
        Ok(())
    }
}

/// Returns a result as it may leave: without secrets, control characters and blanks at its ends, of bounded length.
pub(super) fn safe(text: &str) -> String {
    let text = clean(&redact(text).text.replace("\r\n", "\n"));
    let text = text.trim();
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    text[..text.floor_char_boundary(LONGEST - CUT.len())].to_owned() + CUT
}

/// Returns the beginning of a text or of an error as one safe line.
pub(super) fn line(text: &str) -> String {
    let words = redact(text).text.split_whitespace().collect::<Vec<_>>().join(" ");
    clean_line(&words).chars().take(LONGEST_LINE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_results_leave_as_plain_text() {
        let token = format!("glpat-{}", "x7Kq2LmZ9vBt4RwY8sHd");
        let text = safe(&format!("  a\u{1b}]0;x\u{7}\r\n\u{202e}b {token} <private>p</private>\n\n"));
        assert!(!text.contains(&token) && !text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text:?}");
        assert!(text.starts_with('a') && text.ends_with("[redacted:private]"), "{text:?}");
        assert_eq!(safe(" \n\t"), "");
        let long = safe(&"ä".repeat(LONGEST));
        assert!(long.len() <= LONGEST && long.ends_with(CUT));
        let brief = line(&format!("one\n\ntwo \u{1b}[2J {token} {}", "x".repeat(500)));
        assert!(
            brief.starts_with("one two \u{fffd}[2J [redacted:") && brief.chars().count() == LONGEST_LINE,
            "{brief}"
        );
    }
}
