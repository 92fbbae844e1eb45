//! The author of a write: the person, an agent in whose session a command runs or a tool is called, an import, or tars itself.

use std::path::PathBuf;

use crate::App;
use crate::memory::HOOK_COMMAND;
use tars_agent::transcript::{last_turn, reading_at_end};
use tars_base::domain::Reading;
use tars_memory::{author_of, clean_id};
use tars_vault::{Author, Origin};

/// Prefix of the channels of HTTP keys, whose writes are the person's own.
const OF_KEY: &str = "http:";
/// The channel of the person's own schedules.
const SCHEDULE: &str = "schedule";
/// The channel of conversations with tars.
const CHAT: &str = "chat";
/// Commands that bring what was said elsewhere.
const IMPORTS: [&str; 2] = ["import", "extract"];
/// Commands with which a person states, accepts or merges lines.
const PERSONS: [&str; 10] =
    ["remember", "daily", "feedback", "capture", "review", "conflicts", "week", "done", "forget", "chat"];
/// Variables that clients set for the commands of their agents, with the client's name.
const AGENT_VARIABLES: [(&str, &str); 6] = [
    ("CLAUDECODE", "claude-code"),
    ("CODEX_SANDBOX", "codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "codex"),
    ("OPENCODE", "opencode"),
    ("GEMINI_CLI", "gemini"),
    ("CURSOR_AGENT", "cursor"),
];

/// The session in which an agent started this process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Caller {
    /// The session's id, as the client gives it.
    pub session: String,
    /// The client's name.
    pub client: Option<String>,
    /// The session's transcript.
    pub transcript: Option<PathBuf>,
}

/// Finds the session in which an agent started this process. Hooks know the open sessions, and the service does not know the hooks.
pub type FindCaller = fn(&App) -> Option<Caller>;

/// The author of a write, and for an agent the person's last message to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Authorship {
    pub(crate) origin: Origin,
    pub(crate) request: String,
}

impl App {
    /// Returns who writes with `command` through the door `channel`; `reading` is what the model of a conversation has read, if one writes.
    pub(crate) fn authorship(&self, command: &str, channel: Option<&str>, reading: Option<Reading>) -> Authorship {
        let variable = |name: &str| self.environment.variable(name).map(|value| value.to_string_lossy().into_owned());
        let named = variable("TARS_SESSION");
        let origin = Origin { session: named.clone(), channel: channel.map(str::to_owned), ..Origin::of(command) };
        let plain = |by: Author| Authorship { origin: Origin { by, ..origin.clone() }, request: String::new() };
        if IMPORTS.contains(&command) {
            return plain(Author::Import);
        }
        if let Some(reading) = reading {
            let origin = Origin { by: author_of(reading), client: Some(CHAT.to_owned()), ..origin };
            return Authorship { origin, request: String::new() };
        }
        let by_agent = match channel {
            Some(SCHEDULE) => return plain(Author::Machine),
            // The person typed a command of the conversation.
            Some(CHAT) => return plain(Author::Person),
            Some(key) if key.starts_with(OF_KEY) => return plain(Author::Person),
            Some(agent) => Some(agent.to_owned()),
            None => None,
        };
        let caller = self.caller.and_then(|find| find(self));
        let marked = AGENT_VARIABLES.iter().find(|(name, _)| variable(name).is_some());
        let client = caller.as_ref().and_then(|caller| caller.client.clone());
        let client = client.or(by_agent).or_else(|| marked.map(|(_, client)| (*client).to_owned()));
        if client.is_none() && caller.is_none() && named.is_none() {
            return plain(if PERSONS.contains(&command) { Author::Person } else { Author::Machine });
        }
        let caller = caller.unwrap_or_default();
        let (by, model, request) = self.agent_of(&caller);
        let session = named.or(Some(caller.session).filter(|session| !session.is_empty()));
        let origin = Origin { by, model, session: session.map(|session| clean_id(&session)), client, ..origin };
        Authorship { origin, request }
    }

    /// Returns who an agent's writes are by, its model, and the person's last message to it.
    fn agent_of(&self, caller: &Caller) -> (Author, Option<String>, String) {
        let unknown = (Author::Unknown, None, String::new());
        let Some(path) = caller.transcript.as_ref().filter(|path| path.is_file()) else { return unknown };
        let Ok(reading) = reading_at_end(path) else { return unknown };
        let turn = last_turn(path).ok().flatten().unwrap_or_default();
        (author_of(reading), turn.model, turn.request)
    }

    /// Returns the author of a hook's writes for a session. Its notes name the authors of their lines themselves.
    pub(crate) fn hook_origin(&self, client: &str, session: &str) -> Origin {
        let (session, client) = (Some(clean_id(session)), Some(client.to_owned()));
        Origin { session, client, ..Origin::of(HOOK_COMMAND) }
    }
}
