//! The log of a day.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MemoryLine, removed};
use crate::{Refusal, Result, Service, UseCase};
use tars_base::domain::{DateRange, MemoryType, one_line, sanitize_line};
use tars_memory::Fact;
use tars_text::markdown::named_period;
use tars_vault::MemoryFolder;

/// Asks for the log of a day, or adds a line to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DailyRequest {
    /// The day: a date, or words such as `yesterday`; today by default.
    pub day: Option<String>,
    /// The line to add; without it the log is returned.
    pub append: Option<String>,
    /// The source of the line: a word that is put before it.
    pub channel: Option<String>,
}

/// A file of the memory folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DayFile {
    /// Path relative to the vault.
    pub path: String,
    /// Its text; `None` if it does not exist.
    pub content: Option<String>,
}

/// The files of a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DayFiles {
    /// The log that tars keeps.
    #[serde(flatten)]
    pub log: DayFile,
    /// The person's own notes of that day outside the memory folder; tars only reads them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<DayFile>,
}

/// The log, or the added line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum DailyResponse {
    /// The log, and the person's own notes of that day.
    Day(DayFiles),
    /// The added line.
    Added {
        /// As it is in the file.
        #[serde(flatten)]
        line: MemoryLine,
        /// Kinds of secrets that were removed before writing.
        #[serde(skip)]
        removed: Vec<String>,
    },
}

impl UseCase for DailyRequest {
    type Response = DailyResponse;

    fn run(&self, service: &Service<'_>) -> Result<DailyResponse> {
        let app = service.app;
        let folder = app.memory_folder()?;
        let now = app.environment.clock.now().datetime();
        let day = day(self.day.as_deref(), now.date())?;
        let Some(text) = &self.append else {
            let log = file(&folder, &tars_memory::day_file(&folder, day)?)?;
            let own = app.daily_notes(&folder, DateRange { first: day, last: day })?.into_iter();
            let notes = own.map(|own| DayFile { path: own.path, content: Some(own.text) }).collect();
            return Ok(DailyResponse::Day(DayFiles { log, notes }));
        };
        let channel = self.channel.clone().or_else(|| service.channel.borrow().clone());
        let channel = channel.map(|name| format!("[{}] ", sanitize_line(name.trim()))).unwrap_or_default();
        let said = Fact::new(MemoryType::Daily, None, text)?;
        let fact = Fact { text: format!("{channel}{}", said.text), ..said };
        let mut writer = service.writer(&folder, "daily")?;
        let stored = match day == now.date() {
            true => tars_memory::remember(&mut writer, &fact, &now, None, true)?,
            false => tars_memory::remember_on(&mut writer, &fact, day)?,
        };
        Ok(DailyResponse::Added { line: MemoryLine::written(&folder, &stored.bullet)?, removed: removed(&fact) })
    }
}

/// Reads a file of the memory folder.
pub(super) fn file(folder: &MemoryFolder, name: &str) -> Result<DayFile> {
    let content = folder.read(name)?.map(|bytes| tars_vault::text_of(&bytes).into_owned());
    Ok(DayFile { path: folder.vault_path(name), content })
}

pub(super) fn day(word: Option<&str>, today: Date) -> Result<Date> {
    let Some(word) = word else { return Ok(today) };
    match named_period(word, today) {
        Some(DateRange { first, last }) if first == last => Ok(first),
        _ => Err(Refusal {
            message: format!("'{}' is no day", one_line(word, 80)),
            hint: "2026-11-17, 17.11.2026, yesterday, gestern or '3 days ago'".into(),
        }
        .into()),
    }
}
