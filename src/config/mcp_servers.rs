//! The tool servers for the assistant: each `[mcp.servers.NAME]` in the user's file.
//!
//! A server is a program to run or an address to call. Project files, variables and the vault cannot define servers. A value of `env`
//! such as `${NAME}` refers to a variable of tars' own environment, so the file need not hold secrets.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use toml::Value;
use toml_edit::{Item, TableLike};

use super::choices::Permission;
use super::file;
use super::rule::Rule;
use super::tables::{Fields, SourceFile, invalid_field};
use super::{ConfigError, MCP_SERVERS};

/// Maximum length of a name, in bytes.
const MAX_NAME_LENGTH: usize = 32;
/// Maximum number of servers.
const MAX_SERVERS: usize = 50;
/// Default timeout of a call.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
const KEYS: [&str; 9] =
    ["command", "args", "env", "url", "token_env", "enabled", "timeout_seconds", "permission", "tools"];

/// A configured server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServerSettings {
    /// Its name: up to 32 ASCII letters, digits, `-` and `_`, without `__`.
    pub name: String,
    /// Its program or address.
    pub transport: McpTransport,
    /// Whether the assistant uses it.
    pub enabled: bool,
    /// Timeout of its start and of each call.
    pub timeout: Duration,
    /// Permission for its tools.
    pub permission: Permission,
    /// Permissions of single tools that differ from it, by the server's own names.
    pub tools: BTreeMap<String, Permission>,
}

/// Transport of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpTransport {
    /// A program that communicates over standard input and output.
    Program {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables of its environment, besides those that every such program receives.
        env: BTreeMap<String, EnvValue>,
    },
    /// A URL.
    Address {
        /// The URL.
        url: String,
        /// The variable that holds the token for the URL.
        token_env: Option<String>,
    },
}

/// A value for a program's environment.
#[derive(Clone, PartialEq, Eq)]
pub enum EnvValue {
    /// A fixed text.
    Text(String),
    /// The value of a variable in tars' own environment.
    Variable(String),
}

impl EnvValue {
    /// Returns the value as a file holds it.
    pub(super) fn written(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Variable(name) => format!("${{{name}}}"),
        }
    }
}

impl fmt::Debug for EnvValue {
    /// Hides a fixed text, which may be a secret.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => formatter.write_str("(text)"),
            Self::Variable(name) => write!(formatter, "${{{name}}}"),
        }
    }
}

impl McpServerSettings {
    /// Returns an enabled server whose tools a person is asked about.
    pub fn new(name: &str, transport: McpTransport) -> Self {
        Self {
            name: name.to_owned(),
            transport,
            enabled: true,
            timeout: DEFAULT_TIMEOUT,
            permission: Permission::Ask,
            tools: BTreeMap::new(),
        }
    }

    /// Returns the permission for a tool, by the server's own name for it.
    pub fn permission(&self, tool: &str) -> Permission {
        self.tools.get(tool).copied().unwrap_or(self.permission)
    }
}

/// Returns the servers of a user's file in order.
pub(super) fn read(text: &str, path: &Path) -> Result<Vec<McpServerSettings>, ConfigError> {
    let document = file::parse(text).map_err(|error| error.at(path))?;
    let source = SourceFile { text, path };
    let (section, name) = MCP_SERVERS.split_once('.').unwrap_or((MCP_SERVERS, ""));
    let mcp = document.as_table().get(section).and_then(Item::as_table_like);
    let Some((key, item)) = mcp.and_then(|mcp| mcp.get_key_value(name)) else { return Ok(Vec::new()) };
    let origin = || source.origin(key.span().or_else(|| item.span()));
    let Some(tables) = item.as_table() else {
        let expected = "a table for each server that begins with [mcp.servers.NAME]";
        return Err(invalid_field(origin(), MCP_SERVERS, expected, None));
    };
    if tables.len() > MAX_SERVERS {
        return Err(invalid_field(origin(), MCP_SERVERS, &format!("{MAX_SERVERS} servers at most"), None));
    }
    tables.iter().map(|(name, item)| one(name, item, source)).collect()
}

