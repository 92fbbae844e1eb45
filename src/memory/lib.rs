//! Remembers, compares, reviews, tidies and removes lines of the memory.
//!
//! This module works on the markdown files of the memory folder on disk, never on the index. It writes only through
//! [`tars_vault::Writer`].

mod anchor;
mod bullet;
mod dead_link;
mod error;
mod fact_line;
mod file;
mod forget;
mod layer;
mod likeness;
mod map;
mod named_file;
mod noted;
mod noted_project;
mod remember;
mod review;
mod session;
mod session_facts;
mod session_log;
mod session_note;
mod soul;
mod superseded;
mod tidy;
pub mod upkeep;
mod whole_file;

pub use anchor::{Anchor, Encoded, clean_id, decoded_path, short_session, short_turn};
pub use bullet::{Bullet, bullets};
pub use dead_link::mend_link;
pub use error::MemoryError;
pub use fact_line::{EXTRACTED, time_of, without_request};
pub use file::{
    ARCHIVE, ARCHIVE_SUPERSEDED, ARCHIVED_DAYS, ARCHIVED_SESSIONS, CORE_TOKENS, CORRECTIONS, MEMORY, PROCEDURAL,
    PROPOSALS, REWARDS, SESSIONS, SETTLED_PROPOSALS, bullets_of, daily_file, day_file, file_of, is_durable,
    logged_days, remembered, under, written,
};
pub use forget::{SHORTEST_ID, all, find, remove};
pub use layer::LayerFile;
pub use likeness::{Like, Relation, content_words, near, normal, shared_words};
pub use map::{Layer, MappedFile, MappedLayer, core_tokens, map};
pub use named_file::{FileClass, NamedFile, is_guarded};
pub use noted::{NotedLine, NotedSection, noted_lines, noted_sections};
pub use noted_project::NotedProject;
pub use remember::{
    Fact, Overgrown, Stored, consider, first_date, move_to, overgrown, remember, remember_in, remember_on,
};
pub use review::{Feedback, Settlement, Source, WaitingLine, archive, dropped_lines, feed_back, settle, waiting_lines};
pub use session::{Session, session, sessions};
pub use session_facts::{ExtractedFact, fact_text, known_facts, new_facts, note_facts};
pub use session_log::{
    Logged, SessionLog, log_field, logged_sessions, relink_session_log, relinked, section_link, write_session_log,
};
pub use session_note::{EXTRACTIVE, NotedTurn, SessionNote, note_session, tick_open_ends};
pub use soul::{
    Condensed, DEFAULT_SOUL, LONGEST_OBSERVATION, OBSERVATIONS, OBSERVATIONS_ARCHIVE, Observation, SOUL, SoulFile,
    begin, condensable, condense, is_soul, meant, observations, observe, remember_soul, resolve, soul_bullets,
};
pub use superseded::{History, Superseded, histories, supersede, superseded, superseded_by};
pub use tidy::{Finding, tidy};
pub use whole_file::{FileWrite, append_to_file, move_to_free, text_version, writable, write_file};

#[cfg(test)]
mod tests;
