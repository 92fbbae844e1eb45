//! An entry of a list: a hit, a line of the memory, a session. All its texts are clean of control characters.

use tars_base::domain::{Relevance, sanitize, sanitize_line};
use tars_service::memory::MemoryLine;

use crate::place::Place;

/// Most characters of a text that an entry keeps.
const MOST_TEXT: usize = 64 << 10;

/// The kind of an entry, for the keys that act on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A text or a note.
    #[default]
    Note,
    /// A hit, by the id of its chunk.
    Hit(String),
    /// A line of the memory folder.
    Line(MemoryLine),
    /// A line that waits for a review.
    Waiting(MemoryLine),
    /// A proposal, by its id.
    Proposal(String),
    /// The log of a session, by its id.
    Session(String),
    /// The lines that a session was shown, by its name.
    Recalled(String),
    /// A note that is related to another, by its place.
    Related(String),
}

/// An entry of a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Item {
    /// Its kind.
    pub(crate) kind: Kind,
    /// Where it stands.
    pub(crate) place: Option<Place>,
    /// Its first row.
    pub(crate) name: String,
    /// The heading over its text.
    pub(crate) heading: String,
    /// A short remark: a score, an age, a source.
    pub(crate) remark: String,
    /// How relevant a hit is.
    pub(crate) relevance: Option<Relevance>,
    /// Its own line, for the memory.
    pub(crate) line: String,
    /// The text beside the list. Empty if it is fetched once the entry is selected.
    pub(crate) text: String,
    /// A longer text that replaces it.
    pub(crate) expanded: Option<String>,
}

impl Item {
    /// Returns an entry with one line of text.
    pub(crate) fn of_line(kind: Kind, place: Option<Place>, text: &str) -> Self {
        let line = clean_line(text);
        Self { kind, place, name: line.clone(), text: clean(text), line, ..Self::default() }
    }

    /// Returns the id that a person can copy and give to a command.
    pub(crate) fn id(&self) -> Option<&str> {
        match &self.kind {
            Kind::Note | Kind::Related(_) => None,
            Kind::Line(line) | Kind::Waiting(line) => Some(&line.id),
            Kind::Hit(id) | Kind::Proposal(id) | Kind::Session(id) | Kind::Recalled(id) => Some(id),
        }
    }

    /// Returns the key by which its text is fetched.
    pub(crate) fn key(&self) -> Option<&str> {
        if let Kind::Related(key) = &self.kind { Some(key) } else { self.id() }
    }

    /// Returns the text to show beside the list.
    pub(crate) fn shown(&self) -> &str {
        self.expanded.as_deref().unwrap_or(&self.text)
    }
}

/// Cleans a text of control characters, and bounds it.
pub(crate) fn clean(text: &str) -> String {
    sanitize(&text[..text.floor_char_boundary(MOST_TEXT)]).replace('\t', "    ")
}

/// Cleans a text to one line, and bounds it.
pub(crate) fn clean_line(text: &str) -> String {
    sanitize_line(text[..text.floor_char_boundary(MOST_TEXT)].trim())
}
