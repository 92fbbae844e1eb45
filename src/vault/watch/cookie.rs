//! Cookies: marker files that show how far the system's events have been delivered.
//!
//! An inotify instance delivers events in the order in which they happened. So when a file (a cookie) is created in a folder that
//! the same instance watches, its event follows those of all earlier changes: once the cookie's event has arrived, all of theirs
//! have.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tars_base::private;

/// A private folder outside the vault for cookies. It stays, empty, for the next watcher.
#[derive(Debug)]
pub struct Cookies {
    folder: PathBuf,
    state: Mutex<State>,
    progressed: Condvar,
}

/// Cookies are numbered from 1.
#[derive(Debug, Default)]
struct State {
    /// The last cookie that was started.
    last_started: u64,
    /// Whether a thread is creating that cookie right now.
    is_creating: bool,
    /// The last cookie whose event is known to have arrived.
    last_arrived: u64,
    /// Whether no further events will arrive.
    closed: bool,
}

impl Cookies {
    /// Creates the folder at `path` and empties it.
    ///
    /// # Errors
    /// The folder cannot be created, or other users have access to it.
    pub(super) fn new(path: &Path) -> io::Result<Self> {
        private::create_folder(path)?;
        private::check_folder(path)?;
        // Events carry the path without links.
        let folder = fs::canonicalize(path)?;
        for entry in fs::read_dir(&folder)? {
            // A killed watcher may have left a cookie.
            fs::remove_file(entry?.path())?;
        }
        Ok(Self { folder, state: Mutex::default(), progressed: Condvar::new() })
    }

    /// Returns the folder to watch.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Records an event about `path`. Returns whether it concerns the cookie folder.
    pub(super) fn record_event(&self, path: &Path) -> bool {
        let Ok(name) = path.strip_prefix(&self.folder) else { return false };
        if let Some(number) = name.to_str().and_then(|name| name.parse().ok()) {
            self.pass(number);
        }
        true
    }

    /// Records that events were lost, perhaps a cookie's. The full comparison that follows covers all of them.
    pub(super) fn record_loss(&self) {
        self.pass(u64::MAX);
    }

    /// Records that no further events will arrive.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.progressed.notify_all();
    }

    fn pass(&self, number: u64) {
        let mut state = self.lock();
        // A foreign file in the folder cannot stand for a cookie that does not exist yet.
        state.last_arrived = state.last_arrived.max(number.min(state.last_started));
        self.progressed.notify_all();
    }

    /// Waits until the events of all changes before this call have arrived, at most until `until`. Returns whether they have. Calls
    /// that arrive while a cookie is being created share the next one.
    ///
    /// # Errors
    /// The cookie cannot be created, or the watcher has ended.
    pub fn wait(&self, until: Instant) -> io::Result<bool> {
        let mut state = self.lock();
        // An earlier cookie's event may have arrived before this call.
        let wanted = state.last_started + 1;
        loop {
            if state.last_arrived >= wanted {
                return Ok(true);
            }
            if state.closed {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            if state.last_started < wanted && !state.is_creating {
                (state.last_started, state.is_creating) = (wanted, true);
                drop(state);
                let made = self.make(wanted);
                state = self.lock();
                state.is_creating = false;
                self.progressed.notify_all();
                made?;
                continue;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            state = self.progressed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn make(&self, number: u64) -> io::Result<()> {
        let path = self.folder.join(number.to_string());
        File::create_new(&path)?;
        fs::remove_file(&path)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn cookies(home: &Path) -> Cookies {
        Cookies::new(&home.join("cookies")).unwrap()
    }

    #[test]
    fn a_cookie_from_before_the_call_does_not_count() {
        let home = tempfile::tempdir().unwrap();
        let cookies = cookies(home.path());
        let now = Instant::now();
        assert!(!cookies.wait(now).unwrap());
        assert!(cookies.record_event(&cookies.folder().join("1")));
        assert!(!cookies.wait(now).unwrap(), "the first cookie says nothing about later changes");
        thread::scope(|scope| {
            let waiting = scope.spawn(|| cookies.wait(Instant::now() + LONG).unwrap());
            while cookies.lock().last_started < 3 {
                thread::yield_now();
            }
            cookies.record_event(&cookies.folder().join("3"));
            assert!(waiting.join().unwrap());
        });
        assert_eq!(fs::read_dir(cookies.folder()).unwrap().count(), 0, "no cookie is left behind");
    }

    #[test]
    fn lost_events_release_a_waiting_call() {
        let home = tempfile::tempdir().unwrap();
        let cookies = cookies(home.path());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| cookies.wait(Instant::now() + LONG).unwrap());
            while cookies.lock().last_started < 1 {
                thread::yield_now();
            }
            cookies.record_loss();
            assert!(waiting.join().unwrap());
        });
        assert!(!cookies.wait(Instant::now()).unwrap(), "the loss covers no later cookie");
    }

    #[test]
    fn no_second_cookie_is_created_while_one_is_being_created() {
        let home = tempfile::tempdir().unwrap();
        let cookies = cookies(home.path());
        *cookies.lock() = State { last_started: 1, is_creating: true, ..State::default() };
        assert!(!cookies.wait(Instant::now()).unwrap());
        assert_eq!(cookies.lock().last_started, 1, "a call that comes now shares the second cookie");
        cookies.lock().is_creating = false;
        assert!(!cookies.wait(Instant::now()).unwrap());
        assert_eq!(cookies.lock().last_started, 2);
    }

    #[test]
    fn a_call_does_not_wait_for_an_ended_watcher() {
        let home = tempfile::tempdir().unwrap();
        let cookies = cookies(home.path());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| cookies.wait(Instant::now() + LONG).is_err());
            while cookies.lock().last_started < 1 {
                thread::yield_now();
            }
            cookies.close();
            assert!(waiting.join().unwrap());
        });
    }

    #[test]
    fn a_foreign_file_does_not_stand_for_a_future_cookie() {
        let home = tempfile::tempdir().unwrap();
        let cookies = cookies(home.path());
        for name in ["7", "18446744073709551615", "rubbish", "-1"] {
            assert!(cookies.record_event(&cookies.folder().join(name)));
        }
        assert!(!cookies.record_event(&home.path().join("1")));
        assert!(!cookies.wait(Instant::now()).unwrap());
    }
}
