//! The recall ledger: what was put before an agent, when and in which session, and what of it was used.
//!
//! It lies in `recall/` of the data directory, in files that no rebuild of the index touches, a file a month
//! (`2026-11.jsonl`, by UTC) with a [`Record`] a line. Records are appended; nothing changes them but
//! [`RecallLedger::forget`]:
//!
//! ```text
//! {"kind":"shown","at":"2026-11-23T09:12:44Z","session":"0b6a…","event":"prompt","question":"which port …","pieces":[
//!   {"collection":"vault","path":"Photos.md","start_line":3,"end_line":3,"heading":"Photos","memory_type":"note","score":0.82,
//!    "lines":[{"number":3,"key":"9f86d081884c7d65","text":"- The photo service listens on port 2283"}]}]}
//! {"kind":"used","at":"2026-11-23T09:13:02Z","session":"0b6a…","how":"quoted","collection":"vault","path":"Photos.md",
//!  "start_line":3,"end_line":3,"keys":["9f86d081884c7d65"]}
//! ```
//!
//! A prompt that brought nothing leaves a record without pieces. The ledger holds what its callers hand it: they take secrets out
//! first. What it is read from may be torn or forged, so a line that is no record is passed over.

mod forgotten;
mod ledger;
mod quoted;
mod tally;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::MemoryType;
pub use forgotten::is_line_of;
pub use ledger::{RecallLedger, session_name};
pub use quoted::{Answer, Asked, is_quoted, names};
pub use tally::{LineTally, tally};

/// A line of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record {
    /// Something was put before an agent, or nothing was found for it.
    Shown(Shown),
    /// Something that was shown was used.
    Used(Used),
}

/// What was put before an agent at one event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// When.
    pub at: Timestamp,
    /// The session, by its [`session_name`].
    pub session: String,
    /// On which occasion.
    pub event: Occasion,
    /// How the question begins, without secrets and in one line; empty where there was none, or where it is not kept.
    #[serde(default)]
    pub question: String,
    /// The excerpts, in the order of the block.
    #[serde(default)]
    pub pieces: Vec<ShownPiece>,
}

/// When something is put before an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Occasion {
    /// A session began or went on.
    SessionStart,
    /// A person sent a prompt.
    Prompt,
    /// The agent started a helper.
    Helper,
}

/// An excerpt that was shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownPiece {
    /// Name of the collection.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// First line of the file that was shown.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// The heading over the line that answers; empty where none was sought.
    #[serde(default)]
    pub heading: String,
    /// Kind of memory.
    pub memory_type: MemoryType,
    /// The score of the hit, two decimals; `None` where it was not found by a search.
    pub score: Option<f64>,
    /// Its lines that say something.
    pub lines: Vec<ShownLine>,
}

/// A line that was shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownLine {
    /// Its number in the file.
    pub number: usize,
    /// Its key, by which it is known where it has moved.
    pub key: String,
    /// How it begins.
    pub text: String,
    /// What became of it, each once; no part of a record, but filled in by [`joined`].
    #[serde(skip)]
    pub used: Vec<Use>,
}

/// Says that something that was shown was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Used {
    /// When.
    pub at: Timestamp,
    /// The session, by its [`session_name`]; `None` where nobody knows.
    pub session: Option<String>,
    /// How.
    pub how: Use,
    /// Name of the collection.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// First line of the file that was used.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// Keys of the lines that were used; where it is empty, all that was shown between the two lines was.
    #[serde(default)]
    pub keys: Vec<String>,
}

/// How a line was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Use {
    /// What stands around it was asked for.
    Expanded,
    /// The agent's answer holds what it says.
    Quoted,
    /// Somebody said that it helped.
    Helpful,
    /// Somebody said that it did not help.
    NotHelpful,
}

impl Use {
    /// Returns its word for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Expanded => "expanded",
            Self::Quoted => "quoted",
            Self::Helpful => "helpful",
            Self::NotHelpful => "not helpful",
        }
    }
}

impl Record {
    /// Returns when it was written.
    pub fn at(&self) -> Timestamp {
        match self {
            Self::Shown(shown) => shown.at,
            Self::Used(used) => used.at,
        }
    }

    /// Returns the session, where one is known.
    pub fn session(&self) -> Option<&str> {
        match self {
            Self::Shown(shown) => Some(&shown.session),
            Self::Used(used) => used.session.as_deref(),
        }
    }
}

impl Shown {
    /// Whether the excerpt was shown because it is always shown, not because something was sought.
    pub fn is_always(&self, piece: &ShownPiece) -> bool {
        self.event == Occasion::SessionStart && piece.score.is_none()
    }
}

impl ShownPiece {
    fn is_at(&self, used: &Used) -> bool {
        (&self.collection, &self.path) == (&used.collection, &used.path)
    }
}

impl ShownLine {
    /// Whether it was used, and nobody said that it did not help.
    pub fn is_used(&self) -> bool {
        !self.used.is_empty() && !self.is_unhelpful()
    }

