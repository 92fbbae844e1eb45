//! One indexer at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use super::IndexError;
use crate::private;

/// The right to write the index, held by an OS lock: it ends with the process, however that ends.
#[derive(Debug)]
pub struct IndexLock {
    _file: File,
}

impl IndexLock {
    /// Takes the lock of the data directory `dir`; `None` if another process holds it.
    ///
    /// # Errors
    /// The lock file cannot be made or locked.
    pub fn try_acquire(dir: &Path) -> Result<Option<Self>, IndexError> {
        let path = dir.join(FILE);
        let failed = |reason| IndexError::Lock { path: path.clone(), reason };
        let file = private::open_lock(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(reason)) => Err(failed(reason)),
        }
    }

    /// Whether a process, this one too, holds the lock of the data directory `dir`. A shared lock for a moment tells it, which keeps
    /// no one from the lock for longer than that.
    pub fn is_held(dir: &Path) -> bool {
        let lock = private::open(&dir.join(FILE), OpenOptions::new().read(true));
        lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Takes the lock of the data directory `dir`, waiting for another process that holds it; `waiting` is called once
    /// before that. `None` if `cancelled` says so meanwhile.
    ///
    /// # Errors
    /// The lock file cannot be made or locked, or another process has held it for half an hour.
    pub fn acquire(
        dir: &Path,
        waiting: impl FnOnce(),
        cancelled: impl Fn() -> bool,
    ) -> Result<Option<Self>, IndexError> {
        Self::acquire_within(PATIENCE, dir, waiting, cancelled)
    }

    fn acquire_within(
        patience: Duration,
        dir: &Path,
        waiting: impl FnOnce(),
        cancelled: impl Fn() -> bool,
    ) -> Result<Option<Self>, IndexError> {
        let started = Instant::now();
        let mut waiting = Some(waiting);
        while !cancelled() {
            if let Some(lock) = Self::try_acquire(dir)? {
                return Ok(Some(lock));
            }
            if let Some(waiting) = waiting.take() {
                waiting();
            }
            if started.elapsed() >= patience {
                return Err(IndexError::Busy { path: dir.join(FILE), after: patience });
            }
            // A blocking wait could not be cancelled by a signal.
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(None)
    }
}

const FILE: &str = "index.lock";
/// How often a lock that another process holds is tried.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How long it is waited for. The watcher gives it back every few seconds; the first run over a large vault may take many
/// minutes.
const PATIENCE: Duration = Duration::from_secs(30 * 60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_never_given_back_is_not_waited_for_without_end() {
        let data = tempfile::tempdir().unwrap();
        let _held = IndexLock::try_acquire(data.path()).unwrap().unwrap();
        let mut waited = false;
        let given_up = IndexLock::acquire_within(Duration::ZERO, data.path(), || waited = true, || false);
        assert!(matches!(given_up, Err(IndexError::Busy { .. })) && waited, "{given_up:?}");
    }

    #[test]
    fn a_lock_file_is_private_and_a_file() {
        use std::os::unix::fs::PermissionsExt;
        let data = tempfile::tempdir().unwrap();
        let path = data.path().join(FILE);
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o666)).unwrap();
        drop(IndexLock::try_acquire(data.path()).unwrap().unwrap());
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(data.path().join("elsewhere"), &path).unwrap();
        assert!(matches!(IndexLock::try_acquire(data.path()), Err(IndexError::Lock { .. })));
        assert!(!data.path().join("elsewhere").exists());
    }
}
