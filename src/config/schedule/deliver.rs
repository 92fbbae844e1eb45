//! Delivers the result of a run.

use std::fmt::Write;

use anyhow::Result;

use super::parcel::Parcel;
use super::{command, notify, webhook};
use crate::{Delivery, ScheduleSettings};
use tars_base::domain::{clean, clean_line};
use tars_text::redact::redact;

/// Maximum length of a delivered result, in bytes.
const LONGEST: usize = 64 << 10;
/// Maximum length of the stored line about a result or a failure, in characters.
const LONGEST_LINE: usize = 200;
/// Marks the end of a truncated result.
const CUT: &str = "\n[cut here: the result is longer]";

/// Destinations that the caller provides.
pub trait Deliver {
    /// Shows a result on the terminal, or in the log of a process without a terminal.
    fn stdout(&self, schedule: &ScheduleSettings, text: &str);

    /// Writes a result into the log of the day.
    ///
    /// # Errors
    /// The memory cannot be written.
    fn daily_memory(&self, schedule: &ScheduleSettings, text: &str) -> Result<()>;
}

/// Delivers to each destination of the schedule. Returns the failures in one line; `None` if there are none.
pub(super) fn deliver(parcel: &Parcel<'_>, own: &dyn Deliver) -> Option<String> {
    let mut failures = String::new();
    for delivery in &parcel.schedule.deliver {
        if let Err(error) = deliver_to(*delivery, parcel, own) {
            let gap = if failures.is_empty() { "" } else { "; " };
            // Writing to a string cannot fail.
            let _ = write!(failures, "{gap}{}: {error:#}", delivery.as_str());
        }
    }
    (!failures.is_empty()).then(|| line(&format!("not delivered to {failures}")))
}

fn deliver_to(delivery: Delivery, parcel: &Parcel<'_>, own: &dyn Deliver) -> Result<()> {
    match delivery {
        Delivery::Stdout => own.stdout(parcel.schedule, parcel.text),
        Delivery::DailyMemory => own.daily_memory(parcel.schedule, parcel.text)?,
        Delivery::Notify => notify::notify(parcel)?,
        Delivery::Command => command::give(&parcel.schedule.command, parcel)?,
        Delivery::Webhook => webhook::post(parcel)?,
    }
    Ok(())
}

/// Sanitizes a result for delivery: removes secrets, control characters and outer whitespace, and truncates it.
pub(super) fn safe(text: &str) -> String {
    let text = clean(&redact(text).text.replace("\r\n", "\n"));
    let text = text.trim();
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    text[..text.floor_char_boundary(LONGEST - CUT.len())].to_owned() + CUT
}

/// Returns the beginning of a text or an error as one sanitized line.
pub(super) fn line(text: &str) -> String {
    let words = redact(text).text.split_whitespace().collect::<Vec<_>>().join(" ");
    clean_line(&words).chars().take(LONGEST_LINE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_results_are_delivered_as_plain_text() {
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
