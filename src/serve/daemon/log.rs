//! The log file of a daemon without a terminal.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tars_base::private;

/// Size in bytes at which the log is rotated. One rotated log is kept.
const MAX_BYTES: u64 = 1 << 20;

/// A log file that never takes more than twice its maximum size on disk.
#[derive(Debug, Clone)]
pub struct RotatingFile {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    file: File,
    size: u64,
    max_bytes: u64,
}

impl RotatingFile {
    /// Opens the log at `path` for appending.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::with_max_bytes(path, MAX_BYTES)
    }

    fn with_max_bytes(path: &Path, max_bytes: u64) -> io::Result<Self> {
        let file = append_to(path)?;
        let size = file.metadata()?.len();
        Ok(Self { inner: Arc::new(Mutex::new(Inner { path: path.to_owned(), file, size, max_bytes })) })
    }
}

/// Opens the file for the owner alone: it contains paths of notes.
fn append_to(path: &Path) -> io::Result<File> {
    private::open(path, OpenOptions::new().create(true).append(true))
}

impl Write for RotatingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.size > 0 && inner.size + bytes.len() as u64 > inner.max_bytes {
            let mut old = inner.path.clone().into_os_string();
            old.push(".1");
            fs::rename(&inner.path, old)?;
            inner.file = append_to(&inner.path)?;
            inner.size = 0;
        }
        let written = inner.file.write(bytes)?;
        inner.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_stays_small_and_keeps_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("watch.log");
        let mut log = RotatingFile::with_max_bytes(&path, 100).unwrap();
        for number in 0..50 {
            writeln!(log, "line {number}").unwrap();
        }
        assert!(fs::metadata(&path).unwrap().len() <= 100);
        assert!(fs::read_to_string(&path).unwrap().ends_with("line 49\n"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
