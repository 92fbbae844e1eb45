//! Logs of sessions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::daily::{DayFile, file};
use crate::{Refusal, Result, Service, UseCase};
use tars_base::domain::one_line;
use tars_vault::MemoryFolder;

/// Asks for the logs of sessions, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionsRequest {
    /// Words to search for; empty lists all.
    pub query: String,
    /// Maximum number of logs.
    pub limit: Option<usize>,
}

/// The log of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionLine {
    /// The session's id.
    pub id: String,
    /// Path of the log, relative to the vault.
    pub path: String,
    /// Its start, in local time.
    #[serde(serialize_with = "as_text")]
    pub began: Option<jiff::civil::DateTime>,
    /// Its subject.
    pub topic: String,
}

/// Asks for the log of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionRequest {
    /// Its id, or a unique prefix of it.
    pub id: String,
}

impl UseCase for SessionsRequest {
    type Response = Vec<SessionLine>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<SessionLine>> {
        let folder = service.app.memory_folder()?;
        let found = tars_memory::sessions(&folder, &self.query)?.into_iter().take(self.limit.unwrap_or(usize::MAX));
        Ok(found.map(|session| SessionLine::new(&folder, session)).collect())
    }
}

impl SessionLine {
    pub(super) fn new(folder: &MemoryFolder, session: tars_memory::Session) -> Self {
        let tars_memory::Session { id, file, began, topic } = session;
        Self { path: folder.vault_path(&file), id, began, topic }
    }
}

impl UseCase for SessionRequest {
    type Response = DayFile;

    fn run(&self, service: &Service<'_>) -> Result<DayFile> {
        let (id, folder) = (&self.id, service.app.memory_folder()?);
        let found = tars_memory::session(&folder, id)?;
        match found.as_slice() {
            [session] => file(&folder, &session.file),
            [] => {
                let message = format!("no session log is called {}", one_line(id, 80));
                Err(Refusal { message, hint: "tars sessions".into() }.into())
            }
            several => {
                let ids: Vec<&str> = several.iter().take(5).map(|session| session.id.as_str()).collect();
                let message = format!("{} session logs begin with {id}: {}", several.len(), ids.join(", "));
                Err(Refusal { message, hint: format!("tars sessions show {}", ids[0]) }.into())
            }
        }
    }
}

fn as_text<S: serde::Serializer>(time: &Option<jiff::civil::DateTime>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(|time| time.to_string()).serialize(serializer)
}