/// Parses one server.
fn one(name: &str, item: &Item, source: SourceFile<'_>) -> Result<McpServerSettings, ConfigError> {
    let section = format!("{MCP_SERVERS}.{name}");
    let Some(table) = item.as_table() else {
        return Err(invalid_field(
            source.origin(item.span()),
            &section,
            &format!("a table that begins with [{section}]"),
            None,
        ));
    };
    let fields = Fields { table, section: &section, source };
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !(1..=MAX_NAME_LENGTH).contains(&name.len()) || !name.chars().all(plain) || name.contains("__") {
        let expected = "a name of at most 32 ASCII letters, digits, '-' and '_', without two '_' in a row";
        return Err(invalid_field(source.origin(table.span()), MCP_SERVERS, expected, Some(name.to_owned())));
    }
    fields.check(&KEYS)?;
    let permission = fields.text("permission", permissions())?.and_then(|word| Permission::parse(&word));
    Ok(McpServerSettings {
        name: name.to_owned(),
        transport: transport(&fields)?,
        enabled: fields.bool("enabled", true)?,
        timeout: fields.seconds("timeout_seconds", DEFAULT_TIMEOUT)?,
        permission: permission.unwrap_or(Permission::Ask),
        tools: tools(&fields)?,
    })
}

fn permissions() -> Rule {
    Rule::Choice(&["allow", "ask", "deny"])
}

fn transport(fields: &Fields<'_>) -> Result<McpTransport, ConfigError> {
    let (command, url) = (fields.text("command", Rule::Text)?, fields.text("url", Rule::Address)?);
    match (command, url) {
        (Some(command), None) => {
            if fields.table.contains_key("token_env") {
                return Err(fields.invalid("token_env", "a url beside it (a program gets its variables by env)", None));
            }
            Ok(McpTransport::Program { command, args: args(fields)?, env: env(fields)? })
        }
        (None, Some(url)) => {
            if let Some(key) = ["args", "env"].into_iter().find(|key| fields.table.contains_key(key)) {
                return Err(fields.invalid(key, "a command beside it", None));
            }
            Ok(McpTransport::Address { url, token_env: fields.text("token_env", Rule::VariableName)? })
        }
        (Some(_), Some(_)) => Err(fields.invalid("url", "either command or url, not both", None)),
        (None, None) => {
            let expected = "the program of the server, or url = \"https://…\" instead";
            Err(fields.invalid("command", expected, None))
        }
    }
}

/// Arguments may be empty, and may hold anything but null characters.
fn args(fields: &Fields<'_>) -> Result<Vec<String>, ConfigError> {
    let expected = "a list of texts, such as [\"-y\", \"PACKAGE\"]";
    let Some(value) = fields.plain("args") else { return Ok(Vec::new()) };
    let words = value.as_array().and_then(|words| words.iter().map(|word| word.as_str().map(str::to_owned)).collect());
    let words: Option<Vec<String>> = words;
    words
        .filter(|words| !words.iter().any(|word| word.contains('\0')))
        .ok_or_else(|| fields.invalid("args", expected, Some(value.to_string())))
}

fn env(fields: &Fields<'_>) -> Result<BTreeMap<String, EnvValue>, ConfigError> {
    let expected = "a table of texts, such as { LEVEL = \"info\", TOKEN = \"${TOKEN}\" }";
    let mut all = BTreeMap::new();
    for (name, item) in entries(fields, "env", expected)? {
        // The error does not show the value, which may be a secret.
        let text = item.as_str().filter(|text| !text.contains('\0') && !name.is_empty() && !name.contains(['=', '\0']));
        let text = text.ok_or_else(|| fields.invalid("env", expected, None))?;
        let value = match text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) {
            Some(variable) if Rule::VariableName.accept(&Value::String(variable.to_owned())).is_ok() => {
                EnvValue::Variable(variable.to_owned())
            }
            Some(_) => return Err(fields.invalid("env", "${NAME} with the name of a variable in capitals", None)),
            None => EnvValue::Text(text.to_owned()),
        };
        all.insert(name, value);
    }
    Ok(all)
}

