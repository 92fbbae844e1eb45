//! The order in which notes are embedded.

use std::collections::{HashMap, HashSet};

use crate::search::link_name;
use tars_store::{FileId, PendingSelection, Reader, StoreError};

/// Below this number of notes the order makes no noticeable difference.
const MIN_NOTES: usize = 64;
/// Fewest links to a note that make it a hub.
const MIN_LINKS: usize = 2;

/// Returns the notes that wait for vectors, by priority: alternately the newest and the most linked. Notes whose vectors are only
/// to be renewed come last.
pub(super) fn by_priority(index: &dyn Reader, waiting: PendingSelection) -> Result<Vec<FileId>, StoreError> {
    let files = index.pending_files(waiting)?;
    if files.len() < MIN_NOTES {
        return Ok(files);
    }
    let bare = if waiting == PendingSelection::WithoutVector {
        files.clone()
    } else {
        index.pending_files(PendingSelection::WithoutVector)?
    };
    let hubs = hubs(index, &bare)?;
    let mut seen = HashSet::new();
    let mut hubs = hubs.into_iter();
    let turns = bare.into_iter().flat_map(|newest| [Some(newest), hubs.next()]).flatten();
    Ok(turns.chain(files).filter(|file| seen.insert(*file)).collect())
}

/// Returns the `files` that several notes link to, the most linked first. A link counts for every note with its name.
fn hubs(index: &dyn Reader, files: &[FileId]) -> Result<Vec<FileId>, StoreError> {
    let mut linked: HashMap<String, usize> = HashMap::new();
    for (target, count) in index.link_counts()? {
        *linked.entry(link_name(&target)).or_default() += count;
    }
    linked.retain(|_, count| *count >= MIN_LINKS);
    if linked.is_empty() {
        return Ok(Vec::new());
    }
    let mut counts: HashMap<FileId, usize> = HashMap::new();
    for collection in index.collections()? {
        for file in index.known_files(collection.id, None)? {
            if let Some(count) = linked.get(&link_name(&file.path)) {
                counts.insert(file.id, *count);
            }
        }
    }
    let mut hubs: Vec<FileId> = files.iter().copied().filter(|file| counts.contains_key(file)).collect();
    // The sort is stable: among equals, the newest stays first.
    hubs.sort_by_key(|file| std::cmp::Reverse(counts[file]));
    Ok(hubs)
}
