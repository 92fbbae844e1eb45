//! The vocabulary of tars as plain types: documents, chunks, passages, queries, hits.
//!
//! These types do no I/O, read no clock and import no other module of tars.

mod chunk;
mod date;
mod document;
mod explanation;
mod hex;
mod hit;
mod ids;
mod memory;
mod outcome;
mod progress;
mod property_condition;
mod query;
mod rewording;
mod sanitize;
mod tokens;
mod turn;
mod turn_event;

pub use chunk::{Chunk, Passage};
pub use date::{DateRange, NoteDate, NoteDateSource, days_before};
pub use document::{
    Block, BlockKind, Callout, Document, Exchange, Footnote, Heading, Link, LinkKind, Property, Section, TitleSource,
};
pub use explanation::{HitExplanation, LineWorth, QueryExplanation, TermExplanation};
pub use hex::{from_hex, hex};
pub use hit::{Hit, IndexState, Relevance, Retriever, SearchAnswer, SupersededHit};
pub use ids::{ChunkId, ContentHash, ModelId, TextHash};
pub use memory::MemoryType;
pub use outcome::{Outcome, OutcomeKind, with_branch, without_branch};
pub use progress::{NoProgress, Progress, Stage};
pub use property_condition::{Comparison, PropertyCondition, PropertyTest};
pub use query::{Filter, Mode, Query, QuerySyntax};
pub use rewording::Rewording;
pub use sanitize::{
    capitalize, collapse_whitespace, is_terminal_control, one_line, pluralize, sanitize, sanitize_line,
};
pub use tokens::{ApproximateTokens, CountTokens};
pub use turn::{EarlierStops, Reading, Turn, TurnEnd};
pub use turn_event::{AgentAct, TurnEvent, UserRequest};

/// The tracing target of events that a person must see even without a log.
pub const USER_NOTICE: &str = "tars::said";
