//! The open sessions, so that a session whose client was killed can be caught up from its transcript.
//!
//! Each session has a JSON file in `open-sessions/` of the data directory. Hooks write it when the session begins and at each of its
//! events, and remove it when the session ends. It is separate from the progress of the
//! session's notes, because the process that makes notes writes that file at the same time.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::ancestry::{candidates, client_pid, started};
use super::spool::SpoolLock;
use tars_agent::client::{AgentClient, HookEvent, HookInput};
use tars_base::data_files;
use tars_base::private::{self, short_hash};
use tars_service::sessions::LeftSession;
use tars_service::{App, Caller, Result};

/// Retention after the last event of a session.
const RETENTION: Duration = Duration::from_secs(60 * 24 * 3600);
const MAX_BYTES: u64 = 64 << 10;
/// Limits at the start of a session, because a person waits: files to read, and sessions to catch up on.
const MAX_READ: usize = 200;
const MAX_CATCH_UP: usize = 20;

/// A session that has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OpenSession {
    #[serde(default)]
    agent_client: AgentClient,
    session: String,
    transcript: String,
    directory: String,
    /// The client's process id, and its start time in the system's form, because ids are reused.
    client: u32,
    client_started: String,
}

impl OpenSession {
    /// Records the session of an event as open, or removes it when it ends. Does nothing if the client cannot be identified.
    ///
    /// # Errors
    /// The data directory cannot be written.
    pub(super) fn record(data: &Path, input: &HookInput, client: Option<u32>) -> Result<()> {
        if input.event == HookEvent::SessionEnd {
            let _ = fs::remove_file(file(data, &input.session));
            return Ok(());
        }
        let Some((client, client_started)) = client.and_then(|client| Some((client, started(client)?))) else {
            return Ok(());
        };
        let open = Self {
            agent_client: input.client,
            session: input.session.clone(),
            transcript: input.transcript.clone(),
            directory: input.directory.clone(),
            client,
            client_started,
        };
        Ok(data_files::replace(&file(data, &input.session), &serde_json::to_vec(&open)?)?)
    }

    /// Returns the sessions whose client is gone.
    pub(super) fn orphaned(data: &Path) -> Vec<Self> {
        all(data).map(|(_, open)| open).filter(|open| !open.is_running()).take(MAX_CATCH_UP).collect()
    }

    /// Returns the ids of the sessions whose client still runs.
    pub(super) fn running(data: &Path) -> Vec<String> {
        all(data).map(|(_, open)| open).filter(Self::is_running).map(|open| open.session).collect()
    }

    /// Returns the session as one that its client left behind.
    pub(super) fn left(&self) -> LeftSession<'_> {
        LeftSession {
            id: &self.session,
            transcript: Path::new(&self.transcript),
            directory: Path::new(&self.directory),
        }
    }

    /// Returns whether the session's client still runs.
    fn is_running(&self) -> bool {
        started(self.client).as_ref() == Some(&self.client_started)
    }

    /// Removes the session.
    pub(super) fn forget(&self, data: &Path) {
        let _ = fs::remove_file(file(data, &self.session));
    }

    /// Returns the missing end event of the session; `None` if there is no transcript to note.
    pub(super) fn end(&self) -> Option<HookInput> {
        let input = HookInput {
            client: self.agent_client,
            event: HookEvent::SessionEnd,
            session: self.session.clone(),
            transcript: self.transcript.clone(),
            directory: self.directory.clone(),
            ..HookInput::default()
        };
        Path::new(&self.transcript).is_file().then_some(input)
    }

    /// Removes sessions that are too old at `now`, and leftovers of a crash.
    pub(super) fn sweep(data: &Path, _lock: &SpoolLock<'_>, now: Timestamp) {
        data_files::sweep(&folder(data), now, |_| Some(RETENTION));
    }
}

