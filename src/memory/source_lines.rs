//! Finds what agents and imports wrote from one source, and takes it back.
//!
//! Only what nobody has edited since counts: whole notes that tars wrote and would write again, and bullets of which each line is as tars
//! left it. A bullet under which somebody has added a line is theirs by now. A fact that the source had replaced returns to its place.

use jiff::Timestamp;

use super::bullet::{Bullet, bullets};
use super::file::{ARCHIVE_SUPERSEDED, bullet_lines, is_daily, is_durable, is_session_log};
use super::generated_note::is_unedited;
use super::session_note::emptied_sections;
use super::superseded::superseded;
use super::{CHATS, MemoryError, Superseded, normalized};
use tars_vault::{Author, LineOrigin, Lines, MemoryFolder, OriginSource, Origins, Splice, Writer};

/// Selects origins and times of writes.
pub type IsMeant<'a> = &'a dyn Fn(&LineOrigin, Timestamp) -> bool;

/// The lines of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceLines {
    /// The lines that nobody has edited since, by file.
    pub unedited: Vec<SourceLine>,
    /// The lines that somebody has edited since; they stay.
    pub edited: Vec<SourceLine>,
}

/// A bullet from a source, or a whole note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLine {
    /// Name of its file within the memory folder.
    pub file: String,
    /// The number of its first line, from 1; `None` for a whole note.
    pub line: Option<usize>,
    /// Its text; for a whole note its title.
    pub text: String,
    /// Its origin.
    pub origin: LineOrigin,
    /// The fact that it had replaced, which returns.
    pub returns: Option<String>,
}

/// A bullet that goes.
struct Removal {
    bullet: Bullet,
    origin: LineOrigin,
    former: Option<Superseded>,
}

/// Returns what the meant source wrote. A person's lines are never among it.
///
/// # Errors
/// A file cannot be read.
pub fn source_lines(
    folder: &MemoryFolder,
    origins: &Origins,
    is_meant: IsMeant<'_>,
) -> Result<SourceLines, MemoryError> {
    let mut found = SourceLines::default();
    let sources = of_others(origins, is_meant);
    let formers = Formers::of(folder, &sources)?;
    for source in &sources {
        let Some(bytes) = folder.read(source.name)? else { continue };
        if let Some(origin) = whole_note(source, &bytes) {
            found.unedited.push(whole_line(source.name, &bytes, origin));
            continue;
        }
        if let Some((origin, _)) = source.whole(&bytes) {
            found.edited.push(whole_line(source.name, &bytes, origin.clone()));
            continue;
        }
        let (removals, edited) = parts(source, &Lines::of(&bytes), &formers);
        found.unedited.extend(removals.into_iter().map(|one| SourceLine {
            returns: one.former.map(|former| former.bullet.text),
            ..line_of(&one.bullet, one.origin)
        }));
        found.edited.extend(edited.into_iter().map(|(bullet, origin)| line_of(&bullet, origin)));
    }
    Ok(found)
}

/// Takes back what [`source_lines`] finds, as it stands now. Returns what went.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn take_back(
    writer: &mut Writer<'_>,
    origins: &Origins,
    is_meant: IsMeant<'_>,
) -> Result<Vec<SourceLine>, MemoryError> {
    let mut gone = Vec::new();
    let sources = of_others(origins, is_meant);
    let formers = Formers::of(writer.folder(), &sources)?;
    let mut returned: Vec<Superseded> = Vec::new();
    for source in sources.iter().filter(|source| source.name != ARCHIVE_SUPERSEDED) {
        let Some(bytes) = writer.folder().read(source.name)? else { continue };
        if let Some(origin) = whole_note(source, &bytes) {
            if writer.remove_file(source.name, &bytes)? {
                gone.push(whole_line(source.name, &bytes, origin));
            }
            continue;
        }
        if source.whole(&bytes).is_some() {
            continue;
        }
        let mut removals = Vec::new();
        writer.edit(source.name, |lines| {
            removals = parts(source, lines, &formers).0;
            splices(source.name, lines, &removals)
        })?;
        returned.extend(removals.iter().filter_map(|one| one.former.clone()));
        gone.extend(removals.into_iter().map(|one| SourceLine {
            returns: one.former.map(|former| former.bullet.text),
            ..line_of(&one.bullet, one.origin)
        }));
        remove_bare_day(writer, source.name)?;
    }
    gone.extend(clear_archive(writer, sources.iter().find(|source| source.name == ARCHIVE_SUPERSEDED), &returned)?);
    Ok(gone)
}

