//! The agents of this machine: what joins tars to each, when its hooks last ran, and what they cost.
//!
//! A change is shown before it is made. The former content of an edited file stays beside it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::client_config::{backup_path, client_places, read, replace};
use super::{HookCosts, add_mcp_server, mcp_clients, remove_mcp_server};
use crate::notes::conflicts::diff;
use crate::{App, Context, DiffLine, Refusal, Result, Service, UseCase};
use tars_agent::client::{AgentClient, IntegrationContent, IntegrationFile, McpConfigError, ServerCommand};

/// Asks for the agents of this machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AgentsRequest {}

/// The agents that tars knows, in a fixed order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentsResponse {
    /// A line for each.
    pub agents: Vec<AgentReport>,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentReport {
    /// Its name for commands.
    pub client: String,
    /// Its name.
    pub label: String,
    /// Whether its program or its folder is on this machine.
    pub is_present: bool,
    /// The state of its hooks.
    pub hooks: HooksState,
    /// Whether it lists tars as an MCP server; `None` if it has no list that tars reads, or an unreadable one.
    pub mcp: Option<bool>,
    /// The calls of its hooks; `None` if there was none.
    pub costs: Option<HookCosts>,
    /// The commands that install the plugin, if the client does so by itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own_commands: Vec<String>,
}

/// The state of the files that join tars to a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HooksState {
    /// There are none.
    Missing,
    /// They are those of this version.
    Current,
    /// They are there, but not as this version would write them.
    Different,
    /// The client installs the plugin by itself; calls show whether it is there.
    OfClient,
}

/// Joins tars to a client, updates what joins it, or removes that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeAgentRequest {
    /// The client.
    pub client: AgentClient,
    /// Whether to remove instead.
    pub remove: bool,
    /// The command line of the MCP server.
    pub server: ServerCommand,
    /// Whether to write nothing and only return the changes.
    pub dry_run: bool,
}

/// The changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeAgentResponse {
    /// The files that change or changed.
    pub files: Vec<FileChange>,
    /// The commands that the person runs in addition.
    pub own_commands: &'static [&'static str],
}

/// A file of a client before and after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Its path.
    pub path: PathBuf,
    /// Whether it is removed.
    pub is_removed: bool,
    /// The lines that differ, with those around them.
    pub diff: Vec<DiffLine>,
    /// Number of further lines of the diff.
    pub more_lines: usize,
    /// Where the former content is, after the change.
    pub backup: Option<PathBuf>,
}

impl UseCase for AgentsRequest {
    type Response = AgentsResponse;

    fn run(&self, service: &Service<'_>) -> Result<AgentsResponse> {
        AgentsResponse::of(service.app)
    }
}

impl AgentsResponse {
    /// Returns the agents of this machine.
    ///
    /// # Errors
    /// The home directory is not known.
    pub(crate) fn of(app: &App) -> Result<Self> {
        let (places, servers) = (client_places(app)?, mcp_clients(app)?);
        let report = |client: AgentClient| {
            let files = client.integration(&places);
            let mcp = client.mcp_client().and_then(|client| servers.iter().find(|(one, _)| *one == client)?.1);
            AgentReport {
                client: client.name().to_owned(),
                label: client.label().to_owned(),
                is_present: client.config_folder(&places).is_dir() || is_on_path(app, client.program()),
                hooks: if files.is_empty() { HooksState::OfClient } else { state(client, &files) },
                mcp,
                costs: HookCosts::of(&app.settings.config.data.dir, client),
                own_commands: client.own_commands().iter().map(|&command| command.to_owned()).collect(),
            }
        };
        Ok(Self { agents: AgentClient::ALL.into_iter().map(report).collect() })
    }
}

impl UseCase for ChangeAgentRequest {
    type Response = ChangeAgentResponse;

    fn run(&self, service: &Service<'_>) -> Result<ChangeAgentResponse> {
        let app = service.app;
        let places = client_places(app)?;
        let mut files = Vec::new();
        for file in self.client.integration(&places) {
            files.extend(self.changed(&file)?);
        }
        if let Some(client) =
            self.client.mcp_client().filter(|_| !files.is_empty() || self.remove || self.is_listed(app))
        {
            let path = client.file(&places);
            let before = read(&path)?;
            let text = before.as_deref().unwrap_or_default();
            let after = match self.remove {
                true => client.remove_server(text).map_err(|error| refused(&path, &error))?,
                false => Some(client.add_server(text, &self.server).map_err(|error| refused(&path, &error))?),
            };
            if let Some(after) = after.filter(|after| before.as_deref() != Some(after)) {
                let mut change = FileChange::new(path, before.as_deref(), Some(&after));
                if !self.dry_run {
                    let made = match self.remove {
                        true => remove_mcp_server(app, client)?,
                        false => add_mcp_server(app, client, &self.server)?,
                    };
                    change.backup = made.backup;
                }
                files.push(change);
            }
        }
        Ok(ChangeAgentResponse { files, own_commands: self.client.own_commands() })
    }
}

