//! Delivers the result of a run.

mod command;
mod notify;
mod webhook;

use std::fmt::Write;

use anyhow::Result;
use jiff::Zoned;

use crate::{Delivery, Environment, ScheduleSettings};
use tars_base::domain::{collapse_whitespace, sanitize, sanitize_line};
use tars_text::redact::redact;

/// Maximum length of a delivered result, in bytes.
const MAX_RESULT_BYTES: usize = 64 << 10;
/// Maximum length of the stored line about a result or a failure, in characters.
const MAX_LINE_LENGTH: usize = 200;
/// Marks the end of a truncated result.
const TRUNCATION_MARK: &str = "\n[cut here: the result is longer]";

/// A result with the context of its deliveries.
pub(super) struct DeliveryContext<'a> {
    pub(super) schedule: &'a ScheduleSettings,
    /// The result: redacted, without control characters, of bounded length, never empty.
    pub(super) text: &'a str,
    /// Start of the run.
    pub(super) time: &'a Zoned,
    pub(super) environment: &'a Environment,
}

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
pub(super) fn deliver(context: &DeliveryContext<'_>, own: &dyn Deliver) -> Option<String> {
    let mut failures = String::new();
    for delivery in &context.schedule.deliver {
        if let Err(error) = deliver_to(*delivery, context, own) {
            let gap = if failures.is_empty() { "" } else { "; " };
            // Writing to a string cannot fail.
            let _ = write!(failures, "{gap}{}: {error:#}", delivery.as_str());
        }
    }
    (!failures.is_empty()).then(|| line(&format!("not delivered to {failures}")))
}

fn deliver_to(delivery: Delivery, context: &DeliveryContext<'_>, own: &dyn Deliver) -> Result<()> {
    match delivery {
        Delivery::Stdout => own.stdout(context.schedule, context.text),
        Delivery::DailyMemory => own.daily_memory(context.schedule, context.text)?,
        Delivery::Notify => notify::notify(context)?,
        Delivery::Command => command::send_to_program(&context.schedule.command, context)?,
        Delivery::Webhook => webhook::post(context)?,
    }
    Ok(())
}

/// Sanitizes a result for delivery: removes secrets, control characters and outer whitespace, and truncates it.
pub(super) fn sanitized_result(text: &str) -> String {
    let text = sanitize(&redact(text).text.replace("\r\n", "\n"));
    let text = text.trim();
    if text.len() <= MAX_RESULT_BYTES {
        return text.to_owned();
    }
    text[..text.floor_char_boundary(MAX_RESULT_BYTES - TRUNCATION_MARK.len())].to_owned() + TRUNCATION_MARK
}

/// Returns the beginning of a text or an error as one sanitized line.
pub(super) fn line(text: &str) -> String {
    let words = collapse_whitespace(&redact(text).text);
    sanitize_line(&words).chars().take(MAX_LINE_LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_results_are_delivered_as_plain_text() {
        let token = format!("glpat-{}", "x7Kq2LmZ9vBt4RwY8sHd");
        let text = sanitized_result(&format!("  a\u{1b}]0;x\u{7}\r\n\u{202e}b {token} <private>p</private>\n\n"));
        assert!(!text.contains(&token) && !text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text:?}");
        assert!(text.starts_with('a') && text.ends_with("[redacted:private]"), "{text:?}");
        assert_eq!(sanitized_result(" \n\t"), "");
        let long = sanitized_result(&"ä".repeat(MAX_RESULT_BYTES));
        assert!(long.len() <= MAX_RESULT_BYTES && long.ends_with(TRUNCATION_MARK));
        let brief = line(&format!("one\n\ntwo \u{1b}[2J {token} {}", "x".repeat(500)));
        assert!(
            brief.starts_with("one two \u{fffd}[2J [redacted:") && brief.chars().count() == MAX_LINE_LENGTH,
            "{brief}"
        );
    }
}
