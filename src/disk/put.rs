//! A file's new content, whole or not at all.

use std::io::{self, Write};

use super::{File, Folder};

/// How the name of a file that is still being written ends.
const PART: &str = ".part";

/// New content for a file that is still being written: beside it, under a hidden name. It goes when it is dropped.
///
/// Two processes must not do this to one name at a time: the caller holds a lock, or the name is the caller's own. What a
/// killed process left under the hidden name is replaced.
#[derive(Debug)]
pub struct Unfinished<'f> {
    folder: &'f Folder,
    name: &'f str,
    part: String,
    file: Option<File>,
}

impl<'f> Unfinished<'f> {
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

    /// As [`Unfinished::file`].
    pub fn file_mut(&mut self) -> &mut File {
        self.file.as_mut().expect("it is open until it is finished")
    }

    /// Gives what was written the place of the file, on the disk when this returns.
    ///
    /// # Errors
    /// The system refuses; the file is as it was, and nothing is left beside it.
    pub fn finish(mut self) -> io::Result<()> {
        self.file().sync()?;
        self.folder.rename(&self.part, self.name)?;
        self.done();
        Ok(())
    }

    /// Gives what was written the name of the file, which nothing may have, on the disk when this returns.
    ///
    /// # Errors
    /// Something has the name ([`io::ErrorKind::AlreadyExists`]), or the system refuses; nothing is left beside it.
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

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if self.file.is_some() {
            let _ = self.folder.remove(&self.part);
        }
    }
}

/// Makes the file `name` hold `content`, with `mode`, on the disk when this returns; see [`Unfinished`].
///
/// # Errors
/// The system refuses; the file is as it was, and nothing is left beside it.
pub fn put(folder: &Folder, name: &str, content: &[u8], mode: u32) -> io::Result<()> {
    let mut unfinished = Unfinished::new(folder, name, mode)?;
    unfinished.file_mut().write_all(content)?;
    unfinished.finish()
}

/// Makes a file `name` of `content`, with `mode`, on the disk when this returns; see [`Unfinished`]. A file that has the name stays as
/// it is, also one that came meanwhile.
///
/// # Errors
/// Something has the name ([`io::ErrorKind::AlreadyExists`]), or the system refuses; nothing is left beside it.
pub fn put_new(folder: &Folder, name: &str, content: &[u8], mode: u32) -> io::Result<()> {
    let mut unfinished = Unfinished::new(folder, name, mode)?;
    unfinished.file_mut().write_all(content)?;
    unfinished.finish_new()
}

/// Whether a name is one of a file that is still being written.
pub fn is_unfinished(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(PART)
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

/// Returns the hidden name under which the new content of `name` is written.
fn part_of(name: &str) -> String {
    format!(".{name}{PART}")
}
