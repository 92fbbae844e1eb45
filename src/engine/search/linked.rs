//! The notes that a note links to, and the notes that link to it.

use super::SearchError;
use super::note::{resolve, searched_files};
use tars_store::{FileId, Reader};

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
    let all = reader.collections()?;
    let known = searched_files(reader, &all, collections)?;
    let own = known.iter().find(|(one, file)| one.name == collection && file.path == path).map(|(_, file)| file.id);
    let Some(own) = own else { return Ok(Vec::new()) };
    let leads_to = |target: &str| resolve(&known, target).ok();
    let targets: Vec<FileId> = reader.link_targets(own)?.iter().filter_map(|target| leads_to(target)).collect();
    let mut found = Vec::new();
    for (collection, file) in known.iter().filter(|(_, file)| file.id != own) {
        let mut names = reader.link_targets(file.id)?.into_iter();
        // Resolving a link is slow, so only links with the same last part are resolved.
        let is_source = names.any(|target| link_name(&target) == link_name(path) && leads_to(&target) == Some(own));
        let is_target = targets.contains(&file.id);
        if is_target || is_source {
            let first = reader.chunk_range(file.id, 0, 0)?.into_iter().next();
            let title = first.map_or_else(|| file.path.clone(), |chunk| chunk.title);
            let (collection, path) = (collection.name.clone(), file.path.clone());
            found.push(LinkedNote { collection, path, title, is_target, is_source });
        }
    }
    Ok(found)
}

/// Returns the part that a link shares with the path of its target: the lower-case file name without extension.
pub(crate) fn link_name(path: &str) -> String {
    let last = path.rsplit('/').next().unwrap_or_default();
    last.strip_suffix(".md").unwrap_or(last).to_lowercase()
}
