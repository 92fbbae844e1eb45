//! The journal of writes, and undo and redo.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::{Error, HOOK_COMMAND, Problem, Result, Service, UseCase};
use tars_vault::{Change, Entry, LineOrigin, MemoryFolder, UndoOutcome};

/// Undoes the writes of the last commands, newest first, or redoes them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UndoRequest {
    /// Number of commands.
    pub count: usize,
    /// Whether to redo what was undone.
    pub redo: bool,
    /// Whether to undo the notes of hooks instead of the writes of commands. Without it, `redo` restores whatever the last undo
    /// reverted, including notes.
    pub notes: bool,
}

impl Default for UndoRequest {
    fn default() -> Self {
        Self { count: 1, redo: false, notes: false }
    }
}

/// Asks for the writes of the last commands that can be undone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UndoableRequest {
    /// Number of commands.
    pub count: usize,
    /// As in [`UndoRequest`].
    pub notes: bool,
}

/// Asks for all writes, newest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LogRequest {
    /// Maximum number of writes.
    pub limit: Option<usize>,
}

/// A write in the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Write")]
pub struct JournaledWrite {
    /// Its number.
    pub id: u64,
    /// When it was made.
    pub time: jiff::Timestamp,
    /// The command that made it.
    pub command: String,
    /// The session that made it.
    pub session: Option<String>,
    /// The program that requested it; absent for a terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The file, relative to the vault.
    pub path: String,
    /// Whether it was undone since, or is itself the undo of another write.
    pub undone: bool,
    /// The number of the write that it undoes.
    pub undoes: Option<u64>,
    /// The new path, relative to the vault, if the file was only moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
    /// The authors of its lines, as far as they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<LineOrigin>,
    /// The changed lines.
    pub changes: Vec<Change>,
}

/// The result of an undo.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct UndoResponse {
    /// The writes.
    pub undone: Vec<JournaledWrite>,
    /// A write that could not be undone because its file has changed since.
    pub refused: Option<JournaledWrite>,
    /// The writes to describe to a person: for the redo of a write, the original write.
    #[serde(skip)]
    pub described: Vec<JournaledWrite>,
    /// For the refused write: the lines that it left, and the file's current lines.
    #[serde(skip)]
    pub difference: Option<RefusedUndo>,
    /// The number of commands whose writes were undone.
    #[serde(skip)]
    pub commands: usize,
    /// The error that stopped it early; in JSON a [`Problem`].
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_problem")]
    #[schemars(with = "Option<Problem>")]
    pub failure: Option<Error>,
}

/// The lines that a refused write left, and the current lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedUndo {
    /// The change that is not in the file any more; all changes of the write if it is unknown which.
    pub changes: Vec<Change>,
    /// The file's lines; `None` if the file is gone.
    pub now: Option<Vec<String>>,
}

fn as_problem<S: Serializer>(failure: &Option<Error>, serializer: S) -> Result<S::Ok, S::Error> {
    failure.as_ref().map(Problem::from).serialize(serializer)
}

impl JournaledWrite {
    fn new(folder: &MemoryFolder, entry: &Entry, undone: bool) -> Self {
        Self {
            id: entry.id,
            time: entry.time,
            command: entry.command.clone(),
            channel: entry.channel.clone(),
            session: entry.session.clone(),
            path: folder.vault_path(&entry.file),
            undone,
            undoes: entry.undoes,
            moved_to: entry.moved_to.as_deref().map(|to| folder.vault_path(to)),
            by: Vec::new(),
            // The changes of a private file are hidden; that it was changed is not.
            changes: if is_hidden(folder, &entry.file) { Vec::new() } else { entry.changes.clone() },
        }
    }
}

