//! Errors of a search.

use tars_base::domain::ChunkId;
use tars_base::embedding::EmbedError;
use tars_store::StoreError;

/// An error that leaves a question unanswered.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The query is blank.
    #[error("the query is empty")]
    EmptyQuery,
    /// The query holds nothing to look for.
    #[error("the query holds no letter and no digit")]
    NoWords,
    /// The query holds only exclusions.
    #[error("the query has only exclusions and nothing to look for")]
    OnlyOperators,
    /// The query is by meaning only, and no model is available.
    #[error("search by meaning is not possible: {reason}")]
    NoSemantics {
        /// The reason.
        reason: String,
    },
    /// The id is malformed.
    #[error("'{id}' is no chunk id: it takes 4 to 32 of the digits 0-9 and a-f")]
    MalformedId {
        /// The given id.
        id: String,
    },
    /// No chunk has that id.
    #[error("no chunk has an id beginning with '{id}'")]
    UnknownId {
        /// The given prefix.
        id: String,
    },
    /// Several chunks have that id prefix.
    #[error("several chunks have an id beginning with '{id}': {}", list(.candidates))]
    AmbiguousId {
        /// The given prefix.
        id: String,
        /// Some of them.
        candidates: Vec<ChunkId>,
    },
    /// The chunk was replaced, and no current chunk holds its text.
    #[error("the text of chunk {id} is no longer in {path}")]
    TextGone {
        /// The full id.
        id: ChunkId,
        /// Path of the note that held it.
        path: String,
    },
    /// No note has that name, or the note is hidden.
    #[error("no note matches '{name}'")]
    UnknownNote {
        /// The given name.
        name: String,
    },
    /// Several notes have that name.
    #[error("several notes match '{name}': {}", candidates.join(", "))]
    AmbiguousNote {
        /// The given name.
        name: String,
        /// Their paths, with their collections.
        candidates: Vec<String>,
    },
    /// The note has no such heading.
    #[error("{path} has no section '{heading}'")]
    UnknownSection {
        /// The note.
        path: String,
        /// The given heading.
        heading: String,
        /// The headings of the note.
        known: Vec<String>,
    },
    /// The note has no block of that name.
    #[error("{path} has no block '^{block}'")]
    UnknownBlock {
        /// The note.
        path: String,
        /// The given name.
        block: String,
    },
    /// The note has none of the requested lines.
    #[error("{path} has lines {first} to {last}")]
    NoSuchLines {
        /// The note.
        path: String,
        /// First line of its text.
        first: usize,
        /// Last line of its text.
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
    /// Whether the question itself is at fault, so that another question may succeed.
    pub fn is_question_fault(&self) -> bool {
        matches!(
            self,
            Self::EmptyQuery
                | Self::NoWords
                | Self::OnlyOperators
                | Self::Embed(EmbedError::QuestionTooLong { .. })
                | Self::Store(StoreError::Glob { .. })
        )
    }

    /// Whether the index works and gave a definite answer, so that asking another process would not help.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Store(_) | Self::Embed(_) | Self::NoSemantics { .. })
    }

    /// Returns a suggestion for the next step, if there is one.
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
            Self::NoSuchLines { .. } => Some("choose lines within this range".into()),
            Self::TextGone { .. } => Some("tars search finds what stands there now".into()),
            Self::Store(error) => error.hint(),
            Self::Embed(error) => error.hint(),
        }
    }
}

fn list(ids: &[ChunkId]) -> String {
    ids.iter().map(ChunkId::short).collect::<Vec<_>>().join(", ")
}