    /// Whether somebody said that it did not help.
    pub fn is_unhelpful(&self) -> bool {
        self.used.contains(&Use::NotHelpful)
    }

    fn mark(&mut self, how: Use) {
        // The last word of a person counts.
        let opposite = match how {
            Use::Helpful => Some(Use::NotHelpful),
            Use::NotHelpful => Some(Use::Helpful),
            Use::Expanded | Use::Quoted => None,
        };
        self.used.retain(|known| Some(*known) != opposite && *known != how);
        self.used.push(how);
        self.used.sort_unstable();
    }
}

/// Returns what was shown, in the order of the records, each line with what became of it. An expansion counts for the last time
/// that its place was shown, in its session where that is known; what else was used counts in its session.
pub fn joined(records: Vec<Record>) -> Vec<Shown> {
    let (mut all, mut uses): (Vec<Shown>, Vec<Used>) = (Vec::new(), Vec::new());
    for record in records {
        match record {
            Record::Shown(shown) => all.push(shown),
            Record::Used(used) => uses.push(used),
        }
    }
    for used in uses {
        let is_meant = |shown: &&mut Shown| {
            shown.at <= used.at && used.session.as_ref().is_none_or(|session| *session == shown.session)
        };
        for shown in all.iter_mut().rev().filter(is_meant) {
            let pieces = shown.pieces.iter_mut().filter(|piece| piece.is_at(&used));
            let mut is_there = false;
            for line in pieces.flat_map(|piece| &mut piece.lines) {
                let is_used = match used.keys.is_empty() {
                    true => (used.start_line..=used.end_line).contains(&line.number),
                    false => used.session.is_some() && used.keys.contains(&line.key),
                };
                if is_used {
                    line.mark(used.how);
                    is_there = true;
                }
            }
            if is_there {
                break;
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(1_795_000_000 + minute * 60).unwrap()
    }

    fn shown(minute: i64, session: &str, numbers: &[usize]) -> Record {
        let line = |number: &usize| ShownLine {
            number: *number,
            key: format!("key{number}"),
            text: format!("line {number}"),
            used: vec![],
        };
        let piece = ShownPiece {
            collection: "vault".into(),
            path: "a.md".into(),
            start_line: numbers[0],
            end_line: numbers[numbers.len() - 1],
            heading: String::new(),
            memory_type: MemoryType::Note,
            score: Some(0.8),
            lines: numbers.iter().map(line).collect(),
        };
        let (event, question) = (Occasion::Prompt, String::new());
        Record::Shown(Shown { at: at(minute), session: session.into(), event, question, pieces: vec![piece] })
    }

    fn used(minute: i64, session: Option<&str>, how: Use, lines: (usize, usize), keys: &[&str]) -> Record {
        Record::Used(Used {
            at: at(minute),
            session: session.map(str::to_owned),
            how,
            collection: "vault".into(),
            path: "a.md".into(),
            start_line: lines.0,
            end_line: lines.1,
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
        })
    }

    fn uses(records: Vec<Record>) -> Vec<Vec<Vec<Use>>> {
        let lines = |shown: Shown| {
            shown.pieces.into_iter().flat_map(|piece| piece.lines).map(|line| line.used).collect::<Vec<_>>()
        };
        joined(records).into_iter().map(lines).collect()
    }

    #[test]
    fn an_expansion_counts_for_the_lines_within_it_at_their_last_showing_before() {
        let found = uses(vec![
            shown(0, "s", &[3, 9]),
            shown(1, "s", &[3]),
            used(2, Some("s"), Use::Expanded, (1, 5), &[]),
            used(2, Some("other"), Use::Expanded, (9, 9), &[]),
            shown(3, "s", &[3]),
        ]);
        assert_eq!(found, [vec![vec![], vec![]], vec![vec![Use::Expanded]], vec![vec![]]]);
        let unknown = used(2, None, Use::Expanded, (9, 20), &[]);
        assert_eq!(uses(vec![shown(0, "s", &[3, 9]), unknown]), [vec![vec![], vec![Use::Expanded]]]);
    }

    #[test]
    fn keys_count_in_their_session_alone_and_the_last_word_of_a_person_counts() {
        let quoted = |session| used(1, session, Use::Quoted, (3, 3), &["key3"]);
        let found = uses(vec![shown(0, "s", &[3]), shown(0, "t", &[3]), quoted(Some("s")), quoted(None)]);
        assert_eq!(found, [vec![vec![Use::Quoted]], vec![vec![]]]);
        let said = |how| used(1, Some("s"), how, (3, 3), &["key3"]);
        let records =
            vec![shown(0, "s", &[3]), said(Use::Helpful), said(Use::NotHelpful), said(Use::Quoted), said(Use::Quoted)];
        assert_eq!(uses(records), [vec![vec![Use::Quoted, Use::NotHelpful]]]);
    }
}
