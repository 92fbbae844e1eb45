//! Counts how often each line was shown and used.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::{ShownRecord, UseKind};
use tars_base::domain::MemoryType;

/// The statistics of one line over all sessions that were shown it.
#[derive(Debug, Clone, PartialEq)]
pub struct LineTally {
    /// Name of the collection.
    pub collection: String,
    /// Path relative to the collection's root, as last shown.
    pub path: String,
    /// Its line number there.
    pub number: usize,
    /// Its key.
    pub key: String,
    /// Kind of memory.
    pub memory_type: MemoryType,
    /// Whether it was only ever shown at the start of sessions, never as the result of a search.
    pub is_always: bool,
    /// When it was first shown.
    pub first: Timestamp,
    /// Number of sessions that were shown it.
    pub sessions: usize,
    /// Number of sessions that used it, whether or not somebody there marked it as not helpful.
    pub used: usize,
    /// Number of sessions in which somebody marked it as not helpful.
    pub not_helpful: usize,
}

/// Returns the statistics of each shown line, by collection, path and key, in the order in which the lines were first
/// shown.
pub fn tally(all: &[ShownRecord]) -> Vec<LineTally> {
    let mut places: HashMap<(&str, &str, &str), usize> = HashMap::new();
    let mut tallies: Vec<LineTally> = Vec::new();
    // The pairs of line and session already counted as shown, as used, and as not helpful.
    let (mut counted, mut used, mut marked) = (HashSet::new(), HashSet::new(), HashSet::new());
    for shown in all {
        for piece in &shown.pieces {
            let is_always = shown.is_session_context(piece);
            for line in &piece.lines {
                let place = *places.entry((&piece.collection, &piece.path, &line.key)).or_insert_with(|| {
                    tallies.push(LineTally {
                        collection: piece.collection.clone(),
                        path: piece.path.clone(),
                        number: line.number,
                        key: line.key.clone(),
                        memory_type: piece.memory_type,
                        is_always,
                        first: shown.at,
                        sessions: 0,
                        used: 0,
                        not_helpful: 0,
                    });
                    tallies.len() - 1
                });
                let tally = &mut tallies[place];
                tally.number = line.number;
                tally.is_always &= is_always;
                let session = shown.session.as_str();
                tally.sessions += usize::from(counted.insert((place, session)));
                for how in &line.used {
                    match how {
                        UseKind::NotHelpful => tally.not_helpful += usize::from(marked.insert((place, session))),
                        _ => tally.used += usize::from(used.insert((place, session))),
                    }
                }
            }
        }
    }
    tallies
}

#[cfg(test)]
mod tests {
    use super::super::{Occasion, ShownLine, ShownPiece};
    use super::*;

    fn shown(session: &str, event: Occasion, score: Option<f64>, used: &[UseKind]) -> ShownRecord {
        let line = ShownLine { number: 3, key: "k".into(), text: "text".into(), used: used.to_vec() };
        let piece = ShownPiece {
            collection: "vault".into(),
            path: "a.md".into(),
            start_line: 3,
            end_line: 3,
            heading: String::new(),
            memory_type: MemoryType::Note,
            score,
            lines: vec![line],
        };
        let at = Timestamp::UNIX_EPOCH;
        let (question, project) = (String::new(), None);
        ShownRecord { at, session: session.into(), event, question, project, pieces: vec![piece] }
    }

    #[test]
    fn a_line_counts_once_per_session() {
        let all = [
            shown("a", Occasion::SessionStart, None, &[]),
            shown("a", Occasion::Prompt, Some(0.5), &[UseKind::Quoted]),
            shown("a", Occasion::Prompt, Some(0.5), &[UseKind::Expanded, UseKind::Helpful]),
            shown("b", Occasion::Prompt, Some(0.5), &[UseKind::NotHelpful]),
            shown("c", Occasion::Prompt, Some(0.5), &[]),
        ];
        let found = tally(&all);
        assert_eq!(found.len(), 1);
        let LineTally { sessions, used, not_helpful, is_always, .. } = found[0];
        assert_eq!((sessions, used, not_helpful, is_always), (3, 1, 1, false));
        assert!(tally(&all[..1])[0].is_always);
    }
}
