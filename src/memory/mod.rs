//! The memory's life: what is remembered where, what it stands next to, and what is taken out again.
//!
//! Everything here works on the markdown files of the memory folder as they stand on disk, never on the index, and writes
//! through [`crate::vault::Writer`] alone.

mod anchor;
mod bullet;
mod error;
mod file;
mod forget;
mod likeness;
mod noted;
mod noted_project;
mod remember;
mod review;
mod session;
mod session_log;
mod session_note;
mod tidy;

pub use anchor::{Anchor, clean_id, decoded_path, short_session, short_turn};
pub use bullet::{Bullet, bullets};
pub use error::MemoryError;
pub use file::{ARCHIVE, CORRECTIONS, MEMORY, PROCEDURAL, REWARDS, SESSIONS, bullets_of, daily_file, file_of};
pub use forget::{SHORTEST_ID, all, find, remove};
pub use likeness::{Like, Relation, near, normal};
pub use noted::{NotedLine, NotedSection, noted_lines, noted_sections};
pub use noted_project::NotedProject;
pub use remember::{Fact, Overgrown, Stored, consider, overgrown, remember, remember_on};
pub use review::{EXTRACTED, Feedback, Proposal, Settlement, Source, archive, feed_back, proposals, settle};
pub use session::{Session, session, sessions};
pub use session_log::{Logged, SessionLog, logged_sessions, write_session_log};
pub use session_note::{EXTRACTIVE, NotedTurn, SessionNote, note_session, tick_open_ends};
pub use tidy::{Finding, tidy};

#[cfg(test)]
mod tests;
