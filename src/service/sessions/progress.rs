//! The state of a session between its events: how far its turns are noted (so that an undone or removed note is not written again), which
//! answers were cut off, and the client's own summary.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::Result;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use tars_agent::project::Project;
use tars_base::data_files;
use tars_base::domain::{Turn, TurnEnd};
use tars_base::private::short_hash;

/// Retention after the last note of a session.
const RETENTION: Duration = Duration::from_secs(60 * 24 * 3600);
const MAX_BYTES: u64 = 256 << 10;
/// Most cut-off turns remembered per session; the oldest are dropped first.
const MAX_CUT_OFF: usize = 64;

/// Most working directories remembered per session.
const MAX_PROJECTS: usize = 64;

/// The state of a session between its events, stored in a file of the data directory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SessionProgress {
    /// Start of the last noted turn.
    pub noted_until: Option<Timestamp>,
    /// Start of the last turn whose end a hook reported.
    pub ended_until: Option<Timestamp>,
    /// Ids of turns that the client's end cut off; the transcript does not show that.
    pub cut_off: Vec<String>,
    /// When the session was forked from another one. Its transcript begins with that session's turns.
    pub forked_at: Option<Timestamp>,
    /// Keys of the written facts: a removed fact must not return.
    pub facts: Vec<String>,
    /// The client's summary of the conversation, which each later log of the session repeats.
    pub summary: String,
    /// The projects of the turns' working directories, by directory: a worktree that is gone keeps its project.
    pub projects: BTreeMap<String, SeenProject>,
    /// Whether a log of the session was written. If it is missing now, a person removed it, and it is not written again.
    pub is_logged: bool,
}

/// The project of a working directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeenProject {
    /// Its name.
    pub name: String,
    /// Its key.
    pub key: String,
}

impl SessionProgress {
    /// Reads the state of the session `id`.
    pub(super) fn of(data: &Path, id: &str) -> Self {
        data_files::read_json(&file(data, id), MAX_BYTES).ok().flatten().unwrap_or_default()
    }

    /// Returns a turn of the session's transcript as it should be noted; `None` for a turn that a fork has copied, because the original
    /// session notes it.
    pub(super) fn own(&self, mut turn: Turn) -> Option<Turn> {
        if turn.at.zip(self.forked_at).is_some_and(|(at, forked)| at < forked) {
            return None;
        }
        // A resumed session may have completed the turn.
        if self.cut_off.contains(&turn.id) && !turn.is_complete && turn.end == TurnEnd::Answered {
            turn.end = TurnEnd::Interrupted;
        }
        Some(turn)
    }

    /// Returns the project of a working directory, as the session first saw it.
    pub(super) fn project_of(&mut self, directory: &str) -> SeenProject {
        if let Some(known) = self.projects.get(directory) {
            return known.clone();
        }
        let Project { name, key } = Project::of(Path::new(directory));
        let project = SeenProject { name, key };
        if self.projects.len() < MAX_PROJECTS {
            self.projects.insert(directory.to_owned(), project.clone());
        }
        project
    }

    /// Returns whether the end of the turn is unknown: no hook reported it, and the transcript does not show it.
    pub(super) fn lacks_end(&self, turn: &Turn) -> bool {
        turn.end == TurnEnd::Answered && !turn.is_complete && turn.at > self.ended_until
    }

    /// Records that a hook reported the end of the turn, even if late.
    pub(super) fn mark_ended(&mut self, turn: &mut Turn) {
        self.ended_until = self.ended_until.max(turn.at);
        if let Some(at) = self.cut_off.iter().position(|known| *known == turn.id) {
            self.cut_off.remove(at);
            turn.end = TurnEnd::Answered;
        }
    }

    /// Records that the client's end cut the turn off.
    pub(super) fn mark_cut_off(&mut self, turn: &str) {
        if !self.cut_off.iter().any(|known| known == turn) {
            self.cut_off.push(turn.to_owned());
            self.cut_off.drain(..self.cut_off.len().saturating_sub(MAX_CUT_OFF));
        }
    }

    /// Returns whether the client's end cut the turn off.
    pub(super) fn is_cut_off(&self, turn: &str) -> bool {
        self.cut_off.iter().any(|known| known == turn)
    }

    /// Writes the state.
    ///
    /// # Errors
    /// The data directory cannot be written.
    pub(super) fn save(&self, data: &Path, id: &str) -> Result<()> {
        Ok(data_files::replace(&file(data, id), &serde_json::to_vec(self)?)?)
    }

    /// Removes sessions that are too old at `now`, and leftovers of a crash.
    pub(super) fn sweep(data: &Path, now: Timestamp) {
        data_files::sweep(&folder(data), now, |_| Some(RETENTION));
    }
}

fn folder(data: &Path) -> PathBuf {
    data.join("noted")
}

fn file(data: &Path, id: &str) -> PathBuf {
    folder(data).join(short_hash(id.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(id: &str, minute: i64) -> Turn {
        Turn { id: id.into(), at: Timestamp::from_second(minute * 60).ok(), ..Turn::default() }
    }

    #[test]
    fn a_cut_off_turn_stays_so_until_a_hook_reports_its_end() {
        let mut progress = SessionProgress::default();
        let mut cut = turn("a", 1);
        assert!(progress.lacks_end(&cut));
        progress.mark_cut_off("a");
        assert_eq!(progress.own(cut.clone()).unwrap().end, TurnEnd::Interrupted);
        let gone_on = Turn { is_complete: true, ..cut.clone() };
        assert_eq!(progress.own(gone_on).unwrap().end, TurnEnd::Answered);
        cut.end = TurnEnd::Interrupted;
        progress.mark_ended(&mut cut);
        assert_eq!(cut.end, TurnEnd::Answered);
        assert!(!progress.lacks_end(&cut) && progress.lacks_end(&turn("b", 2)));
        assert_eq!(progress.own(turn("a", 1)).unwrap().end, TurnEnd::Answered);
    }

    #[test]
    fn a_removed_worktree_keeps_its_project() {
        let home = tempfile::tempdir().unwrap();
        let (main, tree) = (home.path().join("pump"), home.path().join("pump-fix"));
        let data = main.join(".git/worktrees/fix");
        std::fs::create_dir_all(&data).unwrap();
        std::fs::create_dir_all(&tree).unwrap();
        std::fs::write(tree.join(".git"), format!("gitdir: {}\n", data.display())).unwrap();
        let mut progress = SessionProgress::default();
        let seen = progress.project_of(tree.to_str().unwrap());
        assert_eq!(seen.name, "pump");
        std::fs::remove_dir_all(&tree).unwrap();
        assert_eq!(progress.project_of(tree.to_str().unwrap()), seen);
        assert_ne!(SessionProgress::default().project_of(tree.to_str().unwrap()), seen);
    }

    #[test]
    fn the_largest_state_can_be_read_back() {
        let data = tempfile::tempdir().unwrap();
        let mut progress = SessionProgress { summary: "\u{1}".repeat(16 << 10), ..SessionProgress::default() };
        (0..100).for_each(|number| progress.mark_cut_off(&format!("{number:0>36}")));
        progress.save(data.path(), "a").unwrap();
        assert_eq!(SessionProgress::of(data.path(), "a"), progress);
        assert_eq!(progress.cut_off.len(), MAX_CUT_OFF);
    }
}
