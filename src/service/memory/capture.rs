//! Captures a line for later in the inbox of the memory folder.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MemoryLine;
use crate::{Result, Service, UseCase};
use tars_base::domain::MemoryType;
use tars_memory::{Bullet, Fact};

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
        let lines_of_task = tars_memory::bullet_lines(&format!("[ ] {} {}", now.strftime("%H:%M"), fact.text));
        let mut writer = service.writer(&folder, "capture")?;
        let mut bullet = Bullet::default();
        writer.edit(INBOX, |lines| {
            let splice = tars_memory::append_to_section(lines, "Inbox", &section, lines_of_task.clone());
            // The file is not read back, because a private inbox is hidden.
            bullet = tars_memory::inserted_bullet(INBOX, lines, &splice);
            vec![splice]
        })?;
        MemoryLine::written(&folder, &bullet)
    }
}
