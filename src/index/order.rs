//! In which order notes are embedded.

use std::collections::{HashMap, HashSet};

use crate::store::{FileId, Reader, StoreError, Waiting};

/// With fewer notes than this the order makes no difference that anybody would notice.
const FEW: usize = 64;
/// A note that fewer others link to is no hub.
const HUB: usize = 2;

/// Returns the notes that wait for vectors in the order in which they are worth it: the newest and those that most notes link to, in
/// turns. Notes that have vectors, which are to be made again, come last.
pub(super) fn worthwhile(index: &dyn Reader, waiting: Waiting) -> Result<Vec<FileId>, StoreError> {
    let files = index.pending_files(waiting)?;
    if files.len() < FEW {
        return Ok(files);
    }
    let bare = if waiting == Waiting::Bare { files.clone() } else { index.pending_files(Waiting::Bare)? };
    let hubs = hubs(index, &bare)?;
    let mut seen = HashSet::new();
    let mut hubs = hubs.into_iter();
    let turns = bare.into_iter().flat_map(|newest| [Some(newest), hubs.next()]).flatten();
    Ok(turns.chain(files).filter(|file| seen.insert(*file)).collect())
}

/// Returns those of `files` that several notes link to, most first. A link counts for each note of its name.
fn hubs(index: &dyn Reader, files: &[FileId]) -> Result<Vec<FileId>, StoreError> {
    let mut linked: HashMap<String, usize> = HashMap::new();
    for (target, count) in index.link_counts()? {
        *linked.entry(name(&target)).or_default() += count;
    }
    linked.retain(|_, count| *count >= HUB);
    if linked.is_empty() {
        return Ok(Vec::new());
    }
    let mut counts: HashMap<FileId, usize> = HashMap::new();
    for collection in index.collections()? {
        for file in index.known_files(collection.id, None)? {
            if let Some(count) = linked.get(&name(&file.path)) {
                counts.insert(file.id, *count);
            }
        }
    }
    let mut hubs: Vec<FileId> = files.iter().copied().filter(|file| counts.contains_key(file)).collect();
    // Of equals the newest stays first.
    hubs.sort_by_key(|file| std::cmp::Reverse(counts[file]));
    Ok(hubs)
}

/// What a link and the path that it means have in common.
fn name(place: &str) -> String {
    let last = place.rsplit('/').next().unwrap_or_default();
    last.strip_suffix(".md").unwrap_or(last).to_lowercase()
}
