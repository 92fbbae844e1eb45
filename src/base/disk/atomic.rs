//! Atomic replacement of a file's content.

use std::io::{self, Write};

use super::{File, Folder};

/// Suffix of a file that is still being written.
const PART: &str = ".part";

/// New content for a file, written to a hidden file in the same folder. Dropping it unfinished removes the hidden file.
///
/// Only one process may write a name at a time: the caller holds a lock, or owns the name. A hidden file left by a
/// killed process is replaced.
#[derive(Debug)]
pub struct AtomicWrite<'f> {
    folder: &'f Folder,
    name: &'f str,
    part: String,
    file: Option<File>,
}

impl<'f> AtomicWrite<'f> {
    /// Begins new content for the file `name`, with `mode`.
    ///
    /// # Errors
    /// The system refuses.
    pub fn new(folder: &'f Folder, name: &'f str, mode: u32) -> io::Result<Self> {
        let part = part_of(name);
        let file = fresh(folder, &part, mode & 0o700)?;
        let unfinished = Self { folder, name, part, file: Some(file) };
        // Sets the mode explicitly so that the umask does not apply.
        unfinished.file().set_mode(mode)?;
        Ok(unfinished)
    }

    /// Returns the file to write to.
    pub fn file(&self) -> &File {
        self.file.as_ref().expect("it is open until it is finished")
    }

    /// Like [`AtomicWrite::file`].
    pub fn file_mut(&mut self) -> &mut File {
        self.file.as_mut().expect("it is open until it is finished")
    }

    /// Replaces the file with the new content, which is on the disk when this returns.
    ///
    /// # Errors
    /// The system refuses. The file is unchanged, and the hidden file is removed.
    pub fn finish(mut self) -> io::Result<()> {
        self.file().sync()?;
        self.folder.rename(&self.part, self.name)?;
        self.done();
        Ok(())
    }

    /// Gives the new content the unused name of the file. It is on the disk when this returns.
    ///
    /// # Errors
    /// The name is taken ([`io::ErrorKind::AlreadyExists`]), or the system refuses. The hidden file is removed.
    pub fn finish_new(mut self) -> io::Result<()> {
        self.file().sync()?;
        self.folder.rename_new(&self.part, self.name)?;
        self.done();
        Ok(())
    }

    fn done(&mut self) {
        self.folder.sync();
        self.file = None;
    }
}

impl Drop for AtomicWrite<'_> {
    fn drop(&mut self) {
        if self.file.is_some() {
            let _ = self.folder.remove(&self.part);
        }
    }
}

/// Replaces the content of the file `name`, with `mode`. It is on the disk when this returns; see [`AtomicWrite`].
///
/// # Errors
/// The system refuses. The file is unchanged, and no hidden file is left.
pub fn write_atomic(folder: &Folder, name: &str, content: &[u8], mode: u32) -> io::Result<()> {
    let mut unfinished = AtomicWrite::new(folder, name, mode)?;
    unfinished.file_mut().write_all(content)?;
    unfinished.finish()
}

/// Creates the file `name` with `content` and `mode`. It is on the disk when this returns; see [`AtomicWrite`]. An
/// existing file is kept, even one created meanwhile.
///
/// # Errors
/// The name is taken ([`io::ErrorKind::AlreadyExists`]), or the system refuses. No hidden file is left.
pub fn create_atomic(folder: &Folder, name: &str, content: &[u8], mode: u32) -> io::Result<()> {
    let mut unfinished = AtomicWrite::new(folder, name, mode)?;
    unfinished.file_mut().write_all(content)?;
    unfinished.finish_new()
}

/// Whether a name belongs to a file that is still being written.
pub fn is_partial_name(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(PART)
}

/// Creates the file `part`, and replaces an old one.
fn fresh(folder: &Folder, part: &str, mode: u32) -> io::Result<File> {
    match folder.create(part, mode) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            folder.remove(part)?;
            folder.create(part, mode)
        }
        created => created,
    }
}

/// Returns the hidden name for the new content of `name`.
fn part_of(name: &str) -> String {
    format!(".{name}{PART}")
}
