//! The right to write to a memory folder, and the folder's id.
//!
//! Both live in one file of the memory folder, `.tars-folder`. An OS lock on it excludes other writers, whichever data
//! directory they use. Only its owner may open the file, so that no other user of the machine can keep tars from writing by
//! locking it; a lock on the folder itself would be anybody's who can read it. Its content is the id, 32 hexadecimal digits,
//! by which the journal knows the folder after it was moved.

use std::fs::{self, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use super::place::Place;
use super::{MemoryFolder, WriteError, folder};
use crate::disk::{Access, File, Folder};

/// How long a write waits for another one.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a lock that another process holds is tried.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

const FILE: &str = ".tars-folder";
const MODE: u32 = 0o600;
/// Digits of an id.
const DIGITS: usize = 32;

impl MemoryFolder {
    /// Returns the id of the folder; `None` where none was written yet.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn id(&self) -> Result<Option<String>, WriteError> {
        self.open()?.map_or(Ok(None), |folder| id_in(&folder))
    }

    /// Takes the right to write, waiting for another process that holds it; makes the folder where there is none.
    ///
    /// # Errors
    /// It is held for longer than ten seconds, or cannot be taken.
    pub fn lock(&self) -> Result<FolderLock, WriteError> {
        FolderLock::take(self)
    }
}

/// The right to write to the memory folder, until it is dropped.
#[derive(Debug)]
pub struct FolderLock {
    folder: Folder,
    _file: fs::File,
}

impl FolderLock {
    /// Takes the right to write to `memory`, making the folder where there is none.
    pub(super) fn take(memory: &MemoryFolder) -> Result<Self, WriteError> {
        let started = Instant::now();
        loop {
            let folder = memory.make()?;
            let file = open(&folder)?;
            match file.try_lock() {
                Ok(()) if is_there(memory, &folder, &file)? => return Ok(Self { folder, _file: file }),
                // The folder or the file was exchanged in between: what is there now is to be locked.
                Ok(()) => {}
                Err(TryLockError::Error(source)) => return Err(WriteError::at(&folder, FILE, "lock", source)),
                Err(TryLockError::WouldBlock) => std::thread::sleep(POLL_INTERVAL),
            }
            if started.elapsed() > PATIENCE {
                return Err(WriteError::Busy { path: memory.path().to_owned() });
            }
        }
    }

    /// Returns where the file `name` is or would be; makes its folders.
    pub(super) fn place(&self, name: &str) -> Result<Place, WriteError> {
        folder::place(&self.folder, name)
    }

    /// Returns the place of the file `name` if its folder exists.
    pub(super) fn existing(&self, name: &str) -> Result<Option<Place>, WriteError> {
        folder::existing(&self.folder, name)
    }

    /// Returns the folder's id, giving it one where it has none.
    pub(super) fn id(&self) -> Result<String, WriteError> {
        id_in(&self.folder)?.map_or_else(|| self.renew_id(), Ok)
    }

    /// Gives the folder another id.
    pub(super) fn renew_id(&self) -> Result<String, WriteError> {
        let random = || RandomState::new().hash_one(std::process::id());
        let id = format!("{:016x}{:016x}", random(), random());
        // In place: a file that took this one's place would not be locked.
        let written = self.folder.file(FILE, Access::Append).and_then(|file| {
            let mut file = file.ok_or(std::io::ErrorKind::NotFound)?;
            file.set_len(0)?;
            file.write_all(format!("{id}\n").as_bytes())?;
            file.sync()
        });
        written.map(|()| id).map_err(|error| WriteError::at(&self.folder, FILE, "write", error))
    }

    /// Whether another folder with the same id is at `path`: this one is a copy of it then.
    pub(super) fn is_copy_of(&self, path: &Path, id: &str) -> bool {
        let Ok(other) = Folder::open(path) else { return false };
        let same = matches!((other.identity(), self.folder.identity()), (Ok(one), Ok(other)) if one == other);
        !same && id_in(&other).is_ok_and(|other| other.as_deref() == Some(id))
    }
}

/// Returns the id that the folder keeps, if there is one.
pub(super) fn id_in(folder: &Folder) -> Result<Option<String>, WriteError> {
    let content = folder.read(FILE, 4 << 10).map_err(|error| WriteError::at(folder, FILE, "read", error))?;
    let text = String::from_utf8(content.unwrap_or_default()).unwrap_or_default();
    let id = text.trim();
    let is_id = id.len() == DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    Ok(is_id.then(|| id.to_owned()))
}

/// Opens the file to be locked, and keeps others from opening it.
fn open(folder: &Folder) -> Result<fs::File, WriteError> {
    use std::os::unix::fs::PermissionsExt;
    let opened = folder.file_or_new(FILE, MODE).and_then(|file: File| {
        if file.metadata()?.permissions().mode() & 0o077 != 0 {
            // A sync tool may have made it so. Some file systems have no modes: there is nobody to keep out there.
            let _ = file.set_mode(MODE);
        }
        Ok(file.into_std())
    });
    opened.map_err(|error| match folder.link_target(FILE) {
        Some(_) => WriteError::at(folder, FILE, "open", error),
        // The file is tars' own affair: what cannot be written is the folder.
        None => WriteError::Io { path: folder.path().to_owned(), action: "write in", source: error },
    })
}

/// Whether the memory folder and its file are still those that are open.
fn is_there(memory: &MemoryFolder, folder: &Folder, file: &fs::File) -> Result<bool, WriteError> {
    use std::os::unix::fs::MetadataExt;
    let failed = |source| WriteError::at(folder, FILE, "lock", source);
    let Some(now) = memory.open()? else { return Ok(false) };
    let metadata = file.metadata().map_err(failed)?;
    let named = now.stat(FILE).map_err(failed)?.map(|stat| stat.identity);
    Ok(now.identity().map_err(failed)? == folder.identity().map_err(failed)?
        && named == Some((metadata.dev(), metadata.ino())))
}
