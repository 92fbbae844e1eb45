//! Keeps outdated facts: a line that is no longer true moves to `archive/superseded.md`, with its dates and its successor.
//!
//! ```text
//! ## 2026-03
//!
//! - Anna works at the harbour office.
//!   - was so from 2025-11-03 to 2026-03-14; now: Anna works at the museum. ([[tars/Memory#People]])
//! ```
//!
//! The entry names its successor by the successor's words. If the successor is superseded later, its own entry names the next one. A
//! chain is thus followed by words, and it survives every move of a line.

use jiff::civil::{Date, DateTime};

use super::bullet::{Bullet, bullets};
use super::file::{ARCHIVE_SUPERSEDED, append_to_section, durable_bullets};
use super::likeness::normalized;
use super::remember::{Fact, Stored, first_date, remember};
use super::{MemoryError, remove_bullets};
use tars_base::domain::collapse_whitespace;
use tars_text::markdown::list_item;
use tars_vault::{Author, LineCredit, Lines, MemoryFolder, Writer, line_written_at};

/// Prefix of the label line below a superseded line, and the separators of its fields.
const LABEL: &str = "  - ";
const OPENING: &str = "was so ";
const NOW: &str = "; now: ";

/// A fact that is no longer true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Superseded {
    /// The line in the archive. Its text is the former fact.
    pub bullet: Bullet,
    /// The day from which it was true or known, if any.
    pub since: Option<Date>,
    /// The day on which it stopped being true.
    pub until: Date,
    /// The successor's text, in one line.
    pub successor: String,
    /// The successor's place when it was archived, as a link target: `tars/Memory#People`.
    pub place: String,
}

impl Superseded {
    /// Whether it was true, as far as is known, on some day of `first..=last`.
    pub fn was_true_in(&self, first: Date, last: Date) -> bool {
        self.since.is_none_or(|since| since <= last) && first < self.until
    }

    /// Returns its dates and its successor in one line: `was so until 2026-03-14; now: …`.
    pub fn label(&self) -> String {
        label((self.since, self.until), &self.successor)
    }
}

/// Replaces an outdated line by `fact` and archives the old line. One undo reverts both writes.
///
/// # Errors
/// See [`tars_vault::WriteError`]; or the line is gone.
pub fn supersede(writer: &mut Writer<'_>, old: &Bullet, fact: &Fact, now: DateTime) -> Result<Stored, MemoryError> {
    let kept = new_entry(writer, old, now.date())?;
    let stored = remember(writer, fact, &now, Some(old), true)?;
    archive_entry(writer, &kept, &stored.bullet, now.date())?;
    Ok(stored)
}

/// Removes a line that `by` supersedes, and archives it.
///
/// # Errors
/// As [`supersede`].
pub fn remove_superseded(writer: &mut Writer<'_>, old: &Bullet, by: &Bullet, now: DateTime) -> Result<(), MemoryError> {
    let kept = new_entry(writer, old, now.date())?;
    if remove_bullets(writer, std::slice::from_ref(old))?.is_empty() {
        return Err(MemoryError::Gone { id: old.id.clone() });
    }
    archive_entry(writer, &kept, by, now.date())
}

/// Returns all superseded facts, ordered by their last day.
///
/// # Errors
/// The archive cannot be read.
pub fn superseded(folder: &MemoryFolder) -> Result<Vec<Superseded>, MemoryError> {
    Ok(read_all(&folder.read(ARCHIVE_SUPERSEDED)?.unwrap_or_default()))
}

