//! The pauses of tars, for one session with an agent or for all.
//!
//! The folder `paused/` of the data directory holds `all.json`, and a file for each session, named by the hash of its id. Each
//! file is a JSON object:
//!
//! - `session`: the id of the session; null in `all.json`.
//! - `pauses`: a list of `{"since","until"}` in RFC 3339, oldest first; `until` is null until the person resumes.
//!
//! Finished pauses are kept, because the notes of a session are made from its whole transcript each time: later runs must also
//! leave out turns from a pause.
//!
//! An unreadable file is an error, never "not paused".

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{Context, Refusal, Result};
use jiff::{Timestamp, Zoned};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tars_base::data_files;
use tars_base::domain::Turn;
use tars_base::private::{self, short_hash};

/// Name of the folder in the data directory.
pub(crate) const FOLDER: &str = "paused";
/// The file of the pauses of all sessions.
const ALL: &str = "all.json";
const LOCK: &str = "lock";
/// How long a finished pause is kept. A client deletes transcripts after a month by default.
const KEPT_FOR: Duration = Duration::from_secs(2 * 365 * 24 * 3600);
/// Maximum number of pauses in one file. If there are more, the two oldest are merged into one that also covers the time between them.
const MAX_PAUSES: usize = 1_000;
/// Maximum length of a session's id, in bytes.
const LONGEST_ID: usize = 1_024;
const LARGEST: u64 = 1 << 20;

/// A pause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pause {
    /// The session's id; `None` means all sessions.
    pub session: Option<String>,
    /// Its start.
    pub since: Timestamp,
    /// Its end; `None` lasts until the person resumes.
    pub until: Option<Timestamp>,
}

/// The pauses of a data directory.
#[derive(Debug)]
pub struct Pauses {
    folder: PathBuf,
}

/// The pauses of one session.
#[derive(Debug, Default)]
pub struct PausedTimes(Vec<Span>);

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Span {
    since: Timestamp,
    until: Option<Timestamp>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Record {
    session: Option<String>,
    pauses: Vec<Span>,
}

impl Pause {
    /// Returns the end as text to append: ` until 14:05`, with the date if it is on another day than `now`; empty for a pause
    /// without an end.
    pub fn end(&self, now: &Zoned) -> String {
        let Some(until) = self.until else { return String::new() };
        let until = until.to_zoned(now.time_zone().clone());
        let form = if until.date() == now.date() { " until %H:%M" } else { " until %Y-%m-%d %H:%M" };
        until.strftime(form).to_string()
    }
}

impl Pauses {
    /// Returns the pauses of the data directory `data`.
    pub fn new(data: &Path) -> Self {
        Self { folder: data.join(FOLDER) }
    }

    /// Returns the pause in force at `now` for the session; the pause of all sessions takes precedence. An empty id stands for an
    /// unknown session.
    ///
    /// # Errors
    /// A file of pauses cannot be read.
    pub fn current(&self, session: &str, now: Timestamp) -> Result<Option<Pause>> {
        if let Some(pause) = self.read(ALL)?.current(now) {
            return Ok(Some(pause));
        }
        if session.is_empty() {
            return Ok(None);
        }
        Ok(self.read(&file_of(Some(session)))?.current(now))
    }

    /// Returns all pauses of the session, its own and those of all sessions.
    ///
    /// # Errors
    /// A file of pauses cannot be read.
    pub fn times(&self, session: &str) -> Result<PausedTimes> {
        let mut times = self.read(ALL)?.pauses;
        times.extend(self.read(&file_of(Some(session)))?.pauses);
        Ok(PausedTimes(times))
    }

    /// Returns every pause in force at `now`; the pause of all sessions comes first.
    ///
    /// # Errors
    /// A file of pauses cannot be read.
    pub fn in_force(&self, now: Timestamp) -> Result<Vec<Pause>> {
        let mut found = Vec::new();
        for name in self.names() {
            found.extend(self.read(&name)?.current(now));
        }
        found.sort_by(|one, other| (&one.session, one.since).cmp(&(&other.session, other.since)));
        Ok(found)
    }

    /// Pauses a session, or all, from `now` until `until`, and returns the pause. A pause that is in force continues with the new end.
    ///
    /// # Errors
    /// The id is too long; or the data directory cannot be read or written.
    pub fn begin(&self, session: Option<&str>, now: Timestamp, until: Option<Timestamp>) -> Result<Pause> {
        let length = session.map_or(0, str::len);
        if length > LONGEST_ID {
            let message = format!("the id of a session has {LONGEST_ID} bytes at most, not {length}");
            return Err(Refusal { message, hint: "tars why lists the ids of recent sessions".into() }.into());
        }
        self.change(session, |record| {
            match record.pauses.last_mut().filter(|span| span.is_in_force(now)) {
                Some(span) => span.until = until,
                None => record.pauses.push(Span { since: now, until }),
            }
            record.bound();
            let span = record.pauses.last().copied().unwrap_or(Span { since: now, until });
            Pause { session: session.map(str::to_owned), since: span.since, until: span.until }
        })
    }

    /// Ends the pause of a session, or of all, at `now`. Returns whether one was in force.
    ///
    /// # Errors
    /// The data directory cannot be read or written.
    pub fn end(&self, session: Option<&str>, now: Timestamp) -> Result<bool> {
        if self.read(&file_of(session))?.current(now).is_none() {
            return Ok(false);
        }
        self.change(session, |record| {
            let open = record.pauses.iter_mut().filter(|span| span.is_in_force(now));
            open.map(|span| span.until = Some(now)).count() > 0
        })
    }

    /// Deletes the files of sessions whose pauses ended, or started without an end, long before `now`. The file of all sessions stays.
    pub fn sweep(&self, now: Timestamp) {
        let is_old = |span: &Span| {
            let end = span.until.unwrap_or(span.since);
            end < now && now.duration_since(end).unsigned_abs() > KEPT_FOR
        };
        for name in self.names().into_iter().filter(|name| name != ALL) {
            if self.read(&name).is_ok_and(|record| record.pauses.iter().all(is_old)) {
                let _ = fs::remove_file(self.folder.join(name));
            }
        }
    }

    fn names(&self) -> Vec<String> {
        data_files::names(&self.folder, is_file_of_pauses)
    }

    /// Reads a file; a missing file holds no pause.
    fn read(&self, name: &str) -> Result<Record> {
        let path = self.folder.join(name);
        let bytes = match private::read(&path, LARGEST) {
            Ok(bytes) => bytes,
            // If the data directory does not exist, nothing was ever paused.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(Record::default());
            }
            Err(error) => return Err(error).with_context(|| unreadable(&path)),
        };
        serde_json::from_slice(&bytes).with_context(|| unreadable(&path))
    }

    /// Changes a file under the common lock, and returns the result of `change`.
    fn change<T>(&self, session: Option<&str>, change: impl FnOnce(&mut Record) -> T) -> Result<T> {
        let name = file_of(session);
        let failed = || format!("cannot write {}", self.folder.join(&name).display());
        private::create_folder(&self.folder).with_context(failed)?;
        let lock = private::open_lock(&self.folder.join(LOCK)).with_context(failed)?;
        lock.lock().with_context(failed)?;
        let mut record = self.read(&name)?;
        record.session = session.map(str::to_owned);
        let changed = change(&mut record);
        data_files::write(&self.folder, &name, &serde_json::to_vec(&record)?).with_context(failed)?;
        Ok(changed)
    }
}

