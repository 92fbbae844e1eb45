//! The memory: remember, forget, review and undo. All of it runs in this process, whatever the reach: a write belongs to its
//! session, and the answer to it needs no model.

mod agent_writes;
mod capture;
mod compact;
mod daily;
mod daily_notes;
mod done;
mod extract;
mod files;
mod folder;
mod forget;
mod forget_source;
mod history;
mod layers;
mod lines;
mod project;
mod proposals;
mod propose_lines;
mod remember;
mod reset;
mod review;
mod sessions;
mod skills;
mod soul;
mod tidy;
mod timeline;
mod undo;
mod unused;
mod week;

pub(crate) use agent_writes::{agent_channel, check_limit};
pub use capture::CaptureRequest;
pub use compact::{CompactRequest, CompactResponse, CompactedMonth, KeptLog, LeftMonth, MovedLog};
pub use daily::{DailyRequest, DailyResponse, DayFile, DayFiles};
pub use daily_notes::DailyNote;
pub use done::{DoneRequest, DoneResponse, OpenEndLine, Tick};
pub use extract::{ExtractRequest, ExtractResponse, ExtractSource};
pub use files::{
    AppendFileRequest, ArchiveFileRequest, FileAccess, FileAccessRequest, FileText, LONGEST_FILE, MovedFile,
    ReadFileRequest, WriteFileRequest, WrittenFile,
};
pub use folder::HOOK_COMMAND;
pub use forget::{ForgetRequest, ForgetResponse, Remove};
pub use forget_source::{ForgetSourceRequest, ForgetSourceResponse, LineOfSource};
pub use history::{FactHistory, FormerFact, HistoryRequest};
pub use layers::{LayerFileView, LayerFiles, LayersRequest, LayersResponse};
pub use lines::{LinesRequest, RememberedLine};
pub use project::{PageLine, ProjectRequest, ProjectResponse, ProjectsRequest, UpdateProjectRequest};
pub use proposals::{
    DecideRequest, DecideResponse, DroppedProposal, ProposalView, ProposalsRequest, ProposeJob, ProposeRequest,
    ProposeResponse, ProposedLink, ProposedSection, SettleProposalsRequest,
};
pub use propose_lines::{ProposeLinesRequest, ProposeLinesResponse};
pub use remember::{Overgrown, RememberRequest, RememberResponse, RememberStatus};
pub use reset::{ResetMemoryRequest, ResetResponse, ResetSoulRequest};
pub use review::{
    FeedbackRequest, FeedbackResponse, PromoteTo, ReviewLine, ReviewRequest, SettleRequest, SettleResponse,
    SettleStatus, Settlement,
};
pub use sessions::{SessionLine, SessionRequest, SessionsRequest};
pub use skills::{SkillLine, SkillView, SkillsRequest};
pub use soul::{
    CondenseRequest, CondenseResponse, CondensedObservations, ObservationView, ObserveRequest, ObserveResponse,
    ResolveObservationRequest, SoulPart, SoulRequest, SoulResponse, UpdateSoulRequest, UpdateSoulResponse,
};
pub use tidy::{BrokenLink, TidyFinding, TidyRequest, TidyResponse};
pub use timeline::{TimelineDay, TimelineEntry, TimelineRequest, TimelineResponse};
pub use undo::{JournaledWrite, LogRequest, RefusedUndo, UndoRequest, UndoResponse, UndoableRequest};
pub use unused::UnusedLine;
pub use week::{ContradictedLine, OwnNote, WaitingLine, WeekLine, WeekRequest, WeekResponse};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Result;
use tars_memory::{Bullet, Fact, NearestBullet, Relation, SimilarBullet};
use tars_vault::MemoryFolder;

/// A line of the memory folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryLine {
    /// Its id, by which commands refer to it.
    pub id: String,
    /// Path of its file, relative to the vault.
    pub path: String,
    /// Number of its line, from 1; 0 if a program wrote it to a place that is private.
    pub line: usize,
    /// The heading above it.
    pub heading: String,
    /// Its text.
    pub text: String,
}

impl MemoryLine {
    fn new(folder: &MemoryFolder, bullet: &Bullet) -> Self {
        Self {
            id: bullet.id.clone(),
            path: folder.vault_path(&bullet.file),
            line: bullet.line(),
            heading: bullet.heading.clone(),
            text: bullet.text.clone(),
        }
    }

    /// Returns a line that was just written. If its place is private, a program that must not see it learns the file and
    /// its own words alone: neither a line nor an id.
    fn written(folder: &MemoryFolder, bullet: &Bullet) -> Result<Self> {
        let line = Self::new(folder, bullet);
        Ok(match is_visible(folder, bullet)? {
            true => line,
            false => Self { id: String::new(), line: 0, heading: String::new(), ..line },
        })
    }

    fn list(folder: &MemoryFolder, bullets: &[Bullet]) -> Vec<Self> {
        bullets.iter().map(|bullet| Self::new(folder, bullet)).collect()
    }

    /// Returns its place: `tars/Memory.md:7`, or the file alone if a program may not see the line.
    pub fn place(&self) -> String {
        if self.line == 0 { self.path.clone() } else { format!("{}:{}", self.path, self.line) }
    }

    /// Whether this line refers to the bullet.
    fn names(&self, folder: &MemoryFolder, bullet: &Bullet) -> bool {
        self.id == bullet.id && self.line == bullet.line() && self.path == folder.vault_path(&bullet.file)
    }
}

/// Whether a bullet can be seen in this folder: it stands in no private file and in no private span.
fn is_visible(folder: &MemoryFolder, bullet: &Bullet) -> Result<bool> {
    Ok(!folder.is_guarded() || tars_memory::bullets_of(folder, &bullet.file)?.iter().any(|known| known.id == bullet.id))
}

/// A line similar to the text to remember.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NearLine {
    /// `equal`, `close` or `conflict`.
    pub relation: Relation,
    /// In [0, 1], two decimals.
    pub similarity: f64,
    /// The line.
    #[serde(flatten)]
    pub line: MemoryLine,
}

impl NearLine {
    fn new(folder: &MemoryFolder, like: &SimilarBullet) -> Self {
        Self {
            relation: like.relation,
            similarity: (like.similarity * 100.0).round() / 100.0,
            line: MemoryLine::new(folder, &like.bullet),
        }
    }
}

/// A line among those nearest to a new one in meaning.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NearestLine {
    /// `equal`, `close` or `conflict`, or null if the rules see no relation.
    pub relation: Option<Relation>,
    /// In [0, 1], two decimals.
    pub similarity: f64,
    /// The line.
    #[serde(flatten)]
    pub line: MemoryLine,
}

impl NearestLine {
    fn new(folder: &MemoryFolder, near: &NearestBullet) -> Self {
        Self {
            relation: near.relation,
            similarity: (near.similarity * 100.0).round() / 100.0,
            line: MemoryLine::new(folder, &near.bullet),
        }
    }
}

/// Returns the kinds of secrets that were removed from a text before writing, in words.
fn removed(fact: &Fact) -> Vec<String> {
    fact.removed.iter().map(|kind| (*kind).to_owned()).collect()
}
