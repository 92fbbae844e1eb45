//! Access to files and folders by descriptor.
//!
//! Every call with a path looks the path up again. If a process renames a folder in between, a check and a use of the
//! same path refer to different files. A [`Folder`] is instead opened once, and everything below it is reached from its
//! descriptor, one name at a time: links are never followed, pipes and devices never block, and only regular files are
//! read or written. Only the path of the first folder is looked up, and that one comes from the person's own settings.
//!
//! All I/O of this module passes `fault`, where tests make the N-th call fail.

mod atomic;
mod fault;
mod file;
mod folder;
mod stat;

pub use atomic::{AtomicWrite, create_atomic, is_partial_name, write_atomic};
pub use fault::{Call, fault_point};
#[cfg(any(test, feature = "testing"))]
pub use fault::{Fault, FaultKind, with_fault};
pub use file::File;
pub use folder::{Access, EntryKind, Folder};
pub use stat::{FileStat, Stat};

#[cfg(test)]
mod tests;
