//! Captures a line for later in the inbox of the memory folder.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MemoryLine;
use crate::{Result, Service, UseCase, failure};
use tars_base::domain::MemoryType;
use tars_memory::Fact;

/// The file in the memory folder.
const INBOX: &str = "inbox.md";

/// Asks to put a line into the inbox, as a task for the person to sort.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CaptureRequest {
    /// The line, in markdown.
    pub text: String,
}

impl UseCase for CaptureRequest {
    type Response = MemoryLine;

    fn run(&self, service: &Service<'_>) -> Result<MemoryLine> {
        let folder = service.app.memory_folder()?;
        let now = service.app.environment.clock.now();
        let fact = Fact::new(MemoryType::Daily, None, &self.text)?;
        let section = now.strftime("%Y-%m-%d").to_string();
        let bullet = tars_memory::bullet_lines(&format!("[ ] {} {}", now.strftime("%H:%M"), fact.text));
        let mut writer = service.writer(&folder, "capture")?;
        writer.edit(INBOX, |lines| vec![tars_memory::append_to_section(lines, "Inbox", &section, bullet.clone())])?;
        let stands = tars_memory::bullets_of(&folder, INBOX)?;
        let line = stands.iter().rev().find(|known| known.heading == section);
        line.map(|line| MemoryLine::new(&folder, line))
            .ok_or_else(|| failure!("the line is not in {}", folder.vault_path(INBOX)))
    }
}
