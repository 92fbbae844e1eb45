//! Facts and rules, line by line.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MemoryLine;
use crate::{Result, Service, UseCase};
use tars_base::domain::MemoryType;

/// Asks for all facts and rules: the lines of `Memory.md` and `Procedural.md`, then those of topics and timelines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LinesRequest {}

/// A fact or a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RememberedLine {
    /// `semantic` for a fact, `procedural` for a rule.
    pub kind: MemoryType,
    /// The line as in the file.
    #[serde(flatten)]
    pub line: MemoryLine,
}

impl UseCase for LinesRequest {
    type Response = Vec<RememberedLine>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<RememberedLine>> {
        let folder = service.app.memory_folder()?;
        let line = |bullet: &tars_memory::Bullet| RememberedLine {
            kind: if bullet.file == tars_memory::PROCEDURAL { MemoryType::Procedural } else { MemoryType::Semantic },
            line: MemoryLine::new(&folder, bullet),
        };
        Ok(tars_memory::remembered_bullets(&folder)?.iter().map(line).collect())
    }
}