/// Returns the files with lines that the meant source wrote, without those of a person.
fn of_others<'o>(origins: &'o Origins, is_meant: IsMeant<'_>) -> Vec<OriginSource<'o>> {
    origins.from_source(|origin, time| origin.by != Author::Person && is_meant(origin, time))
}

/// Returns the origin of a whole note that only the source wrote.
fn whole_note(source: &OriginSource<'_>, bytes: &[u8]) -> Option<LineOrigin> {
    if let Some((origin, true)) = source.whole(bytes) {
        return Some(origin.clone());
    }
    let is_chat = source.name.strip_prefix(CHATS).is_some_and(|rest| rest.starts_with('/'));
    if !is_chat && !is_session_log(source.name) || !is_unedited(&String::from_utf8_lossy(bytes)) {
        return None;
    }
    if let Some((origin, _)) = source.whole(bytes) {
        return Some(origin.clone());
    }
    let lines = Lines::of(bytes);
    let texts = lines.all();
    let body = texts.iter().skip(1).position(|line| line == "---").map_or(0, |end| end + 2);
    // The person's own words may be quoted in the log of a session, which is the agent's all the same.
    texts[body..].iter().chain(&texts).find_map(|line| source.unedited(line).cloned())
}

/// Returns the bullets of a file that go, and those that somebody has edited.
fn parts(source: &OriginSource<'_>, lines: &Lines<'_>, formers: &Formers) -> (Vec<Removal>, Vec<(Bullet, LineOrigin)>) {
    let (mut removals, mut edited): (Vec<Removal>, Vec<(Bullet, LineOrigin)>) = Default::default();
    for bullet in bullets(source.name, lines) {
        let is_within = |one: &Removal| one.bullet.lines.end > bullet.lines.start;
        if removals.last().is_some_and(is_within) || (source.name == ARCHIVE_SUPERSEDED && bullet.indent > 0) {
            continue;
        }
        let first = lines.line(bullet.lines.start);
        let Some(origin) = source.unedited(&first) else {
            edited.extend(source.worded(&first).map(|origin| (bullet, origin.clone())));
            continue;
        };
        // The line below an outdated fact is a label of tars.
        let below = bullet.lines.clone().skip(1).filter(|_| source.name != ARCHIVE_SUPERSEDED);
        let is_foreign = |line: usize| {
            let text = lines.line(line);
            let is_text = text.chars().any(char::is_alphanumeric) && !text.trim_start().starts_with("<!--");
            is_text && source.unedited(&text).is_none()
        };
        if below.into_iter().any(is_foreign) {
            edited.push((bullet, origin.clone()));
            continue;
        }
        let former = if is_durable(source.name) { formers.before(&bullet.text) } else { None };
        removals.push(Removal { origin: origin.clone(), former, bullet });
    }
    (removals, edited)
}

/// Returns the change that removes these bullets, with the sections of sessions that they leave empty.
fn splices(file: &str, lines: &Lines<'_>, removals: &[Removal]) -> Vec<Splice> {
    let is_gone = |line: usize| removals.iter().any(|one| one.bullet.lines.contains(&line));
    let sections = if is_daily(file) { emptied_sections(lines, &is_gone) } else { Vec::new() };
    let in_section = |line: usize| sections.iter().any(|section| section.contains(&line));
    let returning = |one: &Removal| -> Vec<String> {
        let former = one.former.iter().flat_map(|former| bullet_lines(&former.bullet.text));
        former.map(|line| format!("{}{line}", " ".repeat(one.bullet.indent))).collect()
    };
    let removal =
        |one: &Removal| Splice { at: one.bullet.lines.start, remove: one.bullet.lines.len(), insert: returning(one) };
    let whole = sections.iter().map(|section| Splice { at: section.start, remove: section.len(), insert: Vec::new() });
    removals.iter().filter(|one| !in_section(one.bullet.lines.start)).map(removal).chain(whole).collect()
}

