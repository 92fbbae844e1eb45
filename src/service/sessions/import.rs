//! Imports existing transcripts as session logs.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::content::SessionContent;
use super::forgotten::forgotten;
use super::opencode::{Taken, take_sessions};
use super::places::transcripts;
use crate::{App, Result, Service, UseCase};
use tars_agent::client::AgentClient;
use tars_agent::transcript::{TranscriptError, session_of, turns};
use tars_base::domain::Stage;
use tars_chat::tasks::is_own_task;
use tars_memory::{SessionLog, SessionLogWrite, logged_sessions, write_session_log};
use tars_vault::MemoryFolder;

/// Number of logs to write under one lock, because other writers wait meanwhile.
const LOGS_PER_LOCK: usize = 16;

/// Writes a log for every session of a client that has none. After an interrupt, the next request continues where it stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ImportRequest {
    /// The client.
    pub client: AgentClient,
    /// A transcript, or the folder with transcripts; `None` means the client's own folder.
    pub folder: Option<PathBuf>,
    /// Whether to write nothing and only return which logs would be written.
    pub dry_run: bool,
}

/// The result of the import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportResponse {
    /// Logs that were or would be written.
    pub logs: Vec<ImportLine>,
    /// Number of sessions that already had a log.
    pub known: usize,
    /// Number of sessions that a person has taken back with `tars forget`.
    pub forgotten: usize,
    /// Number of transcripts without a request.
    pub empty: usize,
    /// Transcripts that could not be read.
    pub failed: Vec<FailedImport>,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// Whether this was a dry run.
    pub dry_run: bool,
}

/// One log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportLine {
    /// The session's id.
    pub session: String,
    /// Its path, relative to the vault.
    pub path: String,
    /// Its subject.
    pub topic: String,
    /// The transcript's path.
    pub transcript: String,
}

/// A transcript that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FailedImport {
    /// Its path.
    pub transcript: String,
    /// The reason; it includes the path.
    pub error: String,
}

impl UseCase for ImportRequest {
    type Response = ImportResponse;

    fn run(&self, service: &Service<'_>) -> Result<ImportResponse> {
        let Service { app, observer, .. } = service;
        let folder = app.memory_folder()?;
        let logged = logged_sessions(&folder)?;
        let forgotten = forgotten(app, &folder)?;
        let mut imported = ImportResponse { dry_run: self.dry_run, ..ImportResponse::default() };
        // Transcripts of a dry run last as long as this value.
        let mut taken = Taken::default();
        let transcripts = if self.client == AgentClient::OpenCode {
            taken = take_sessions(app, self.folder.as_deref(), &logged, self.dry_run)?;
            std::mem::take(&mut taken.transcripts)
        } else {
            transcripts(app, self.client, self.folder.as_deref())?
        };
        for (path, error) in std::mem::take(&mut taken.failed) {
            imported.failed.push(FailedImport { transcript: path.display().to_string(), error });
        }
        let mut waiting = Vec::new();
        let mut group = None;
        observer.start(Stage::Importing, transcripts.len());
        for path in transcripts {
            if observer.cancelled() {
                imported.interrupted = true;
                break;
            }
            observer.advance(1);
            let session = session_of(&path);
            let log = SessionLog::new(&session, Some(&path), app.environment.clock.zone()).of_client(self.client);
            if logged.contains_key(log.session()) {
                imported.known += 1;
                continue;
            }
            if forgotten.contains(log.session()) {
                imported.forgotten += 1;
                continue;
            }
            let mut content = SessionContent::new(log, app.pauses().times(&session)?);
            if let Err(error) = read(&path, &mut content) {
                let (transcript, error) = (path.display().to_string(), error.to_string());
                imported.failed.push(FailedImport { transcript, error });
                continue;
            }
            let log = content.log;
            match log.file_and_topic() {
                None => imported.empty += 1,
                Some((file, topic)) if self.dry_run => {
                    imported.logs.push(ImportLine::new(&path, &log, folder.vault_path(&file), topic));
                }
                Some(_) => waiting.push((path, log)),
            }
            if waiting.len() >= LOGS_PER_LOCK {
                write_logs(app, &folder, &mut waiting, &mut group, &mut imported)?;
            }
        }
        write_logs(app, &folder, &mut waiting, &mut group, &mut imported)?;
        observer.finish();
        Ok(imported)
    }
}

impl ImportLine {
    fn new(transcript: &Path, log: &SessionLog, path: String, topic: String) -> Self {
        Self { transcript: transcript.display().to_string(), session: log.session().to_owned(), path, topic }
    }
}

fn write_logs(
    app: &App,
    folder: &MemoryFolder,
    waiting: &mut Vec<(PathBuf, SessionLog)>,
    group: &mut Option<u64>,
    imported: &mut ImportResponse,
) -> Result<()> {
    if waiting.is_empty() {
        return Ok(());
    }
    let mut writer = app.writer(folder, "import")?.in_group(*group);
    // Another process may have written one of them meanwhile.
    let mut logged: BTreeMap<String, String> = logged_sessions(folder)?;
    for (transcript, log) in waiting.drain(..) {
        if logged.contains_key(log.session()) {
            imported.known += 1;
            continue;
        }
        writer.set_source(Some(log.client().name()), log.session());
        let topic = log.file_and_topic().map(|(_, topic)| topic).unwrap_or_default();
        if let Some(SessionLogWrite::Written(file)) = write_session_log(&mut writer, &log, &mut logged)? {
            imported.logs.push(ImportLine::new(&transcript, &log, folder.vault_path(&file), topic));
        }
    }
    *group = writer.group();
    Ok(())
}

/// Adds the turns of a transcript, up to the first task that tars gave.
fn read(path: &Path, content: &mut SessionContent) -> Result<usize, TranscriptError> {
    turns(path, &mut |turn| {
        if is_own_task(&turn.request) {
            return ControlFlow::Break(());
        }
        content.add(&turn);
        ControlFlow::Continue(())
    })
}
