//! One line to remember.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::{MemoryLine, NearLine, removed};
use crate::domain::MemoryType;
use crate::memory::{self, Bullet, Fact, Relation};
use crate::service::{Refusal, Service, UseCase};
use crate::vault::MemoryFolder;

/// Asks to remember a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RememberRequest {
    /// What is to be remembered, in markdown.
    pub text: String,
    /// `semantic`, `procedural` or `daily`.
    pub memory_type: MemoryType,
    /// The section that it goes to.
    pub section: Option<String>,
    /// The id of a line that it takes the place of.
    pub replace: Option<String>,
    /// Whether it is written whatever is near it.
    pub force: bool,
    /// Whether nothing is written where anything is near, so that a person can decide. Else a line that is nearly there is not
    /// written, while a contradiction is: what is new about it must not be lost.
    pub ask: bool,
}

impl Default for RememberRequest {
    fn default() -> Self {
        let (text, memory_type) = (String::new(), MemoryType::Semantic);
        Self { text, memory_type, section: None, replace: None, force: false, ask: false }
    }
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RememberStatus {
    /// It was written.
    Added,
    /// It was written in the place of another line.
    Replaced,
    /// It was there already.
    Known,
    /// It was not written, since nearly the same is there.
    Close,
}

impl RememberStatus {
    /// Returns the word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Replaced => "replaced",
            Self::Known => "known",
            Self::Close => "close",
        }
    }
}

/// What was written, and what is near it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RememberResponse {
    /// What became of it.
    pub status: RememberStatus,
    /// The line, if there is one.
    #[serde(flatten)]
    pub line: Option<MemoryLine>,
    /// What was taken out of it before writing.
    pub removed: Vec<String>,
    /// Lines that say nearly the same or otherwise, nearest first.
    pub near: Vec<NearLine>,
    /// The file, if it has grown too long to be read at a glance.
    pub overgrown: Option<Overgrown>,
    /// What a person should know beside that, a line each.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

/// A file that is too long to be read at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overgrown {
    /// Path of the file, relative to the vault.
    pub path: String,
    /// Its lines.
    pub lines: usize,
    /// Its tokens, about.
    pub tokens: usize,
    /// The lines that have stood in it longest.
    pub oldest: Vec<MemoryLine>,
}

impl Overgrown {
    pub(super) fn new(folder: &MemoryFolder, overgrown: &memory::Overgrown) -> Self {
        Self {
            path: folder.shown(&overgrown.file),
            lines: overgrown.lines,
            tokens: overgrown.tokens,
            oldest: MemoryLine::list(folder, &overgrown.oldest),
        }
    }
}

impl UseCase for RememberRequest {
    type Response = RememberResponse;

    fn run(&self, service: &Service<'_>) -> Result<RememberResponse> {
        let app = service.app;
        let fact = Fact::new(self.memory_type, self.section.clone(), &self.text)?;
        let folder = app.memory_folder()?;
        let now = app.environment.clock.now().datetime();
        let (near, failure) = memory::consider(&folder, &fact, now.date(), || app.comparing_model())?;
        let mut warnings: Vec<String> =
            failure.into_iter().map(|failure| format!("compared by words only: {failure}")).collect();
        let old = self.replace.as_ref().map(|id| named(&folder, id)).transpose()?;
        let is_near = near.first().is_some_and(|like| like.relation != Relation::Equal);
        let leaves = self.ask || near.iter().any(|like| like.relation != Relation::Conflict);
        let (status, stored) = if old.is_none() && !self.force && is_near && leaves {
            (RememberStatus::Close, None)
        } else {
            let force = self.force && old.is_none();
            let mut writer = app.writer(&folder, "remember")?;
            let stored = memory::remember(&mut writer, &fact, &now, old.as_ref(), force)?;
            let status = match (&old, stored.known) {
                (Some(_), _) => RememberStatus::Replaced,
                (None, true) => RememberStatus::Known,
                (None, false) => RememberStatus::Added,
            };
            (status, Some(stored))
        };
        let overgrown = match &stored {
            // Days grow as long as they are.
            Some(stored) if !stored.known && fact.kind != MemoryType::Daily => {
                // The line is written: that its file cannot be looked at again is no failure.
                memory::overgrown(&folder, &stored.bullet.file).unwrap_or_else(|error| {
                    warnings.push(format!("not looked at how long the file is: {error}"));
                    None
                })
            }
            _ => None,
        };
        Ok(RememberResponse {
            status,
            line: stored.map(|stored| MemoryLine::new(&folder, &stored.bullet)),
            removed: removed(&fact),
            near: near.iter().map(|like| NearLine::new(&folder, like)).collect(),
            overgrown: overgrown.map(|overgrown| Overgrown::new(&folder, &overgrown)),
            warnings,
        })
    }
}

/// Returns the one bullet that an id names.
fn named(folder: &MemoryFolder, id: &str) -> Result<Bullet> {
    let all = memory::all(folder)?;
    let wanted = id.to_ascii_lowercase();
    let mut found: Vec<Bullet> = if wanted.len() < memory::SHORTEST_ID {
        Vec::new()
    } else {
        all.into_iter().filter(|bullet| bullet.id.starts_with(&wanted)).collect()
    };
    let hint = || "tars forget QUERY lists lines with their ids".to_owned();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Refusal { message: format!("no line of the memory folder has the id {id}"), hint: hint() }.into()),
        count => {
            Err(Refusal { message: format!("{count} lines have an id that begins with {id}"), hint: hint() }.into())
        }
    }
}
