//! Files that iCloud Drive has taken off this disk.
//!
//! Up to macOS 13 a hidden file `.Note.md.icloud` then stands where `Note.md` was. Later versions leave the file itself without
//! its data, and a process that opens it waits until the data is there again. A flag tells such a file
//! ([`crate::disk::Stat`]), and tars does not open it.

use std::ffi::OsStr;

/// Returns the name of the file that a placeholder of this name stands for.
pub(super) fn evicted(name: &OsStr) -> Option<&str> {
    name.to_str()?.strip_prefix('.')?.strip_suffix(".icloud").filter(|name| !name.is_empty())
}

/// Returns the name of the placeholder of a file.
pub(super) fn placeholder(name: &str) -> String {
    format!(".{name}.icloud")
}
