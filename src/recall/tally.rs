//! How often each line was shown, and how often it was used.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

use super::{Shown, Use};
use crate::domain::MemoryType;

/// What became of one line in all sessions that were shown it.
#[derive(Debug, Clone, PartialEq)]
pub struct LineTally {
    /// Name of the collection.
    pub collection: String,
    /// Path relative to the collection's root, where it was shown last.
    pub path: String,
    /// Its number there.
    pub number: usize,
    /// Its key.
    pub key: String,
    /// Kind of memory.
    pub memory_type: MemoryType,
    /// Whether it was shown because it is always shown, never because something was sought.
    pub is_always: bool,
    /// When it was shown first.
    pub first: Timestamp,
    /// Sessions that were shown it.
    pub sessions: usize,
    /// Sessions that used it, whatever else was said of it there.
    pub used: usize,
    /// Sessions in which somebody said that it did not help.
    pub not_helpful: usize,
}

/// Returns a tally of each line that was shown, by collection, path and key, in the order in which they were shown first.
pub fn tally(all: &[Shown]) -> Vec<LineTally> {
    let mut places: HashMap<(&str, &str, &str), usize> = HashMap::new();
    let mut tallies: Vec<LineTally> = Vec::new();
    // The lines and sessions that were counted as shown, as used, and as marked.
    let (mut counted, mut used, mut marked) = (HashSet::new(), HashSet::new(), HashSet::new());
    for shown in all {
        for piece in &shown.pieces {
            let is_always = shown.is_always(piece);
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
                        Use::NotHelpful => tally.not_helpful += usize::from(marked.insert((place, session))),
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

    fn shown(session: &str, event: Occasion, score: Option<f64>, used: &[Use]) -> Shown {
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
        Shown { at, session: session.into(), event, question: String::new(), pieces: vec![piece] }
    }

    #[test]
    fn a_line_counts_once_a_session() {
        let all = [
            shown("a", Occasion::SessionStart, None, &[]),
            shown("a", Occasion::Prompt, Some(0.5), &[Use::Quoted]),
            shown("a", Occasion::Prompt, Some(0.5), &[Use::Expanded, Use::Helpful]),
            shown("b", Occasion::Prompt, Some(0.5), &[Use::NotHelpful]),
            shown("c", Occasion::Prompt, Some(0.5), &[]),
        ];
        let found = tally(&all);
        assert_eq!(found.len(), 1);
        let LineTally { sessions, used, not_helpful, is_always, .. } = found[0];
        assert_eq!((sessions, used, not_helpful, is_always), (3, 1, 1, false));
        assert!(tally(&all[..1])[0].is_always);
    }
}
