//! What was noted in a month: the lines of its day files and of the logs of its sessions that a summary may rest on.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::{Month, Section};
use crate::digest::{LONGEST_BULLET, OutcomeKind, cleaned_sentence, shortened};
use crate::domain::{ContentHash, hex};
use crate::markdown::list_item;
use crate::memory::{
    self, ARCHIVED_DAYS, ARCHIVED_SESSIONS, EXTRACTED, MemoryError, NotedLine, SESSIONS, noted_lines, noted_sections,
};
use crate::redact::redact;
use crate::vault::{Lines, MemoryFolder};

/// The log of a day or of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonthFile {
    /// Its name within the memory folder.
    pub file: String,
    /// Its day; that of its beginning for the log of a session.
    pub day: Date,
    /// Whether it is the log of a session.
    pub is_session: bool,
    /// Whether it lies in the archive.
    pub is_moved: bool,
}

/// A line that a summary may rest on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonthLine {
    /// What it says: one line without secrets.
    pub text: String,
    /// Where it belongs in a summary.
    pub section: Section,
    /// The day that it was noted on.
    pub day: Date,
    /// The project that it was noted in.
    pub project: Option<String>,
    /// The file that it stands in.
    pub file: String,
    /// The heading that it stands under; empty where the file has none but its day.
    pub heading: String,
}

/// What was noted in a month.
#[derive(Debug, Clone)]
pub struct MonthSources {
    /// The month.
    pub month: Month,
    /// Its files, by day.
    pub files: Vec<MonthFile>,
    /// Their lines, by day.
    pub lines: Vec<MonthLine>,
    /// Files with extracted lines that wait for a review.
    pub waiting: Vec<String>,
}

/// Returns the months of which a memory folder holds logs, with their files, oldest first.
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
    /// Reads the files of a month.
    ///
    /// # Errors
    /// One cannot be read.
    pub fn read(folder: &MemoryFolder, month: Month, files: Vec<MonthFile>) -> Result<Self, MemoryError> {
        let mut sources = Self { month, files, lines: Vec::new(), waiting: Vec::new() };
        for log in sources.files.clone() {
            let bytes = folder.read(&log.file)?.unwrap_or_default();
            sources.add(&log, &bytes)?;
        }
        // A month that was written down on one day and continued on another reads in the order of its days.
        sources.lines.sort_by_key(|line| line.day);
        Ok(sources)
    }

    fn add(&mut self, log: &MonthFile, bytes: &[u8]) -> Result<(), MemoryError> {
        // All of it at once: what is private may begin on one line and end on another. No line moves.
        let clean = redact(&String::from_utf8_lossy(bytes)).text.into_owned();
        let bytes = clean.as_bytes();
        let noted = noted_lines(bytes);
        let is_persons_log = log.is_session && noted_sections(bytes).iter().all(|section| section.anchor.is_none());
        if is_persons_log {
            // A log that a person wrote is a text of its own: the summary names it.
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
            if let Some(tag) = tag(&line.text) {
                match tag {
                    Tag::Waiting => self.waiting.push(log.file.clone()),
                    Tag::Promoted(text) => {
                        self.lines.push(MonthLine::new(log, Section::Learnt, &text, &line.section.heading))
                    }
                    Tag::Dropped => {}
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
                // A paragraph, or what a bullet goes on with, is one thing that was said.
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

    /// Returns the same with these lines alone.
    pub fn only(&self, is_meant: &dyn Fn(&MonthLine) -> bool) -> Self {
        let lines = self.lines.iter().filter(|line| is_meant(line)).cloned().collect();
        Self { lines, ..self.clone() }
    }

    /// Returns the days that were read.
    pub fn days(&self) -> Vec<Date> {
        let mut days: Vec<Date> = self.files.iter().map(|log| log.day).collect();
        days.dedup();
        days
    }

    /// Returns a name for all that was read: the same lines have the same, wherever their files lie.
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

    /// Returns what a noted line is to a summary; `None` if it is nothing to it, such as a list of files.
    fn of(log: &MonthFile, line: &NotedLine, raw: &str) -> Option<Self> {
        let new = |section, text: &str| Self {
            project: line.section.project.name.clone(),
            ..Self::new(log, section, text, &line.section.heading)
        };
        let found = match line.kind {
            Some(OutcomeKind::Decided) => new(Section::Decided, line.said()),
            Some(OutcomeKind::Found) => new(Section::Learnt, line.said()),
            Some(OutcomeKind::RuledOut) => new(Section::Learnt, &format!("Ruled out: {}", line.said())),
            Some(OutcomeKind::Done) => new(Section::Finished, line.said()),
            Some(OutcomeKind::Open) if line.is_ticked => new(Section::Finished, &format!("Closed: {}", line.said())),
            Some(OutcomeKind::Open) => new(Section::Open, line.said()),
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

    /// Returns a short name for what it says, of its day: eight digits.
    pub fn hash(&self) -> String {
        let section = self.section.heading();
        let project = self.project.as_deref().unwrap_or_default();
        let day = self.day.to_string();
        let parts = [day.as_str(), section, project, &self.text].map(str::as_bytes);
        hex(&ContentHash::of_parts(parts).as_bytes()[..4])
    }

    /// Returns a link to where it stands.
    pub fn link(&self, folder: &MemoryFolder) -> String {
        memory::section_link(&folder.shown(&self.file), &self.heading, &self.day.to_string())
    }
}

/// What became of an extracted line.
enum Tag {
    Waiting,
    Promoted(String),
    Dropped,
}

/// Returns the tag of a line that was extracted from a session: it stands first, or behind the channel.
fn tag(text: &str) -> Option<Tag> {
    let behind_channel = text.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map(|(_, rest)| rest);
    [Some(text), behind_channel].into_iter().flatten().find_map(|said| {
        let rest = |tag: &str| said.strip_prefix(tag);
        rest(EXTRACTED)
            .map(|_| Tag::Waiting)
            .or_else(|| rest("[dropped]").map(|_| Tag::Dropped))
            .or_else(|| rest("[promoted]").map(|text| Tag::Promoted(text.trim().to_owned())))
    })
}

/// Returns what tars noted as it may stand in a summary.
pub(super) fn noted_text(text: &str) -> String {
    shortened(&cleaned_sentence(&redact(&uncommented(text)).text), LONGEST_BULLET)
}

/// Returns a person's words as they may stand in a summary: whole, with their links.
fn own_text(text: &str) -> String {
    let line: String = uncommented(text).chars().filter(|character| !character.is_control()).collect();
    redact(line.trim()).text.into_owned()
}

/// Returns a text without the comment at its end, and with nothing in it that opens one.
fn uncommented(text: &str) -> String {
    let text = match text.rfind("<!--") {
        Some(at) if text.trim_end().ends_with("-->") => text[..at].trim_end(),
        _ => text,
    };
    text.replace("<!--", "< !--")
}
