//! What was written, and taking it back.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::app::HOOK;
use crate::service::{Problem, Service, UseCase};
use crate::vault::{self, Change, Entry, MemoryFolder, Undone};

/// Takes back what commands have written, the newest first, or brings it back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UndoRequest {
    /// The writes of how many commands.
    pub count: usize,
    /// Whether what was taken back is brought back.
    pub redo: bool,
    /// Whether the notes that hooks have written are meant, else what commands have. Without it, `redo` brings back what the last
    /// undo took back, notes or not.
    pub notes: bool,
}

impl Default for UndoRequest {
    fn default() -> Self {
        Self { count: 1, redo: false, notes: false }
    }
}

/// Asks what the last commands have written that can be taken back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UndoableRequest {
    /// Of how many commands.
    pub count: usize,
    /// As in [`UndoRequest`].
    pub notes: bool,
}

/// Asks what was written, newest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LogRequest {
    /// How many writes at most.
    pub limit: Option<usize>,
}

/// A write of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Write {
    /// Its number.
    pub id: u64,
    /// When it was made.
    pub time: jiff::Timestamp,
    /// The command that made it.
    pub command: String,
    /// The session that it was made in.
    pub session: Option<String>,
    /// The program that asked for it, where it was none at a terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The file, relative to the vault.
    pub path: String,
    /// Whether it was taken back since, or takes another write back itself.
    pub undone: bool,
    /// The number of the write that it takes back.
    pub undoes: Option<u64>,
    /// Where the file was moved to, relative to the vault, if it was moved and nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
    /// The lines that it changed.
    pub changes: Vec<Change>,
}

/// What was taken back.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct UndoResponse {
    /// The writes.
    pub undone: Vec<Write>,
    /// A write that could not be taken back, since its file is not as it left it.
    pub refused: Option<Write>,
    /// The writes in words: of an undoing that was taken back, the write that it took back.
    #[serde(skip)]
    pub described: Vec<Write>,
    /// The refused write: the lines that it left, and the file's lines now.
    #[serde(skip)]
    pub difference: Option<RefusedUndo>,
    /// Of how many commands the writes were taken back.
    #[serde(skip)]
    pub commands: usize,
    /// What ended it before its time; in JSON a [`Problem`].
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_problem")]
    #[schemars(with = "Option<Problem>")]
    pub failure: Option<anyhow::Error>,
}

/// What a refused write left, and what stands there now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedUndo {
    /// The change that is not there any more; all of the write's where it is not known which.
    pub changes: Vec<Change>,
    /// The file's lines; `None` if it is gone.
    pub now: Option<Vec<String>>,
}

fn as_problem<S: Serializer>(failure: &Option<anyhow::Error>, serializer: S) -> Result<S::Ok, S::Error> {
    failure.as_ref().map(Problem::from).serialize(serializer)
}

impl Write {
    fn new(folder: &MemoryFolder, entry: &Entry, undone: bool) -> Self {
        Self {
            id: entry.id,
            time: entry.time,
            command: entry.command.clone(),
            channel: entry.channel.clone(),
            session: entry.session.clone(),
            path: folder.shown(&entry.file),
            undone,
            undoes: entry.undoes,
            moved_to: entry.moved_to.as_deref().map(|to| folder.shown(to)),
            // What a private file holds is not told; that it was changed is.
            changes: if is_hidden(folder, &entry.file) { Vec::new() } else { entry.changes.clone() },
        }
    }
}

/// Whether nothing of a file may be told. One that cannot be read may be private.
fn is_hidden(folder: &MemoryFolder, file: &str) -> bool {
    folder.hides(file).unwrap_or(true)
}

impl UseCase for UndoRequest {
    type Response = UndoResponse;

