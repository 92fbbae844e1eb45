//! Finds lines and removes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MemoryLine;
use crate::{App, Refusal, Result, Service, UseCase};
use tars_agent::recall::is_prefix_of_line;
use tars_base::domain::USER_NOTICE;

/// Which of the found lines to remove.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Remove {
    /// None: only find them.
    #[default]
    None,
    /// The only found line; several are refused.
    One,
    /// All of them.
    All,
    /// These, as an earlier request found them.
    Lines(Vec<MemoryLine>),
}

/// Asks for lines of the memory folder, and removes them if requested.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ForgetRequest {
    /// Words of the lines, or the prefix of an id.
    pub query: String,
    /// Which of them to remove.
    pub remove: Remove,
}

/// The found lines and the removed lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ForgetResponse {
    /// Lines that match.
    pub found: Vec<MemoryLine>,
    /// Lines that were removed.
    pub removed: Vec<MemoryLine>,
}

impl UseCase for ForgetRequest {
    type Response = ForgetResponse;

    fn run(&self, service: &Service<'_>) -> Result<ForgetResponse> {
        let folder = service.app.memory_folder()?;
        let found = tars_memory::find_bullets(&folder, &self.query)?;
        let unwanted = match &self.remove {
            Remove::None => Vec::new(),
            Remove::One if found.len() > 1 => {
                let message = format!("{} lines match: nothing was removed", found.len());
                let hint = "tars forget ID --yes for one of them, or --all for all".into();
                return Err(Refusal { message, hint }.into());
            }
            Remove::One | Remove::All => found.clone(),
            Remove::Lines(lines) => {
                let is_meant = |bullet: &&tars_memory::Bullet| lines.iter().any(|line| line.names(&folder, bullet));
                found.iter().filter(is_meant).cloned().collect()
            }
        };
        let removed = match unwanted.is_empty() {
            true => Vec::new(),
            false => tars_memory::remove_bullets(&mut service.writer(&folder, "forget")?, &unwanted)?,
        };
        forget_in_ledger(service.app, &removed);
        Ok(ForgetResponse { found: MemoryLine::list(&folder, &found), removed: MemoryLine::list(&folder, &removed) })
    }
}

/// Also removes the lines from the ledger of what agents were shown.
fn forget_in_ledger(app: &App, removed: &[tars_memory::Bullet]) {
    let ledger = app.recall_ledger();
    if removed.is_empty() || !ledger.exists() {
        return;
    }
    let lines: Vec<&str> = removed.iter().flat_map(|bullet| bullet.text.lines()).map(str::trim).collect();
    if let Err(error) = ledger.forget(&|kept| lines.iter().any(|line| is_prefix_of_line(kept, line))) {
        let folder = ledger.folder().display();
        tracing::warn!(target: USER_NOTICE, "the recall ledger in {folder} still holds removed lines: {error}");
    }
}
