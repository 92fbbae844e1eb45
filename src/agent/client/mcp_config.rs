//! Adds tars to the MCP servers in the configurations of clients.
//!
//! Paths and forms follow each client's documentation as of November 2026. The functions edit the text of a
//! configuration and keep its comments, order and spacing.

use std::path::{Path, PathBuf};

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use toml_edit::{Array, DocumentMut, Item, Table, value};

/// The name of tars in configurations.
const NAME: &str = "tars";

/// A client that supports MCP servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpClient {
    /// Claude Code, for all projects of the user.
    ClaudeCode,
    /// Claude Desktop.
    ClaudeDesktop,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    OpenCode,
    /// Zed.
    Zed,
}

/// The places of configurations on this machine.
#[derive(Debug, Clone)]
pub struct ConfigPlaces {
    /// The user's home directory.
    pub home: PathBuf,
    /// `~/.config`, or the value of `XDG_CONFIG_HOME`.
    pub config: PathBuf,
    /// The value of `CODEX_HOME`.
    pub codex: Option<PathBuf>,
    /// Whether the machine is a Mac.
    pub is_mac: bool,
}

/// The command line of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerCommand {
    /// Absolute path of the program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl ServerCommand {
    /// Removes the flag that names the vault, which the settings name as well.
    pub fn without_vault(mut self) -> Self {
        if let Some(at) = self.arguments.iter().position(|argument| argument == "--vault") {
            self.arguments.drain(at..(at + 2).min(self.arguments.len()));
        }
        self
    }
}

/// Why a configuration cannot be edited.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum McpConfigError {
    /// It violates its format.
    #[error("it cannot be read: {0}")]
    Syntax(String),
    /// A value where a section is expected.
    #[error("'{0}' is not a section in it")]
    NoSection(String),
}