impl PausedTimes {
    /// Whether the turn overlaps a pause. A turn without a time does not.
    pub fn overlaps(&self, turn: &Turn) -> bool {
        let Some(began) = turn.at else { return false };
        let ended = turn.ended.map_or(began, |ended| ended.max(began));
        self.0.iter().any(|span| span.since <= ended && span.until.is_none_or(|until| began < until))
    }
}

impl Record {
    fn current(&self, now: Timestamp) -> Option<Pause> {
        let span = self.pauses.iter().rev().find(|span| span.is_in_force(now))?;
        Some(Pause { session: self.session.clone(), since: span.since, until: span.until })
    }

    fn bound(&mut self) {
        while self.pauses.len() > MAX_PAUSES {
            let second = self.pauses.remove(1);
            self.pauses[0].until = second.until;
        }
    }
}

impl Span {
    fn is_in_force(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

/// Whether this module uses this name for a file of pauses.
pub(crate) fn is_file_of_pauses(name: &str) -> bool {
    let is_key = |name: &str| name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    name == ALL || name.strip_suffix(".json").is_some_and(is_key)
}

fn file_of(session: Option<&str>) -> String {
    session.map_or_else(|| ALL.to_owned(), |session| format!("{}.json", short_hash(session.as_bytes())))
}

fn unreadable(path: &Path) -> String {
    format!("cannot read {}, so it is not known whether tars is paused; remove the file to resume", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + minute * 60).unwrap()
    }

    fn turn(began: i64, ended: i64) -> Turn {
        Turn { at: Some(at(began)), ended: Some(at(ended)), ..Turn::default() }
    }

    #[test]
    fn a_pause_covers_one_session_or_all_until_it_ends() {
        let data = tempfile::tempdir().unwrap();
        let pauses = Pauses::new(data.path());
        let is_paused = |session: &str, minute: i64| pauses.current(session, at(minute)).unwrap().is_some();
        assert!(!is_paused("a", 0) && !pauses.end(Some("a"), at(0)).unwrap());
        pauses.begin(Some("a"), at(1), None).unwrap();
        assert!(is_paused("a", 2) && !is_paused("b", 2) && !is_paused("", 2));
        pauses.begin(None, at(3), Some(at(5))).unwrap();
        assert!(is_paused("b", 4) && is_paused("", 4) && !is_paused("b", 5));
        let sessions: Vec<_> = pauses.in_force(at(4)).unwrap().into_iter().map(|pause| pause.session).collect();
        assert_eq!(sessions, [None, Some("a".to_owned())]);
        assert!(pauses.end(Some("a"), at(6)).unwrap() && !is_paused("a", 7));
        assert!(!pauses.end(None, at(6)).unwrap(), "it had already ended");
        assert!(pauses.in_force(at(7)).unwrap().is_empty());
    }

    #[test]
    fn pausing_again_moves_the_end_of_the_pause() {
        let data = tempfile::tempdir().unwrap();
        let pauses = Pauses::new(data.path());
        pauses.begin(Some("a"), at(0), None).unwrap();
        let pause = pauses.begin(Some("a"), at(5), Some(at(10))).unwrap();
        assert_eq!((pause.since, pause.until), (at(0), Some(at(10))));
        assert_eq!(pauses.times("a").unwrap().0.len(), 1);
    }

    #[test]
    fn a_turn_that_overlaps_a_pause_is_paused() {
        let data = tempfile::tempdir().unwrap();
        let pauses = Pauses::new(data.path());
        pauses.begin(Some("a"), at(10), Some(at(20))).unwrap();
        pauses.begin(None, at(30), None).unwrap();
        let times = pauses.times("a").unwrap();
        for (began, ended, touched) in [
            (0, 9, false),
            (0, 10, true),
            (0, 25, true),
            (12, 13, true),
            (19, 25, true),
            (20, 29, false),
            (31, 32, true),
        ] {
            assert_eq!(times.overlaps(&turn(began, ended)), touched, "{began} to {ended}");
        }
        assert!(!times.overlaps(&Turn::default()));
        assert!(!pauses.times("b").unwrap().overlaps(&turn(12, 13)));
    }

    #[test]
    fn hostile_ids_do_not_become_file_names() {
        let data = tempfile::tempdir().unwrap();
        let pauses = Pauses::new(data.path());
        for id in ["../../x", "all", "all.json", "lock", "", "a/b\0c", "\u{1b}[31m"] {
            pauses.begin(Some(id), at(0), None).unwrap();
            assert_eq!(
                pauses.current(id, at(1)).unwrap().map(|pause| pause.session),
                (!id.is_empty()).then(|| Some(id.to_owned()))
            );
            assert!(pauses.end(Some(id), at(2)).unwrap());
        }
        let refused = pauses.begin(Some(&"x".repeat(LONGEST_ID + 1)), at(0), None).unwrap_err();
        assert_eq!(refused.kind(), crate::ProblemKind::Invalid, "the request is wrong, not tars");
        assert!(pauses.current("other", at(1)).unwrap().is_none(), "none of them is the file of all sessions");
        assert_eq!(fs::read_dir(data.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_unreadable_file_is_an_error_and_not_an_absent_pause() {
        let data = tempfile::tempdir().unwrap();
        let pauses = Pauses::new(data.path());
        pauses.begin(None, at(0), None).unwrap();
        for text in ["", "{", "[]", r#"{"pauses":[{"since":"x"}]}"#] {
            fs::write(data.path().join(FOLDER).join(ALL), text).unwrap();
            assert!(pauses.current("a", at(1)).is_err() && pauses.times("a").is_err(), "{text}");
        }
    }

    #[test]
    fn old_pauses_are_deleted_and_surplus_pauses_are_merged() {
        let data = tempfile::tempdir().unwrap();
        let pauses = Pauses::new(data.path());
        pauses.begin(None, at(0), None).unwrap();
        pauses.begin(Some("open"), at(0), None).unwrap();
        pauses.begin(Some("over"), at(0), Some(at(1))).unwrap();
        let year = 365 * 24 * 60;
        pauses.sweep(at(year));
        assert_eq!(pauses.names().len(), 3);
        pauses.sweep(at(3 * year));
        assert_eq!(pauses.names(), [ALL]);
        let spans =
            (0..MAX_PAUSES as i64 + 5).map(|number| Span { since: at(10 * number), until: Some(at(10 * number + 1)) });
        let mut record = Record { session: None, pauses: spans.collect() };
        record.bound();
        let times = PausedTimes(record.pauses);
        assert_eq!(times.0.len(), MAX_PAUSES);
        assert!(times.overlaps(&turn(5, 6)) && times.overlaps(&turn(40, 40)) && !times.overlaps(&turn(75, 76)));
    }
}
