//! Prefers the outcome of a session to the session's log.
//!
//! The title of a session log is the person's request. Someone who asks the same again therefore finds the log first, although it holds
//! no answer: the outcome of the session is in the sections of the daily logs that it links to. When both are found, the two swap places.

use std::collections::HashMap;

use tars_base::domain::MemoryType;
use tars_store::{ChunkRef, ChunkRow};

/// Maps each session log among `rows` to the first row that belongs to a section it links to.
pub(super) fn outcome_of_log(rows: &[ChunkRow]) -> HashMap<ChunkRef, ChunkRef> {
    let logs = rows.iter().filter(|row| row.memory_type == MemoryType::Episodic);
    let outcome = |log: &ChunkRow| {
        let links: Vec<(&str, String)> = section_links(&log.content).collect();
        let is_linked = |row: &&ChunkRow| {
            row.memory_type == MemoryType::Daily
                && links.iter().any(|(note, heading)| {
                    row.path.strip_suffix(".md") == Some(*note) && lies_in(row, heading.as_str())
                })
        };
        rows.iter().find(is_linked).map(|row| row.row)
    };
    logs.filter_map(|log| Some((log.row, outcome(log)?))).collect()
}

/// Returns the notes (without their extension) and headings of wikilinks such as `[[tars/2026-03-11#Session 10 00 · garden|…]]`.
fn section_links(text: &str) -> impl Iterator<Item = (&str, String)> {
    text.split("[[").skip(1).filter_map(|rest| {
        let (note, heading) = rest.split(['|', ']']).next()?.split_once('#')?;
        Some((note, as_linked(heading)))
    })
}

fn lies_in(row: &ChunkRow, heading: &str) -> bool {
    let last = |path: &str| as_linked(path.rsplit(" > ").next().unwrap_or(path));
    last(&row.heading) == heading || row.sections.iter().any(|section| last(&section.heading) == heading)
}

/// Returns a heading in the form that Obsidian uses in links.
fn as_linked(heading: &str) -> String {
    let plain: String = heading.chars().map(|c| if "#|^:%[]".contains(c) { ' ' } else { c }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
