//! A person's own daily notes, as opposed to the daily logs of tars.

use jiff::ToSpan;
use jiff::civil::Date;

use crate::{App, Error, Result};
use tars_base::domain::{DateRange, USER_NOTICE};
use tars_text::markdown;
use tars_text::redact::{redact, redact_path};
use tars_vault::{DailyNotes, MemoryFolder, read, walk};

/// A person's own daily note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DailyNote {
    /// The day.
    pub day: Date,
    /// Path relative to the vault.
    pub path: String,
    /// Its text as indexed: without front matter and without secrets.
    pub text: String,
}

impl App {
    /// Returns the person's own daily notes of `days`, by day and path. Obsidian's settings define which notes are daily notes;
    /// excluded and private ones are left out. An unreadable note is skipped with a warning.
    ///
    /// # Errors
    /// The vault cannot be searched.
    pub fn daily_notes(&self, folder: &MemoryFolder, days: DateRange) -> Result<Vec<DailyNote>> {
        let settings = DailyNotes::read(folder.vault());
        let found = walk(folder.vault(), &self.walk_options()).map_err(Error::without_hint)?;
        let paths: Vec<&str> = found
            .notes
            .iter()
            .map(|note| note.path.as_str())
            .filter(|path| folder.relative_name(path).is_none())
            .collect();
        let mut notes = Vec::new();
        for day in days.first.series(1.day()).take_while(|day| *day <= days.last) {
            for path in settings.of_day(day, paths.iter().copied()) {
                match read(folder.vault(), path, self.settings.config.index.max_file_size) {
                    Ok(file) => notes.extend(daily_note(day, path, &file.text)),
                    Err(error) => tracing::warn!(target: USER_NOTICE, "{error}"),
                }
            }
        }
        Ok(notes)
    }
}

fn daily_note(day: Date, path: &str, text: &str) -> Option<DailyNote> {
    let (path, text) = (redact_path(path), redact(text).text);
    let document = markdown::parse(&path, &text);
    let text = document.lines(document.body_line, document.line_count()).to_owned();
    (!document.private).then(|| DailyNote { day, path: path.into_owned(), text })
}
