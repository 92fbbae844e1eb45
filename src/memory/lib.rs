//! Remembers, compares, reviews, tidies and removes lines of the memory.
//!
//! This module works on the markdown files of the memory folder on disk, never on the index. It writes only through
//! [`tars_vault::Writer`].

mod anchor;
mod bullet;
mod chat_note;
mod conflict_merge;
mod contradiction;
mod decisions;
mod entry_list;
mod error;
mod fact_line;
mod file;
mod findings;
mod forget;
mod generated_note;
mod layer;
mod likeness;
mod line_credit;
mod log_front_matter;
mod log_lines;
mod log_project;
mod map;
mod named_file;
mod open_ends;
mod recent_session;
mod remember;
mod said_again;
mod session_end;
mod session_facts;
mod session_list;
mod session_log;
mod session_note;
mod session_relink;
mod shared_words;
mod soul;
mod source_lines;
mod superseded;
mod unfinished;
pub mod upkeep;
mod waiting_lines;
mod whole_file;
mod wiki_link;

pub use anchor::{Anchor, EXTRACTIVE, Encoded, clean_id, decoded_path, short_session, short_turn};
pub use bullet::{Bullet, MAX_BULLET_BYTES, bullets};
pub use chat_note::{CHATS, ChatNote, ChatWrite, KnownChats, plan_chat, write_chat};
pub use conflict_merge::{ConflictMerge, merge_conflict, missing_lines};
pub use decisions::decision_histories;
pub use error::MemoryError;
pub use fact_line::{EXTRACTED, time_of, without_request};
pub use file::{
    ARCHIVE, ARCHIVE_SUPERSEDED, ARCHIVED_DAYS, ARCHIVED_SESSIONS, CORE_TOKENS, CORRECTIONS, MEMORY, PROCEDURAL,
    PROPOSALS, REWARDS, SESSIONS, SETTLED_PROPOSALS, append_to_section, bullet_lines, bullets_of, daily_file, day_file,
    durable_bullets, file_of, is_durable, logged_days, remembered_bullets,
};
pub use findings::{Finding, findings};
pub use forget::{MIN_ID_LENGTH, all_bullets, find_bullets, matching_items, remove_bullets};
pub use layer::LayerFile;
pub use likeness::{
    NearestBullet, Relation, SimilarBullet, adds_nothing, content_words, nearest_bullets, normalized, similar_bullets,
    word_similarity,
};
pub use line_credit::{Trust, author_of};
pub use log_front_matter::log_field;
pub use log_lines::{LogLine, LogSection, branch_of_line, log_lines, log_sections};
pub use log_project::LogProject;
pub use map::{Layer, MappedFile, MappedLayer, core_tokens, map};
pub use named_file::{FileClass, NamedFile, is_guarded};
pub use open_ends::{OpenEnd, open_ends, open_ends_of, set_aside, tick};
pub use recent_session::{RecentLine, RecentSession, recent_sessions};
pub use remember::{
    Fact, NearFacts, Overgrown, Stored, first_date, inserted_bullet, move_bullet, near_facts, overgrown, remember,
    remember_in, remember_on,
};
pub use session_end::{LastEnd, LastTurn, mark_session_done};
pub use session_facts::{ExtractedFact, fact_text, known_facts, new_facts, note_facts};
pub use session_list::{Session, logged_sessions, logged_transcripts, session, sessions};
pub use session_log::{SessionLog, SessionLogWrite, write_session_log};
pub use session_note::{NotedTurn, SessionNote, names_as_former, note_session, short_form, tick_open_ends};
pub use session_relink::relink_session_log;
pub use soul::{
    Condensed, DEFAULT_SOUL, MAX_OBSERVATION_LENGTH, OBSERVATIONS, OBSERVATIONS_ARCHIVE, Observation, SOUL, SoulFile,
    condensable, condense, is_soul, observations, observe, remember_soul, resolve, soul_bullets, write_default_text,
};
pub use source_lines::{IsMeant, SourceLine, SourceLines, source_lines, take_back};
pub use superseded::{History, Superseded, histories, remove_superseded, supersede, superseded};
pub use unfinished::Unfinished;
pub use waiting_lines::{
    Feedback, Settlement, Source, WaitingLine, archive, dropped_lines, feed_back, promotable_lines, settle,
    waiting_lines,
};
pub use whole_file::{FileWrite, append_to_file, rename_to_free_name, sanitize_model_text, text_hash, write_file};
pub use wiki_link::{relinked, repair_link, section_link};

#[cfg(test)]
mod tests;
