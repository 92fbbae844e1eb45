//! The files on disk: which there are, what they hold, and writing to the one folder that is ours.
//!
//! Notes are read and never written. Writes go into the memory folder alone, under its lock, whole or not at all, and
//! each is journalled so that it can be taken back. No link is followed out of a root, and none at all in the memory
//! folder.

mod file;
mod folder;
#[cfg(test)]
mod fuzz;
mod journal;
mod lines;
mod replace;
mod undo;
mod walk;
mod write;

pub use file::{FileStat, ReadError, SourceFile, read};
pub use folder::{FolderLock, MemoryFolder};
pub use journal::{Change, Entry, Journal, Origin};
pub use lines::{Lines, Splice};
pub use undo::{Undone, standing, undo};
pub use walk::{Found, Skipped, WalkOptions, Walked, walk, walk_while};
pub use write::{WriteError, Writer};

#[cfg(test)]
mod tests;
