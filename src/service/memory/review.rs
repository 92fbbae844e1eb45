//! Lines that wait for a person's review.

use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::remember::named;
use super::{MemoryLine, removed};
use crate::domain::MemoryType;
use crate::memory::{self, Fact, Feedback, Proposal};
use crate::service::{Refusal, Service, UseCase};
use crate::vault::MemoryFolder;

/// Asks for a note on how useful the memory was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedbackRequest {
    /// Whether it was good, else wrong.
    pub good: bool,
    /// What was.
    pub note: String,
}

/// The line that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FeedbackResponse {
    /// The line.
    #[serde(flatten)]
    pub line: MemoryLine,
    /// What was taken out of it before writing.
    #[serde(skip)]
    pub removed: Vec<String>,
}

/// Asks for the lines that wait for a review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewRequest {}

/// A line that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProposalLine {
    /// Where it comes from.
    pub source: &'static str,
    /// What would be remembered.
    pub proposal: String,
    /// The line as it stands.
    #[serde(flatten)]
    pub line: MemoryLine,
}

/// Where a line is promoted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PromoteTo {
    /// Facts.
    Semantic,
    /// Rules.
    Procedural,
}

/// What becomes of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Settlement {
    /// It goes.
    Drop,
    /// It is remembered.
    Promote {
        /// Where.
        to: PromoteTo,
        /// In these words; those that were proposed where it is left out.
        text: Option<String>,
        /// The id of a line that it takes the place of, or words that this line alone holds.
        #[serde(default)]
        replace: Option<String>,
    },
}

/// Settles a line that waits. The lines that one service settles go to one archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SettleRequest {
    /// Its id, or a start of it that no other has.
    pub id: String,
    /// Its file, where lines of several files have one id.
    #[serde(default)]
    pub path: Option<String>,
    /// What becomes of it.
    pub settlement: Settlement,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SettleStatus {
    /// It is remembered now.
    Promoted,
    /// It was remembered before.
    Known,
    /// It is gone.
    Dropped,
}

impl SettleStatus {
    /// Returns the word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Promoted => "promoted",
            Self::Known => "known",
            Self::Dropped => "dropped",
        }
    }
}

/// What became of a line, and where it is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SettleResponse {
    /// What became of it.
    pub status: SettleStatus,
    /// The line that is remembered.
    #[serde(flatten)]
    pub line: Option<MemoryLine>,
    /// What was taken out of it before writing.
    #[serde(skip)]
    pub removed: Vec<String>,
}

impl UseCase for FeedbackRequest {
    type Response = FeedbackResponse;

    fn run(&self, service: &Service<'_>) -> Result<FeedbackResponse> {
        let app = service.app;
        let feedback = if self.good { Feedback::Good } else { Feedback::Wrong };
        // Checks the text as any other that is remembered.
        let note = Fact::new(MemoryType::Semantic, None, &self.note)?;
        let folder = app.memory_folder()?;
        let now = app.environment.clock.now().datetime();
        let bullet = memory::feed_back(&mut service.writer(&folder, "feedback")?, feedback, &note.text, now)?;
        Ok(FeedbackResponse { line: MemoryLine::new(&folder, &bullet), removed: removed(&note) })
    }
}

impl UseCase for ReviewRequest {
    type Response = Vec<ProposalLine>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<ProposalLine>> {
        let folder = service.app.memory_folder()?;
        let line = |proposal: Proposal| ProposalLine {
            source: proposal.source.as_str(),
            line: MemoryLine::new(&folder, &proposal.bullet),
            proposal: proposal.text,
        };
        Ok(memory::proposals(&folder)?.into_iter().map(line).collect())
    }
}

impl UseCase for SettleRequest {
    type Response = SettleResponse;

    fn run(&self, service: &Service<'_>) -> Result<SettleResponse> {
        let app = service.app;
        let folder = app.memory_folder()?;
        let now = app.environment.clock.now().datetime();
        let proposal = self.named(&folder)?;
        let (settlement, removed) = match &self.settlement {
            Settlement::Drop => (memory::Settlement::Drop, Vec::new()),
            Settlement::Promote { to, text, replace } => {
                let kind = match to {
                    PromoteTo::Semantic => MemoryType::Semantic,
                    PromoteTo::Procedural => MemoryType::Procedural,
                };
                let fact = Fact::new(kind, None, text.as_deref().unwrap_or(&proposal.text))?;
                let removed = removed(&fact);
                let old = replace.as_ref().map(|line| named(&folder, line)).transpose()?;
                let settlement = match old {
                    Some(old) => memory::Settlement::Replace(fact, old),
                    None => memory::Settlement::Promote(fact),
                };
                (settlement, removed)
            }
        };
        let archive = service.archive(now.date(), || Ok(memory::archive(&folder, now)?))?;
        let stored = memory::settle(&mut service.writer(&folder, "review")?, &proposal, &settlement, &archive, now)?;
        let status = match &stored {
            Some(stored) if stored.known => SettleStatus::Known,
            Some(_) => SettleStatus::Promoted,
            None => SettleStatus::Dropped,
        };
        let line = stored.map(|stored| MemoryLine::new(&folder, &stored.bullet));
        Ok(SettleResponse { status, line, removed })
    }
}

impl SettleRequest {
    fn named(&self, folder: &MemoryFolder) -> Result<Proposal> {
        let id = &self.id;
        let is_meant = |proposal: &Proposal| match &self.path {
            Some(path) => proposal.bullet.id == *id && folder.shown(&proposal.bullet.file) == *path,
            None => proposal.bullet.id.starts_with(id) && id.len() >= memory::SHORTEST_ID,
        };
        let mut found: Vec<Proposal> = memory::proposals(folder)?.into_iter().filter(is_meant).collect();
        match found.len() {
            // Lines of one file that say the same are settled one after the other.
            count if count == 1 || (count > 1 && self.path.is_some()) => Ok(found.remove(0)),
            _ => Err(Refusal {
                message: format!("no single line that waits for a review has the id {id}"),
                hint: "tars review --json".into(),
            }
            .into()),
        }
    }
}
