//! Suggestions for tidying the memory folder.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::unused::{UnusedLine, unused};
use super::{MemoryLine, Overgrown, Remove};
use crate::{Result, Service, UseCase};
use tars_base::domain::USER_NOTICE;
use tars_memory::{Bullet, Finding};
use tars_vault::MemoryFolder;

/// Asks for suggestions for tidying the memory folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TidyRequest {
    /// Which of the suggested lines to remove.
    pub remove: Remove,
}

/// The suggestions and the removed lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TidyResponse {
    /// The suggestions.
    pub findings: Vec<TidyFinding>,
    /// Lines that were removed.
    pub removed: Vec<MemoryLine>,
    /// The tokens of Memory.md, about four characters each; more than [`tars_memory::CORE_TOKENS`] are too many for every session.
    pub core_tokens: usize,
}

/// A suggestion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TidyFinding {
    /// `duplicate`, `close`, `superseded`, `conflict`, `broken_link`, `overgrown`, `not_helpful` or `unused`.
    pub kind: &'static str,
    /// The line to remove.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remove: Option<MemoryLine>,
    /// The line that stays, or both lines of a contradiction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<MemoryLine>,
    /// A broken link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<BrokenLink>,
    /// A file that has become long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overgrown: Option<Overgrown>,
    /// A line that is recalled but not useful; it is never removed for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unused: Option<UnusedLine>,
}

/// A broken link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BrokenLink {
    /// Path of its file, relative to the vault.
    pub path: String,
    /// Its line, from 1.
    pub line: usize,
    /// The target of the link.
    pub target: String,
}

impl UseCase for TidyRequest {
    type Response = TidyResponse;

    fn run(&self, service: &Service<'_>) -> Result<TidyResponse> {
        let app = service.app;
        let folder = app.memory_folder()?;
        let entries = app.journal(&folder)?.entries()?;
        let findings = tars_memory::findings(&folder, &app.note_paths(&folder)?)?.into_iter();
        let findings: Vec<Finding> = findings.map(|finding| finding.resolved_by_journal(&entries)).collect();
        let goes = |bullet: &Bullet| match &self.remove {
            Remove::None => false,
            Remove::One | Remove::All => true,
            Remove::Lines(lines) => lines.iter().any(|line| line.names(&folder, bullet)),
        };
        let unwanted: Vec<&Finding> = findings.iter().filter(|finding| finding.removal().is_some_and(goes)).collect();
        let mut removed = Vec::new();
        if !unwanted.is_empty() {
            let now = app.environment.clock.now().datetime();
            let mut writer = service.writer(&folder, "tidy")?;
            for finding in unwanted {
                match finding {
                    // A superseded fact goes to the archive with its days.
                    Finding::Superseded { kept, removed: old } => {
                        tars_memory::remove_superseded(&mut writer, old, kept, now)?;
                        removed.push(old.clone());
                    }
                    finding => {
                        let line: Vec<Bullet> = finding.removal().into_iter().cloned().collect();
                        removed.extend(tars_memory::remove_bullets(&mut writer, &line)?);
                    }
                }
            }
        }
        let (not_helpful, never_used) = unused(app).unwrap_or_else(|error| {
            tracing::warn!(target: USER_NOTICE, "{error:#}");
            Default::default()
        });
        let brought_up = |kind, lines: Vec<UnusedLine>| {
            lines.into_iter().map(move |line| TidyFinding { unused: Some(line), ..TidyFinding::of(kind) })
        };
        let findings = findings.iter().map(|finding| shown(&folder, finding));
        Ok(TidyResponse {
            findings: findings
                .chain(brought_up("not_helpful", not_helpful))
                .chain(brought_up("unused", never_used))
                .collect(),
            removed: MemoryLine::list(&folder, &removed),
            core_tokens: tars_memory::core_tokens(&folder)?,
        })
    }
}

impl TidyFinding {
    fn of(kind: &'static str) -> Self {
        Self { kind, remove: None, lines: Vec::new(), link: None, overgrown: None, unused: None }
    }
}

fn shown(folder: &MemoryFolder, finding: &Finding) -> TidyFinding {
    let line = |bullet: &Bullet| MemoryLine::new(folder, bullet);
    let mut shown = TidyFinding { remove: finding.removal().map(line), ..TidyFinding::of(finding.as_str()) };
    match finding {
        Finding::Duplicate { kept, .. } | Finding::Close { kept, .. } | Finding::Superseded { kept, .. } => {
            shown.lines.push(line(kept));
        }
        Finding::Conflict { one, other } => shown.lines.extend([line(one), line(other)]),
        Finding::BrokenLink { file, line, target } => {
            shown.link = Some(BrokenLink { path: folder.vault_path(file), line: *line, target: target.clone() });
        }
        Finding::Overgrown(overgrown) => shown.overgrown = Some(Overgrown::new(folder, overgrown)),
    }
    shown
}
