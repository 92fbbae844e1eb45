//! Dates the lines of a file by the journal.

use super::Entry;

/// Returns when a line of a file was last written; `None` if the journal does not reach back that far. A line that was moved from
/// another file keeps the time at which it was written there.
pub fn line_written_at(entries: &[Entry], file: &str, line: &str) -> Option<jiff::Timestamp> {
    let holds = |lines: &[String]| lines.iter().any(|one| one == line);
    let (mut file, mut before) = (file, entries);
    loop {
        let brought = |entry: &Entry| {
            entry.file == file && entry.undoes.is_none() && entry.changes.iter().any(|change| holds(&change.inserted))
        };
        let at = before.iter().rposition(brought)?;
        let entry = &before[at];
        let is_source = |other: &&Entry| {
            other.group == entry.group
                && other.file != entry.file
                && other.changes.iter().any(|change| holds(&change.removed))
        };
        match entries.iter().find(is_source) {
            Some(source) => (file, before) = (&source.file, &before[..at]),
            None => return Some(entry.time),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moved_line_keeps_the_time_it_was_first_written() {
        let entry = |id: u64, group: u64, file: &str, change: serde_json::Value| -> Entry {
            let entry = serde_json::json!({
                "id": id, "group": group, "time": format!("2026-01-0{id}T00:00:00Z"), "command": "remember", "file": file,
                "before": null, "after": null, "offset": 0, "removed": "", "inserted": "", "changes": [change],
            });
            serde_json::from_value(entry).unwrap()
        };
        let came =
            |line: &str| serde_json::json!({"at": 0, "removed": [], "inserted": [line], "above": [], "below": []});
        let went =
            |line: &str| serde_json::json!({"at": 0, "removed": [line], "inserted": [], "above": [], "below": []});
        let entries = [
            entry(1, 1, "Memory.md", came("- a")),
            entry(2, 2, "Memory.md", came("- b")),
            entry(3, 3, "context/work.md", came("- a")),
            entry(4, 3, "Memory.md", went("- a")),
            entry(5, 5, "context/work.md", came("- older than the journal")),
            entry(6, 5, "Memory.md", went("- older than the journal")),
            entry(7, 7, "Memory.md", came("- a")),
        ];
        let day = |file: &str, line: &str| line_written_at(&entries, file, line).map(|time| time.to_string());
        assert_eq!(day("context/work.md", "- a").unwrap(), "2026-01-01T00:00:00Z");
        assert_eq!(day("Memory.md", "- b").unwrap(), "2026-01-02T00:00:00Z");
        assert_eq!(day("Memory.md", "- a").unwrap(), "2026-01-07T00:00:00Z", "it was written once more");
        assert_eq!(day("context/work.md", "- older than the journal"), None);
        assert_eq!(day("context/work.md", "- b"), None);
    }
}
