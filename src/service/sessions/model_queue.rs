//! Sessions that wait for a model's notes, and the notes that a model has made.
//!
//! Both live in `language-model/` of the data directory, one file each, beside the counts of [`crate::ModelLedger`]:
//!
//! - `wait-SESSION-TIME.json`: the event that queued the session. The last event of a session counts.
//! - `extract-HASH.json`: the model's answer to a text that `tars extract` sent, by the hash of the text.
//! - `notes-SESSION.json`: the model's outcomes of each turn, so that no turn is sent twice.
//!
//! `SESSION` is the hash of the session's id. A call may take minutes, so it has its own lock and does not delay the notes of other
//! turns.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::event::SessionEvent;
use crate::{App, Context, Result};
use tars_base::data_files::{self, try_lock};
use tars_base::domain::{Outcome, OutcomeKind};
use tars_base::private::short_hash;

/// Retention of a model's notes after the session's last turn, and of a waiting session.
const RETENTION: Duration = Duration::from_secs(60 * 24 * 3600);
/// Largest file that is read, in bytes.
const MAX_BYTES: u64 = 8 << 20;
/// Most processes that may try the same session, in case one is killed during the call.
const MAX_ATTEMPTS: u32 = 3;

/// The folder of the files that concern language models.
#[derive(Debug)]
pub(super) struct ModelQueue {
    folder: PathBuf,
}

/// A model's outcomes of a session's turns, by turn id.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ModelNotes {
    /// The model that made the latest ones, as the notes name it.
    pub(super) by: String,
    /// The version of the instructions.
    pub(super) prompt: String,
    /// Whether they are written into the daily logs.
    pub(super) is_written: bool,
    /// Turns sent to the model since the last write.
    pub(super) unwritten: Vec<String>,
    /// Facts that the model returned since then.
    pub(super) waiting_facts: Vec<String>,
    /// Keys of the written facts.
    pub(super) facts: Vec<String>,
    /// Lines of open ends that the turns have closed since then.
    pub(super) closed: Vec<OpenLine>,
    /// Outcomes by turn, each a label and a text; null for a turn that the model saw and skipped.
    turns: BTreeMap<String, Option<Vec<(String, String)>>>,
}

/// The line of an open end in the log of a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OpenLine {
    /// Name of the file in the memory folder.
    pub(super) file: String,
    /// Id of the line.
    pub(super) id: String,
}

impl ModelNotes {
    /// Returns whether there are unwritten notes. A written note that a person has undone must not return.
    pub(super) fn is_waiting(&self) -> bool {
        !self.is_written && !self.turns.is_empty()
    }

    /// Returns whether the model has seen a turn.
    pub(super) fn knows(&self, turn: &str) -> bool {
        self.turns.contains_key(turn)
    }

    /// Returns the model's outcomes of a turn; `None` if it has none.
    pub(super) fn outcomes(&self, turn: &str) -> Option<Vec<Outcome>> {
        let outcomes = self.turns.get(turn)?.as_ref()?.iter();
        let known = |(label, text): &(String, String)| {
            let kind = OutcomeKind::ALL.into_iter().find(|kind| kind.label() == label)?;
            Some(Outcome { kind, text: text.clone(), about: None })
        };
        Some(outcomes.filter_map(known).collect())
    }

    /// Drops the open ends for which `is_closed` returns true, given the turn's id and the text.
    pub(super) fn close(&mut self, is_closed: impl Fn(&str, &str) -> bool) {
        for (turn, outcomes) in &mut self.turns {
            let is_open =
                |(label, text): &(String, String)| label == OutcomeKind::Open.label() && is_closed(turn, text);
            outcomes.iter_mut().for_each(|outcomes| outcomes.retain(|outcome| !is_open(outcome)));
        }
    }

    /// Stores the model's outcomes of a turn.
    pub(super) fn set(&mut self, turn: &str, outcomes: Option<&[Outcome]>) {
        let texts = |outcome: &Outcome| (outcome.kind.label().to_owned(), outcome.text.clone());
        self.turns.insert(turn.to_owned(), outcomes.map(|outcomes| outcomes.iter().map(texts).collect()));
    }
}

impl ModelQueue {
    /// Returns the queue of the data directory.
    pub(super) fn of(app: &App) -> Self {
        Self { folder: app.model_folder() }
    }

    /// Queues a session after an event.
    ///
    /// # Errors
    /// The data directory cannot be written.
    pub(super) fn put(&self, event: &SessionEvent) -> Result<()> {
        let name = format!("wait-{}-{:020}.json", short_hash(event.session.as_bytes()), event.at.as_nanosecond());
        self.write(&name, event)
    }

    /// Returns whether a session is waiting.
    pub(super) fn is_waiting(&self) -> bool {
        !self.names().is_empty()
    }

