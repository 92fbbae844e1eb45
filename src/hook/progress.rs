//! What is known of a session between its events: how far its turns have been noted, so that a note that was taken back or
//! removed is not written again, which answers were cut off, and the client's own summary of it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::leftovers;
use super::spool::Spooling;
use crate::domain::{Turn, TurnEnd};
use crate::private::{self, key};

/// Sessions of which nothing was noted for so long are forgotten.
const KEPT: Duration = Duration::from_secs(60 * 24 * 3600);
const LARGEST: u64 = 256 << 10;
/// Turns of a session that are known to be cut off; when there are more, the first are forgotten.
const MOST_CUT_OFF: usize = 64;

/// What is known of a session between its events; a file of the data directory holds it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Progress {
    /// When the last turn began that was noted.
    pub noted_until: Option<Timestamp>,
    /// When the last turn began of whose end a hook told.
    pub ended_until: Option<Timestamp>,
    /// Ids of turns that the client's end cut off: the transcript does not say so.
    pub cut_off: Vec<String>,
    /// When the session was forked off another one, whose turns its transcript begins with.
    pub forked_at: Option<Timestamp>,
    /// Keys of the facts that were written: one that was removed does not come again.
    pub facts: Vec<String>,
    /// The client's summary of the conversation, which each later log of the session holds too.
    pub summary: String,
    /// Whether a log of the session was written. One that is not there any more was removed, and stays so.
    pub is_logged: bool,
}

impl Progress {
    /// Returns what is known of the session `id`.
    pub fn of(data: &Path, id: &str) -> Self {
        let text = private::read(&file(data, id), LARGEST).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Returns a turn of the session's transcript as it is noted; `None` for one that a fork has copied, which the other session's
    /// note holds.
    pub fn own(&self, mut turn: Turn) -> Option<Turn> {
        if turn.at.zip(self.forked_at).is_some_and(|(at, forked)| at < forked) {
            return None;
        }
        // A session that was resumed may have gone on with it.
        if self.cut_off.contains(&turn.id) && !turn.is_complete && turn.end == TurnEnd::Answered {
            turn.end = TurnEnd::Interrupted;
        }
        Some(turn)
    }

    /// Whether no hook told of the turn's end, and its transcript does not say either that the agent came to one.
    pub fn lacks_end(&self, turn: &Turn) -> bool {
        turn.end == TurnEnd::Answered && !turn.is_complete && turn.at > self.ended_until
    }

    /// Notes that a hook has told of the turn's end, be it late.
    pub fn mark_ended(&mut self, turn: &mut Turn) {
        self.ended_until = self.ended_until.max(turn.at);
        if let Some(at) = self.cut_off.iter().position(|known| *known == turn.id) {
            self.cut_off.remove(at);
            turn.end = TurnEnd::Answered;
        }
    }

    /// Notes that the client's end cut the turn off.
    pub fn mark_cut_off(&mut self, turn: &str) {
        if !self.cut_off.iter().any(|known| known == turn) {
            self.cut_off.push(turn.to_owned());
            self.cut_off.drain(..self.cut_off.len().saturating_sub(MOST_CUT_OFF));
        }
    }

    /// Writes it down.
    ///
    /// # Errors
    /// The data directory cannot be written.
    pub fn save(&self, data: &Path, id: &str) -> Result<()> {
        let file = file(data, id);
        let folder = folder(data);
        private::create_folder(&folder)?;
        let mut beside = leftovers::unfinished(&folder)?;
        beside.write_all(&serde_json::to_vec(self)?)?;
        beside.persist(&file).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(())
    }

    /// Forgets sessions that are old at `now`, and what a crash left.
    pub fn sweep(data: &Path, _lock: &Spooling<'_>, now: Timestamp) {
        leftovers::sweep(&folder(data), now, |_| Some(KEPT));
    }
}

fn folder(data: &Path) -> PathBuf {
    data.join("noted")
}

fn file(data: &Path, id: &str) -> PathBuf {
    folder(data).join(key(id.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(id: &str, minute: i64) -> Turn {
        Turn { id: id.into(), at: Timestamp::from_second(minute * 60).ok(), ..Turn::default() }
    }

    #[test]
    fn a_turn_that_was_cut_off_stays_so_until_a_hook_tells_of_its_end() {
        let mut progress = Progress::default();
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
    fn the_longest_that_is_kept_can_be_read_back() {
        let data = tempfile::tempdir().unwrap();
        let mut progress = Progress { summary: "\u{1}".repeat(16 << 10), ..Progress::default() };
        (0..100).for_each(|number| progress.mark_cut_off(&format!("{number:0>36}")));
        progress.save(data.path(), "a").unwrap();
        assert_eq!(Progress::of(data.path(), "a"), progress);
        assert_eq!(progress.cut_off.len(), MOST_CUT_OFF);
    }
}