impl ChangeAgentRequest {
    /// Whether the client is there at all, so that its list of servers is worth a change.
    fn is_listed(&self, app: &App) -> bool {
        let listed = mcp_clients(app).unwrap_or_default();
        self.client.mcp_client().is_some_and(|client| listed.iter().any(|(one, _)| *one == client))
    }

    /// Changes a file unless this is a dry run. Returns the change; `None` if there is none.
    fn changed(&self, file: &IntegrationFile) -> Result<Option<FileChange>> {
        let before = read(&file.path)?;
        let text = before.as_deref().unwrap_or_default();
        let after = match (file.content, self.remove) {
            (IntegrationContent::Whole(own), false) => Some(own.to_owned()),
            (IntegrationContent::Whole(_), true) => None,
            (IntegrationContent::Hooks, false) => {
                Some(self.client.with_hooks(text, &own_program()?).map_err(|error| refused(&file.path, &error))?)
            }
            (IntegrationContent::Hooks, true) => {
                match self.client.without_hooks(text).map_err(|error| refused(&file.path, &error))? {
                    Some(without) => Some(without),
                    None => return Ok(None),
                }
            }
        };
        if before == after {
            return Ok(None);
        }
        let mut change = FileChange::new(file.path.clone(), before.as_deref(), after.as_deref());
        if !self.dry_run {
            match after {
                Some(after) => change.backup = replace(&file.path, before.as_deref(), &after)?,
                None => change.backup = remove(file, text)?,
            }
        }
        Ok(Some(change))
    }
}

impl FileChange {
    fn new(path: PathBuf, before: Option<&str>, after: Option<&str>) -> Self {
        let (diff, more_lines) = diff(before.unwrap_or_default(), after.unwrap_or_default());
        Self { path, is_removed: after.is_none(), diff, more_lines, backup: None }
    }
}

/// Removes a file with this content, or a link but not its target. Returns the path to which an edited file was moved instead.
fn remove(file: &IntegrationFile, text: &str) -> Result<Option<PathBuf>> {
    let path = &file.path;
    let is_edited = !matches!(file.content, IntegrationContent::Whole(own) if own == text);
    let backup = (is_edited && !path.is_symlink()).then(|| backup_path(path));
    match &backup {
        Some(backup) => fs::rename(path, backup),
        None => fs::remove_file(path),
    }
    .with_context(|| format!("cannot remove {}", path.display()))?;
    Ok(backup)
}

/// Returns the state of a client's files.
fn state(client: AgentClient, files: &[IntegrationFile]) -> HooksState {
    let states = files.iter().map(|file| {
        let text = read(&file.path).ok().flatten();
        match (file.content, text) {
            (_, None) => HooksState::Missing,
            (IntegrationContent::Whole(own), Some(text)) if text == own => HooksState::Current,
            (IntegrationContent::Whole(_), Some(_)) => HooksState::Different,
            (IntegrationContent::Hooks, Some(text)) => match client.without_hooks(&text) {
                Ok(None) => HooksState::Missing,
                Ok(Some(_)) => {
                    let with = own_program().ok().and_then(|program| client.with_hooks(&text, &program).ok());
                    if with.as_deref() == Some(&text) { HooksState::Current } else { HooksState::Different }
                }
                Err(_) => HooksState::Different,
            },
        }
    });
    let states: Vec<HooksState> = states.collect();
    match states.first() {
        Some(first) if states.iter().all(|state| state == first) => *first,
        _ => HooksState::Different,
    }
}

fn own_program() -> Result<PathBuf> {
    std::env::current_exe().context("cannot find this program")
}

fn refused(path: &Path, error: &McpConfigError) -> Refusal {
    Refusal { message: format!("{} was not changed: {error}", path.display()), hint: "mend it by hand first".into() }
}

/// Whether a folder of the path holds this program.
pub(super) fn is_on_path(app: &App, program: &str) -> bool {
    let path = app.environment.variable("PATH").map(std::ffi::OsStr::to_owned).unwrap_or_default();
    std::env::split_paths(&path).any(|folder| {
        let file = folder.join(program).metadata().ok();
        file.is_some_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    })
}
