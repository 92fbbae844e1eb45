//! Adds and removes tool servers in the user's file. The rest of the file stays as it is.

use std::fmt::Write;

use toml::Value;

use super::edit::{with_table, without_table};
use super::error::EntryKind;
use super::mcp_servers::read;
use super::user_file::UserFile;
use super::user_file_schedules::without_line;
use super::{ConfigError, MCP_SERVERS, McpServerSettings, McpTransport, file};

impl UserFile<'_> {
    /// Returns the tool servers of the file as it is now; none if it does not exist.
    ///
    /// # Errors
    /// The file cannot be read, or a server in it is invalid.
    pub fn mcp_servers(&self) -> Result<Vec<McpServerSettings>, ConfigError> {
        file::read(&self.path)?.map_or_else(|| Ok(Vec::new()), |text| read(&text, &self.path))
    }

    /// Appends a server to the file. A missing file is created.
    ///
    /// # Errors
    /// Another server has this name, the server or the file would not load, or the file cannot be written.
    pub fn add_mcp_server(&self, server: &McpServerSettings) -> Result<(), ConfigError> {
        let refused = |reason: &str| ConfigError::Entry {
            kind: EntryKind::Server,
            name: server.name.clone(),
            reason: reason.to_owned(),
        };
        let added = self.checked_server(server)?;
        self.change(|before| {
            let known = read(before, &self.path)?;
            if known.iter().any(|other| other.name == server.name) {
                return Err(refused("is in your configuration already"));
            }
            let text = with_table(before, &to_toml(server));
            // Reading the new text must return exactly the added server.
            match read(&text, &self.path)?.as_slice() {
                [rest @ .., last] if *rest == known && *last == added => Ok(Some(text)),
                _ => Err(refused("cannot stand in this configuration")),
            }
        })
        .map(|_| ())
    }

    /// Returns the server as the file would hold it, with the checks of a load. Nothing is written.
    ///
    /// # Errors
    /// The server would not load.
    pub fn checked_server(&self, server: &McpServerSettings) -> Result<McpServerSettings, ConfigError> {
        let read = read(&to_toml(server), &self.path).map_err(without_line)?;
        read.into_iter().next().ok_or_else(|| ConfigError::Shape("a server without a table".into()))
    }

    /// Removes a server from the file and returns whether it was there. Comments above it stay.
    ///
    /// # Errors
    /// The file is not TOML or cannot be written.
    pub fn remove_mcp_server(&self, name: &str) -> Result<bool, ConfigError> {
        let (section, servers) = MCP_SERVERS.split_once('.').unwrap_or((MCP_SERVERS, ""));
        self.change(|before| {
            without_table(before, &[section, servers, name]).map_err(|error| self.not_edited(error, MCP_SERVERS))
        })
    }
}

/// Returns a server as its table in a file: name, transport and permission.
fn to_toml(server: &McpServerSettings) -> String {
    let key = toml_edit::Key::new(server.name.as_str());
    let mut text = format!("[{MCP_SERVERS}.{key}]\n");
    let mut add = |key: &str, value: Value| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{key} = {value}");
    };
    match &server.transport {
        McpTransport::Program { command, args, env } => {
            add("command", command.as_str().into());
            if !args.is_empty() {
                add("args", args.clone().into());
            }
            if !env.is_empty() {
                let env = env.iter().map(|(name, value)| (name.clone(), value.written().into()));
                add("env", Value::Table(env.collect()));
            }
        }
        McpTransport::Address { url, token_env } => {
            add("url", url.as_str().into());
            if let Some(token_env) = token_env {
                add("token_env", token_env.as_str().into());
            }
        }
    }
    add("permission", server.permission.as_str().into());
    text
}
