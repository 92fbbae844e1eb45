//! What could be tidied in the memory folder.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::{MemoryLine, Overgrown, Remove};
use crate::memory::{self, Bullet, Finding};
use crate::service::{Service, UseCase};
use crate::vault::MemoryFolder;

/// Asks what could be tidied.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TidyRequest {
    /// Which of the lines that could go are removed.
    pub remove: Remove,
}

/// What was found and what was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TidyResponse {
    /// What was found.
    pub findings: Vec<TidyFinding>,
    /// Lines that were removed.
    pub removed: Vec<MemoryLine>,
}

/// Something that could be tidied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TidyFinding {
    /// `duplicate`, `close`, `superseded`, `conflict`, `broken_link` or `overgrown`.
    pub kind: &'static str,
    /// The line that could go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remove: Option<MemoryLine>,
    /// The line that stays, or both lines of a conflict.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<MemoryLine>,
    /// A link that leads nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<BrokenLink>,
    /// A file that has grown long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overgrown: Option<Overgrown>,
}

/// A link that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BrokenLink {
    /// Path of its file, relative to the vault.
    pub path: String,
    /// Its line, from 1.
    pub line: usize,
    /// Where it should lead.
    pub target: String,
}

impl UseCase for TidyRequest {
    type Response = TidyResponse;

    fn run(&self, service: &Service<'_>) -> Result<TidyResponse> {
        let app = service.app;
        let folder = app.memory_folder()?;
        let findings = memory::tidy(&folder, &app.note_paths(&folder)?)?;
        let can_go = findings.iter().filter_map(Finding::removal);
        let unwanted: Vec<Bullet> = match &self.remove {
            Remove::None => Vec::new(),
            Remove::One | Remove::All => can_go.cloned().collect(),
            Remove::Lines(lines) => {
                can_go.filter(|bullet| lines.iter().any(|line| line.names(&folder, bullet))).cloned().collect()
            }
        };
        let removed = match unwanted.is_empty() {
            true => Vec::new(),
            false => memory::remove(&mut app.writer(&folder, "tidy")?, &unwanted)?,
        };
        Ok(TidyResponse {
            findings: findings.iter().map(|finding| shown(&folder, finding)).collect(),
            removed: MemoryLine::list(&folder, &removed),
        })
    }
}

fn shown(folder: &MemoryFolder, finding: &Finding) -> TidyFinding {
    let line = |bullet: &Bullet| MemoryLine::new(folder, bullet);
    let mut shown = TidyFinding {
        kind: finding.as_str(),
        remove: finding.removal().map(line),
        lines: Vec::new(),
        link: None,
        overgrown: None,
    };
    match finding {
        Finding::Duplicate { kept, .. } | Finding::Close { kept, .. } | Finding::Superseded { kept, .. } => {
            shown.lines.push(line(kept));
        }
        Finding::Conflict { one, other } => shown.lines.extend([line(one), line(other)]),
        Finding::BrokenLink { file, line, target } => {
            shown.link = Some(BrokenLink { path: folder.shown(file), line: *line, target: target.clone() });
        }
        Finding::Overgrown(overgrown) => shown.overgrown = Some(Overgrown::new(folder, overgrown)),
    }
    shown
}
