//! The clients whose sessions tars joins by hooks, and the names that they give to events.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HookEvent, claude_code, codex, openclaw, opencode};

/// A client that runs agents and calls tars by hooks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum AgentClient {
    /// Claude Code.
    #[default]
    #[serde(rename = "claude-code")]
    ClaudeCode,
    /// Codex CLI, whose hooks follow those of Claude Code.
    #[serde(rename = "codex")]
    Codex,
    /// opencode, by a plugin of tars that sends the events of Claude Code.
    #[serde(rename = "opencode")]
    OpenCode,
    /// Gemini CLI.
    #[serde(rename = "gemini")]
    Gemini,
    /// OpenClaw, by a plugin of tars that sends the events of Claude Code.
    #[serde(rename = "openclaw")]
    OpenClaw,
    /// Cursor.
    #[serde(rename = "cursor")]
    Cursor,
}

impl AgentClient {
    /// All clients.
    pub const ALL: [Self; 6] =
        [Self::ClaudeCode, Self::Codex, Self::OpenCode, Self::Gemini, Self::OpenClaw, Self::Cursor];

    /// Returns its name on the command line, in notes and in files of the data directory.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Gemini => "gemini",
            Self::OpenClaw => "openclaw",
            Self::Cursor => "cursor",
        }
    }

    /// Returns its name in prose.
    pub fn label(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::OpenCode => "opencode",
            Self::Gemini => "Gemini CLI",
            Self::OpenClaw => "OpenClaw",
            Self::Cursor => "Cursor",
        }
    }

    /// Returns the client of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }

    /// Returns the client's name of an event; `None` if it has no such event.
    pub fn event_name(self, event: HookEvent) -> Option<&'static str> {
        let names: &[(HookEvent, &str)] = match self {
            Self::ClaudeCode | Self::Codex | Self::OpenCode | Self::OpenClaw => {
                return Some(event.as_str()).filter(|name| !name.is_empty());
            }
            Self::Gemini => &[
                (HookEvent::SessionStart, "SessionStart"),
                (HookEvent::UserPromptSubmit, "BeforeAgent"),
                (HookEvent::Stop, "AfterAgent"),
                (HookEvent::PreCompact, "PreCompress"),
                (HookEvent::SessionEnd, "SessionEnd"),
            ],
            Self::Cursor => &[
                (HookEvent::SessionStart, "sessionStart"),
                (HookEvent::UserPromptSubmit, "beforeSubmitPrompt"),
                (HookEvent::Stop, "stop"),
                (HookEvent::PreCompact, "preCompact"),
                (HookEvent::SessionEnd, "sessionEnd"),
                (HookEvent::AfterResponse, "afterAgentResponse"),
                (HookEvent::AfterTool, "postToolUse"),
            ],
        };
        names.iter().find(|(one, _)| *one == event).map(|(_, name)| *name)
    }

    /// Returns the event with the client's name `name`.
    pub fn event(self, name: &str) -> HookEvent {
        HookEvent::ALL.into_iter().find(|event| self.event_name(*event) == Some(name)).unwrap_or(HookEvent::Other)
    }

    /// Whether the client takes context when a session starts, and again after it has compacted the conversation. Another client gets it
    /// with the next prompt.
    pub fn takes_context_at_start(self) -> bool {
        self != Self::Gemini
    }

    /// Returns the environment variable with the session's id, for commands that the agent runs.
    pub fn session_variable(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some(claude_code::SESSION_VARIABLE),
            Self::Codex => Some(codex::SESSION_VARIABLE),
            Self::OpenCode => Some(opencode::SESSION_VARIABLE),
            Self::OpenClaw => Some(openclaw::SESSION_VARIABLE),
            _ => None,
        }
    }

    /// Whether its plugin or its hooks hand the messages over, and tars keeps the transcripts, because the client has no file for each session.
    pub fn hands_over_messages(self) -> bool {
        matches!(self, Self::OpenCode | Self::OpenClaw | Self::Cursor)
    }

    /// Whether a session that is resumed holds the context that hooks gave before. The plugins for opencode and
    /// OpenClaw keep it in memory only.
    pub fn keeps_context(self) -> bool {
        !matches!(self, Self::OpenCode | Self::OpenClaw)
    }

    /// Returns a person's words in a prompt that is being submitted, without additions by programs; `None` if a program wrote it or if it
    /// is a command of the client.
    pub fn typed_prompt(self, prompt: &str) -> Option<String> {
        match self {
            Self::Codex => claude_code::typed_prompt(&codex::own_words(prompt)),
            _ => claude_code::typed_prompt(prompt),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_clients_and_events_are_read_back() {
        for client in AgentClient::ALL {
            assert_eq!(AgentClient::named(client.name()), Some(client));
            assert_eq!(serde_json::to_value(client).unwrap(), client.name());
            for event in HookEvent::ALL {
                assert!(client.event_name(event).is_none_or(|name| client.event(name) == event));
            }
            for needed in [HookEvent::SessionStart, HookEvent::UserPromptSubmit, HookEvent::Stop] {
                assert!(client.event_name(needed).is_some());
            }
        }
        assert_eq!(AgentClient::Gemini.event("UserPromptSubmit"), HookEvent::Other);
    }
}