    fn run(&self, service: &Service<'_>) -> Result<UndoResponse> {
        let app = service.app;
        let folder = app.memory_folder()?;
        let mut response = UndoResponse::default();
        let mut done: Vec<Entry> = Vec::new();
        while response.commands < self.count {
            match self.one(service, &folder) {
                Ok(Undone::Done(entries)) => {
                    done.extend(entries);
                    response.commands += 1;
                }
                Ok(Undone::Nothing) => break,
                Ok(Undone::Refused { entry, change, now }) => {
                    let changes = change.map_or_else(|| entry.changes.clone(), |change| vec![change]);
                    response.refused = Some(Write::new(&folder, &entry, false));
                    response.difference = (!is_hidden(&folder, &entry.file)).then_some(RefusedUndo { changes, now });
                    break;
                }
                // Nothing was done: the error says all.
                Err(error) if done.is_empty() => return Err(error),
                Err(error) => {
                    response.failure = Some(error);
                    break;
                }
            }
        }
        // It is done: that the journal cannot be read once more is no failure, and costs a redo its descriptions alone.
        let known = || app.journal(&folder).and_then(|journal| Ok(journal.entries()?)).unwrap_or_default();
        let entries = if self.redo { known() } else { Vec::new() };
        let described =
            |entry: &Entry| entries.iter().find(|write| Some(write.id) == entry.undoes).unwrap_or(entry).clone();
        response.described = done.iter().map(|entry| Write::new(&folder, &described(entry), true)).collect();
        response.undone = done.iter().map(|entry| Write::new(&folder, entry, true)).collect();
        Ok(response)
    }
}

impl UndoRequest {
    /// Takes back the writes of one command.
    fn one(&self, service: &Service<'_>, folder: &MemoryFolder) -> Result<Undone> {
        // Where there is nothing, not even the folder is made.
        if service.app.journal(folder)?.entries()?.is_empty() {
            return Ok(Undone::Nothing);
        }
        // A writer of its own for each command: their writes are told apart in the journal.
        Ok(match self.redo {
            // What the last undo took back, whatever had written it.
            true => {
                vault::redo(&mut service.writer(folder, "undo --redo")?, |entry| !self.notes || is_of(entry, true))?
            }
            false => vault::undo(&mut service.writer(folder, "undo")?, |entry| is_of(entry, self.notes))?,
        })
    }
}

impl UseCase for UndoableRequest {
    /// The writes of each command, the newest first.
    type Response = Vec<Vec<Write>>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<Vec<Write>>> {
        let folder = service.app.memory_folder()?;
        let entries = service.app.journal(&folder)?.entries()?;
        let mut standing = vault::standing(&entries);
        standing.retain(|entry| is_of(entry, self.notes));
        let groups = standing.chunk_by(|one, other| one.group == other.group).rev().take(self.count);
        Ok(groups.map(|group| group.iter().rev().map(|entry| Write::new(&folder, entry, false)).collect()).collect())
    }
}

/// Whether a write is a hook's or a command's, according to which of them `notes` means.
fn is_of(entry: &Entry, notes: bool) -> bool {
    (entry.command == HOOK) == notes
}

impl UseCase for LogRequest {
    type Response = Vec<Write>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<Write>> {
        let folder = service.app.memory_folder()?;
        let entries = service.app.journal(&folder)?.entries()?;
        let standing: HashSet<u64> = vault::standing(&entries).iter().map(|entry| entry.id).collect();
        let (mut log, mut hidden) = (Vec::new(), HashMap::new());
        for entry in entries.iter().rev() {
            if log.len() >= self.limit.unwrap_or(usize::MAX) {
                break;
            }
            // A file has many entries, and is read once.
            if !*hidden.entry(&entry.file).or_insert_with(|| is_hidden(&folder, &entry.file)) {
                log.push(Write::new(&folder, entry, !standing.contains(&entry.id)));
            }
        }
        Ok(log)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undo_that_fails_on_the_way_says_so_to_programs_too() {
        let whole = serde_json::to_value(UndoResponse::default()).unwrap();
        assert!(whole.get("failure").is_none(), "{whole}");
        let failure = Some(anyhow::anyhow!("the disk is full"));
        let part = serde_json::to_value(UndoResponse { failure, ..UndoResponse::default() }).unwrap();
        assert_eq!(part["failure"]["message"], "the disk is full");
    }
}
