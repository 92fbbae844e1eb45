//! Access to the files on disk: finds and reads notes, and writes to the memory folder.
//!
//! Notes are read and never written. Writes go into the memory folder alone, under its lock and atomically. Each write is
//! journalled so that it can be undone. The one exception is [`PluginFolder`], which holds the files of tars' plugin for Obsidian. Every
//! file is reached by descriptors ([`tars_base::disk`]): no link below a root is followed, even if another program creates it during the
//! access, except links to folders that the person's own settings name.

mod conflict_copy;
mod daily_notes;
mod decode;
mod error;
mod evicted;
mod file;
mod folder;
mod follow;
#[cfg(test)]
mod fuzz;
mod ignore_files;
mod journal;
mod leftovers;
mod lines;
mod lock;
mod obsidian;
mod obsidian_vaults;
mod open_files;
mod origins;
mod pdf;
mod pdf_refusal;
mod place;
mod plugin_folder;
mod replace;
mod skipped;
mod undo;
mod undo_group;
mod walk;
pub mod watch;
mod write;

pub use conflict_copy::{SyncProgram, conflict_original, possible_originals};
pub use daily_notes::DailyNotes;
pub use decode::{Decoding, text_of};
pub use error::WriteError;
pub use file::{ReadError, SourceFile, line_in_file, read, read_bytes, read_following};
pub use folder::MemoryFolder;
pub use journal::{Change, Entry, Journal, Origin, line_written_at};
pub use lines::{Lines, Splice};
pub use lock::FolderLock;
pub use obsidian_vaults::known_vaults;
pub use origins::{Author, LineCredit, LineOrigin, Origins, SourceFile as OriginSource};
pub use pdf::{PDF_COMMAND, PdfReader, run_pdf_child};
pub use pdf_refusal::PdfRefusal;
pub use plugin_folder::PluginFolder;
pub use skipped::Skipped;
pub use undo::{UndoOutcome, redo, undo, writes_in_force};
pub use undo_group::UndoGroup;
pub use walk::{FoundNote, WalkOptions, WalkResult, walk, walk_into};
pub use write::{Edit, Writer};

#[cfg(test)]
mod tests;
