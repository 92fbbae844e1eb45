//! Counts of the notes in the index, for charts.

use std::collections::BTreeMap;

use jiff::civil::{Date, Weekday};
use jiff::{Timestamp, ToSpan};
use schemars::JsonSchema;
use serde::Serialize;

use crate::models::languages_of_index;
use crate::notes::recalls;
use crate::{App, Context, LanguageReport, Result, Service};
use tars_base::domain::MemoryType;
use tars_store::{FileDescription, Index, StoreError};

/// Weeks of the charts, this one included. The counts of language models go back as far.
const WEEKS: i64 = 13;

/// The notes of the index.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct VaultStats {
    /// The number of notes.
    pub notes: usize,
    /// Their size in bytes.
    pub bytes: u64,
    /// The notes of each kind of memory, most frequent first.
    pub types: Vec<TypeCount>,
    /// The languages of a sample of the notes, most common first.
    pub languages: Vec<LanguageReport>,
    /// The last 13 weeks, oldest first.
    pub weeks: Vec<WeekCount>,
    /// Notes of which an agent was shown lines, apart from what every session is shown.
    pub recalled: usize,
    /// The other notes.
    pub never_recalled: usize,
    /// The tokens of language models in the same weeks.
    pub tokens: Vec<TokenWeek>,
}

/// The number of notes of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TypeCount {
    /// The kind.
    pub memory_type: MemoryType,
    /// The number of notes.
    pub notes: usize,
}

/// The notes of one week, by their own dates, else by their last change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WeekCount {
    /// Its Monday.
    pub week: Date,
    /// The number of notes of the week.
    pub notes: usize,
    /// The number of notes up to its end.
    pub total: usize,
}

/// The tokens of language models in one week.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TokenWeek {
    /// Its Monday.
    pub week: Date,
    /// Tokens that were given to a model.
    pub sent: u64,
    /// Tokens that were received.
    pub received: u64,
}

/// Counts the notes in the index as it is; without an index there are none.
pub(super) fn vault_stats(service: &Service<'_>) -> Result<VaultStats> {
    let app = service.app;
    let tokens = token_weeks(app)?;
    let index = match app.open_index() {
        Ok(index) => index,
        Err(error) if matches!(error.cause::<StoreError>(), Some(StoreError::Missing { .. })) => {
            return Ok(VaultStats { tokens, weeks: weeks(app, &[]), ..VaultStats::default() });
        }
        Err(error) => return Err(error),
    };
    let (notes, languages) = notes(app, &index)?;
    let mut types: BTreeMap<&str, TypeCount> = BTreeMap::new();
    for note in &notes {
        let memory_type = note.memory_type;
        types.entry(memory_type.as_str()).or_insert(TypeCount { memory_type, notes: 0 }).notes += 1;
    }
    let mut types: Vec<TypeCount> = types.into_values().collect();
    types.sort_by_key(|one| std::cmp::Reverse(one.notes));
    let recalls = recalls(service)?;
    let was_recalled = |note: &&FileDescription| recalls.contains_key(&(note.collection.clone(), note.path.clone()));
    let recalled = notes.iter().filter(was_recalled).count();
    Ok(VaultStats {
        notes: notes.len(),
        bytes: notes.iter().map(|note| note.size).sum(),
        types,
        languages,
        weeks: weeks(app, &notes),
        recalled,
        never_recalled: notes.len() - recalled,
        tokens,
    })
}

/// Returns the notes of the configured collections, and their languages.
fn notes(app: &App, index: &Index) -> Result<(Vec<FileDescription>, Vec<LanguageReport>)> {
    let reader = index.snapshot()?;
    let mut notes = reader.described_files(None)?;
    let configured = app.collections();
    notes.retain(|note| configured.contains(&note.collection));
    let languages = languages_of_index(&*reader, &app.settings.config.vault.memory_folder)?;
    Ok((notes, app.report_languages(&languages).0))
}

/// Returns the Mondays of the last weeks, oldest first.
fn mondays(app: &App) -> Vec<Date> {
    let this = monday(app.environment.clock.today());
    (0..WEEKS).rev().map(|back| this.saturating_sub(back.weeks())).collect()
}

fn monday(day: Date) -> Date {
    day.saturating_sub(i64::from(day.weekday().since(Weekday::Monday)).days())
}

fn weeks(app: &App, notes: &[FileDescription]) -> Vec<WeekCount> {
    let zone = app.environment.clock.zone();
    let mut counts: BTreeMap<Date, usize> = BTreeMap::new();
    for note in notes {
        let modified = || Timestamp::from_nanosecond(note.mtime_ns.into()).unwrap_or_default().to_zoned(zone.clone());
        *counts.entry(monday(note.day.unwrap_or_else(|| modified().date()))).or_default() += 1;
    }
    mondays(app)
        .into_iter()
        .map(|week| WeekCount {
            week,
            notes: counts.get(&week).copied().unwrap_or_default(),
            total: counts.range(..=week).map(|(_, count)| count).sum(),
        })
        .collect()
}

fn token_weeks(app: &App) -> Result<Vec<TokenWeek>> {
    let days = u16::try_from(WEEKS * 7).unwrap_or(u16::MAX);
    let known = app.model_ledger().last(days).context("cannot read the counts of language models")?;
    let week = |week: Date| {
        let of_week = || known.iter().filter(move |(day, ..)| monday(*day) == week).map(|(_, _, used)| used);
        TokenWeek {
            week,
            sent: of_week().map(|used| used.input_tokens).sum(),
            received: of_week().map(|used| used.output_tokens).sum(),
        }
    };
    Ok(mondays(app).into_iter().map(week).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_week_begins_on_monday() {
        for (day, first) in [("2026-11-23", "2026-11-23"), ("2026-11-29", "2026-11-23"), ("2026-11-30", "2026-11-30")] {
            assert_eq!(monday(day.parse().unwrap()), first.parse::<Date>().unwrap());
        }
    }
}
