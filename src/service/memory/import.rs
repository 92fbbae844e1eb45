//! Imports existing transcripts as session logs.

use std::path::PathBuf;

use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::Imported;
use crate::{Refusal, Service, UseCase};

/// Writes a log for every Claude Code session that has none. After an interrupt, the next request continues where it stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ImportRequest {
    /// A transcript, or the folder with transcripts; `None` means Claude Code's own folder.
    pub folder: Option<PathBuf>,
    /// Whether to write nothing and only return which logs would be written.
    pub dry_run: bool,
}

/// The result of the import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportResponse {
    /// Logs that were or would be written.
    pub logs: Vec<ImportLine>,
    /// Number of sessions that already had a log.
    pub known: usize,
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
        let place = self.folder.clone().or_else(|| app.claude_code_projects()).ok_or_else(|| Refusal {
            message: "there is no home directory to look for transcripts in".into(),
            hint: "tars import claude-code DIR".into(),
        })?;
        let Imported { logs, known, empty, failed, interrupted } =
            app.import_claude_code(&place, self.dry_run, *observer)?;
        let folder = app.memory_folder()?;
        let logs = logs.into_iter().map(|log| ImportLine {
            path: folder.vault_path(&log.file),
            transcript: log.transcript.display().to_string(),
            session: log.session,
            topic: log.topic,
        });
        let failed =
            failed.into_iter().map(|(path, error)| FailedImport { transcript: path.display().to_string(), error });
        let (logs, failed) = (logs.collect(), failed.collect());
        Ok(ImportResponse { logs, known, empty, failed, interrupted, dry_run: self.dry_run })
    }
}
