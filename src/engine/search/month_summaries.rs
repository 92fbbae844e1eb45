//! Daily and session logs that a monthly summary covers: `archive/2026-03.md` links to the days of March that its lines come from.
//!
//! The links are the only mark: nothing is stored, no log is changed, and an index without such a summary is searched as usual.

use std::collections::HashMap;

use tars_base::domain::MemoryType;
use tars_store::{ChunkRef, ChunkRow};

/// Maps the logs among `rows` (best first) that their month's summary links to, if the summary is among them too, to the best
/// chunk of the summary with such a link.
pub(super) fn summary_of_log(rows: &[ChunkRow]) -> HashMap<ChunkRef, ChunkRef> {
    let summaries: Vec<(&ChunkRow, &str, &str)> = rows
        .iter()
        .filter_map(|row| summary_of(&row.path).map(|(folder, month)| (row, folder, month)))
        .filter(|(row, ..)| row.memory_type == MemoryType::Note)
        .collect();
    let mut found = HashMap::new();
    for row in rows.iter().filter(|_| !summaries.is_empty()) {
        let is_log = matches!(row.memory_type, MemoryType::Daily | MemoryType::Episodic);
        let summary = summaries.iter().find(|(summary, folder, month)| {
            is_log && summary.collection == row.collection && is_linked(&summary.content, &row.path, (folder, month))
        });
        found.extend(summary.map(|(summary, ..)| (row.row, summary.row)));
    }
    found
}

/// Splits the path of a monthly summary (`tars/archive/2026-03.md`) into the memory folder and the month.
fn summary_of(path: &str) -> Option<(&str, &str)> {
    let (folder, month) = path.strip_suffix(".md")?.rsplit_once("/archive/")?;
    let shape = |(at, byte): (usize, u8)| if at == 4 { byte == b'-' } else { byte.is_ascii_digit() };
    (month.len() == "YYYY-MM".len() && month.bytes().enumerate().all(shape)).then_some((folder, month))
}

/// Whether a text links to a log of this folder and month.
fn is_linked(text: &str, path: &str, (folder, month): (&str, &str)) -> bool {
    let Some(inner) = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')) else { return false };
    let name = inner.rsplit('/').next().unwrap_or(inner);
    let link = format!("[[{}", path.strip_suffix(".md").unwrap_or(path));
    name.starts_with(month)
        && text.match_indices(&link).any(|(at, _)| text[at + link.len()..].starts_with(['#', '|', ']']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_marks_a_summary_and_links_mark_its_logs() {
        assert_eq!(summary_of("tars/archive/2026-03.md"), Some(("tars", "2026-03")));
        for other in
            ["tars/archive/review-2026-03-01.md", "archive/2026-03.md", "tars/archive/days/2026-03-01.md", "a.md"]
        {
            assert_eq!(summary_of(other), None, "{other}");
        }
        let text = "- a ([[tars/2026-03-14#Session 09 00 · shop|2026-03-14]])\n- b ([[tars/sessions/2026-03-02T09-00-00-shop|x]])\n\
                    - c ([[tars/archive/days/2026-03-15|2026-03-15]], [[tars/2026-04-01|2026-04-01]])\n";
        let is_linked = |path: &str| is_linked(text, path, ("tars", "2026-03"));
        for log in ["2026-03-14.md", "sessions/2026-03-02T09-00-00-shop.md", "archive/days/2026-03-15.md"] {
            assert!(is_linked(&format!("tars/{log}")), "{log}");
        }
        for other in
            ["tars/2026-03-1.md", "tars/2026-03-15.md", "tars/2026-04-01.md", "2026-03-14.md", "tarsier/2026-03-14.md"]
        {
            assert!(!is_linked(other), "{other}");
        }
    }
}
