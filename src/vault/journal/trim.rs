//! Limits the size of a journal.

use std::collections::HashSet;
use std::fs;

use serde::Deserialize;

use super::locate::Location;
use super::{Journal, MODE};
use crate::WriteError;
use tars_base::disk::write_atomic;

/// Size in bytes above which a journal is cut to its newest half.
const MAX_BYTES: usize = 8 << 20;

/// The fields of an entry that decide whether it stays.
#[derive(Deserialize)]
struct EntryHead {
    id: u64,
    group: u64,
    #[serde(default)]
    command: String,
    #[serde(default)]
    undoes: Option<u64>,
    #[serde(default)]
    whole: bool,
}

impl Journal {
    /// Cuts an oversized journal to its newest half. The last run's writes stay, and so does the last run of each command that is
    /// kept whole, together with its undos: a run can only be undone as a whole.
    pub(crate) fn trim(&self) -> Result<(), WriteError> {
        if fs::metadata(self.path()).map_or(0, |metadata| metadata.len()) <= MAX_BYTES as u64 {
            return Ok(());
        }
        let bytes = self.bytes()?;
        let Some(mut kept) = trimmed(&bytes, MAX_BYTES) else { return Ok(()) };
        if let Some(folder) = self.location()? {
            let mut first =
                serde_json::to_vec(&Location { folder }).map_err(|error| self.failed("write")(error.into()))?;
            first.push(b'\n');
            kept.splice(0..0, first);
        }
        write_atomic(&self.folder()?, &self.name, &kept, MODE).map_err(self.failed("write"))
    }
}

/// Returns the remaining lines of a journal; `None` if its removable lines take at most `large` bytes.
fn trimmed(bytes: &[u8], large: usize) -> Option<Vec<u8>> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let entries: Vec<Option<EntryHead>> = lines.iter().map(|line| serde_json::from_slice(line).ok()).collect();
    let known = || entries.iter().rev().flatten();
    let mut commands: HashSet<&str> = HashSet::new();
    let mut groups: HashSet<u64> = known().next().map(|entry| entry.group).into_iter().collect();
    for entry in known().filter(|entry| entry.whole && entry.undoes.is_none()) {
        if commands.insert(&entry.command) {
            groups.insert(entry.group);
        }
    }
    let mut ids: HashSet<u64> = HashSet::new();
    let mut stays = |entry: &EntryHead| {
        let stays = groups.contains(&entry.group) || entry.undoes.is_some_and(|id| ids.contains(&id));
        if stays {
            ids.insert(entry.id);
        }
        stays
    };
    let stay: Vec<bool> = entries.iter().map(|entry| entry.as_ref().is_some_and(&mut stays)).collect();
    let size =
        |stayed: bool| lines.iter().zip(&stay).filter(move |(_, stay)| **stay == stayed).map(|(line, _)| line.len());
    let mut others: usize = size(false).sum();
    if others <= large {
        return None;
    }
    let half = others / 2;
    let mut kept = Vec::with_capacity(bytes.len());
    for (line, stays) in lines.iter().zip(&stay) {
        if *stays || others <= half {
            kept.extend_from_slice(line);
        }
        if !stays {
            others -= line.len().min(others);
        }
    }
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: u64, group: u64, more: &str) -> String {
        format!("{{\"id\":{id},\"group\":{group}{more},\"text\":\"{}\"}}\n", "x".repeat(100))
    }

    fn ids(bytes: &[u8]) -> Vec<u64> {
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_slice::<EntryHead>(line).unwrap().id).collect()
    }

    #[test]
    fn an_oversized_journal_keeps_its_newest_half() {
        let journal: String = (1..=10).map(|id| entry(id, id, "")).collect();
        assert_eq!(trimmed(journal.as_bytes(), journal.len()), None);
        assert_eq!(ids(&trimmed(journal.as_bytes(), 1_000).unwrap()), [6, 7, 8, 9, 10]);
    }

    #[test]
    fn a_command_kept_whole_stays_with_its_undos() {
        let whole = ",\"whole\":true";
        let mut journal: String = (1..=3).map(|id| entry(id, 1, whole)).collect();
        journal += &(4..=6).map(|id| entry(id, 4, whole)).collect::<String>();
        journal += &entry(7, 7, "");
        journal += &entry(8, 8, ",\"undoes\":6");
        journal += &(9..=20).map(|id| entry(id, id, "")).collect::<String>();
        assert_eq!(ids(&trimmed(journal.as_bytes(), 500).unwrap()), [4, 5, 6, 8, 13, 14, 15, 16, 17, 18, 19, 20]);
    }

    #[test]
    fn an_import_does_not_push_out_a_compaction_that_is_kept_whole() {
        let whole = |command: &str| format!(",\"whole\":true,\"command\":\"{command}\"");
        let mut journal: String = (1..=3).map(|id| entry(id, 1, &whole("compact"))).collect();
        journal += &(4..=6).map(|id| entry(id, 4, &whole("import"))).collect::<String>();
        journal += &(7..=20).map(|id| entry(id, id, "")).collect::<String>();
        assert_eq!(ids(&trimmed(journal.as_bytes(), 500).unwrap())[..7], [1, 2, 3, 4, 5, 6, 14]);
    }

    #[test]
    fn the_last_command_is_never_split() {
        let journal: String = (1..=20).map(|id| entry(id, id.min(2), "")).collect();
        assert_eq!(trimmed(journal.as_bytes(), 500), None, "all but one line belong to it");
        let journal: String = (1..=20).map(|id| entry(id, id.min(10), "")).collect();
        assert_eq!(ids(&trimmed(journal.as_bytes(), 500).unwrap())[..2], [6, 7]);
    }
}