    /// Passes each waiting session to `ask`, including those that arrive meanwhile. Returns `false` if another process does the same. A
    /// session leaves the queue once `ask` has returned, whatever the result.
    ///
    /// # Errors
    /// The folder cannot be made, locked or written.
    pub(super) fn each(&self, mut ask: impl FnMut(&SessionEvent) -> Result<()>) -> Result<bool> {
        let Some(_lock) = try_lock(&self.folder)? else { return Ok(false) };
        loop {
            let names = self.names();
            let Some(name) = names.first() else { return Ok(true) };
            let of_session = &name[..name.rfind('-').unwrap_or_default()];
            // A later event of the session supersedes this one.
            let is_last = !names[1..].iter().any(|other| other.starts_with(of_session));
            // An unreadable file, such as a foreign link, must not block the others.
            let event: Option<SessionEvent> = self.read(name).unwrap_or_else(|error| {
                tracing::warn!("{error:#}");
                None
            });
            if let Some(event) = event.filter(|event| is_last && event.attempts < MAX_ATTEMPTS) {
                self.write(name, &SessionEvent { attempts: event.attempts + 1, ..event.clone() })?;
                if let Err(error) = ask(&event) {
                    tracing::warn!("notes of a model: {error:#}");
                }
            }
            match fs::remove_file(self.folder.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
    }

    /// Returns the model's notes of a session.
    pub(super) fn notes(&self, session: &str) -> Result<ModelNotes> {
        Ok(self.read(&notes_file(session))?.unwrap_or_default())
    }

    /// Stores the model's notes of a session.
    pub(super) fn keep(&self, session: &str, notes: &ModelNotes) -> Result<()> {
        self.write(&notes_file(session), notes)
    }

    /// Removes a session: it waits no longer, and the model's notes of it are gone.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub(super) fn remove(&self, session: &str) -> Result<()> {
        let waiting = format!("wait-{}-", short_hash(session.as_bytes()));
        let waiting = data_files::names(&self.folder, |name| name.starts_with(&waiting));
        for name in waiting.into_iter().chain([notes_file(session)]) {
            match fs::remove_file(self.folder.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        Ok(())
    }

    /// Removes files that are too old at `now`, and leftovers of a crash.
    pub(super) fn sweep(&self, now: Timestamp) {
        let goes = |name: &str| ["wait-", "notes-", "extract-"].iter().any(|start| name.starts_with(start));
        data_files::sweep(&self.folder, now, |name| goes(name).then_some(RETENTION));
    }

    fn names(&self) -> Vec<String> {
        data_files::names(&self.folder, |name| name.starts_with("wait-") && name.ends_with(".json"))
    }

    /// Reads a JSON file; `None` if it is missing or malformed.
    fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>> {
        let file = self.folder.join(name);
        data_files::read_json(&file, MAX_BYTES).with_context(|| format!("cannot read {}", file.display()))
    }

    fn write<T: Serialize>(&self, name: &str, value: &T) -> Result<()> {
        data_files::write(&self.folder, name, &serde_json::to_vec(value)?)
            .with_context(|| format!("cannot write {}", self.folder.join(name).display()))
    }
}

fn notes_file(session: &str) -> String {
    format!("notes-{}.json", short_hash(session.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(folder: &tempfile::TempDir) -> ModelQueue {
        ModelQueue { folder: folder.path().join("language-model") }
    }

    fn event(session: &str, second: i64, attempts: u32) -> SessionEvent {
        SessionEvent {
            event: "SessionEnd".into(),
            session: session.into(),
            transcript: format!("/{second}"),
            at: Timestamp::from_second(second).unwrap(),
            attempts,
            ..SessionEvent::default()
        }
    }

    fn asked(queue: &ModelQueue) -> Vec<String> {
        let mut asked = Vec::new();
        let each = |event: &SessionEvent| {
            asked.push(format!("{}{}", event.session, event.transcript));
            crate::bail!("whatever came of it")
        };
        assert!(queue.each(each).unwrap() && !queue.is_waiting());
        asked.sort();
        asked
    }

    #[test]
    fn only_the_last_event_of_a_session_is_asked_about() {
        let data = tempfile::tempdir().unwrap();
        let queue = queue(&data);
        for (session, second) in [("a", 2), ("b", 5), ("a", 3), ("a", 1)] {
            queue.put(&event(session, second, 0)).unwrap();
        }
        assert_eq!(asked(&queue), ["a/3", "b/5"]);
        assert_eq!(asked(&queue), [""; 0]);
    }

    #[test]
    fn unreadable_or_exhausted_entries_leave_the_queue() {
        let data = tempfile::tempdir().unwrap();
        let queue = queue(&data);
        queue.put(&event("a", 1, MAX_ATTEMPTS)).unwrap();
        queue.put(&event("b", 1, MAX_ATTEMPTS - 1)).unwrap();
        fs::write(queue.folder.join("wait-x-1.json"), "{").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", queue.folder.join("wait-y-1.json")).unwrap();
        assert_eq!(asked(&queue), ["b/1"]);
    }

    #[test]
    fn only_one_process_asks_at_a_time() {
        let data = tempfile::tempdir().unwrap();
        let queue = queue(&data);
        queue.put(&event("a", 1, 0)).unwrap();
        let mut others = Vec::new();
        let other = ModelQueue { folder: queue.folder.clone() };
        let each = |_: &SessionEvent| {
            others.push(other.each(|_| Ok(()))?);
            Ok(())
        };
        queue.each(each).unwrap();
        assert_eq!(others, [false]);
    }

    #[test]
    fn outcomes_of_a_model_round_trip() {
        let data = tempfile::tempdir().unwrap();
        let queue = queue(&data);
        let outcome = Outcome { kind: OutcomeKind::RuledOut, text: "Not the relay.".into(), about: None };
        let mut notes = queue.notes("a").unwrap();
        assert!(!notes.knows("t") && !notes.is_waiting());
        notes.set("t", Some(std::slice::from_ref(&outcome)));
        notes.set("u", None);
        queue.keep("a", &notes).unwrap();
        let notes = queue.notes("a").unwrap();
        assert_eq!((notes.outcomes("t"), notes.outcomes("u")), (Some(vec![outcome]), None));
        assert!(notes.knows("u") && notes.is_waiting() && !queue.notes("b").unwrap().knows("t"));
    }
}
