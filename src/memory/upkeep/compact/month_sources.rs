//! Reads the sources of a month's summary: the lines of its daily logs and its session logs.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::{Month, Section};
use crate::bullet::without_comment;
use crate::fact_line::{ReviewTag, tagged_fact};
use crate::{ARCHIVED_DAYS, ARCHIVED_SESSIONS, LogLine, MemoryError, SESSIONS, log_lines, log_sections};
use tars_base::domain::OutcomeKind;
use tars_base::domain::{ContentHash, hex};
use tars_text::cleaning::{MAX_LINE_CHARS, cleaned_sentence, truncated};
use tars_text::markdown::list_item;
use tars_text::redact::redact;
use tars_vault::{Lines, MemoryFolder};

/// A daily or session log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonthFile {
    /// Its name within the memory folder.
    pub file: String,
    /// Its day; for a session log, the day it began.
    pub day: Date,
    /// Whether it is a session log.
    pub is_session: bool,
    /// Whether it lies in the archive.
    pub is_moved: bool,
}

/// A source line of a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonthLine {
    /// Its text: one line without secrets.
    pub text: String,
    /// Its section of the summary.
    pub section: Section,
    /// The day it was noted on.
    pub day: Date,
    /// The project it was noted in.
    pub project: Option<String>,
    /// Its file.
    pub file: String,
    /// The heading above it; empty if the only heading is the day.
    pub heading: String,
}

/// The sources of a month.
#[derive(Debug, Clone)]
pub struct MonthSources {
    /// The month.
    pub month: Month,
    /// Its logs, by day.
    pub files: Vec<MonthFile>,
    /// Their lines, by day.
    pub lines: Vec<MonthLine>,
    /// Logs with extracted lines that wait for a review.
    pub waiting: Vec<String>,
}

/// Returns the months that have logs, with their files, oldest first.
///
/// # Errors
/// The folder cannot be read.
pub fn months(folder: &MemoryFolder) -> Result<BTreeMap<Month, Vec<MonthFile>>, MemoryError> {
    let mut found: BTreeMap<Month, Vec<MonthFile>> = BTreeMap::new();
    for file in folder.files()? {
        if let Some(log) = month_file(&file) {
            found.entry(Month::of(log.day)).or_default().push(log);
        }
    }
    for files in found.values_mut() {
        files.sort_by(|one, other| {
            (one.day, one.is_session, &one.file).cmp(&(other.day, other.is_session, &other.file))
        });
    }
    Ok(found)
}

fn month_file(file: &str) -> Option<MonthFile> {
    let places =
        [("", false, false), (ARCHIVED_DAYS, false, true), (SESSIONS, true, false), (ARCHIVED_SESSIONS, true, true)];
    places.into_iter().find_map(|(place, is_session, is_moved)| {
        let name = if place.is_empty() { file } else { file.strip_prefix(place)?.strip_prefix('/')? };
        let stem = name.strip_suffix(".md").filter(|stem| !stem.contains('/'))?;
        let text = if is_session { stem.get(.."YYYY-MM-DD".len())? } else { stem };
        let day: Date = text.parse().ok()?;
        (day.to_string() == text).then(|| MonthFile { file: file.to_owned(), day, is_session, is_moved })
    })
}

impl MonthSources {
    /// Reads the files of a month, which are in the order of [`months`].
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read(folder: &MemoryFolder, month: Month, files: Vec<MonthFile>) -> Result<Self, MemoryError> {
        let mut sources = Self { month, files, lines: Vec::new(), waiting: Vec::new() };
        for log in sources.files.clone() {
            let bytes = folder.read(&log.file)?.unwrap_or_default();
            sources.add(&log, &bytes)?;
        }
        Ok(sources)
    }

    fn add(&mut self, log: &MonthFile, bytes: &[u8]) -> Result<(), MemoryError> {
        // The text is redacted as a whole, because a private span may cover several lines. Redaction moves no line.
        let clean = redact(&tars_vault::text_of(bytes)).text.into_owned();
        let bytes = clean.as_bytes();
        let noted = log_lines(bytes);
        let is_persons_log = log.is_session && log_sections(bytes).iter().all(|section| section.anchor.is_none());
        if is_persons_log {
            // For a log that a person wrote, the summary holds only its topic.
            let texts = Lines::of(bytes).all();
            let topic =
                texts.iter().find_map(|line| line.strip_prefix("# ")).or(noted.first().map(|line| line.text.as_str()));
            self.lines.extend(topic.map(|topic| MonthLine::new(log, Section::Own, topic, "")));
            return Ok(());
        }
        let texts = Lines::of(bytes).all();
        let mut last_own = None;
        for line in &noted {
            let raw = texts.get(line.number - 1).map_or("", |raw| raw.trim());
            if let Some((tag, fact)) = tag(&line.text) {
                match tag {
                    ReviewTag::Waiting => self.waiting.push(log.file.clone()),
                    ReviewTag::Promoted => {
                        self.lines.push(MonthLine::new(log, Section::Learnt, fact, &line.section.heading))
                    }
                    ReviewTag::Dropped => {}
                }
                continue;
            }
            let is_own = line.section.anchor.is_none();
            let goes_on = last_own == Some(line.number - 1) && list_item(raw).is_none();
            if is_own
                && !log.is_session
                && goes_on
                && let Some(before) = self.lines.last_mut()
            {
                // The next line of a paragraph or of a bullet continues the line before.
                before.text = format!("{} {}", before.text, own_text(&line.text));
                last_own = Some(line.number);
                continue;
            }
            let Some(found) = MonthLine::of(log, line, raw) else { continue };
            last_own = (found.section == Section::Own).then_some(line.number);
            self.lines.push(found);
        }
        self.waiting.dedup();
        Ok(())
    }

