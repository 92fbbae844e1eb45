//! Files and folders by descriptor.
//!
//! Every call that takes a path looks it up anew. A process that renames a folder in between makes a check and a use of the
//! same path refer to different files. Here a [`Folder`] is opened once, and everything below it is reached one name at a time
//! from its descriptor: a link is never followed, a pipe or a device is never waited for, and only a regular file is read
//! or written. The one path that is looked up is that of the first folder, which the person's own settings name.
//!
//! All input and output of this module passes `fault`, through which tests make the N-th call fail.

mod fault;
mod file;
mod folder;
mod put;

pub(crate) use fault::{Call, check};
#[cfg(test)]
pub(crate) use fault::{Fault, Kind, with_fault};
pub use file::File;
pub use folder::{Access, EntryKind, Folder, Stat};
pub use put::{Unfinished, is_unfinished, put, put_new};

#[cfg(test)]
mod tests;