impl McpClient {
    /// All clients.
    pub const ALL: [Self; 8] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Cursor,
        Self::VsCode,
        Self::Codex,
        Self::Gemini,
        Self::OpenCode,
        Self::Zed,
    ];

    /// Returns its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
            Self::Zed => "zed",
        }
    }

    /// Returns the client of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }

    /// Returns the configuration file that lists its servers.
    pub fn file(self, places: &ConfigPlaces) -> PathBuf {
        let ConfigPlaces { home, config, codex, is_mac } = places;
        let applications = if *is_mac { home.join("Library/Application Support") } else { config.clone() };
        match self {
            Self::ClaudeCode => home.join(".claude.json"),
            Self::ClaudeDesktop => applications.join("Claude/claude_desktop_config.json"),
            Self::Cursor => home.join(".cursor/mcp.json"),
            Self::VsCode => applications.join("Code/User/mcp.json"),
            Self::Codex => codex.clone().unwrap_or_else(|| home.join(".codex")).join("config.toml"),
            Self::Gemini => home.join(".gemini/settings.json"),
            Self::OpenCode => {
                let folder = config.join("opencode");
                let with_comments = folder.join("opencode.jsonc");
                if with_comments.exists() { with_comments } else { folder.join("opencode.json") }
            }
            Self::Zed => config.join("zed/settings.json"),
        }
    }

    /// Whether it seems to be installed: its configuration, or the folder for it, exists.
    pub fn is_installed(self, places: &ConfigPlaces) -> bool {
        let file = self.file(places);
        file.exists() || (self != Self::ClaudeCode && file.parent().is_some_and(Path::is_dir))
    }

    /// Returns the path of the section that lists its servers, outermost first.
    fn sections(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode | Self::ClaudeDesktop | Self::Cursor | Self::Gemini => &["mcpServers"],
            Self::VsCode => &["servers"],
            Self::Codex => &["mcp_servers"],
            Self::OpenCode => &["mcp"],
            Self::Zed => &["context_servers"],
        }
    }

    /// Adds tars to the servers of the configuration `text` (empty if there is none), or replaces its entry.
    ///
    /// # Errors
    /// The configuration cannot be edited.
    pub fn add_server(self, text: &str, command: &ServerCommand) -> Result<String, McpConfigError> {
        if self == Self::Codex {
            return with_toml(text, command);
        }
        let root = parsed(text)?;
        let whole = root.object_value_or_create().ok_or_else(|| McpConfigError::NoSection("the top level".into()))?;
        let servers =
            self.servers(&whole, true)?.ok_or_else(|| McpConfigError::NoSection(self.sections()[0].into()))?;
        match servers.get(NAME) {
            Some(entry) => entry.set_value(self.entry(command)),
            None => drop(servers.append(NAME, self.entry(command))),
        }
        Ok(with_line_end(root.to_string()))
    }

    /// Removes tars from the configuration `text`, and the section of the servers if it is then empty. Returns `None`
    /// if tars is not in it.
    ///
    /// # Errors
    /// The configuration cannot be edited.
    pub fn remove_server(self, text: &str) -> Result<Option<String>, McpConfigError> {
        if self == Self::Codex {
            let mut document: DocumentMut = text.parse().map_err(|error| syntax(&error))?;
            let section = self.sections()[0];
            let Some(servers) = document.get_mut(section).and_then(Item::as_table_like_mut) else { return Ok(None) };
            if servers.remove(NAME).is_none() {
                return Ok(None);
            }
            if servers.is_empty() {
                document.remove(section);
            }
            return Ok(Some(document.to_string()));
        }
        let root = parsed(text)?;
        let Some(whole) = root.object_value() else { return Ok(None) };
        let Some(servers) = self.servers(&whole, false)? else { return Ok(None) };
        let Some(entry) = servers.get(NAME) else { return Ok(None) };
        entry.remove();
        // Even a comment keeps the section. An empty one was created for tars or has no effect.
        let section = whole.get(self.sections()[0]).filter(|section| is_written_empty(&section.to_string()));
        if let Some(section) = section {
            section.remove();
        }
        Ok(Some(root.to_string()))
    }

    fn servers(self, whole: &CstObject, create: bool) -> Result<Option<CstObject>, McpConfigError> {
        let mut object = whole.clone();
        for name in self.sections() {
            let no_section = || McpConfigError::NoSection((*name).to_owned());
            object = match (object.get(name), create) {
                (Some(section), _) => section.object_value().ok_or_else(no_section)?,
                (None, true) => object.object_value_or_create(name).ok_or_else(no_section)?,
                (None, false) => return Ok(None),
            };
        }
        // opencode 2 nests its servers one section deeper.
        match object.get("servers").filter(|_| self == Self::OpenCode).and_then(|inner| inner.object_value()) {
            Some(inner) if inner.get("type").is_none() => Ok(Some(inner)),
            _ => Ok(Some(object)),
        }
    }

    /// Returns the entry in this client's form.
    fn entry(self, ServerCommand { program, arguments }: &ServerCommand) -> CstInputValue {
        let text = |text: &str| CstInputValue::String(text.to_owned());
        let list = |texts: &[String]| CstInputValue::Array(texts.iter().map(|one| text(one)).collect());
        let field = |name: &str, value: CstInputValue| (name.to_owned(), value);
        let command = field("command", text(program));
        let given = field("args", list(arguments));
        CstInputValue::Object(match self {
            Self::ClaudeCode | Self::VsCode => vec![field("type", text("stdio")), command, given],
            Self::OpenCode => {
                let all: Vec<String> = std::iter::once(program).chain(arguments).cloned().collect();
                vec![
                    field("type", text("local")),
                    field("command", list(&all)),
                    field("enabled", CstInputValue::Bool(true)),
                ]
            }
            Self::Zed => {
                vec![field("source", text("custom")), command, given, field("env", CstInputValue::Object(vec![]))]
            }
            _ => vec![command, given],
        })
    }
}

fn with_toml(text: &str, command: &ServerCommand) -> Result<String, McpConfigError> {
    let mut document: DocumentMut = text.parse().map_err(|error| syntax(&error))?;
    let section = McpClient::Codex.sections()[0];
    let servers = document.entry(section).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let servers = servers.as_table_like_mut().ok_or_else(|| McpConfigError::NoSection(section.into()))?;
    let mut entry = Table::new();
    entry.insert("command", value(command.program.as_str()));
    entry.insert("args", value(command.arguments.iter().map(String::as_str).collect::<Array>()));
    servers.insert(NAME, Item::Table(entry));
    Ok(document.to_string())
}

/// Whether a section is written as an empty one: `"mcpServers": {}`.
fn is_written_empty(section: &str) -> bool {
    section.split_once(':').is_some_and(|(_, value)| value.split_whitespace().collect::<String>() == "{}")
}

