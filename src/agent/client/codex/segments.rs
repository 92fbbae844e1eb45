//! The segments of a session.
//!
//! When a person goes back to an earlier prompt, Codex continues the session in a new file. Its first line names the segment that it
//! continues, and the line of that segment before which it does (`history_base`). A fork names a segment of another session.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::rollout_ids;
use crate::client::lenient::{Object, Text};
use tars_base::private;

/// Most segments of a session.
const MAX_SEGMENTS: usize = 50;
/// Longest first line, in bytes; it holds the agent's instructions.
const MAX_FIRST_LINE: u64 = 1 << 20;
/// Most entries of folders to look at for a segment.
const MAX_ENTRIES: usize = 50_000;
/// The levels of folders between the folder of sessions and a rollout: year, month and day.
const LEVELS: usize = 3;

#[derive(Deserialize, Default)]
#[serde(default)]
struct FirstLine {
    payload: Object<Start>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Start {
    history_base: Object<HistoryBase>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct HistoryBase {
    thread_id: Text,
}

/// Returns the files of the segments before the rollout at `path` that belong to its session, the first one first. A segment that is gone,
/// or that is compressed, ends the search.
pub(in crate::client) fn earlier_segments(path: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    while found.len() < MAX_SEGMENTS
        && let Some(before) = segment_before(found.last().map_or(path, PathBuf::as_path))
        && before != path
        && !found.contains(&before)
    {
        found.push(before);
    }
    found.reverse();
    found
}

fn segment_before(path: &Path) -> Option<PathBuf> {
    let (session, _) = rollout_ids(path.file_name()?.to_str()?)?;
    let segment = base_of(path)?;
    let is_meant = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).filter(|name| name.ends_with(".jsonl"));
        name.and_then(rollout_ids) == Some((session, segment.as_str()))
    };
    let folder = path.parent()?;
    let mut left = MAX_ENTRIES;
    let beside = || entries(folder).find(is_meant);
    beside().or_else(|| {
        let mut folders = vec![folder.ancestors().nth(LEVELS)?.to_owned()];
        for _ in 0..LEVELS {
            folders = folders.iter().flat_map(|folder| entries(folder)).filter(|path| is_numbered(path)).collect();
            left = left.checked_sub(folders.len())?;
        }
        // The segment is older than its successor, but seldom by much.
        folders.sort_unstable_by(|left, right| right.cmp(left));
        folders.iter().flat_map(|folder| entries(folder)).take(left).find(is_meant)
    })
}

/// Returns the id of the segment that the one at `path` continues.
fn base_of(path: &Path) -> Option<String> {
    let mut line = Vec::new();
    let file = private::open_untrusted_path(path).ok()?;
    BufReader::new(file.take(MAX_FIRST_LINE)).read_until(b'\n', &mut line).ok()?;
    let line: Object<FirstLine> = serde_json::from_slice(&line).ok()?;
    line.0?.payload.0?.history_base.0?.thread_id.0
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
}

/// Whether the name of a folder is a number, as of years, months and days.
fn is_numbered(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().iter().all(u8::is_ascii_digit))
}
