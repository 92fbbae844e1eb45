//! Logs of sessions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::daily::{DayFile, file};
use crate::sessions::{UnfinishedSession, reason_names, unfinished_sessions};
use crate::{Refusal, Result, Service, UseCase};
use tars_agent::client::AgentClient;
use tars_base::domain::one_line;
use tars_memory::{content_words, short_session};
use tars_vault::MemoryFolder;

/// Asks for the logs of sessions, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionsRequest {
    /// Words to search for; empty lists all.
    pub query: String,
    /// Maximum number of logs.
    pub limit: Option<usize>,
    /// Only unfinished sessions of the last 21 days, whatever client and machine they ran on. One may have no log yet. The words are searched
    /// in their subjects and projects.
    pub open: bool,
}

/// The log of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionLine {
    /// The log's id; of an unfinished session its short id, as notes have it.
    pub id: String,
    /// Path of the log, relative to the vault.
    pub path: String,
    /// Its start, in local time.
    #[serde(serialize_with = "as_text")]
    pub began: Option<jiff::civil::DateTime>,
    /// Its subject.
    pub topic: String,
    /// The client that it ran in; `None` for a log that tars did not write, and for a session without a log.
    pub client: Option<&'static str>,
    /// The project that it names.
    pub project: Option<String>,
    /// Why it is unfinished, in a list of unfinished sessions: `open_ends`, `interrupted`, `failed`, `cut_off`, `unanswered`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<&'static str>,
    /// The number of its open ends, in a list of unfinished sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_ends: Option<usize>,
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
        if self.open {
            return self.unfinished(service, &folder);
        }
        let found = tars_memory::sessions(&folder, &self.query)?.into_iter().take(self.limit.unwrap_or(usize::MAX));
        Ok(found.map(|session| SessionLine::new(&folder, session)).collect())
    }
}

impl SessionsRequest {
    /// Returns the unfinished sessions.
    fn unfinished(&self, service: &Service<'_>, folder: &MemoryFolder) -> Result<Vec<SessionLine>> {
        let found = unfinished_sessions(folder, service.app.environment.clock.today())?;
        let wanted = content_words(&self.query);
        let holds = |line: &SessionLine| {
            let project = line.project.as_deref().unwrap_or_default();
            wanted.is_subset(&content_words(&format!("{} {project} {}", line.id, line.topic)))
        };
        let lines = found.into_iter().map(|one| SessionLine::unfinished(folder, one));
        Ok(lines.filter(holds).take(self.limit.unwrap_or(usize::MAX)).collect())
    }
}

impl SessionLine {
    pub(super) fn new(folder: &MemoryFolder, session: tars_memory::Session) -> Self {
        let tars_memory::Session { id, file, began, topic, client, project } = session;
        let path = folder.vault_path(&file);
        let client = client.map(AgentClient::name);
        Self { path, id, began, topic, client, project, unfinished: Vec::new(), open_ends: None }
    }

    /// A session without a log has the path of the last day that notes it, and its first open end as its subject.
    fn unfinished(folder: &MemoryFolder, UnfinishedSession { session, reasons, open_ends }: UnfinishedSession) -> Self {
        let file = session.log.as_deref().or(session.lines.last().map(|line| line.file.as_str())).unwrap_or_default();
        let topic = match session.topic.is_empty() {
            true => open_ends.first().or(session.lines.last()).map(|line| line.text.clone()).unwrap_or_default(),
            false => session.topic,
        };
        Self {
            path: folder.vault_path(file),
            id: short_session(&session.id),
            began: Some(session.began),
            topic,
            client: session.client.map(AgentClient::name),
            project: session.project.name,
            unfinished: reason_names(&reasons),
            open_ends: Some(open_ends.len()),
        }
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
