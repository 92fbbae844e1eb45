//! Existing transcripts to session logs.

use std::path::PathBuf;

use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::Imported;
use crate::service::{Refusal, Service, UseCase};

/// Makes a log of every session of Claude Code that has none. Interrupted, it goes on where it was when it is asked again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ImportRequest {
    /// A transcript, or the folder that holds them; `None` is where Claude Code keeps them.
    pub folder: Option<PathBuf>,
    /// Whether nothing is written, and it is only said which logs would be.
    pub dry_run: bool,
}

/// What became of the transcripts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportResponse {
    /// Logs that were, or would be, written.
    pub logs: Vec<ImportLine>,
    /// How many sessions had a log before.
    pub known: usize,
    /// In how many transcripts nobody asked anything.
    pub empty: usize,
    /// Transcripts that could not be read.
    pub failed: Vec<FailedImport>,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// Whether nothing was written because that was not asked.
    pub dry_run: bool,
}

/// One log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportLine {
    /// The session's id.
    pub session: String,
    /// Its path, relative to the vault.
    pub path: String,
    /// What it is about.
    pub topic: String,
    /// The transcript's path.
    pub transcript: String,
}

/// A transcript that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FailedImport {
    /// Its path.
    pub transcript: String,
    /// Why; it names the path too.
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
            path: folder.shown(&log.file),
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