/// Reads the archive. The label is the last line of an entry that has the label's form, because lines nested in the former fact may look
/// like a label, and may hold an unclosed code block.
fn read_all(bytes: &[u8]) -> Vec<Superseded> {
    let lines = Lines::of(bytes);
    let labelled = |bullet: Bullet| {
        let mut below = bullet.lines.clone().skip(1).rev();
        let (label, mut fact) = below.find_map(|line| {
            let label = lines.line(line);
            let fact = read(&bullet, label.strip_prefix(LABEL)?)?;
            Some((label, fact))
        })?;
        // In an unclosed code block, the parser counts the label as part of the bullet's text.
        let said = fact.bullet.text.strip_suffix(label.trim()).and_then(|said| said.strip_suffix('\n'));
        fact.bullet.text = said.map_or_else(|| fact.bullet.text.clone(), str::to_owned);
        Some(fact)
    };
    let outermost = bullets(ARCHIVE_SUPERSEDED, &lines).into_iter().filter(|bullet| bullet.indent == 0);
    let mut found: Vec<Superseded> = outermost.filter_map(labelled).collect();
    found.sort_by_key(|fact| fact.until);
    found
}

/// An archive entry.
struct Entry {
    /// The line as it stood, with its nested lines, and without its indentation.
    lines: Vec<String>,
    /// The day from which it was true, if the line or the journal tells it.
    since: Option<Date>,
    /// The author of the lines.
    credits: Vec<LineCredit>,
}

fn new_entry(writer: &Writer<'_>, old: &Bullet, today: Date) -> Result<Entry, MemoryError> {
    let bytes = writer.folder().read(&old.file)?.unwrap_or_default();
    let lines = Lines::of(&bytes);
    let current = bullets(&old.file, &lines).into_iter().find(|bullet| bullet.id == old.id);
    let current = current.ok_or_else(|| MemoryError::Gone { id: old.id.clone() })?;
    let first = lines.line(current.lines.start);
    let named = first_date(&current.text).filter(|day| *day <= today);
    let noted = || line_written_at(&writer.entries().ok()?, &old.file, &first).map(|time| writer.day_of(time));
    let since = named.or_else(noted).filter(|since| *since < today);
    let kept = archived_lines(&lines, &current);
    // The author of the replacement did not write the line that it replaces.
    let origins = writer.folder().origins_of(&[old.file.as_str()])?;
    let by = |line: &String| origins.as_ref().and_then(|origins| origins.of(&old.file, line)).map(|origin| origin.by);
    let credit = |line: &String| LineCredit { line: line.clone(), by: by(line).unwrap_or(Author::Person), model: None };
    Ok(Entry { since, credits: kept.iter().map(credit).collect(), lines: kept })
}

/// Returns the lines of a bullet as the archive stores them: at the top level of a list, with one kind of marker.
fn archived_lines(lines: &Lines<'_>, bullet: &Bullet) -> Vec<String> {
    let first = lines.line(bullet.lines.start);
    let said = list_item(first.trim()).unwrap_or(&bullet.text);
    let nested = bullet.lines.clone().skip(1);
    let nested = nested.map(|line| without_columns(&lines.line(line), bullet.indent).trim_end().to_owned());
    std::iter::once(format!("- {said}")).chain(nested).collect()
}

/// Removes up to `columns` columns of leading whitespace. A tab counts as four.
fn without_columns(line: &str, columns: usize) -> &str {
    let mut left = columns;
    line.trim_start_matches(|character: char| {
        let width = if character == '\t' { 4 } else { 1 };
        let goes = character.is_whitespace() && left >= width;
        left -= if goes { width } else { left };
        goes
    })
}

fn archive_entry(writer: &mut Writer<'_>, entry: &Entry, by: &Bullet, today: Date) -> Result<(), MemoryError> {
    let section: String = by.heading.chars().filter(|c| !"[]|#^()".contains(*c)).collect();
    let path = writer.folder().vault_path(by.file.strip_suffix(".md").unwrap_or(&by.file));
    let place = if section.trim().is_empty() { path } else { format!("{path}#{}", section.trim()) };
    let mut lines = entry.lines.clone();
    writer.credit(entry.credits.clone());
    lines.push(label_line((entry.since, today), (&by.text, &place)));
    writer.edit(ARCHIVE_SUPERSEDED, |known| {
        vec![append_to_section(known, "Superseded", &today.strftime("%Y-%m").to_string(), lines.clone())]
    })?;
    Ok(())
}

