//! Tables of the user's file that hold no settings: schedules and tool servers. Each kind has its own fields.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use toml::Value;
use toml_edit::{Item, Table};

use super::rule::{Refused, Rule};
use super::{ConfigError, Origin, file};
use tars_text::analysis::distance_within;

/// Text and path of a user's file.
#[derive(Clone, Copy)]
pub(super) struct SourceFile<'a> {
    pub(super) text: &'a str,
    pub(super) path: &'a Path,
}

impl SourceFile<'_> {
    pub(super) fn origin(&self, span: Option<Range<usize>>) -> Origin {
        Origin::UserFile { path: self.path.to_path_buf(), line: file::LineStarts::of(self.text).line_of(span) }
    }
}

/// The fields of one table.
pub(super) struct Fields<'a> {
    pub(super) table: &'a Table,
    /// Name of the table in messages: its dotted name.
    pub(super) section: &'a str,
    pub(super) source: SourceFile<'a>,
}

impl Fields<'_> {
    /// Fails if a field is not in `known`.
    pub(super) fn check(&self, known: &[&'static str]) -> Result<(), ConfigError> {
        let Some((key, _)) = self.table.iter().find(|(key, _)| !known.contains(key)) else { return Ok(()) };
        let nearest = nearest(key, known).map(|near| format!("{}.{near}", self.section));
        let origin = Some(self.origin(key));
        Err(ConfigError::UnknownKey { origin, key: format!("{}.{key}", self.section), nearest })
    }

    /// Returns the text of a required field.
    pub(super) fn required_text(&self, key: &str, rule: Rule, expected: &str) -> Result<String, ConfigError> {
        let text = self.text(key, rule)?.filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| self.invalid(key, expected, None))
    }

    /// Returns the text of a field; `None` if it is missing or empty.
    pub(super) fn text(&self, key: &str, rule: Rule) -> Result<Option<String>, ConfigError> {
        let value = self.value(key, rule)?;
        Ok(value.and_then(|value| value.as_str().map(str::to_owned)).filter(|text| !text.is_empty()))
    }

    /// Returns the value of a boolean field.
    pub(super) fn bool(&self, key: &str, default: bool) -> Result<bool, ConfigError> {
        Ok(self.value(key, Rule::Bool)?.and_then(|value| value.as_bool()).unwrap_or(default))
    }

    /// Returns a duration in whole seconds, up to an hour.
    pub(super) fn seconds(&self, key: &str, default: Duration) -> Result<Duration, ConfigError> {
        let seconds = self.value(key, Rule::Integer(1, 3600))?.and_then(|value| value.as_integer());
        Ok(seconds.map_or(default, |seconds| Duration::from_secs(seconds.unsigned_abs())))
    }

    /// Returns a value that its rule accepts; `None` if the field is missing.
    pub(super) fn value(&self, key: &str, rule: Rule) -> Result<Option<Value>, ConfigError> {
        if !self.table.contains_key(key) {
            return Ok(None);
        }
        let value = self.plain(key);
        let accepted = value.as_ref().ok_or(Refused).and_then(|value| rule.accept(value));
        accepted.map_err(|Refused| {
            let found = value.filter(|_| rule.may_be_shown()).map(|value| value.to_string());
            self.invalid(key, &rule.expected(), found)
        })
    }

    /// Returns a value as written.
    pub(super) fn plain(&self, key: &str) -> Option<Value> {
        // A table or a date becomes an empty table, which no rule accepts.
        self.table
            .get(key)
            .map(|item| item.as_value().and_then(file::plain).unwrap_or(Value::Table(toml::Table::new())))
    }

    fn origin(&self, key: &str) -> Origin {
        let written = self.table.key(key).and_then(toml_edit::Key::span);
        self.source.origin(written.or_else(|| self.table.get(key).and_then(Item::span)).or_else(|| self.table.span()))
    }

    /// Returns the error for an invalid field.
    pub(super) fn invalid(&self, key: &str, expected: &str, found: Option<String>) -> ConfigError {
        invalid_field(self.origin(key), &format!("{}.{key}", self.section), expected, found)
    }
}

pub(super) fn invalid_field(origin: Origin, key: &str, expected: &str, found: Option<String>) -> ConfigError {
    let found = found.map(|found| found.chars().take(60).collect());
    ConfigError::Invalid { origin: Some(origin), key: key.to_owned(), expected: expected.to_owned(), found }
}

/// Returns the known field nearest to a wrong one, within a small edit distance.
fn nearest(wrong: &str, known: &[&'static str]) -> Option<&'static str> {
    const MAX_LENGTH: usize = 40;
    let letters = |word: &str| word.chars().take(MAX_LENGTH).collect::<Vec<char>>();
    let near = |key: &&'static str| distance_within(&letters(key), &letters(wrong), (key.len() / 3).max(2));
    known.iter().filter_map(|key| Some((near(key)?, *key))).min().map(|(_, key)| key)
}
