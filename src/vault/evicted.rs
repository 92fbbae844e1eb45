//! Files that iCloud Drive has evicted from this disk.
//!
//! Up to macOS 13, a hidden file `.Note.md.icloud` then replaces `Note.md`. Later versions keep the file without its data, and a
//! process that opens it waits until the data is downloaded. A flag marks such a file ([`tars_base::disk::Stat`]), and tars does not
//! open it.

use std::ffi::OsStr;

/// Returns the name of the evicted file that a placeholder with this name replaces.
pub(super) fn evicted(name: &OsStr) -> Option<&str> {
    name.to_str()?.strip_prefix('.')?.strip_suffix(".icloud").filter(|name| !name.is_empty())
}

/// Returns the placeholder name of a file.
pub(super) fn placeholder(name: &str) -> String {
    format!(".{name}.icloud")
}
