//! What an agent has been shown in a session, so that nothing is put before it twice.

use std::collections::VecDeque;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use jiff::Timestamp;

use super::leftovers;
use super::spool::Spooling;
use crate::private::{self, key};
use crate::service::line_keys;

/// Sessions that nobody has asked in for so long are forgotten.
const KEPT: Duration = Duration::from_secs(14 * 24 * 3600);
/// Lines remembered of one session, some 70 kB on the disk. When there are more, those shown first are forgotten.
const MOST: usize = 4_096;
/// No file of a session is larger than this, in bytes.
const LARGEST: u64 = 1 << 20;

/// The lines that were shown in a session, oldest first, each by sixteen digits of its hash; a file of the data directory
/// holds them, one a line.
#[derive(Debug, Clone)]
pub struct Session {
    file: PathBuf,
    lines: VecDeque<String>,
    changed: bool,
}

impl Session {
    /// Returns what was shown so far in the session `id`.
    pub fn open(data: &Path, id: &str) -> Self {
        let session = Self::fresh(data, id);
        let text = private::read(&session.file, LARGEST).unwrap_or_default();
        let lines = String::from_utf8_lossy(&text).lines().map(str::to_owned).collect();
        Self { lines, changed: false, ..session }
    }

    /// Returns the session `id` as one in which nothing was shown yet.
    pub fn fresh(data: &Path, id: &str) -> Self {
        // Whatever the client calls its session, a hash is a file's name.
        Self { file: folder(data).join(key(id.as_bytes())), lines: VecDeque::new(), changed: true }
    }

    /// Returns the keys of the lines that were shown, oldest first.
    pub fn lines(&self) -> impl Iterator<Item = &String> {
        self.lines.iter()
    }

    /// Whether every line of `text` that says something was shown.
    #[cfg(test)]
    fn has_seen(&self, text: &str) -> bool {
        line_keys(text).all(|line| self.lines.contains(&line))
    }

    /// Notes that `text` is shown.
    pub fn see(&mut self, text: &str) {
        for line in line_keys(text).take(MOST) {
            if !self.lines.contains(&line) {
                self.lines.push_back(line);
                self.changed = true;
            }
        }
        self.lines.drain(..self.lines.len().saturating_sub(MOST));
    }

    /// Writes it down, if there is something new.
    ///
    /// # Errors
    /// The data directory cannot be written.
    pub fn save(&self) -> Result<()> {
        if !self.changed {
            return Ok(());
        }
        let folder = self.file.parent().context("a session has a folder")?;
        private::create_folder(folder)?;
        let mut beside = leftovers::unfinished(folder)?;
        for line in &self.lines {
            writeln!(beside, "{line}")?;
        }
        beside.persist(&self.file).with_context(|| format!("cannot write {}", self.file.display()))?;
        Ok(())
    }

    /// Forgets sessions that are old at `now`, and what a crash left. The right to finish what is spooled sees to it that one process does.
    pub fn sweep(data: &Path, _lock: &Spooling<'_>, now: Timestamp) {
        leftovers::sweep(&folder(data), now, |_| Some(KEPT));
    }
}

fn folder(data: &Path) -> PathBuf {
    data.join("hook-sessions")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_line_shown_first_is_forgotten_first() {
        let data = tempfile::tempdir().unwrap();
        let mut session = Session::fresh(data.path(), "a");
        for number in 0..MOST {
            session.see(&format!("line {number}"));
        }
        session.save().unwrap();
        let mut session = Session::open(data.path(), "a");
        for number in MOST..MOST + 100 {
            session.see(&format!("line {number}"));
        }
        session.save().unwrap();
        let session = Session::open(data.path(), "a");
        let remembered: Vec<usize> = (0..MOST + 100).filter(|n| session.has_seen(&format!("line {n}"))).collect();
        assert_eq!(remembered, (100..MOST + 100).collect::<Vec<_>>());
    }

    #[test]
    fn what_was_shown_is_known_until_the_session_begins_anew() {
        let data = tempfile::tempdir().unwrap();
        let mut session = Session::fresh(data.path(), "../../a");
        assert!(!session.has_seen("- port is 8080"));
        session.see("## Server\n\n- port is 8080\n- name is pi");
        session.save().unwrap();
        let again = Session::open(data.path(), "../../a");
        assert!(again.has_seen("- name is pi\n\n"));
        assert!(!again.has_seen("- name is pi\n- and more"));
        assert!(!Session::open(data.path(), "b").has_seen("- name is pi"));
        Session::fresh(data.path(), "../../a").save().unwrap();
        assert!(!Session::open(data.path(), "../../a").has_seen("- name is pi"));
        assert_eq!(fs::read_dir(data.path()).unwrap().count(), 1, "all of it in a folder of its own");
    }
}
