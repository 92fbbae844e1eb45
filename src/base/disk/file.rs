//! An open regular file.

use std::fs::{self, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use super::fault::{Call, check_length, fault_point};

/// A regular file, opened by a [`Folder`](super::Folder).
#[derive(Debug)]
pub struct File(fs::File);

impl File {
    /// Wraps an open descriptor if it refers to a regular file.
    pub(super) fn regular(descriptor: OwnedFd) -> io::Result<Self> {
        let file = fs::File::from(descriptor);
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        Ok(Self(file))
    }

    /// Returns the file's metadata.
    ///
    /// # Errors
    /// The system refuses.
    pub fn metadata(&self) -> io::Result<Metadata> {
        fault_point(Call::Metadata)?;
        self.0.metadata()
    }

    /// Sets the mode of the file.
    ///
    /// # Errors
    /// The system refuses, or the file belongs to somebody else.
    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        fault_point(Call::Metadata)?;
        self.0.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))
    }

    /// Truncates or extends the file to `length` bytes.
    ///
    /// # Errors
    /// The system refuses.
    pub fn set_len(&self, length: u64) -> io::Result<()> {
        fault_point(Call::Metadata)?;
        self.0.set_len(length)
    }

    /// Waits until the content is on the disk.
    ///
    /// # Errors
    /// The disk is full or broken; written data may be lost.
    pub fn sync(&self) -> io::Result<()> {
        fault_point(Call::Sync)?;
        self.0.sync_all()
    }

    /// Reads the whole file.
    ///
    /// # Errors
    /// The system refuses.
    pub fn content(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.seek(SeekFrom::Start(0))?;
        self.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns the file as the standard library's type, for locks and memory maps.
    pub fn into_std(self) -> fs::File {
        self.0
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        fault_point(Call::Read)?;
        self.0.read(buffer)
    }
}

impl Write for File {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let length = check_length(Call::Write, buffer.len())?;
        self.0.write(&buffer[..length])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for File {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.0.seek(position)
    }
}

impl AsFd for File {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
