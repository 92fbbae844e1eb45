//! Links to logs that move.

use std::collections::BTreeMap;

use crate::memory::BrokenLink;
use crate::{App, Result};
use tars_memory::upkeep::{MonthSources, Move, MovedNotes};
use tars_vault::MemoryFolder;

/// Maps the old paths of a month's logs that moved or will move to the new ones, in the form that links use.
pub(super) fn moved_paths(folder: &MemoryFolder, sources: &MonthSources, moves: &[Move]) -> BTreeMap<String, String> {
    let place = |file: &str| folder.vault_path(file).trim_end_matches(".md").to_owned();
    let moved = sources.files.iter().filter(|log| log.is_moved).filter_map(|log| {
        let before =
            log.file.strip_prefix(tars_memory::ARCHIVED_DAYS).map(|name| name.trim_start_matches('/').to_owned());
        let before =
            before.or_else(|| Some(log.file.strip_prefix(tars_memory::ARCHIVE)?.trim_start_matches('/').to_owned()))?;
        let is_there = sources.files.iter().any(|other| other.file == before);
        (!is_there).then(|| (place(&before), place(&log.file)))
    });
    moved.chain(moves.iter().map(|log| (place(&log.from), place(&log.to)))).collect()
}

/// Returns the links in the notes of the vault that break because logs move. Links that tars updates are not listed: those in the
/// summaries, and those in unedited session logs, which a dry run cannot tell from others.
pub(super) fn broken_links(
    app: &App,
    folder: &MemoryFolder,
    moves: &[Move],
    is_ahead: bool,
) -> Result<Vec<BrokenLink>> {
    if moves.is_empty() {
        return Ok(Vec::new());
    }
    let moved: BTreeMap<String, String> =
        moves.iter().map(|log| (folder.vault_path(&log.from), folder.vault_path(&log.to))).collect();
    let before: BTreeMap<&String, &String> = moved.iter().map(|(from, to)| (to, from)).collect();
    let longest = app.settings.config.index.max_file_size;
    let mut found = Vec::new();
    let paths = app.note_paths(folder)?;
    // After the run a moved note is read at its new path, but its links are resolved from the old one.
    let was = |path: &String| if is_ahead { path.clone() } else { before.get(path).copied().unwrap_or(path).clone() };
    let notes: Vec<String> = paths.iter().map(was).collect();
    let checked = MovedNotes::new(&notes, &moved);
    for (path, was) in paths.iter().zip(&notes) {
        let Ok(text) = tars_vault::read(folder.vault(), path, longest) else { continue };
        let links = checked.broken_links(was, &text.text).into_iter();
        found.extend(links.map(|link| BrokenLink { path: path.clone(), line: link.line, target: link.target }));
    }
    Ok(found)
}
