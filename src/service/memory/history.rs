//! The history of a fact or a decision.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MemoryLine;
use crate::{Refusal, Result, Service, UseCase};
use tars_memory::History;
use tars_text::analysis;
use tars_text::redact::redact;
use tars_vault::MemoryFolder;

/// Asks for the history of the facts and the noted decisions that hold all of these words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HistoryRequest {
    /// The words.
    pub query: String,
}

/// The history of a fact or a decision: its earlier versions and the current one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FactHistory {
    /// The earlier versions, oldest first.
    pub before: Vec<FormerFact>,
    /// The current line; absent if it was removed or reworded since.
    pub now: Option<MemoryLine>,
}

/// An earlier version of a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FormerFact {
    /// The day from which it was true or known, if known.
    pub since: Option<Date>,
    /// The day on which it ceased to be true.
    pub until: Date,
    /// The line that replaced it.
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
        let is_meant = |text: &str| analysis::term_presence(&redact(text).text, &words).iter().all(|held| *held > 0.0);
        let mut found = tars_memory::histories(&folder, is_meant)?;
        found.extend(tars_memory::decision_histories(&folder, is_meant)?);
        Ok(found.into_iter().map(|history| FactHistory::new(&folder, history)).collect())
    }
}

impl FactHistory {
    fn new(folder: &MemoryFolder, history: History) -> Self {
        let former = |fact: tars_memory::Superseded| FormerFact {
            since: fact.since,
            until: fact.until,
            by: fact.successor,
            line: MemoryLine::new(folder, &fact.bullet),
        };
        Self {
            before: history.before.into_iter().map(former).collect(),
            now: history.now.map(|bullet| MemoryLine::new(folder, &bullet)),
        }
    }
}
