//! The lines that an agent has seen in a session, so that nothing is shown twice.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use super::spool::SpoolLock;
use tars_base::data_files;
use tars_base::private::{self, short_hash};
use tars_service::{Result, line_keys};

/// Retention after the last use of a session.
const RETENTION: Duration = Duration::from_secs(14 * 24 * 3600);
/// Most lines remembered per session, some 70 kB on disk. The oldest are dropped first.
const MAX_LINES: usize = 4_096;
/// Largest session file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The lines shown in a session, oldest first, each as sixteen hex digits of its hash. A file of the data directory holds them, one per
/// line.
#[derive(Debug, Clone)]
pub(super) struct ShownLines {
    file: PathBuf,
    lines: VecDeque<String>,
    changed: bool,
}

impl ShownLines {
    /// Reads the lines shown so far in the session `id`.
    pub(super) fn open(data: &Path, id: &str) -> Self {
        let shown = Self::fresh(data, id);
        let text = private::read(&shown.file, MAX_BYTES).unwrap_or_default();
        let lines = String::from_utf8_lossy(&text).lines().map(str::to_owned).collect();
        Self { lines, changed: false, ..shown }
    }

    /// Returns the session `id` without any shown lines.
    pub(super) fn fresh(data: &Path, id: &str) -> Self {
        // The client chooses the session's id; its hash is always a valid file name.
        Self { file: folder(data).join(short_hash(id.as_bytes())), lines: VecDeque::new(), changed: true }
    }

    /// Returns the keys of the shown lines, oldest first.
    pub(super) fn lines(&self) -> impl Iterator<Item = &String> {
        self.lines.iter()
    }

    /// Returns whether every meaningful line of `text` was shown.
    #[cfg(test)]
    fn has_seen(&self, text: &str) -> bool {
        line_keys(text).all(|line| self.lines.contains(&line))
    }

    /// Records that `text` is shown.
    pub(super) fn add(&mut self, text: &str) {
        for line in line_keys(text).take(MAX_LINES) {
            if !self.lines.contains(&line) {
                self.lines.push_back(line);
                self.changed = true;
            }
        }
        self.lines.drain(..self.lines.len().saturating_sub(MAX_LINES));
    }

    /// Writes the session, if it has changed.
    ///
    /// # Errors
    /// The data directory cannot be written.
    pub(super) fn save(&self) -> Result<()> {
        if !self.changed {
            return Ok(());
        }
        let text: String = self.lines.iter().map(|line| format!("{line}\n")).collect();
        Ok(data_files::replace(&self.file, text.as_bytes())?)
    }

    /// Removes sessions that are too old at `now`, and leftovers of a crash. The lock on the spool ensures that one process does this at
    /// a time.
    pub(super) fn sweep(data: &Path, _lock: &SpoolLock<'_>, now: Timestamp) {
        data_files::sweep(&folder(data), now, |_| Some(RETENTION));
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
    fn the_oldest_lines_are_forgotten_first() {
        let data = tempfile::tempdir().unwrap();
        let mut shown = ShownLines::fresh(data.path(), "a");
        for number in 0..MAX_LINES {
            shown.add(&format!("line {number}"));
        }
        shown.save().unwrap();
        let mut shown = ShownLines::open(data.path(), "a");
        for number in MAX_LINES..MAX_LINES + 100 {
            shown.add(&format!("line {number}"));
        }
        shown.save().unwrap();
        let shown = ShownLines::open(data.path(), "a");
        let remembered: Vec<usize> = (0..MAX_LINES + 100).filter(|n| shown.has_seen(&format!("line {n}"))).collect();
        assert_eq!(remembered, (100..MAX_LINES + 100).collect::<Vec<_>>());
    }

    #[test]
    fn shown_lines_are_remembered_until_a_fresh_session() {
        let data = tempfile::tempdir().unwrap();
        let mut shown = ShownLines::fresh(data.path(), "../../a");
        assert!(!shown.has_seen("- port is 8080"));
        shown.add("## Server\n\n- port is 8080\n- name is pi");
        shown.save().unwrap();
        let again = ShownLines::open(data.path(), "../../a");
        assert!(again.has_seen("- name is pi\n\n"));
        assert!(!again.has_seen("- name is pi\n- and more"));
        assert!(!ShownLines::open(data.path(), "b").has_seen("- name is pi"));
        ShownLines::fresh(data.path(), "../../a").save().unwrap();
        assert!(!ShownLines::open(data.path(), "../../a").has_seen("- name is pi"));
        assert_eq!(fs::read_dir(data.path()).unwrap().count(), 1, "all of it in a folder of its own");
    }
}
