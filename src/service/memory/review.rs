//! Lines that wait for a person's review.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::remember::named;
use super::{MemoryLine, is_visible, removed};
use crate::{Refusal, Result, Service, UseCase};
use tars_base::domain::MemoryType;
use tars_memory::upkeep;
use tars_memory::{Fact, Feedback, Source, WaitingLine};
use tars_vault::{Author, LineOrigin, MemoryFolder};

/// Records a note on how useful the memory was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedbackRequest {
    /// Whether it was good; otherwise wrong.
    pub good: bool,
    /// The note.
    pub note: String,
}

/// The line that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FeedbackResponse {
    /// The line.
    #[serde(flatten)]
    pub line: MemoryLine,
    /// Kinds of secrets that were removed before writing.
    #[serde(skip)]
    pub removed: Vec<String>,
}

/// Asks for the lines that wait for a review.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReviewRequest {}

/// A line that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewLine {
    /// Its source.
    pub source: &'static str,
    /// The text that would be remembered.
    pub proposal: String,
    /// The author, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<LineOrigin>,
    /// The line as in the file.
    #[serde(flatten)]
    pub line: MemoryLine,
}

/// The target of a promoted line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PromoteTo {
    /// Facts.
    Semantic,
    /// Rules.
    Procedural,
}

/// The decision on a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Settlement {
    /// Remove it.
    Drop,
    /// Remember it.
    Promote {
        /// The target.
        to: PromoteTo,
        /// A new wording; the proposed text by default.
        text: Option<String>,
        /// The id of a line that it replaces, or words that only this line holds.
        #[serde(default)]
        replace: Option<String>,
    },
}

/// Settles a line that waits. All lines that one service settles go to the same archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SettleRequest {
    /// Its id, or a unique prefix of it.
    pub id: String,
    /// Its file, if lines of several files have the same id.
    #[serde(default)]
    pub path: Option<String>,
    /// The decision.
    pub settlement: Settlement,
}

/// The result for a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SettleStatus {
    /// It is remembered now.
    Promoted,
    /// It was remembered before.
    Known,
    /// It was removed.
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

/// The result for a line, and where it is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SettleResponse {
    /// The result.
    pub status: SettleStatus,
    /// The remembered line.
    #[serde(flatten)]
    pub line: Option<MemoryLine>,
    /// Kinds of secrets that were removed before writing.
    #[serde(skip)]
    pub removed: Vec<String>,
}

impl UseCase for FeedbackRequest {
    type Response = FeedbackResponse;

    fn run(&self, service: &Service<'_>) -> Result<FeedbackResponse> {
        let app = service.app;
        let feedback = if self.good { Feedback::Good } else { Feedback::Wrong };
        // Validates the text like any other line to remember.
        let note = Fact::new(MemoryType::Semantic, None, &self.note)?;
        let folder = app.memory_folder()?;
        let now = app.environment.clock.now().datetime();
        let bullet = tars_memory::feed_back(&mut service.writer(&folder, "feedback")?, feedback, &note.text, now)?;
        Ok(FeedbackResponse { line: MemoryLine::written(&folder, &bullet)?, removed: removed(&note) })
    }
}

impl UseCase for ReviewRequest {
    type Response = Vec<ReviewLine>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<ReviewLine>> {
        let folder = service.app.memory_folder()?;
        let line = |waiting: WaitingLine| -> Result<ReviewLine> {
            Ok(ReviewLine {
                source: waiting.source.as_str(),
                origin: origin_of(&folder, &waiting)?,
                line: MemoryLine::new(&folder, &waiting.bullet),
                proposal: waiting.text,
            })
        };
        tars_memory::waiting_lines(&folder)?.into_iter().map(line).collect()
    }
}

impl UseCase for SettleRequest {
    type Response = SettleResponse;

    fn run(&self, service: &Service<'_>) -> Result<SettleResponse> {
        let app = service.app;
        let folder = app.memory_folder()?;
        let now = app.environment.clock.now().datetime();
        let waiting = self.named(&folder)?;
        let (settlement, removed) = match &self.settlement {
            Settlement::Drop => (tars_memory::Settlement::Drop, Vec::new()),
            Settlement::Promote { to, text, replace } => {
                let kind = match to {
                    PromoteTo::Semantic => MemoryType::Semantic,
                    PromoteTo::Procedural => MemoryType::Procedural,
                };
                let words = text.as_deref();
                let text = words.unwrap_or(&waiting.text);
                let origin = origin_of(&folder, &waiting)?;
                let is_untrusted = origin.is_some_and(|origin| origin.by == Author::Untrusted);
                if is_untrusted && kind == MemoryType::Procedural && words.is_none() {
                    let message =
                        "an agent wrote this line after it had read text of strangers: it becomes no rule".into();
                    return Err(Refusal {
                        message,
                        hint: "state the rule yourself: tars remember --type rule TEXT".into(),
                    }
                    .into());
                }
                let is_said = waiting.source == Source::Extracted && kind == MemoryType::Semantic;
                // A statement of the person about themselves belongs in the person's section.
                let section = if is_said { upkeep::persons_heading(&folder, text)? } else { None };
                let fact = Fact::new(kind, section, text)?;
                let removed = removed(&fact);
                let old = replace.as_ref().map(|line| named(&folder, line)).transpose()?;
                let settlement = match old {
                    Some(old) => tars_memory::Settlement::Replace(fact, old),
                    None => tars_memory::Settlement::Promote(fact),
                };
                (settlement, removed)
            }
        };
        let archive = service.archive(now.date(), || Ok(tars_memory::archive(&folder, now)?))?;
        let mut writer = service.writer(&folder, "review")?;
        if let tars_memory::Settlement::Promote(fact) | tars_memory::Settlement::Replace(fact, _) = &settlement {
            writer.credit_own(&fact.text);
        }
        let stored = tars_memory::settle(&mut writer, &waiting, &settlement, &archive, now)?;
        let status = match &stored {
            Some(stored) if stored.known && is_visible(&folder, &stored.bullet)? => SettleStatus::Known,
            Some(_) => SettleStatus::Promoted,
            None => SettleStatus::Dropped,
        };
        let line = stored.map(|stored| MemoryLine::written(&folder, &stored.bullet)).transpose()?;
        Ok(SettleResponse { status, line, removed })
    }
}

/// Returns the origin of a line that waits.
fn origin_of(folder: &MemoryFolder, waiting: &WaitingLine) -> Result<Option<LineOrigin>> {
    let first = waiting.whole.lines().next().unwrap_or_default();
    Ok(folder.origins()?.and_then(|origins| origins.of(&waiting.bullet.file, first).cloned()))
}

impl SettleRequest {
    fn named(&self, folder: &MemoryFolder) -> Result<WaitingLine> {
        let id = &self.id;
        let is_meant = |waiting: &WaitingLine| match &self.path {
            Some(path) => waiting.bullet.id == *id && folder.vault_path(&waiting.bullet.file) == *path,
            None => waiting.bullet.id.starts_with(id) && id.len() >= tars_memory::MIN_ID_LENGTH,
        };
        let mut found: Vec<WaitingLine> = tars_memory::waiting_lines(folder)?.into_iter().filter(is_meant).collect();
        match found.len() {
            // Lines of one file with the same text are settled one after the other.
            count if count == 1 || (count > 1 && self.path.is_some()) => Ok(found.remove(0)),
            _ => Err(Refusal {
                message: format!("no single line that waits for a review has the id {id}"),
                hint: "tars review --json".into(),
            }
            .into()),
        }
    }
}