/// Removes a day's log that holds nothing but its title.
fn remove_bare_day(writer: &mut Writer<'_>, file: &str) -> Result<(), MemoryError> {
    let bytes = writer.folder().read(file)?.unwrap_or_default();
    let is_bare = Lines::of(&bytes).all().iter().all(|line| line.trim().is_empty() || line.starts_with("# "));
    if is_daily(file) && is_bare {
        writer.remove_file(file, &bytes)?;
    }
    Ok(())
}

/// Removes the source's facts from the archive of outdated facts, and the facts that have returned.
fn clear_archive(
    writer: &mut Writer<'_>,
    source: Option<&OriginSource<'_>>,
    returned: &[Superseded],
) -> Result<Vec<SourceLine>, MemoryError> {
    let mut removals = Vec::new();
    if source.is_none() && returned.is_empty() {
        return Ok(Vec::new());
    }
    writer.edit(ARCHIVE_SUPERSEDED, |lines| {
        removals = source.map(|source| parts(source, lines, &Formers::default()).0).unwrap_or_default();
        let is_back = |bullet: &Bullet| returned.iter().any(|fact| fact.bullet.id == bullet.id);
        let outer = bullets(ARCHIVE_SUPERSEDED, lines).into_iter().filter(|bullet| bullet.indent == 0);
        let goes = |bullet: &Bullet| is_back(bullet) || removals.iter().any(|one| one.bullet.id == bullet.id);
        let gone = outer.filter(|bullet| goes(bullet));
        gone.map(|bullet| Splice { at: bullet.lines.start, remove: bullet.lines.len(), insert: Vec::new() }).collect()
    })?;
    Ok(removals.into_iter().map(|one| line_of(&one.bullet, one.origin)).collect())
}

/// The outdated facts, and which of them the source itself had written.
#[derive(Default)]
struct Formers(Vec<(bool, Superseded)>);

impl Formers {
    fn of(folder: &MemoryFolder, sources: &[OriginSource<'_>]) -> Result<Self, MemoryError> {
        let source = sources.iter().find(|source| source.name == ARCHIVE_SUPERSEDED);
        let is_own = |fact: &Superseded| {
            let first = fact.bullet.text.lines().next().unwrap_or_default();
            source.is_some_and(|source| source.worded(first).is_some())
        };
        let facts = superseded(folder)?.into_iter();
        Ok(Self(facts.map(|fact| (is_own(&fact), fact)).collect()))
    }

    /// Returns the last fact before a line of the source that the source did not write itself.
    fn before(&self, text: &str) -> Option<Superseded> {
        let mut text = normalized(text);
        // A chain of replacements is as long as the list at most.
        for _ in 0..self.0.len() {
            let (is_own, fact) = self.0.iter().rev().find(|(_, fact)| normalized(&fact.successor) == text)?;
            if !is_own {
                return Some(fact.clone());
            }
            text = normalized(&fact.bullet.text);
        }
        None
    }
}

fn line_of(bullet: &Bullet, origin: LineOrigin) -> SourceLine {
    SourceLine {
        file: bullet.file.clone(),
        line: Some(bullet.line()),
        text: bullet.text.clone(),
        origin,
        returns: None,
    }
}

/// Describes a whole note by its title.
fn whole_line(file: &str, bytes: &[u8], origin: LineOrigin) -> SourceLine {
    let text = String::from_utf8_lossy(bytes);
    let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(file).trim().to_owned();
    SourceLine { file: file.to_owned(), line: None, text: title, origin, returns: None }
}
