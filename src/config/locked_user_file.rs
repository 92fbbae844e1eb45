//! The location of the user's file, locked during a change.

use std::fs::{DirBuilder, File, TryLockError};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use tars_base::disk::{Access, Folder, write_atomic};

/// Maximum time that a change waits for another one.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
/// Polling interval of that wait.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// Mode of a new file: it is private, because settings name servers and programs.
const MODE: u32 = 0o600;
/// Prefix of temporary files that killed processes of earlier versions left behind.
const LEFTOVER_PREFIX: &str = ".tars-config-";

/// The locked folder of the file. Two processes that change different keys both keep their changes.
#[derive(Debug)]
pub(super) struct LockedUserFile {
    folder: Folder,
    name: String,
    _lock: File,
}

impl LockedUserFile {
    /// Locks the location of the file at `target`. Missing folders are created.
    ///
    /// # Errors
    /// An error of the system, or another process holds the lock for ten seconds.
    pub(super) fn open(target: &Path) -> io::Result<Self> {
        let no_file = || io::Error::new(io::ErrorKind::InvalidInput, "not a file");
        let (parent, name) = (target.parent().ok_or_else(no_file)?, target.file_name().ok_or_else(no_file)?);
        let name =
            name.to_str().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the name is not valid UTF-8"))?;
        DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
        let folder = Folder::open(parent)?;
        let lock = File::from(folder.as_fd().try_clone_to_owned()?);
        wait_for(&lock)?;
        Ok(Self { folder, name: name.to_owned(), _lock: lock })
    }

    /// Replaces the text of the file atomically. An existing file keeps its mode.
    ///
    /// # Errors
    /// An error of the system, or the target is not a regular file.
    pub(super) fn write(&mut self, text: &str) -> io::Result<()> {
        let mode = match self.folder.open_file(&self.name, Access::Read)? {
            Some(file) => file.metadata()?.permissions().mode() & 0o7777,
            None => MODE,
        };
        for (name, is_folder) in self.folder.names()? {
            if name.starts_with(LEFTOVER_PREFIX) && !is_folder {
                let _ = self.folder.remove(&name);
            }
        }
        write_atomic(&self.folder, &self.name, text.as_bytes(), mode)
    }

    /// Removes the file.
    ///
    /// # Errors
    /// An error of the system.
    pub(super) fn remove(&mut self) -> io::Result<()> {
        self.folder.remove(&self.name)
    }
}

fn wait_for(lock: &File) -> io::Result<()> {
    let started = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if started.elapsed() < LOCK_TIMEOUT => std::thread::sleep(POLL_INTERVAL),
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "another process has locked it for ten seconds"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use tars_base::disk::{Fault, FaultKind, with_fault};

    #[test]
    fn disk_failures_never_leave_partial_settings() {
        for kind in [FaultKind::Broken, FaultKind::Full, FaultKind::NoDescriptors, FaultKind::Interrupted] {
            for after in 0.. {
                let home = tempfile::tempdir().unwrap();
                let file = home.path().join("tars/config.toml");
                LockedUserFile::open(&file).unwrap().write("before").unwrap();
                let write = || LockedUserFile::open(&file)?.write("after");
                let (result, struck) = with_fault(Fault { after, kind }, write);
                let case = format!("{kind:?} at call {after}: {result:?}");
                let wanted = if result.is_ok() { "after" } else { "before" };
                assert_eq!(fs::read_to_string(&file).unwrap(), wanted, "{case}");
                write().unwrap();
                assert_eq!(fs::read_to_string(&file).unwrap(), "after", "{case}");
                assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "{case}: something is left");
                if !struck {
                    break;
                }
            }
        }
    }

    #[test]
    fn leftovers_of_killed_processes_are_removed() {
        let home = tempfile::tempdir().unwrap();
        for name in [".tars-config-x1Y2z3", ".config.toml.part"] {
            fs::write(home.path().join(name), "half").unwrap();
        }
        LockedUserFile::open(&home.path().join("config.toml")).unwrap().write("a = 1").unwrap();
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    }

    #[test]
    fn concurrent_changes_are_both_kept() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("config.toml");
        let add = |line: &str| {
            let mut place = LockedUserFile::open(&file).unwrap();
            let before = fs::read_to_string(&file).unwrap_or_default();
            place.write(&format!("{before}{line}\n")).unwrap();
        };
        std::thread::scope(|scope| {
            for writer in 0..4 {
                scope.spawn(move || (0..25).for_each(|count| add(&format!("{writer} {count}"))));
            }
        });
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 100);
    }
}
