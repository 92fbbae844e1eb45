//! The files that join tars to a client, and the commands with which a client installs a plugin by itself.

use std::path::{Path, PathBuf};

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObjectProp, CstRootNode};

use super::{AgentClient, ConfigPlaces, HookEvent, McpClient, McpConfigError};

/// The plugin of opencode, one file.
const OPENCODE_PLUGIN: &str = include_str!("../../../plugins/opencode/tars.js");

/// A file of a client that tars writes or edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntegrationFile {
    /// Its path.
    pub path: PathBuf,
    /// Its content.
    pub content: IntegrationContent,
}

/// The content of a file that joins tars to a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntegrationContent {
    /// The file belongs to tars.
    Whole(&'static str),
    /// The file lists the hooks of the client; tars adds its own.
    Hooks,
}

impl AgentClient {
    /// Returns the name of the client's program.
    pub fn program(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Gemini => "gemini",
            Self::OpenClaw => "openclaw",
            Self::Cursor => "cursor",
        }
    }

    /// Returns the folder in which the client keeps its configuration.
    pub fn config_folder(self, places: &ConfigPlaces) -> PathBuf {
        let ConfigPlaces { home, config, codex, .. } = places;
        match self {
            Self::ClaudeCode => home.join(".claude"),
            Self::Codex => codex.clone().unwrap_or_else(|| home.join(".codex")),
            Self::OpenCode => config.join("opencode"),
            Self::Gemini => home.join(".gemini"),
            Self::OpenClaw => home.join(".openclaw"),
            Self::Cursor => home.join(".cursor"),
        }
    }

    /// Returns the same client among those that read a list of MCP servers.
    pub fn mcp_client(self) -> Option<McpClient> {
        McpClient::named(self.name())
    }

    /// Returns the files that join tars to the client; empty if the client installs a plugin by itself ([`Self::own_commands`]).
    pub fn integration(self, places: &ConfigPlaces) -> Vec<IntegrationFile> {
        let folder = self.config_folder(places);
        let hooks = |name: &str| IntegrationFile { path: folder.join(name), content: IntegrationContent::Hooks };
        match self {
            Self::Cursor => vec![hooks("hooks.json")],
            Self::OpenCode => {
                let content = IntegrationContent::Whole(OPENCODE_PLUGIN);
                vec![IntegrationFile { path: folder.join("plugins/tars.js"), content }]
            }
            Self::ClaudeCode | Self::Codex | Self::Gemini | Self::OpenClaw => Vec::new(),
        }
    }

    /// Returns the commands with which the person has the client install the plugin of tars.
    pub fn own_commands(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &["claude plugin marketplace add OWNER/tars", "claude plugin install tars@tars"],
            Self::Codex => &["codex plugin marketplace add OWNER/tars", "codex plugin add tars@tars"],
            Self::Gemini => &["gemini extensions install ./plugins/gemini"],
            Self::OpenClaw => &[
                "openclaw plugins install ./plugins/openclaw",
                "openclaw config set plugins.entries.tars.hooks.allowConversationAccess true",
            ],
            Self::OpenCode | Self::Cursor => &[],
        }
    }

    /// Adds the hooks of tars to the client's list of hooks `text` (empty if there is none), or replaces them. `program` is the path of
    /// this program.
    ///
    /// # Errors
    /// The list cannot be edited.
    pub fn with_hooks(self, text: &str, program: &Path) -> Result<String, McpConfigError> {
        let root = parsed(text)?;
        let whole = root.object_value_or_create().ok_or_else(|| no_section("the top level"))?;
        if whole.get("version").is_none() {
            whole.append("version", CstInputValue::Number("1".to_owned()));
        }
        let hooks = whole.object_value_or_create("hooks").ok_or_else(|| no_section("hooks"))?;
        for event in HookEvent::ALL {
            let Some(name) = self.event_name(event) else { continue };
            let calls = hooks.array_value_or_create(name).ok_or_else(|| no_section(name))?;
            let command = CstInputValue::String(self.hook_command(event, program));
            match self.own_commands_in(&calls).first() {
                Some((_, own)) => own.set_value(command),
                None => drop(calls.append(CstInputValue::Object(vec![("command".to_owned(), command)]))),
            }
        }
        let text = root.to_string();
        Ok(if text.ends_with('\n') { text } else { text + "\n" })
    }

    /// Removes the hooks of tars from the client's list of hooks `text`, and the events that have no other. Returns `None` if there are
    /// none.
    ///
    /// # Errors
    /// The list cannot be edited.
    pub fn without_hooks(self, text: &str) -> Result<Option<String>, McpConfigError> {
        let root = parsed(text)?;
        let Some(hooks) = root.object_value().and_then(|whole| whole.object_value("hooks")) else { return Ok(None) };
        let mut has_changed = false;
        for event in HookEvent::ALL {
            let Some(calls) = self.event_name(event).and_then(|name| hooks.get(name)) else { continue };
            let Some(list) = calls.array_value() else { continue };
            let own = self.own_commands_in(&list);
            has_changed |= !own.is_empty();
            let is_alone = own.len() == list.elements().len() && !own.is_empty();
            own.into_iter().for_each(|(call, _)| call.remove());
            if is_alone {
                calls.remove();
            }
        }
        Ok(has_changed.then(|| root.to_string()))
    }

    /// Returns the command line of a hook.
    fn hook_command(self, event: HookEvent, program: &Path) -> String {
        let program = program.display().to_string().replace('\'', r"'\''");
        format!("'{program}' hook {} --client {}", event.argument(), self.name())
    }

    /// Returns those of an event's calls that are hooks of tars, each with its command.
    fn own_commands_in(self, calls: &CstArray) -> Vec<(CstNode, CstObjectProp)> {
        let own = |call: CstNode| {
            let command = call.as_object()?.get("command")?;
            let text = command.value()?.as_string_lit()?.decoded_value().ok()?;
            self.is_own(&text).then_some((call, command))
        };
        calls.elements().into_iter().filter_map(own).collect()
    }

    /// Whether a command line calls a hook of tars for this client.
    fn is_own(self, command: &str) -> bool {
        command.contains("tars")
            && command.contains(" hook ")
            && command.ends_with(&format!(" --client {}", self.name()))
    }
}

