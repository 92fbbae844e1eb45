//! One daemon per data directory.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use tars_base::private;

/// Largest lock file content that is read, in bytes.
const MAX_HOLDER_BYTES: u64 = 4 << 10;

/// The exclusive right to watch, held by an OS lock: it ends with the process, even after a crash.
#[derive(Debug)]
pub struct DaemonLock {
    file: File,
    holder: LockHolder,
}

/// The holder of the lock, for people to read; the lock itself decides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockHolder {
    /// Process id.
    pub pid: u32,
    /// Start time, RFC 3339.
    pub since: String,
    /// Version of tars.
    pub version: String,
    /// Address where it serves HTTP, if it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listen: Option<String>,
}

impl DaemonLock {
    /// Takes the lock of the data directory `data`; `None` if another process holds it. `now` is recorded as the daemon's start time.
    ///
    /// # Errors
    /// The lock file cannot be made or locked.
    pub fn try_acquire(data: &Path, now: Timestamp) -> std::io::Result<Option<Self>> {
        let file = private::open_lock(&lock_file(data))?;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                // A process in [`DaemonLock::holder`] holds a shared lock for a moment; a daemon's exclusive lock would refuse this
                // shared one.
                Err(TryLockError::WouldBlock) if file.try_lock_shared().is_ok() => file.unlock()?,
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        let holder = LockHolder {
            pid: std::process::id(),
            since: now.to_string(),
            version: env!("CARGO_PKG_VERSION").into(),
            listen: None,
        };
        let mut lock = Self { file, holder };
        lock.write()?;
        Ok(Some(lock))
    }

    /// Records that the holder serves HTTP at `address`.
    ///
    /// # Errors
    /// The lock file cannot be written.
    pub fn set_listen_address(&mut self, address: &str) -> std::io::Result<()> {
        self.holder.listen = Some(address.to_owned());
        self.write()
    }

    fn write(&mut self) -> std::io::Result<()> {
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(serde_json::to_string(&self.holder)?.as_bytes())
    }

    /// Returns the holder of the lock of `data`; `None` if nobody holds it.
    pub fn holder(data: &Path) -> Option<LockHolder> {
        let file = private::open(&lock_file(data), OpenOptions::new().read(true)).ok()?;
        if file.try_lock_shared().is_ok() {
            return None;
        }
        let mut text = String::new();
        file.take(MAX_HOLDER_BYTES).read_to_string(&mut text).ok()?;
        serde_json::from_str(&text).ok()
    }
}

fn lock_file(data: &Path) -> std::path::PathBuf {
    data.join("watch.lock")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_is_held_once_and_ends_with_its_holder() {
        let data = tempfile::tempdir().unwrap();
        let mut lock = DaemonLock::try_acquire(data.path(), Timestamp::UNIX_EPOCH).unwrap().unwrap();
        assert!(DaemonLock::try_acquire(data.path(), Timestamp::UNIX_EPOCH).unwrap().is_none());
        assert_eq!(DaemonLock::holder(data.path()).unwrap().pid, std::process::id());
        lock.set_listen_address("127.0.0.1:1").unwrap();
        assert_eq!(DaemonLock::holder(data.path()).unwrap().listen.as_deref(), Some("127.0.0.1:1"));
        drop(lock);
        assert!(DaemonLock::holder(data.path()).is_none());
        assert!(DaemonLock::try_acquire(data.path(), Timestamp::UNIX_EPOCH).unwrap().is_some());
    }

    #[test]
    fn looking_up_the_holder_never_blocks_a_start() {
        let data = tempfile::tempdir().unwrap();
        drop(DaemonLock::try_acquire(data.path(), Timestamp::UNIX_EPOCH).unwrap());
        let refused = std::thread::scope(|scope| {
            let starts = scope.spawn(|| {
                (0..2_000)
                    .filter(|_| DaemonLock::try_acquire(data.path(), Timestamp::UNIX_EPOCH).unwrap().is_none())
                    .count()
            });
            while !starts.is_finished() {
                DaemonLock::holder(data.path());
            }
            starts.join().unwrap()
        });
        assert_eq!(refused, 0);
    }
}