    /// Returns the sources with only these lines.
    pub fn only(&self, is_meant: &dyn Fn(&MonthLine) -> bool) -> Self {
        let lines = self.lines.iter().filter(|line| is_meant(line)).cloned().collect();
        Self { lines, ..self.clone() }
    }

    /// Returns the days of the files.
    pub fn days(&self) -> Vec<Date> {
        let mut days: Vec<Date> = self.files.iter().map(|log| log.day).collect();
        days.dedup();
        days
    }

    /// Returns a hash of the lines. It does not depend on where the files lie.
    pub fn hash(&self) -> String {
        let names: Vec<String> = self.lines.iter().map(MonthLine::hash).collect();
        hex(ContentHash::of_parts([names.join(" ").as_bytes()]).as_bytes())
    }
}

impl MonthLine {
    fn new(log: &MonthFile, section: Section, text: &str, heading: &str) -> Self {
        let is_day = heading == log.day.to_string();
        Self {
            text: if section == Section::Own { own_text(text) } else { noted_text(text) },
            section,
            day: log.day,
            project: None,
            file: log.file.clone(),
            heading: if is_day || log.is_session { String::new() } else { heading.to_owned() },
        }
    }

    /// Converts a noted line into a source line; `None` if it does not belong in a summary, such as an entry of a list of files.
    fn of(log: &MonthFile, line: &LogLine, raw: &str) -> Option<Self> {
        let new = |section, text: &str| Self {
            project: line.section.project.name.clone(),
            ..Self::new(log, section, text, &line.section.heading)
        };
        let found = match line.kind {
            Some(OutcomeKind::Decided) => new(Section::Decided, line.text_without_request()),
            Some(OutcomeKind::Found) => new(Section::Learnt, line.text_without_request()),
            Some(OutcomeKind::RuledOut) => new(Section::Learnt, &format!("Ruled out: {}", line.text_without_request())),
            Some(OutcomeKind::Done | OutcomeKind::Also) => new(Section::Finished, line.text_without_request()),
            Some(OutcomeKind::Open) if line.is_ticked => {
                new(Section::Finished, &format!("Closed: {}", line.text_without_request()))
            }
            Some(OutcomeKind::Open) => new(Section::Open, line.text_without_request()),
            Some(OutcomeKind::Answered | OutcomeKind::Changed | OutcomeKind::Unfinished) => return None,
            None if line.section.anchor.is_none() => {
                let task = list_item(raw).and_then(|said| said.get(..3));
                let state = match task {
                    Some("[ ]") => " (open)",
                    Some("[x]" | "[X]") => " (done)",
                    _ => "",
                };
                new(Section::Own, &format!("{}{state}", line.text))
            }
            None => return None,
        };
        found.text.chars().any(char::is_alphanumeric).then_some(found)
    }

    /// Returns a short hash of the line and its day: eight digits.
    pub fn hash(&self) -> String {
        let section = self.section.heading();
        let project = self.project.as_deref().unwrap_or_default();
        let day = self.day.to_string();
        let parts = [day.as_str(), section, project, &self.text].map(str::as_bytes);
        hex(&ContentHash::of_parts(parts).as_bytes()[..4])
    }

    /// Returns a link to its place.
    pub fn link(&self, folder: &MemoryFolder) -> String {
        crate::section_link(&folder.vault_path(&self.file), &self.heading, &self.day.to_string())
    }
}

/// Splits an extracted line into its review tag and the fact. The tag stands at the start or right after the channel.
fn tag(text: &str) -> Option<(ReviewTag, &str)> {
    let behind_channel = text.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map(|(_, rest)| rest);
    [Some(text), behind_channel].into_iter().flatten().find_map(tagged_fact)
}

/// Sanitizes a note of tars for a summary.
pub(super) fn noted_text(text: &str) -> String {
    truncated(&cleaned_sentence(&redact(&uncommented(text)).text), MAX_LINE_CHARS)
}

/// Sanitizes a person's words for a summary. They stay whole, with their links.
fn own_text(text: &str) -> String {
    let line: String = uncommented(text).chars().filter(|character| !character.is_control()).collect();
    redact(line.trim()).text.into_owned()
}

/// Removes the comment at the end of a text, and escapes comment openings in it.
fn uncommented(text: &str) -> String {
    without_comment(text).replace("<!--", "< !--")
}
