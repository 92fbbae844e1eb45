//! The notes that a note links to, and the notes that link to it.

use std::collections::HashSet;

use super::SearchError;
use super::known_notes::KnownNotes;
use tars_store::Reader;
use tars_text::names::{folded, link_readings};

/// A note linked with another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedNote {
    /// Collection of the note.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// Title of the note.
    pub title: String,
    /// Whether the other note links to it.
    pub is_target: bool,
    /// Whether it links to the other note.
    pub is_source: bool,
}

/// Returns the notes that the note at `path` of `collection` links to and those that link to it, by collection and path.
/// Returns none if the note is not indexed. Skips ambiguous links and notes outside `collections` (an empty list admits all).
///
/// # Errors
/// The index cannot be read.
pub fn linked_notes(
    reader: &dyn Reader,
    collection: &str,
    path: &str,
    collections: &[String],
) -> Result<Vec<LinkedNote>, SearchError> {
    let known = KnownNotes::read(reader, collections)?;
    let Some(own) = known.position(collection, path) else { return Ok(Vec::new()) };
    let names = known.names();
    let targets = reader.link_targets(known.file(own))?;
    let targets: HashSet<usize> = targets.iter().filter_map(|target| names.linked(own, target)).collect();
    let mut found = Vec::new();
    for note in (0..known.len()).filter(|note| *note != own) {
        let (collection, source) = known.place(note);
        // Most links name other notes, which their readings tell without a look at all names.
        let may_lead = |target: &String| link_readings(source, target).iter().any(|reading| reading.admits(path));
        let links = reader.link_targets(known.file(note))?;
        let is_source = links.iter().any(|target| may_lead(target) && names.linked(note, target) == Some(own));
        let is_target = targets.contains(&note);
        if is_target || is_source {
            let first = reader.chunk_range(known.file(note), 0, 0)?.into_iter().next();
            let title = first.map_or_else(|| source.to_owned(), |chunk| chunk.title);
            let (collection, path) = (collection.to_owned(), source.to_owned());
            found.push(LinkedNote { collection, path, title, is_target, is_source });
        }
    }
    Ok(found)
}

/// Returns the part that a link shares with the path of its target: the folded file name without extension.
pub(crate) fn link_name(path: &str) -> String {
    let last = path.rsplit('/').next().unwrap_or_default();
    folded(last.strip_suffix(".md").unwrap_or(last))
}
