//! Undoes and redoes writes.

use std::collections::{HashMap, HashSet};

use super::journal::{Change, Entry, hash};
use super::lines::{Lines, Splice};
use super::{WriteError, Writer};

/// The outcome of an undo or redo.
#[derive(Debug, Clone, PartialEq)]
pub enum UndoOutcome {
    /// The files (or at least the affected lines) are as they were before these writes.
    Done(Vec<Entry>),
    /// The lines are no longer as the write left them: nothing was changed.
    Refused {
        /// The write.
        entry: Box<Entry>,
        /// The lines that the write left.
        change: Option<Change>,
        /// The file's current lines; `None` if it does not exist.
        now: Option<Vec<String>>,
    },
    /// There is nothing left to undo.
    Nothing,
}

/// Undoes the last command that has not been undone yet, among those with a write that `meant` accepts.
///
/// # Errors
/// See [`WriteError`].
pub fn undo(writer: &mut Writer<'_>, meant: impl Fn(&Entry) -> bool) -> Result<UndoOutcome, WriteError> {
    let entries = writer.entries()?;
    undo_last(writer, &writes_in_force(&entries), meant)
}

/// Undoes the last undo that has not been undone yet, among those of writes that `meant` accepts. This restores the writes.
///
/// # Errors
/// See [`WriteError`].
pub fn redo(writer: &mut Writer<'_>, meant: impl Fn(&Entry) -> bool) -> Result<UndoOutcome, WriteError> {
    let entries = writer.entries()?;
    let writes: HashMap<u64, &Entry> =
        entries.iter().filter(|entry| entry.undoes.is_none()).map(|entry| (entry.id, entry)).collect();
    undo_last(writer, &in_force(&entries), |entry| {
        // `writes` holds no undos, so a redo itself cannot be redone.
        entry.undoes.and_then(|id| writes.get(&id)).is_some_and(|write| meant(write))
    })
}

/// Undoes the last group of `entries` with an entry that `meant` accepts.
fn undo_last(
    writer: &mut Writer<'_>,
    entries: &[&Entry],
    meant: impl Fn(&Entry) -> bool,
) -> Result<UndoOutcome, WriteError> {
    let Some(last) = entries.iter().rfind(|entry| meant(entry)) else { return Ok(UndoOutcome::Nothing) };
    let group: Vec<Entry> =
        entries.iter().rev().filter(|entry| entry.group == last.group).map(|entry| (*entry).clone()).collect();
    if let Some(entry) = group.iter().find(|entry| entry.regenerable && entry.undoes.is_some()) {
        return Err(WriteError::TextNotKept { path: writer.folder().path().join(&entry.file) });
    }
    // All or nothing: compute every result before touching the first file.
    let mut files: HashMap<&str, Option<Vec<u8>>> = HashMap::new();
    for entry in &group {
        let moved_to = entry.moved_to.as_deref();
        for file in std::iter::once(entry.file.as_str()).chain(moved_to) {
            if !files.contains_key(file) {
                files.insert(file, writer.read(file)?);
            }
        }
        let now = files.remove(entry.file.as_str()).flatten();
        if let Some(to) = moved_to {
            let there = files.remove(to).flatten();
            match locate_moved(now.is_some(), there.is_some()) {
                MovedFile::AtNewName => files.extend([(entry.file.as_str(), there), (to, None)]),
                MovedFile::AtOldName => files.extend([(entry.file.as_str(), now), (to, there)]),
                MovedFile::Unclear => return Ok(refused(entry, None, there.as_deref())),
            };
            continue;
        }
        match restored(entry, now.as_deref()) {
            Ok(after) => files.insert(&entry.file, after),
            Err(change) => return Ok(refused(entry, change, now.as_deref())),
        };
    }
    for entry in &group {
        if let Some(to) = &entry.moved_to {
            let (now, there) = (writer.read(&entry.file)?, writer.read(to)?);
            let is_back = match locate_moved(now.is_some(), there.is_some()) {
                MovedFile::AtNewName => writer.rename_as(to, &entry.file, Some(entry.id))?,
                MovedFile::AtOldName => writer.write_undo(entry, now.as_deref(), now.as_deref())?,
                MovedFile::Unclear => false,
            };
            if !is_back {
                return Ok(refused(entry, None, there.as_deref()));
            }
            continue;
        }
        loop {
            let now = writer.read(&entry.file)?;
            let after = match restored(entry, now.as_deref()) {
                Ok(after) => after,
                Err(change) => return Ok(refused(entry, change, now.as_deref())),
            };
            if writer.write_undo(entry, now.as_deref(), after.as_deref())? {
                break;
            }
        }
    }
    for entry in &group {
        writer.remove_created_folders(entry);
    }
    Ok(UndoOutcome::Done(group))
}

