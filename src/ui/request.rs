//! The requests of the picker, and the answers.

use crate::item::Item;
use crate::names::Names;
use crate::place::Place;
use tars_service::memory::{MemoryLine, Settlement};

/// Most hits of a question.
pub(crate) const MOST_HITS: usize = 500;

/// A tab of the picker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Tab {
    #[default]
    Search,
    Today,
    Memory,
    Sessions,
    Review,
    Recalled,
    Status,
}

impl Tab {
    pub(crate) const ALL: [Self; 7] =
        [Self::Search, Self::Today, Self::Memory, Self::Sessions, Self::Review, Self::Recalled, Self::Status];

    pub(crate) fn name(self) -> &'static str {
        ["search", "today", "memory", "sessions", "review", "recalled", "status"][self as usize]
    }

    /// Returns the message for a tab without entries.
    pub(crate) fn nothing(self, names: Names) -> String {
        match self {
            Self::Search => format!("type a question; {} lists the {}", names.of('?'), names.plural()),
            Self::Today => "nothing is noted today (tars daily TEXT begins the log)".into(),
            Self::Memory => format!("nothing is remembered yet ({} remembers a line)", names.of('m')),
            Self::Sessions => "there is no log of a session yet".into(),
            Self::Review => "nothing waits for a review".into(),
            Self::Recalled => "nothing was put before an agent in the last 30 days".into(),
            Self::Status => String::new(),
        }
    }
}

/// A request of the picker.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Request {
    /// Asks the notes, for this many hits more than usual. The newest question replaces those that wait.
    Search { number: u64, query: String, extra: usize },
    /// Loads a tab.
    Tab(Tab),
    /// Fetches the section around a hit, by the id of its chunk. The hit's line is one of the note.
    Expand { id: String, line: usize },
    /// Fetches the log of a session.
    Session(String),
    /// Fetches the lines that a session was shown.
    Recalled(String),
    /// Fetches the text of a note from a place on, for the entry with this key.
    Note { key: String, place: Place },
    /// Finds the notes related to one.
    Related { name: String, collection: String },
    /// Remembers a line.
    Remember { text: String, replace: Option<String>, force: bool },
    /// Notes that an agent's work was good or wrong.
    Feedback { good: bool, note: String },
    /// Finds the line of the memory at a place, to forget it.
    FindLine { query: String, path: String, line: usize },
    /// Forgets a line.
    Forget(Box<MemoryLine>),
    /// Finds the last write that can be taken back.
    FindWrite,
    /// Takes the last write back, or brings it back.
    Undo { redo: bool },
    /// Decides on a proposal.
    Decide { id: String, accept: bool },
    /// Settles a line that waits for a review.
    Settle { line: Box<MemoryLine>, settlement: Settlement },
}

/// The answer to a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Answer {
    /// The number of the question.
    pub(crate) number: u64,
    /// The hits to show, best first.
    pub(crate) hits: Vec<Item>,
    /// Those that are irrelevant.
    pub(crate) irrelevant: Vec<Item>,
    /// Why the answer is degraded.
    pub(crate) degraded: Option<String>,
    /// Further remarks.
    pub(crate) remarks: Vec<String>,
    /// Whether there may be more hits.
    pub(crate) has_more: bool,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    /// The hits of a question.
    Hits(Answer),
    /// The question with this number cannot be answered, perhaps because it is not finished.
    Unanswered { number: u64, problem: String },
    /// The entries of a tab.
    Tab(Tab, Vec<Item>),
    /// A text for the entry with this id or key, and its line to begin at, from 0.
    Text { id: String, text: String, line: usize },
    /// Notes related to a note.
    Related { title: String, items: Vec<Item>, remark: Option<String> },
    /// A line is nearly remembered already: the text, and the id and the text of the nearest line.
    Near { text: String, id: String, line: String },
    /// The person must confirm a step: the question, the line it concerns, and the step.
    Confirm { question: String, line: String, then: Box<Request> },
    /// A write was made.
    Done(String),
    /// A message: nothing changed.
    Said(String),
}
