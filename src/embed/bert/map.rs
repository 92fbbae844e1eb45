//! Memory-mapped files.

use std::fs::{self, File};
use std::io;
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

/// The bytes of a file, read on access. The first byte is at the beginning of a page.
#[derive(Debug)]
pub(super) struct FileMap(Mmap);

impl FileMap {
    /// Maps a file for reading.
    ///
    /// # Errors
    /// The file cannot be opened or mapped; an empty file cannot be mapped.
    #[expect(unsafe_code, reason = "nothing but the file's owner can keep others from changing it")]
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        // Opening a pipe would block until something writes to it.
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
        }
        let file = File::open(path)?;
        // SAFETY: tars never changes such a file in place; it writes a new one beside it and renames it. If another program
        // truncates the file while it is read, the process ends, as with a shared library. If another program changes its
        // numbers, the vectors change, because any bytes are valid numbers and every index read from them is checked on use.
        unsafe { Mmap::map(&file) }.map(Self)
    }
}

impl Deref for FileMap {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
