//! Allows one indexer at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use super::IndexError;
use tars_base::private;

/// The exclusive right to write the index, an OS lock that ends with the process.
#[derive(Debug)]
pub struct IndexLock {
    _file: File,
}

impl IndexLock {
    /// Takes the lock of the data directory `dir`; `None` if another process holds it.
    ///
    /// # Errors
    /// The lock file cannot be created or locked.
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

    /// Whether any process, including this one, holds the lock of the data directory `dir`. The check briefly takes a shared lock,
    /// which delays others no longer than that.
    pub fn is_held(dir: &Path) -> bool {
        let lock = private::open(&dir.join(FILE), OpenOptions::new().read(true));
        lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Takes the lock of the data directory `dir`, waiting for another holder; `waiting` is called once before the wait. `None` if
    /// `cancelled` returns true meanwhile.
    ///
    /// # Errors
    /// The lock file cannot be created or locked, or another process has held the lock for half an hour.
    pub fn acquire(
        dir: &Path,
        waiting: impl FnOnce(),
        cancelled: impl Fn() -> bool,
    ) -> Result<Option<Self>, IndexError> {
        Self::acquire_within(LOCK_TIMEOUT, dir, waiting, cancelled)
    }

    fn acquire_within(
        timeout: Duration,
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
            if started.elapsed() >= timeout {
                return Err(IndexError::Busy { path: dir.join(FILE), after: timeout });
            }
            // A blocking wait could not be cancelled by a signal.
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(None)
    }
}

const FILE: &str = "index.lock";
/// Interval between attempts to take the lock.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Longest wait for the lock. The watcher releases it every few seconds, but the first run over a large vault may take many
/// minutes.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30 * 60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_a_lock_times_out() {
        let data = tempfile::tempdir().unwrap();
        let _held = IndexLock::try_acquire(data.path()).unwrap().unwrap();
        let mut waited = false;
        let given_up = IndexLock::acquire_within(Duration::ZERO, data.path(), || waited = true, || false);
        assert!(matches!(given_up, Err(IndexError::Busy { .. })) && waited, "{given_up:?}");
    }

    #[test]
    fn the_lock_file_is_private_and_never_a_link() {
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
