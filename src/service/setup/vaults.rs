//! The Obsidian vaults on this machine.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{LanguageReport, Result, Service, UseCase};
use tars_vault::{known_vaults, walk};

const MAX_VAULTS: usize = 8;

/// Asks for the Obsidian vaults on this machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FindVaultsRequest {
    /// Whether to read notes to detect their languages.
    pub languages: bool,
}

/// The vaults: those that Obsidian lists, the last opened one first, then others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FindVaultsResponse {
    /// At most eight vaults.
    pub vaults: Vec<FoundVault>,
}

/// An Obsidian vault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundVault {
    /// Its path.
    pub path: PathBuf,
    /// Number of notes that tars would index there.
    pub notes: usize,
    /// The languages of the notes, the most common first; empty if not requested.
    pub languages: Vec<LanguageReport>,
}

impl UseCase for FindVaultsRequest {
    type Response = FindVaultsResponse;

    fn run(&self, service: &Service<'_>) -> Result<FindVaultsResponse> {
        let app = service.app();
        let Some(home) = &app.environment.home else { return Ok(FindVaultsResponse { vaults: Vec::new() }) };
        let options = app.walk_options();
        let found = |path: PathBuf| {
            let notes = walk(&path, &options).map_or(0, |found| found.notes.len());
            let languages = match self.languages {
                true => app.report_languages(&app.languages_of(&path)).0,
                false => Vec::new(),
            };
            FoundVault { path, notes, languages }
        };
        Ok(FindVaultsResponse { vaults: known_vaults(home).into_iter().take(MAX_VAULTS).map(found).collect() })
    }
}
