//! Appends to a journal, so that a failed write can be taken out of it again.

use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

use crate::WriteError;
use tars_base::disk::File;

/// An appended entry. Its file stays open, so that removing the entry needs no further resources.
#[derive(Debug)]
pub(crate) struct AppendedEntry {
    file: File,
    path: PathBuf,
    length: u64,
    /// The lines that were appended to another file with it.
    other: Option<Box<Self>>,
}

impl AppendedEntry {
    /// Describes what was appended to `file` at `path` after its first `length` bytes.
    pub(super) fn new(file: File, path: PathBuf, length: u64) -> Self {
        Self { file, path, length, other: None }
    }

    /// Removes the entry from the journal.
    pub(crate) fn remove(&self) -> Result<(), WriteError> {
        let failed = |source| WriteError::Io { path: self.path.clone(), action: "write", source };
        truncate(&self.file, self.length).map_err(failed)?;
        self.other.as_ref().map_or(Ok(()), |other| other.remove())
    }

    /// Joins it with an entry of another file. If that one failed, this one is removed.
    pub(crate) fn and(self, other: Result<Self, WriteError>) -> Result<Self, WriteError> {
        match other {
            Ok(other) => Ok(Self { other: Some(Box::new(other)), ..self }),
            Err(error) => self.remove().and(Err(error)),
        }
    }
}

/// Truncates a file to `length` bytes, with retries: an entry whose write failed must not stay.
pub(super) fn truncate(file: &File, length: u64) -> std::io::Result<()> {
    file.set_len(length).or_else(|_| file.set_len(length)).or_else(|_| file.set_len(length))
}

/// Cuts off an unfinished last line that a crash left, and returns the remaining length.
pub(super) fn remove_partial_line(file: &mut File) -> std::io::Result<u64> {
    let mut length = file.seek(SeekFrom::End(0))?;
    let mut last = [b'\n'];
    let torn = length;
    while length > 0 {
        file.seek(SeekFrom::Start(length - 1))?;
        file.read_exact(&mut last)?;
        if last == *b"\n" {
            break;
        }
        length -= 1;
    }
    if length < torn {
        file.set_len(length)?;
    }
    Ok(length)
}
