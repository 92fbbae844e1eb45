//! A file as memory.

use std::fs::{self, File};
use std::io;
use std::ops::Deref;
use std::path::Path;

use memmap2::Mmap;

/// The bytes of a file, read when they are looked at. The first lies at the beginning of a page.
#[derive(Debug)]
pub(super) struct FileMap(Mmap);

impl FileMap {
    /// Maps a file for reading.
    ///
    /// # Errors
    /// The file cannot be opened or mapped; an empty one cannot.
    #[expect(unsafe_code, reason = "nothing but the file's owner can keep others from changing it")]
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        // To open a pipe would wait until something writes to it.
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
        }
        let file = File::open(path)?;
        // SAFETY: tars never changes such a file where it stands: a new one is written beside it and renamed. A program that
        // cuts it short while it is read ends the process, as with a shared library; one that changes its numbers causes other
        // vectors, since any bytes are numbers and every index that is read from them is checked where it is used.
        unsafe { Mmap::map(&file) }.map(Self)
    }
}

impl Deref for FileMap {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}
