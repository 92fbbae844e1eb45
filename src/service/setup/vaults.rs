//! The vaults that are on this machine.

use std::path::PathBuf;

use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::LanguageReport;
use crate::service::{Service, UseCase};
use crate::vault::{known_vaults, walk};

/// How many of them are looked into.
const MOST: usize = 8;

/// Asks which vaults of Obsidian are on this machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FindVaultsRequest {
    /// Whether notes are read to tell in which languages they are.
    pub languages: bool,
}

/// The vaults: those that Obsidian lists, the one that was opened last first, then others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FindVaultsResponse {
    /// Eight of them at most.
    pub vaults: Vec<FoundVault>,
}

/// A vault of Obsidian.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundVault {
    /// Where it is.
    pub path: PathBuf,
    /// How many notes tars would index there.
    pub notes: usize,
    /// The languages of the notes, the commonest first; empty where that was not asked.
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
        Ok(FindVaultsResponse { vaults: known_vaults(home).into_iter().take(MOST).map(found).collect() })
    }
}
