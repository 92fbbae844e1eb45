//! How a fact changed.

use anyhow::Result;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MemoryLine;
use crate::analysis;
use crate::memory::{self, History};
use crate::service::{Refusal, Service, UseCase};
use crate::vault::MemoryFolder;

/// Asks how the facts changed that hold all of these words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryRequest {
    /// The words.
    pub query: String,
}

/// How a fact changed: what was so before, and what is so now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FactHistory {
    /// What was so, oldest first.
    pub before: Vec<FormerFact>,
    /// The line that says what is so now; absent where it was removed or reworded since.
    pub now: Option<MemoryLine>,
}

/// What was so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FormerFact {
    /// The day from which it was so or known, where that is known.
    pub since: Option<Date>,
    /// The day on which it ceased to be.
    pub until: Date,
    /// What took its place.
    pub by: String,
    /// The line in the archive.
    #[serde(flatten)]
    pub line: MemoryLine,
}

impl UseCase for HistoryRequest {
    type Response = Vec<FactHistory>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<FactHistory>> {
        let folder = service.app.memory_folder()?;
        let words = analysis::terms(&self.query);
        if words.is_empty() {
            let message = format!("{:?} holds no word to look for", self.query);
            return Err(Refusal { message, hint: "tars history WORDS".into() }.into());
        }
        let is_meant = |text: &str| analysis::presence(text, &words).iter().all(|held| *held > 0.0);
        let found = memory::histories(&folder, is_meant)?;
        Ok(found.into_iter().map(|history| FactHistory::new(&folder, history)).collect())
    }
}

impl FactHistory {
    fn new(folder: &MemoryFolder, history: History) -> Self {
        let former = |fact: memory::Superseded| FormerFact {
            since: fact.since,
            until: fact.until,
            by: fact.by,
            line: MemoryLine::new(folder, &fact.bullet),
        };
        Self {
            before: history.before.into_iter().map(former).collect(),
            now: history.now.map(|bullet| MemoryLine::new(folder, &bullet)),
        }
    }
}