fn label_line(days: (Option<Date>, Date), (by, place): (&str, &str)) -> String {
    format!("{LABEL}{} ([[{place}]])", label(days, by))
}

/// Returns the label without its link, in one line.
fn label((since, until): (Option<Date>, Date), by: &str) -> String {
    format!("{OPENING}{}{NOW}{}", days(since, until), collapse_whitespace(by))
}

fn days(since: Option<Date>, until: Date) -> String {
    match since {
        Some(since) => format!("from {since} to {until}"),
        None => format!("until {until}"),
    }
}

fn read(outer: &Bullet, said: &str) -> Option<Superseded> {
    let (days, by) = said.strip_prefix(OPENING)?.split_once(NOW)?;
    let (since, until) = match days.strip_prefix("until ") {
        Some(until) => (None, until),
        None => days.strip_prefix("from ")?.split_once(" to ").map(|(since, until)| (since.parse().ok(), until))?,
    };
    let (by, place) = by.strip_suffix("]])")?.rsplit_once(" ([[")?;
    Some(Superseded {
        bullet: outer.clone(),
        since,
        until: until.parse().ok()?,
        successor: by.to_owned(),
        place: place.to_owned(),
    })
}

/// The history of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// The former facts, oldest first.
    pub before: Vec<Superseded>,
    /// The line that is true now; `None` if it was removed or reworded since.
    pub now: Option<Bullet>,
}

/// Returns the whole history of each fact that `is_meant` selects by its text, from the first line to the current one. A line that never
/// changed is a history of one.
///
/// # Errors
/// A file cannot be read.
pub fn histories(folder: &MemoryFolder, is_meant: impl Fn(&str) -> bool) -> Result<Vec<History>, MemoryError> {
    let chains = chains(superseded(folder)?);
    let current = durable_bullets(folder)?;
    let mut found: Vec<History> = Vec::new();
    for before in chains {
        let by = before.last().map(|last| normalized(&last.successor)).unwrap_or_default();
        let now = current.iter().find(|bullet| normalized(&bullet.text) == by).cloned();
        let says = before.iter().any(|fact| is_meant(&fact.bullet.text) || is_meant(&fact.successor));
        if says || now.as_ref().is_some_and(|now| is_meant(&now.text)) {
            found.push(History { before, now });
        }
    }
    let in_chain =
        |bullet: &Bullet| found.iter().any(|history| history.now.as_ref().is_some_and(|now| now.id == bullet.id));
    let alone: Vec<Bullet> =
        current.iter().filter(|bullet| is_meant(&bullet.text) && !in_chain(bullet)).cloned().collect();
    found.extend(alone.into_iter().map(|bullet| History { before: Vec::new(), now: Some(bullet) }));
    Ok(found)
}

/// Groups facts, ordered by their last day, into chains: the next fact of a chain is the later one whose text is the successor. Facts
/// with the same successor have separate chains.
fn chains(facts: Vec<Superseded>) -> Vec<Vec<Superseded>> {
    let says: Vec<String> = facts.iter().map(|fact| normalized(&fact.bullet.text)).collect();
    let next = |index: usize| {
        let by = normalized(&facts[index].successor);
        (index + 1..facts.len()).find(|later| says[*later] == by)
    };
    let next: Vec<Option<usize>> = (0..facts.len()).map(next).collect();
    let first = (0..facts.len()).filter(|index| !next.contains(&Some(*index)));
    let chain = |index: usize| {
        std::iter::successors(Some(index), |index: &usize| next[*index]).map(|index| facts[index].clone())
    };
    first.map(|index| chain(index).collect()).collect()
}

#[cfg(test)]
mod tests;
