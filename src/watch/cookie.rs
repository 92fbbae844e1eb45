//! How far the system's events have come.
//!
//! An inotify instance gives its events in the order in which they happened. A file made in a folder that the same instance
//! watches (a cookie) therefore has its event after those of all changes that were made before it: once the
//! cookie's event is here, theirs are.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::private;

/// A private folder outside the vault in which cookies are made. It stays, empty, for the next watcher.
#[derive(Debug)]
pub struct Cookies {
    folder: PathBuf,
    state: Mutex<State>,
    moved: Condvar,
}

/// Cookies are numbered from 1.
#[derive(Debug, Default)]
struct State {
    /// The last one that was begun.
    begun: u64,
    /// Whether a thread is making that one at this moment.
    making: bool,
    /// The last one that is known to have come through.
    passed: u64,
    /// Whether no further event will come.
    closed: bool,
}

impl Cookies {
    /// Makes the folder at `path`, empty.
    ///
    /// # Errors
    /// It cannot be made, or is not this user's alone.
    pub(super) fn new(path: &Path) -> io::Result<Self> {
        private::create_folder(path)?;
        private::check_folder(path)?;
        // Links in it are resolved: the events name it so.
        let folder = fs::canonicalize(path)?;
        for entry in fs::read_dir(&folder)? {
            // A watcher that was killed may have left one.
            fs::remove_file(entry?.path())?;
        }
        Ok(Self { folder, state: Mutex::default(), moved: Condvar::new() })
    }

    /// The folder to watch.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Notes an event about `path`. Returns whether it is about a cookie.
    pub(super) fn note(&self, path: &Path) -> bool {
        let Ok(name) = path.strip_prefix(&self.folder) else { return false };
        if let Some(number) = name.to_str().and_then(|name| name.parse().ok()) {
            self.pass(number);
        }
        true
    }

    /// Notes that events were lost, a cookie's perhaps: everything is compared now, which covers what any of them stands for.
    pub(super) fn note_loss(&self) {
        self.pass(u64::MAX);
    }

    /// Notes that no further event will come.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.moved.notify_all();
    }

    fn pass(&self, number: u64) {
        let mut state = self.lock();
        // A file that somebody else puts there names no cookie that is still to be made.
        state.passed = state.passed.max(number.min(state.begun));
        self.moved.notify_all();
    }

    /// Waits until the events of all changes before this call have been noted, but not beyond `until`. Returns whether they
    /// have. Calls that come while a cookie is being made share the next one.
    ///
    /// # Errors
    /// No cookie can be made, or nobody listens to events any more.
    pub fn wait(&self, until: Instant) -> io::Result<bool> {
        let mut state = self.lock();
        // One that was begun before may have its event already.
        let wanted = state.begun + 1;
        loop {
            if state.passed >= wanted {
                return Ok(true);
            }
            if state.closed {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            if state.begun < wanted && !state.making {
                (state.begun, state.making) = (wanted, true);
                drop(state);
                let made = self.make(wanted);
                state = self.lock();
                state.making = false;
                self.moved.notify_all();
                made?;
                continue;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(false);
            }
            state = self.moved.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
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
    fn a_cookie_that_was_made_before_the_question_does_not_count() {
        let home = tempfile::tempdir().unwrap();
        let cookies = cookies(home.path());
        let now = Instant::now();
        assert!(!cookies.wait(now).unwrap());
        assert!(cookies.note(&cookies.folder().join("1")));
        assert!(!cookies.wait(now).unwrap(), "the event of the first says nothing about the time after it");
        thread::scope(|scope| {
            let waiting = scope.spawn(|| cookies.wait(Instant::now() + LONG).unwrap());
            while cookies.lock().begun < 3 {
                thread::yield_now();
            }
            cookies.note(&cookies.folder().join("3"));
            assert!(waiting.join().unwrap());
        });
        assert_eq!(fs::read_dir(cookies.folder()).unwrap().count(), 0, "none is left behind");
    }

    #[test]
    fn lost_events_let_a_waiting_question_go() {
        let home = tempfile::tempdir().unwrap();
        let cookies = cookies(home.path());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| cookies.wait(Instant::now() + LONG).unwrap());
            while cookies.lock().begun < 1 {
                thread::yield_now();
            }
            cookies.note_loss();
            assert!(waiting.join().unwrap());
        });
        assert!(!cookies.wait(Instant::now()).unwrap(), "it covers none that is made later");
    }

    #[test]
    fn no_second_cookie_is_made_beside_one_that_is_being_made() {
        let home = tempfile::tempdir().unwrap();
        let cookies = cookies(home.path());
        *cookies.lock() = State { begun: 1, making: true, ..State::default() };
        assert!(!cookies.wait(Instant::now()).unwrap());
        assert_eq!(cookies.lock().begun, 1, "a question that comes now shares the second");
        cookies.lock().making = false;
        assert!(!cookies.wait(Instant::now()).unwrap());
        assert_eq!(cookies.lock().begun, 2);
    }

    #[test]
    fn a_question_does_not_wait_for_a_watcher_that_has_ended() {
        let home = tempfile::tempdir().unwrap();
        let cookies = cookies(home.path());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| cookies.wait(Instant::now() + LONG).is_err());
            while cookies.lock().begun < 1 {
                thread::yield_now();
            }
            cookies.close();
            assert!(waiting.join().unwrap());
        });
    }

    #[test]
    fn a_file_of_somebody_else_passes_no_cookie_that_is_still_to_be_made() {
        let home = tempfile::tempdir().unwrap();
        let cookies = cookies(home.path());
        for name in ["7", "18446744073709551615", "rubbish", "-1"] {
            assert!(cookies.note(&cookies.folder().join(name)));
        }
        assert!(!cookies.note(&home.path().join("1")));
        assert!(!cookies.wait(Instant::now()).unwrap());
    }
}
