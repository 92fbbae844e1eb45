//! The recall ledger records which excerpts were shown to an agent, when, in which session, and which of them were
//! used.
//!
//! It consists of files in `recall/` of the data directory, which no rebuild of the index touches: one file per month
//! (`2026-11.jsonl`, in UTC) with one [`Record`] per line. Records are append-only; only [`RecallLedger::forget`]
//! and its like change them:
//!
//! ```text
//! {"kind":"shown","at":"2026-11-23T09:12:44Z","session":"0b6a…","event":"prompt","question":"which port …","pieces":[
//!   {"collection":"vault","path":"Photos.md","start_line":3,"end_line":3,"heading":"Photos","memory_type":"note","score":0.82,
//!    "lines":[{"number":3,"key":"9f86d081884c7d65","text":"- The photo service listens on port 2283"}]}]}
//! {"kind":"used","at":"2026-11-23T09:13:02Z","session":"0b6a…","how":"quoted","collection":"vault","path":"Photos.md",
//!  "start_line":3,"end_line":3,"keys":["9f86d081884c7d65"]}
//! ```
//!
//! A prompt without results leaves a record without pieces. The callers redact secrets before they add a record. Files
//! may be torn or forged, so readers skip every line that is no record.
//!
//! Two more files stand beside the months: [`UseTable`] derives from them how each line was used, and `counts-from` holds the time from which
//! on records count.

mod blank;
mod ledger;
mod quoted;
mod tally;
mod use_files;
mod uses;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use blank::is_prefix_of_line;
pub use ledger::{RecallLedger, session_name};
pub use quoted::{AnswerIndex, PersonWords, is_quoted, mentions_note};
pub use tally::{LineTally, tally};
use tars_base::domain::MemoryType;
pub use uses::{LineId, MAX_AGE_DAYS, UseTable};

/// A record of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record {
    /// Excerpts were shown to an agent, or none were found.
    Shown(ShownRecord),
    /// A shown excerpt was used.
    Used(UsedRecord),
}

/// The excerpts shown to an agent at one event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownRecord {
    /// The time.
    pub at: Timestamp,
    /// The session, by its [`session_name`].
    pub session: String,
    /// The event.
    pub event: Occasion,
    /// The beginning of the question, redacted and in one line. Empty if there was none, or if it is not kept.
    #[serde(default)]
    pub question: String,
    /// The name of the agent's project, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The excerpts, in the order of the context block.
    #[serde(default)]
    pub pieces: Vec<ShownPiece>,
}

/// The event at which excerpts are shown to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Occasion {
    /// A session began or resumed.
    SessionStart,
    /// A person sent a prompt.
    Prompt,
    /// The agent started a helper (subagent).
    Helper,
}

/// A shown excerpt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownPiece {
    /// Name of the collection.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// First shown line of the file.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// The heading above the line that answers. Empty if nothing was searched for.
    #[serde(default)]
    pub heading: String,
    /// Kind of memory.
    pub memory_type: MemoryType,
    /// The score of the hit with two decimals, or `None` if it did not come from a search.
    pub score: Option<f64>,
    /// Its lines with content.
    pub lines: Vec<ShownLine>,
}

/// A shown line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownLine {
    /// Its number in the file.
    pub number: usize,
    /// Its key, which identifies the line even after it moves.
    pub key: String,
    /// Its beginning.
    pub text: String,
    /// Its uses, without duplicates. Not part of a record; [`join_uses`] fills it in.
    #[serde(skip)]
    pub used: Vec<UseKind>,
}

/// The use of a shown excerpt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedRecord {
    /// The time.
    pub at: Timestamp,
    /// The session, by its [`session_name`], or `None` if unknown.
    pub session: Option<String>,
    /// The kind of use.
    pub how: UseKind,
    /// Name of the collection.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// First used line of the file.
    pub start_line: usize,
    /// Last line.
    pub end_line: usize,
    /// Keys of the used lines. If empty, all shown lines from `start_line` to `end_line` were used.
    #[serde(default)]
    pub keys: Vec<String>,
}

/// The kind of use of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UseKind {
    /// Its surroundings were requested.
    Expanded,
    /// The agent's answer contains its information.
    Quoted,
    /// Somebody marked it as helpful.
    Helpful,
    /// Somebody marked it as not helpful.
    NotHelpful,
}

impl UseKind {
    /// Returns its name for people.
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
    /// Returns the time of the record.
    pub fn at(&self) -> Timestamp {
        match self {
            Self::Shown(shown) => shown.at,
            Self::Used(used) => used.at,
        }
    }