/// Returns the session in which an agent started this process, with its client and its transcript.
pub fn current_caller(app: &App) -> Option<Caller> {
    let session = current_session(app)?;
    let data = &app.settings.config.data.dir;
    let open: Option<OpenSession> = data_files::read_json(&file(data, &session), MAX_BYTES).ok().flatten();
    let open = open.filter(|open| open.session == session);
    let client = open.as_ref().map(|open| open.agent_client).or_else(|| {
        let has_variable = |client: &AgentClient| {
            client.session_variable().is_some_and(|variable| app.environment.variable(variable).is_some())
        };
        AgentClient::ALL.into_iter().find(has_variable)
    });
    let transcript = open.map(|open| PathBuf::from(open.transcript)).filter(|path| !path.as_os_str().is_empty());
    Some(Caller { session, client: client.map(|client| client.name().to_owned()), transcript })
}

/// Returns the session in which an agent started this process: the one that the client passes to its commands, else the most recent open
/// session of the nearest ancestor that is a client. `None` outside of a client.
///
/// A terminal that a client's command opened, such as that of tmux, may outlive the client and keep its variables, so a session whose
/// client is gone does not count.
pub fn current_session(app: &App) -> Option<String> {
    client_pid(&app.environment, AgentClient::default()).and_then(started)?;
    let variables = AgentClient::ALL.into_iter().filter_map(AgentClient::session_variable);
    let mut named = variables.filter_map(|variable| app.environment.variable(variable)?.to_str());
    if let Some(session) = named.find(|session| !session.is_empty()) {
        return Some(session.to_owned());
    }
    let open: Vec<(SystemTime, OpenSession)> = all(&app.settings.config.data.dir).collect();
    if open.is_empty() {
        return None;
    }
    candidates(&app.environment).find_map(|pid| {
        let its = open.iter().filter(|(_, open)| open.client == pid && open.is_running());
        // After `/clear` the client may start the next session before the previous one ends.
        its.max_by_key(|(written, _)| *written).map(|(_, open)| open.session.clone())
    })
}

/// Returns the open sessions, each with the time of its last event.
fn all(data: &Path) -> impl Iterator<Item = (SystemTime, OpenSession)> {
    let entries = fs::read_dir(folder(data)).into_iter().flatten().flatten().take(MAX_READ);
    entries.filter_map(|entry| {
        let bytes = private::read(&entry.path(), MAX_BYTES).ok()?;
        Some((entry.metadata().ok()?.modified().ok()?, serde_json::from_slice(&bytes).ok()?))
    })
}

fn folder(data: &Path) -> PathBuf {
    data.join("open-sessions")
}

fn file(data: &Path, session: &str) -> PathBuf {
    folder(data).join(short_hash(session.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_session_without_a_client_is_caught_up() {
        let data = tempfile::tempdir().unwrap();
        let input = |event: &str, session: &str| {
            let text =
                serde_json::json!({"hook_event_name": event, "session_id": session, "transcript_path": "/x.jsonl"});
            HookInput::parse(AgentClient::ClaudeCode, text.to_string().as_bytes()).unwrap()
        };
        let left = || OpenSession::orphaned(data.path()).into_iter().map(|open| open.session).collect::<Vec<_>>();
        let mut client = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        for session in ["killed", "ended"] {
            OpenSession::record(data.path(), &input("SessionStart", session), Some(client.id())).unwrap();
        }
        OpenSession::record(data.path(), &input("SessionStart", "alive"), Some(std::process::id())).unwrap();
        assert!(left().is_empty());
        OpenSession::record(data.path(), &input("SessionEnd", "ended"), Some(client.id())).unwrap();
        client.kill().unwrap();
        client.wait().unwrap();
        assert_eq!(left(), ["killed"]);
        // The process id was reused: another process has it now, with another start time.
        let started = "0".to_owned();
        let left_over = OpenSession::orphaned(data.path()).remove(0);
        let again = OpenSession { client: std::process::id(), client_started: started, ..left_over };
        fs::write(file(data.path(), "killed"), serde_json::to_vec(&again).unwrap()).unwrap();
        assert_eq!(left(), ["killed"]);
        again.forget(data.path());
        assert!(left().is_empty());
    }
}
