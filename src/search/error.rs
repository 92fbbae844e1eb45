//! What a question can fail on.

use crate::domain::ChunkId;
use crate::embed::EmbedError;
use crate::store::StoreError;

/// An error that leaves a question without an answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// Nothing was asked.
    #[error("the query is empty")]
    EmptyQuery,
    /// There is nothing in the query that could be looked for.
    #[error("the query holds no letter and no digit")]
    NoWords,
    /// The query says what hits must not hold, and nothing that they should be about.
    #[error("the query has exclusions alone, and nothing to look for")]
    OnlyOperators,
    /// Search by meaning alone was asked for, and there is no model to do it.
    #[error("search by meaning is not possible: {reason}")]
    NoSemantics {
        /// Why.
        reason: String,
    },
    /// An id is not one.
    #[error("'{id}' is no chunk id: it takes 4 to 32 of the digits 0-9 and a-f")]
    MalformedId {
        /// What was given.
        id: String,
    },
    /// No chunk has that id.
    #[error("no chunk has an id beginning with '{id}'")]
    UnknownId {
        /// What was given.
        id: String,
    },
    /// Several chunks do.
    #[error("several chunks have an id beginning with '{id}': {}", list(.candidates))]
    AmbiguousId {
        /// What was given.
        id: String,
        /// Some of them.
        candidates: Vec<ChunkId>,
    },
    /// The chunk was replaced and its text is nowhere.
    #[error("the text of chunk {id} is no longer in {path}")]
    TextGone {
        /// The whole id.
        id: ChunkId,
        /// Where it stood.
        path: String,
    },
    /// No note has that name, or it may not be shown.
    #[error("no note is found by '{name}'")]
    UnknownNote {
        /// What was given.
        name: String,
    },
    /// Several notes have that name.
    #[error("several notes are meant by '{name}': {}", candidates.join(", "))]
    AmbiguousNote {
        /// What was given.
        name: String,
        /// Their paths, with their collections.
        candidates: Vec<String>,
    },
    /// A note has no such heading.
    #[error("{path} has no section '{heading}'")]
    UnknownSection {
        /// The note.
        path: String,
        /// What was given.
        heading: String,
        /// The headings that it has.
        known: Vec<String>,
    },
    /// A note has no block of that name.
    #[error("{path} has no block '^{block}'")]
    UnknownBlock {
        /// The note.
        path: String,
        /// The name that was given.
        block: String,
    },
    /// A note has none of the lines that are asked for.
    #[error("{path} has lines {first} to {last}")]
    NoSuchLines {
        /// The note.
        path: String,
        /// Its first line of text.
        first: usize,
        /// Its last.
        last: usize,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The embedder failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

impl SearchError {
    /// Whether it is the question that cannot be answered, so that another one may be.
    pub fn is_about_question(&self) -> bool {
        matches!(
            self,
            Self::EmptyQuery | Self::NoWords | Self::OnlyOperators | Self::Embed(EmbedError::QuestionTooLong { .. })
        )
    }

    /// Whether it is the answer of an index that works, for which another process would have no better one.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Store(_) | Self::Embed(_) | Self::NoSemantics { .. })
    }

    /// Returns what to do next, where there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::OnlyOperators => Some("add a word to it: tars search 'plan tag:work -draft'".into()),
            Self::EmptyQuery | Self::NoWords => Some("tars search WORDS...".into()),
            Self::NoSemantics { .. } => Some("tars sgrep searches by words".into()),
            Self::MalformedId { .. } | Self::UnknownId { .. } => Some("tars search shows the ids".into()),
            Self::AmbiguousId { .. } => Some("give more of its digits".into()),
            Self::UnknownNote { .. } => Some("tars search finds notes; give a path, a [[link]] or an id".into()),
            Self::AmbiguousNote { .. } => Some("give more of its path".into()),
            Self::UnknownSection { known, .. } if known.is_empty() => Some("it has no headings".into()),
            Self::UnknownSection { known, .. } => Some(format!("its sections: {}", known.join("; "))),
            Self::UnknownBlock { .. } => Some("a block is a paragraph or a list item that ends in ^NAME".into()),
            Self::NoSuchLines { .. } => Some("give --lines within these".into()),
            Self::TextGone { .. } => Some("tars search finds what stands there now".into()),
            Self::Store(error) => error.hint(),
            Self::Embed(error) => error.hint(),
        }
    }
}

fn list(ids: &[ChunkId]) -> String {
    ids.iter().map(ChunkId::short).collect::<Vec<_>>().join(", ")
}