fn parsed(text: &str) -> Result<CstRootNode, McpConfigError> {
    let failed = |error: jsonc_parser::errors::ParseError| McpConfigError::Syntax(error.to_string());
    CstRootNode::parse(text, &ParseOptions::default()).map_err(failed)
}

fn no_section(name: &str) -> McpConfigError {
    McpConfigError::NoSection(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hooks_are_added_beside_others_and_removed_again() {
        let program = Path::new("/opt/Tom's tools/tars");
        let others = "{\n  \"version\": 1,\n  // mine\n  \"hooks\": {\n    \"stop\": [{ \"command\": \"./audit.sh\" }]\n  }\n}\n";
        let with = AgentClient::Cursor.with_hooks(others, program).unwrap();
        for part in ["// mine", "./audit.sh", "sessionStart", "'/opt/Tom'\\\\''s tools/tars' hook stop --client cursor"]
        {
            assert!(with.contains(part), "{part}: {with}");
        }
        assert_eq!(AgentClient::Cursor.with_hooks(&with, program).unwrap(), with, "twice is once");
        let without = AgentClient::Cursor.without_hooks(&with).unwrap().unwrap();
        assert!(without.contains("./audit.sh") && !without.contains("tars"), "{without}");
        assert_eq!(AgentClient::Cursor.without_hooks(&without).unwrap(), None);
        let made = AgentClient::Cursor.with_hooks("", program).unwrap();
        assert!(serde_json::from_str::<serde_json::Value>(&made).unwrap()["hooks"]["beforeSubmitPrompt"].is_array());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_edited_or_refused(text in "[{}\\[\\]\",:a-z/*\n ]{0,60}") {
            if let Ok(with) = AgentClient::Cursor.with_hooks(&text, Path::new("/tars")) {
                proptest::prop_assert!(AgentClient::Cursor.without_hooks(&with).unwrap().is_some());
            }
        }
    }
}