fn tools(fields: &Fields<'_>) -> Result<BTreeMap<String, Permission>, ConfigError> {
    let expected = "a table of tools, such as { read_file = \"allow\", move_file = \"deny\" }";
    let mut all = BTreeMap::new();
    for (name, item) in entries(fields, "tools", expected)? {
        let permission = item.as_str().and_then(Permission::parse);
        let found = || item.as_value().map(|value| value.to_string().trim().to_owned());
        all.insert(name, permission.ok_or_else(|| fields.invalid("tools", expected, found()))?);
    }
    Ok(all)
}

/// Returns the entries of a nested table.
fn entries<'f>(fields: &'f Fields<'_>, key: &str, expected: &str) -> Result<Vec<(String, &'f Item)>, ConfigError> {
    let Some(item) = fields.table.get(key) else { return Ok(Vec::new()) };
    let table: Option<&dyn TableLike> = item.as_table_like();
    let table = table.ok_or_else(|| fields.invalid(key, expected, None))?;
    Ok(table.iter().map(|(name, item)| (name.to_owned(), item)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<McpServerSettings>, String> {
        read(text, Path::new("/c.toml")).map_err(|error| error.to_string())
    }

    #[test]
    fn a_server_is_a_program_or_an_address() {
        let servers = read_text(
            "[mcp]\nbudget_tokens = 2000\n[mcp.servers.files]\ncommand = \"npx\"\nargs = [\"-y\", \"server\", \"\"]\n\
             env = { LEVEL = \"info\", TOKEN = \"${FILES_TOKEN}\" }\npermission = \"deny\"\n\
             tools = { read_file = \"allow\", \"odd name\" = \"ask\" }\n\
             [mcp.servers.away]\nurl = \"https://host/mcp\"\ntoken_env = \"AWAY_TOKEN\"\nenabled = false\ntimeout_seconds = 5\n",
        )
        .unwrap();
        let [files, away] = servers.as_slice() else { panic!("{servers:?}") };
        let McpTransport::Program { command, args, env } = &files.transport else { panic!("{files:?}") };
        assert_eq!((command.as_str(), args.len()), ("npx", 3));
        assert_eq!(env["TOKEN"], EnvValue::Variable("FILES_TOKEN".into()));
        assert_eq!(env["LEVEL"], EnvValue::Text("info".into()));
        let allowed = ["read_file", "odd name", "write_file"].map(|tool| files.permission(tool));
        assert_eq!(allowed, [Permission::Allow, Permission::Ask, Permission::Deny]);
        assert!(!away.enabled && away.timeout == Duration::from_secs(5) && away.permission == Permission::Ask);
        assert!(!format!("{files:?}").contains("info"), "a value may be a secret");
    }

    #[test]
    fn errors_have_a_line_number() {
        for (text, said) in [
            ("command = \"a\"\nurl = \"http://b\"\n", "/c.toml:3: mcp.servers.x.url: expected either command or url"),
            ("args = []\n", "mcp.servers.x.command: expected the program of the server"),
            ("command = \"a\"\nargs = \"b\"\n", "mcp.servers.x.args: expected a list of texts"),
            ("command = \"a\"\nenv = { A = 1 }\n", "mcp.servers.x.env: expected a table of texts"),
            ("command = \"a\"\nenv = { A = \"${sk-secret}\" }\n", "expected ${NAME}"),
            ("command = \"a\"\ntools = { t = \"perhaps\" }\n", "mcp.servers.x.tools: expected a table of tools"),
            ("command = \"a\"\nurls = \"b\"\n", "unknown key 'mcp.servers.x.urls', did you mean 'mcp.servers.x.url'?"),
            ("url = \"ftp://b\"\n", "mcp.servers.x.url: expected an http:// or https:// address"),
            ("url = \"http://b\"\nenv = {}\n", "mcp.servers.x.env: expected a command beside it"),
        ] {
            let error = read_text(&format!("[mcp.servers.x]\n{text}")).unwrap_err();
            assert!(error.contains(said) && !error.contains("sk-secret"), "{text}: {error}");
        }
        assert!(read_text("[mcp.servers.\"a b\"]\ncommand = \"c\"\n").unwrap_err().contains("a name of at most"));
        assert!(read_text("[mcp]\nservers = 3\n").unwrap_err().contains("a table for each server"));
    }
}