    /// Returns the session, if known.
    pub fn session(&self) -> Option<&str> {
        match self {
            Self::Shown(shown) => Some(&shown.session),
            Self::Used(used) => used.session.as_deref(),
        }
    }
}

impl ShownRecord {
    /// Whether the excerpt is part of every session's start rather than the result of a search.
    pub fn is_session_context(&self, piece: &ShownPiece) -> bool {
        self.event == Occasion::SessionStart && piece.score.is_none()
    }
}

impl ShownPiece {
    fn is_at(&self, used: &UsedRecord) -> bool {
        (&self.collection, &self.path) == (&used.collection, &used.path)
    }
}

impl ShownLine {
    /// Whether it was used, and nobody marked it as not helpful.
    pub fn is_used(&self) -> bool {
        !self.used.is_empty() && !self.is_unhelpful()
    }

    /// Whether somebody marked it as not helpful.
    pub fn is_unhelpful(&self) -> bool {
        self.used.contains(&UseKind::NotHelpful)
    }

    fn mark(&mut self, how: UseKind) {
        // A person's latest mark wins.
        let opposite = match how {
            UseKind::Helpful => Some(UseKind::NotHelpful),
            UseKind::NotHelpful => Some(UseKind::Helpful),
            UseKind::Expanded | UseKind::Quoted => None,
        };
        self.used.retain(|known| Some(*known) != opposite && *known != how);
        self.used.push(how);
        self.used.sort_unstable();
    }
}

/// Returns the shown excerpts in the order of the records, each line with its uses. An expansion counts for the last
/// time that its place was shown, in its session if known. Other uses count in their session.
pub fn join_uses(records: Vec<Record>) -> Vec<ShownRecord> {
    let (mut all, mut uses): (Vec<ShownRecord>, Vec<UsedRecord>) = (Vec::new(), Vec::new());
    for record in records {
        match record {
            Record::Shown(shown) => all.push(shown),
            Record::Used(used) => uses.push(used),
        }
    }
    for used in uses {
        let is_meant = |shown: &&mut ShownRecord| {
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
        let session = session.into();
        Record::Shown(ShownRecord { at: at(minute), session, event, question, project: None, pieces: vec![piece] })
    }

    fn used(minute: i64, session: Option<&str>, how: UseKind, lines: (usize, usize), keys: &[&str]) -> Record {
        Record::Used(UsedRecord {
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

    fn uses(records: Vec<Record>) -> Vec<Vec<Vec<UseKind>>> {
        let lines = |shown: ShownRecord| {
            shown.pieces.into_iter().flat_map(|piece| piece.lines).map(|line| line.used).collect::<Vec<_>>()
        };
        join_uses(records).into_iter().map(lines).collect()
    }

    #[test]
    fn an_expansion_counts_for_the_last_earlier_showing_of_its_lines() {
        let found = uses(vec![
            shown(0, "s", &[3, 9]),
            shown(1, "s", &[3]),
            used(2, Some("s"), UseKind::Expanded, (1, 5), &[]),
            used(2, Some("other"), UseKind::Expanded, (9, 9), &[]),
            shown(3, "s", &[3]),
        ]);
        assert_eq!(found, [vec![vec![], vec![]], vec![vec![UseKind::Expanded]], vec![vec![]]]);
        let unknown = used(2, None, UseKind::Expanded, (9, 20), &[]);
        assert_eq!(uses(vec![shown(0, "s", &[3, 9]), unknown]), [vec![vec![], vec![UseKind::Expanded]]]);
    }

    #[test]
    fn keys_count_only_in_their_session_and_the_latest_mark_wins() {
        let quoted = |session| used(1, session, UseKind::Quoted, (3, 3), &["key3"]);
        let found = uses(vec![shown(0, "s", &[3]), shown(0, "t", &[3]), quoted(Some("s")), quoted(None)]);
        assert_eq!(found, [vec![vec![UseKind::Quoted]], vec![vec![]]]);
        let said = |how| used(1, Some("s"), how, (3, 3), &["key3"]);
        let records = vec![
            shown(0, "s", &[3]),
            said(UseKind::Helpful),
            said(UseKind::NotHelpful),
            said(UseKind::Quoted),
            said(UseKind::Quoted),
        ];
        assert_eq!(uses(records), [vec![vec![UseKind::Quoted, UseKind::NotHelpful]]]);
    }
}
