//! A file's new content, whole or not at all.

use std::io::{self, Write};

use super::{File, Folder};

/// How the name of a file that is still being written ends.
pub const PART: &str = ".part";

/// Makes the file `name` hold `content`, on the disk when this returns. It is written beside, under a hidden name that ends
/// with [`PART`], with `mode`, and takes the file's place at once.
///
/// Two processes must not do this to one name at a time: the caller holds a lock, or the name is the caller's own. What a
/// killed process left under the hidden name is replaced.
///
/// # Errors
/// The system refuses; the file is as it was, and nothing is left beside it.
pub fn put(folder: &Folder, name: &str, content: &[u8], mode: u32) -> io::Result<()> {
    let part = part_of(name);
    let file = fresh(folder, &part, mode & 0o700)?;
    // The mask of the process does not count: the file has had its mode, or it is private.
    let done = file.set_mode(mode).and_then(|()| fill(file, content)).and_then(|()| folder.rename(&part, name));
    if done.is_err() {
        let _ = folder.remove(&part);
    } else {
        folder.sync();
    }
    done
}

/// Makes the file `part` anew.
fn fresh(folder: &Folder, part: &str, mode: u32) -> io::Result<File> {
    match folder.create(part, mode) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            folder.remove(part)?;
            folder.create(part, mode)
        }
        created => created,
    }
}

fn fill(mut file: File, content: &[u8]) -> io::Result<()> {
    file.write_all(content)?;
    file.sync()
}

/// Returns the hidden name under which the new content of `name` is written.
fn part_of(name: &str) -> String {
    format!(".{name}{PART}")
}