fn parsed(text: &str) -> Result<CstRootNode, McpConfigError> {
    CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| syntax(&error))
}

fn syntax(error: &impl std::fmt::Display) -> McpConfigError {
    McpConfigError::Syntax(error.to_string().trim().replace('\n', "; "))
}

/// Appends a missing final line end.
fn with_line_end(text: String) -> String {
    if text.ends_with('\n') { text } else { text + "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> ServerCommand {
        ServerCommand { program: "/opt/tars".into(), arguments: vec!["mcp".into(), "--read-only".into()] }
    }

    #[test]
    fn editing_keeps_the_rest_of_a_configuration() {
        let text = "{\n  // mine\n  \"theme\": \"dark\", /* so */\n  \"context_servers\": {\n    \"other\": {\"command\": \"x\"},\n  },\n}\n";
        let with = McpClient::Zed.add_server(text, &command()).unwrap();
        for part in ["// mine", "/* so */", "\"theme\": \"dark\"", "\"other\": {\"command\": \"x\"}"] {
            assert!(with.contains(part), "{with}");
        }
        assert!(with.contains("\"/opt/tars\""), "{with}");
        assert_eq!(McpClient::Zed.add_server(&with, &command()).unwrap(), with, "twice is once");
        let without = McpClient::Zed.remove_server(&with).unwrap().unwrap();
        assert!(without.contains("// mine") && !without.contains("/opt/tars"), "{without}");
        assert_eq!(McpClient::Zed.remove_server(&without).unwrap(), None);
    }

    #[test]
    fn each_client_gets_an_entry_in_its_form() {
        for client in McpClient::ALL {
            let made = client.add_server("", &command()).unwrap();
            assert!(made.contains("/opt/tars") && made.contains("--read-only"), "{made}");
            let gone = client.remove_server(&made).unwrap().unwrap();
            assert!(!gone.contains("/opt/tars"), "{gone}");
            assert_eq!(gone.replace(char::is_whitespace, "").replace("{}", ""), "", "a section was left behind");
            assert_eq!(McpClient::named(client.name()), Some(client));
        }
        let codex = McpClient::Codex.add_server("# mine\nmodel = \"o\"\n", &command()).unwrap();
        assert_eq!(
            codex,
            "# mine\nmodel = \"o\"\n\n[mcp_servers.tars]\ncommand = \"/opt/tars\"\nargs = [\"mcp\", \"--read-only\"]\n"
        );
        let deeper = McpClient::OpenCode.add_server("{\"mcp\": {\"servers\": {}}}", &command()).unwrap();
        let read: serde_json::Value = serde_json::from_str(&deeper).unwrap();
        assert_eq!(read["mcp"]["servers"]["tars"]["command"][0], "/opt/tars");
    }

    #[test]
    fn only_an_emptied_section_is_removed() {
        let cursor = |text: &str| {
            McpClient::Cursor.remove_server(&McpClient::Cursor.add_server(text, &command()).unwrap()).unwrap()
        };
        let left = cursor("{\"theme\": \"dark\"}").unwrap();
        assert!(left.contains("dark") && !left.contains("mcpServers"), "{left}");
        let commented = cursor("{\"mcpServers\": {\n  // mine\n}}").unwrap();
        assert!(commented.contains("mcpServers") && commented.contains("// mine"), "{commented}");
        let codex = McpClient::Codex.add_server("model = \"o\"\n", &command()).unwrap();
        assert_eq!(McpClient::Codex.remove_server(&codex).unwrap().unwrap().trim(), "model = \"o\"");
    }

    #[test]
    fn invalid_configurations_are_refused() {
        for text in ["{", "[]", "{\"mcpServers\": 3}", "{\"mcpServers\": []}", "not json"] {
            assert!(McpClient::Cursor.add_server(text, &command()).is_err(), "{text}");
        }
        assert!(McpClient::Codex.add_server("mcp_servers = 3\n", &command()).is_err());
        assert!(McpClient::Codex.add_server("[", &command()).is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_edited_or_refused(text in "[{}\\[\\]\",:a-z/*\n ]{0,60}") {
            for client in [McpClient::Cursor, McpClient::Codex, McpClient::OpenCode] {
                if let Ok(with) = client.add_server(&text, &command()) {
                    proptest::prop_assert!(client.remove_server(&with).unwrap().is_some());
                }
            }
        }
    }
}
