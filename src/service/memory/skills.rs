//! Habits that could become skills of an agent.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Result, Service, UseCase};
use tars_memory::upkeep::{self, Skill, SkillSource};
use tars_vault::MemoryFolder;

/// Asks for the habits that recur in lines of three days or more. Nothing is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SkillsRequest {}

/// A habit as the text of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillView {
    /// Small letters, digits and hyphens: the name of its folder.
    pub name: String,
    /// A description in one line.
    pub description: String,
    /// The whole text of its SKILL.md.
    pub text: String,
    /// The lines that it is based on, newest first.
    pub sources: Vec<SkillLine>,
}

/// A line that a skill is based on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillLine {
    /// Path of its file, relative to the vault.
    pub path: String,
    /// The day of the line; `None` for a rule.
    pub day: Option<Date>,
    /// Its text.
    pub text: String,
}

impl UseCase for SkillsRequest {
    type Response = Vec<SkillView>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<SkillView>> {
        let folder = service.app.memory_folder()?;
        Ok(upkeep::skills(&folder)?.into_iter().map(|skill| SkillView::new(&folder, skill)).collect())
    }
}

impl SkillView {
    fn new(folder: &MemoryFolder, Skill { name, description, text, sources }: Skill) -> Self {
        let line =
            |SkillSource { file, day, text }: SkillSource| SkillLine { path: folder.vault_path(&file), day, text };
        Self { name, description, text, sources: sources.into_iter().map(line).collect() }
    }
}
