//! Finds the lines that were written down by hand or by `tars remember` in some days.

use std::collections::HashMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::week_review::{WeekLine, noted};
use crate::{LogProject, MemoryError, remembered_bullets};
use tars_base::domain::DateRange;
use tars_text::markdown::list_item;
use tars_vault::{Entry, MemoryFolder};

/// Returns the lines of the logs of `days` outside of an agent's sessions, and the facts and rules that were first written on one of these
/// days as far as the journal's `entries` tell, by day. An unconfirmed line waits for a review instead.
///
/// # Errors
/// A file cannot be read.
pub fn week_added(
    folder: &MemoryFolder,
    days: DateRange,
    entries: &[Entry],
    zone: &TimeZone,
) -> Result<Vec<WeekLine>, MemoryError> {
    let lines = noted(folder, days.first, days.last)?.into_iter();
    let is_own = |line: &crate::LogLine| line.section.anchor.is_none() && line.kind.is_none() && !line.is_unconfirmed;
    let mut added: Vec<WeekLine> = lines.filter(|(line, _)| is_own(line)).map(|(_, line)| line).collect();
    let mut first_days: HashMap<&str, Date> = HashMap::new();
    for entry in entries {
        let day = entry.time.to_zoned(zone.clone()).date();
        let inserted = entry.changes.iter().flat_map(|change| &change.inserted);
        for text in inserted.filter_map(|line| list_item(line.trim())) {
            let first = first_days.entry(text).or_insert(day);
            *first = day.min(*first);
        }
    }
    for bullet in remembered_bullets(folder)? {
        let text = bullet.text.lines().next().unwrap_or_default().to_owned();
        if let Some(day) = first_days.get(text.as_str()).filter(|day| (days.first..=days.last).contains(day)) {
            added.push(WeekLine { day: Some(*day), project: LogProject::default(), text, branch: None, bullet });
        }
    }
    added.sort_by_key(|line| line.day);
    Ok(added)
}
