//! The log of a daemon that has no terminal.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::private;

/// A log that grows to this size is set aside, and the one set aside before is dropped.
const LARGEST: u64 = 1 << 20;

/// A file that never takes more than twice its largest size on disk.
#[derive(Debug, Clone)]
pub struct RotatingFile {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    file: File,
    size: u64,
    largest: u64,
}

impl RotatingFile {
    /// Opens the log at `path` to append to it.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::with_largest(path, LARGEST)
    }

    fn with_largest(path: &Path, largest: u64) -> io::Result<Self> {
        let file = append_to(path)?;
        let size = file.metadata()?.len();
        Ok(Self { inner: Arc::new(Mutex::new(Inner { path: path.to_owned(), file, size, largest })) })
    }
}

/// Paths of notes stand in it: it is its owner's alone.
fn append_to(path: &Path) -> io::Result<File> {
    private::open(path, OpenOptions::new().create(true).append(true))
}

impl Write for RotatingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.size > 0 && inner.size + bytes.len() as u64 > inner.largest {
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
        let mut log = RotatingFile::with_largest(&path, 100).unwrap();
        for number in 0..50 {
            writeln!(log, "line {number}").unwrap();
        }
        assert!(fs::metadata(&path).unwrap().len() <= 100);
        assert!(fs::read_to_string(&path).unwrap().ends_with("line 49\n"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