/// Whether the content of a file is hidden. An unreadable file may be private.
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
                Ok(UndoOutcome::Done(entries)) => {
                    done.extend(entries);
                    response.commands += 1;
                }
                Ok(UndoOutcome::Nothing) => break,
                Ok(UndoOutcome::Refused { entry, change, now }) => {
                    let changes = change.map_or_else(|| entry.changes.clone(), |change| vec![change]);
                    response.refused = Some(JournaledWrite::new(&folder, &entry, false));
                    response.difference = (!is_hidden(&folder, &entry.file)).then_some(RefusedUndo { changes, now });
                    break;
                }
                // Nothing was undone, so the error is the whole answer.
                Err(error) if done.is_empty() => return Err(error),
                Err(error) => {
                    response.failure = Some(error);
                    break;
                }
            }
        }
        // The undo is done, so an unreadable journal is no failure: only the descriptions of a redo are missing.
        let known = || app.journal(&folder).and_then(|journal| Ok(journal.entries()?)).unwrap_or_default();
        let entries = if self.redo { known() } else { Vec::new() };
        let described =
            |entry: &Entry| entries.iter().find(|write| Some(write.id) == entry.undoes).unwrap_or(entry).clone();
        response.described = done.iter().map(|entry| JournaledWrite::new(&folder, &described(entry), true)).collect();
        response.undone = done.iter().map(|entry| JournaledWrite::new(&folder, entry, true)).collect();
        Ok(response)
    }
}

impl UndoRequest {
    /// Undoes or redoes the writes of one command.
    fn one(&self, service: &Service<'_>, folder: &MemoryFolder) -> Result<UndoOutcome> {
        // If there is nothing to undo, not even the folder is created.
        if service.app.journal(folder)?.entries()?.is_empty() {
            return Ok(UndoOutcome::Nothing);
        }
        // Each command gets a writer of its own, so that the journal keeps their writes apart.
        Ok(match self.redo {
            // Redo restores the last undo, whatever had made the write.
            true => tars_vault::redo(&mut service.writer(folder, "undo --redo")?, |entry| {
                !self.notes || is_of(entry, true)
            })?,
            false => tars_vault::undo(&mut service.writer(folder, "undo")?, |entry| is_of(entry, self.notes))?,
        })
    }
}

impl UseCase for UndoableRequest {
    /// The writes of each command, newest first.
    type Response = Vec<Vec<JournaledWrite>>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<Vec<JournaledWrite>>> {
        let folder = service.app.memory_folder()?;
        let entries = service.app.journal(&folder)?.entries()?;
        let mut standing = tars_vault::writes_in_force(&entries);
        standing.retain(|entry| is_of(entry, self.notes));
        let groups = standing.chunk_by(|one, other| one.group == other.group).rev().take(self.count);
        Ok(groups
            .map(|group| group.iter().rev().map(|entry| JournaledWrite::new(&folder, entry, false)).collect())
            .collect())
    }
}

/// Whether a write was made by a hook (with `notes`) or by a command (without).
fn is_of(entry: &Entry, notes: bool) -> bool {
    (entry.command == HOOK_COMMAND) == notes
}

impl UseCase for LogRequest {
    type Response = Vec<JournaledWrite>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<JournaledWrite>> {
        let folder = service.app.memory_folder()?;
        let entries = service.app.journal(&folder)?.entries()?;
        let standing: HashSet<u64> = tars_vault::writes_in_force(&entries).iter().map(|entry| entry.id).collect();
        let (mut log, mut hidden) = (Vec::new(), HashMap::new());
        let origins = folder.origins()?;
        for entry in entries.iter().rev() {
            if log.len() >= self.limit.unwrap_or(usize::MAX) {
                break;
            }
            // Each file is checked once, although it has many entries.
            if !*hidden.entry(&entry.file).or_insert_with(|| is_hidden(&folder, &entry.file)) {
                let by = origins.as_ref().map(|origins| origins.of_write(entry.id)).unwrap_or_default();
                log.push(JournaledWrite { by, ..JournaledWrite::new(&folder, entry, !standing.contains(&entry.id)) });
            }
        }
        Ok(log)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_reports_an_undo_that_failed_midway() {
        let whole = serde_json::to_value(UndoResponse::default()).unwrap();
        assert!(whole.get("failure").is_none(), "{whole}");
        let failure = Some(Error::failed("the disk is full"));
        let part = serde_json::to_value(UndoResponse { failure, ..UndoResponse::default() }).unwrap();
        assert_eq!(part["failure"]["message"], "the disk is full");
    }
}
