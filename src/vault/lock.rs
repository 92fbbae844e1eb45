//! The write lock of a memory folder, and the folder's id.
//!
//! Both live in one file of the memory folder, `.tars-folder`. An OS lock on it excludes other writers, whichever data directory
//! they use. Only its owner may open the file, so no other user of the machine can block writes by locking it; anybody who can read
//! the folder could lock the folder itself. The file's content is the id, 32 hexadecimal digits, by which the journal recognises a
//! moved folder.

use std::fs::{self, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use super::place::Place;
use super::{MemoryFolder, WriteError, folder};
use tars_base::disk::{Access, File, Folder};

/// Longest wait for another writer.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
/// Interval between attempts to take the lock.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

const FILE: &str = ".tars-folder";
const MODE: u32 = 0o600;
/// Digits of an id.
const ID_DIGITS: usize = 32;

impl MemoryFolder {
    /// Returns the id of the folder; `None` if it has none yet.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn id(&self) -> Result<Option<String>, WriteError> {
        self.open()?.map_or(Ok(None), |folder| id_in(&folder))
    }

    /// Takes the write lock, waiting for another holder. Creates the folder if needed.
    ///
    /// # Errors
    /// Another process holds the lock for longer than ten seconds, or taking it fails.
    pub fn lock(&self) -> Result<FolderLock, WriteError> {
        FolderLock::take(self)
    }
}

/// The write lock of the memory folder, held until it is dropped.
#[derive(Debug)]
pub struct FolderLock {
    folder: Folder,
    _file: fs::File,
}

impl FolderLock {
    /// Takes the write lock of `memory`, creating the folder if needed.
    pub(super) fn take(memory: &MemoryFolder) -> Result<Self, WriteError> {
        let started = Instant::now();
        loop {
            let folder = memory.make()?;
            let file = open(&folder)?;
            match file.try_lock() {
                Ok(()) if is_current(memory, &folder, &file)? => return Ok(Self { folder, _file: file }),
                // The folder or the file was replaced in between: lock the current one.
                Ok(()) => {}
                Err(TryLockError::Error(source)) => return Err(WriteError::at(&folder, FILE, "lock", source)),
                Err(TryLockError::WouldBlock) => std::thread::sleep(POLL_INTERVAL),
            }
            if started.elapsed() > LOCK_TIMEOUT {
                return Err(WriteError::Busy { path: memory.path().to_owned() });
            }
        }
    }

    /// Returns the place of the file `name`, creating missing folders.
    pub(super) fn place(&self, name: &str) -> Result<Place, WriteError> {
        folder::place(&self.folder, name)
    }

    /// Returns the place of the file `name`; `None` if its folder does not exist.
    pub(super) fn existing(&self, name: &str) -> Result<Option<Place>, WriteError> {
        folder::existing(&self.folder, name)
    }

    /// Returns the folder's id, creating one if needed.
    pub(super) fn id(&self) -> Result<String, WriteError> {
        id_in(&self.folder)?.map_or_else(|| self.renew_id(), Ok)
    }

    /// Gives the folder a new id.
    pub(super) fn renew_id(&self) -> Result<String, WriteError> {
        let random = || RandomState::new().hash_one(std::process::id());
        let id = format!("{:016x}{:016x}", random(), random());
        // Written in place: a replacement file would not be locked.
        let written = self.folder.open_file(FILE, Access::Append).and_then(|file| {
            let mut file = file.ok_or(std::io::ErrorKind::NotFound)?;
            file.set_len(0)?;
            file.write_all(format!("{id}\n").as_bytes())?;
            file.sync()
        });
        written.map(|()| id).map_err(|error| WriteError::at(&self.folder, FILE, "write", error))
    }

    /// Whether another folder at `path` has the same id, so that this one is a copy of it.
    pub(super) fn is_copy_of(&self, path: &Path, id: &str) -> bool {
        let Ok(other) = Folder::open(path) else { return false };
        let same = matches!((other.identity(), self.folder.identity()), (Ok(one), Ok(other)) if one == other);
        !same && id_in(&other).is_ok_and(|other| other.as_deref() == Some(id))
    }
}

/// Returns the id that the folder stores, if any.
pub(super) fn id_in(folder: &Folder) -> Result<Option<String>, WriteError> {
    let content = folder.read(FILE, 4 << 10).map_err(|error| WriteError::at(folder, FILE, "read", error))?;
    let text = String::from_utf8(content.unwrap_or_default()).unwrap_or_default();
    let id = text.trim();
    let is_id = id.len() == ID_DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    Ok(is_id.then(|| id.to_owned()))
}

/// Opens the lock file, and restricts it to its owner.
fn open(folder: &Folder) -> Result<fs::File, WriteError> {
    use std::os::unix::fs::PermissionsExt;
    let opened = folder.open_or_create(FILE, MODE).and_then(|file: File| {
        if file.metadata()?.permissions().mode() & 0o077 != 0 {
            // A sync tool may have widened the mode. File systems without modes fail here, which is harmless.
            let _ = file.set_mode(MODE);
        }
        Ok(file.into_std())
    });
    opened.map_err(|error| match folder.link_target(FILE) {
        Some(_) => WriteError::at(folder, FILE, "open", error),
        // The lock file is internal, so the message names the folder.
        None => WriteError::Io { path: folder.path().to_owned(), action: "write in", source: error },
    })
}

/// Whether the open folder and lock file are still the ones at their paths.
fn is_current(memory: &MemoryFolder, folder: &Folder, file: &fs::File) -> Result<bool, WriteError> {
    use std::os::unix::fs::MetadataExt;
    let failed = |source| WriteError::at(folder, FILE, "lock", source);
    let Some(now) = memory.open()? else { return Ok(false) };
    let metadata = file.metadata().map_err(failed)?;
    let named = now.stat(FILE).map_err(failed)?.map(|stat| stat.identity);
    Ok(now.identity().map_err(failed)? == folder.identity().map_err(failed)?
        && named == Some((metadata.dev(), metadata.ino())))
}
