//! The files on disk: which there are, what they hold, and writing to the one folder that is ours.
//!
//! Notes are read and never written. Writes go into the memory folder alone, under its lock, whole or not at all, and
//! each is journalled so that it can be taken back. Everything is reached by descriptors ([`crate::disk`]): no link below a
//! root is followed, even if another program puts it there meanwhile.

mod conflict_copy;
mod daily_notes;
mod error;
mod evicted;
mod file;
mod folder;
#[cfg(test)]
mod fuzz;
mod ignored;
mod in_use;
mod journal;
mod known;
mod leftovers;
mod lines;
mod lock;
mod obsidian;
mod place;
mod replace;
mod skipped;
mod undo;
mod walk;
mod write;

pub use daily_notes::DailyNotes;
pub use error::WriteError;
pub use file::{FileStat, ReadError, SourceFile, read};
pub use folder::MemoryFolder;
pub use journal::{Change, Entry, Journal, Origin, written_at};
pub use known::known_vaults;
pub use lines::{Lines, Splice};
pub use lock::FolderLock;
pub use skipped::Skipped;
pub use undo::{Undone, redo, standing, undo};
pub use walk::{Found, WalkOptions, Walked, walk, walk_into};
pub use write::Writer;

#[cfg(test)]
mod tests;