/// The location of a moved file.
enum MovedFile {
    /// At its new name.
    AtNewName,
    /// Back at its old name: there is nothing to move.
    AtOldName,
    /// At neither name, or another file has the old name.
    Unclear,
}

fn locate_moved(is_here: bool, is_there: bool) -> MovedFile {
    match (is_here, is_there) {
        (false, true) => MovedFile::AtNewName,
        (true, false) => MovedFile::AtOldName,
        (true, true) | (false, false) => MovedFile::Unclear,
    }
}

/// Returns the writes in force: those that were not undone and are no undos themselves.
pub fn writes_in_force(entries: &[Entry]) -> Vec<&Entry> {
    in_force(entries).into_iter().filter(|entry| entry.undoes.is_none()).collect()
}

/// Returns the entries in force, undos among them. A write whose undo was undone is in force again.
fn in_force(entries: &[Entry]) -> Vec<&Entry> {
    let mut undone = HashSet::new();
    // An undo always follows the entry that it undoes.
    for entry in entries.iter().rev() {
        if let Some(id) = entry.undoes
            && !undone.contains(&entry.id)
        {
            undone.insert(id);
        }
    }
    entries.iter().filter(|entry| !undone.contains(&entry.id)).collect()
}

fn refused(entry: &Entry, change: Option<Change>, now: Option<&[u8]>) -> UndoOutcome {
    UndoOutcome::Refused { entry: Box::new(entry.clone()), change, now: now.map(|bytes| Lines::of(bytes).all()) }
}

/// Returns the file's content without this write, or the change whose lines are no longer in the file.
fn restored(entry: &Entry, now: Option<&[u8]>) -> Result<Option<Vec<u8>>, Option<Change>> {
    if entry.was_not_applied(now) {
        return Ok(now.map(<[u8]>::to_vec));
    }
    if let Some(bytes) = now
        && Some(hash(bytes)) == entry.after
    {
        return exactly(entry, bytes).ok_or(None);
    }
    match now {
        Some(bytes) => by_lines(entry, &Lines::of(bytes)).map(Some),
        None if entry.after.is_none() => exactly(entry, &[]).ok_or(None),
        None => Err(None),
    }
}

/// Restores the exact bytes, checked against the hash of the former content.
fn exactly(entry: &Entry, now: &[u8]) -> Option<Option<Vec<u8>>> {
    let end = entry.offset.checked_add(entry.inserted.get().len())?;
    let before = [now.get(..entry.offset)?, &entry.removed.get(), now.get(end..)?].concat();
    match &entry.before {
        None => Some(None),
        Some(known) => (hash(&before) == *known).then_some(Some(before)),
    }
}

/// Restores the lines of a file that changed elsewhere.
fn by_lines(entry: &Entry, lines: &Lines<'_>) -> Result<Vec<u8>, Option<Change>> {
    let replaced = |change: &Change| change.removed.iter().any(|line| line.contains(char::REPLACEMENT_CHARACTER));
    if entry.removed.is_binary() && entry.changes.iter().any(replaced) {
        // Restoring by lines would alter bytes that are not UTF-8.
        return Err(None);
    }
    let texts = lines.all();
    let mut splices: Vec<Splice> = Vec::new();
    for change in &entry.changes {
        let at = locate(change, &texts).ok_or_else(|| Some(change.clone()))?;
        let taken =
            |splice: &Splice| at < splice.at + splice.remove.max(1) && splice.at < at + change.inserted.len().max(1);
        if splices.iter().any(taken) {
            return Err(Some(change.clone()));
        }
        splices.push(Splice { at, remove: change.inserted.len(), insert: change.removed.clone() });
    }
    if splices.is_empty() {
        return Err(None);
    }
    Ok(lines.spliced(&splices))
}

/// Returns the current line number of a change's lines: by the lines alone if they occur exactly once, otherwise with their
/// surrounding lines.
fn locate(change: &Change, texts: &[String]) -> Option<usize> {
    let places = |wanted: &[String]| -> Vec<usize> {
        if wanted.is_empty() || wanted.len() > texts.len() {
            return Vec::new();
        }
        (0..=texts.len() - wanted.len()).filter(|at| texts[*at..*at + wanted.len()] == *wanted).collect()
    };
    let once = |places: Vec<usize>| (places.len() == 1).then(|| places[0]);
    let blank = change.inserted.iter().all(|line| line.trim().is_empty());
    if !blank && let Some(at) = once(places(&change.inserted)) {
        return Some(at);
    }
    let around = [&change.above[..], &change.inserted, &change.below].concat();
    let above = [&change.above[..], &change.inserted].concat();
    once(places(&around))
        .or_else(|| once(places(&above)).filter(|_| !change.above.is_empty()))
        .map(|at| at + change.above.len())
        .or_else(|| {
            let below = [&change.inserted[..], &change.below].concat();
            once(places(&below)).filter(|_| !change.below.is_empty())
        })
}
