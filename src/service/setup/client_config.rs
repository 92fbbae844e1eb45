//! The configurations of agents' clients: tars as one of their MCP servers. A change keeps the former content beside the file.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::{App, Context, Refusal, Result, bail};
use tars_agent::client::{ConfigPlaces, McpClient, ServerCommand};
use tars_base::disk::{AtomicWrite, Folder};

/// Largest configuration that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// Mode of a new configuration file: clients store keys in it.
const MODE: u32 = 0o600;
/// File name suffix of the backup of a configuration.
const BACKUP_SUFFIX: &str = ".before-tars";

/// The result of a change to a client's configuration.
#[derive(Debug)]
pub struct ConfigChange {
    /// The configuration file.
    pub file: PathBuf,
    /// Whether it has changed.
    pub changed: bool,
    /// The backup of the former content.
    pub backup: Option<PathBuf>,
}

/// Adds the server that `command` starts to a client.
///
/// # Errors
/// Its configuration cannot be edited or written.
pub fn add_mcp_server(app: &App, client: McpClient, command: &ServerCommand) -> Result<ConfigChange> {
    let file = client.file(&client_places(app)?);
    let before = read(&file)?;
    let text = client
        .add_server(before.as_deref().unwrap_or_default(), command)
        .map_err(|error| refused(&file, &error, client))?;
    if before.as_deref() == Some(&text) {
        return Ok(ConfigChange { file, changed: false, backup: None });
    }
    let backup = replace(&file, before.as_deref(), &text)?;
    Ok(ConfigChange { file, changed: true, backup })
}

/// Removes the server from a client.
///
/// # Errors
/// Its configuration cannot be edited or written.
pub fn remove_mcp_server(app: &App, client: McpClient) -> Result<ConfigChange> {
    let file = client.file(&client_places(app)?);
    let before = read(&file)?;
    let without =
        client.remove_server(before.as_deref().unwrap_or_default()).map_err(|error| refused(&file, &error, client))?;
    let Some(text) = without else { return Ok(ConfigChange { file, changed: false, backup: None }) };
    // A file that was empty before tars was added has no backup.
    let is_made_by_tars = text.split_whitespace().all(|word| matches!(word, "{" | "}" | "{}"));
    if is_made_by_tars && !backup_path(&file).exists() && !file.is_symlink() && read(&file)? == before {
        fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
        return Ok(ConfigChange { file, changed: true, backup: None });
    }
    let backup = replace(&file, before.as_deref(), &text)?;
    Ok(ConfigChange { file, changed: true, backup })
}

/// Returns the clients on this machine, each with whether it uses tars; `None` if its configuration is unreadable.
///
/// # Errors
/// The home directory is not known.
pub fn mcp_clients(app: &App) -> Result<Vec<(McpClient, Option<bool>)>> {
    let places = client_places(app)?;
    let knows = |client: McpClient| {
        let text = read(&client.file(&places)).ok()?;
        client.remove_server(text.as_deref().unwrap_or_default()).ok().map(|without| without.is_some())
    };
    let clients = McpClient::ALL.into_iter().filter(|client| client.is_installed(&places));
    Ok(clients.map(|client| (client, knows(client))).collect())
}

fn refused(file: &Path, error: &dyn std::fmt::Display, client: McpClient) -> Refusal {
    Refusal {
        message: format!("{} was not changed: {error}", file.display()),
        hint: format!("tars mcp install {} --print shows what to add by hand", client.name()),
    }
}

/// Returns the places of clients' configurations on this machine.
///
/// # Errors
/// The home directory is not known.
pub fn client_places(app: &App) -> Result<ConfigPlaces> {
    let environment = &app.environment;
    let home = environment.home.clone().context("the home directory is not known")?;
    let named = |variable: &str| environment.variable(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = named("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    Ok(ConfigPlaces { config, codex: named("CODEX_HOME"), is_mac: cfg!(target_os = "macos"), home })
}

/// Returns the text of a configuration; `None` if there is none.
pub(super) fn read(file: &Path) -> Result<Option<String>> {
    let failed = || format!("cannot read {}", file.display());
    match fs::metadata(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(failed),
        Ok(data) if !data.is_file() => bail!("{} is not a file", file.display()),
        Ok(data) if data.len() > MAX_BYTES => bail!("{} is larger than a configuration should be", file.display()),
        Ok(_) => {}
    }
    fs::read_to_string(file).map(Some).with_context(failed)
}

/// Returns the path of a configuration's backup.
pub(super) fn backup_path(file: &Path) -> PathBuf {
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(BACKUP_SUFFIX);
    target.with_file_name(name)
}

/// Replaces a configuration atomically, and backs up its former content beside it. Follows a link and changes its target. Returns the
/// path of the backup.
pub(super) fn replace(file: &Path, before: Option<&str>, text: &str) -> Result<Option<PathBuf>> {
    let failed = || format!("cannot write {}", file.display());
    if let Some(parent) = file.parent() {
        fs::create_dir_all(parent).with_context(failed)?;
    }
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let (parent, name) = (target.parent().with_context(failed)?, target.file_name().and_then(|name| name.to_str()));
    let (folder, name) = (Folder::open(parent).with_context(failed)?, name.with_context(failed)?);
    let mode = fs::metadata(&target).map_or(MODE, |data| data.permissions().mode() & 0o777);
    let put = |name: &str, text: &str| -> std::io::Result<()> {
        let mut unfinished = AtomicWrite::new(&folder, name, mode)?;
        unfinished.file_mut().write_all(text.as_bytes())?;
        unfinished.finish()
    };
    let mut backup = None;
    if let Some(before) = before {
        let kept = format!("{name}{BACKUP_SUFFIX}");
        put(&kept, before).with_context(failed)?;
        backup = Some(parent.join(kept));
    }
    if read(file)?.as_deref() != before {
        bail!("{} has just been changed by another program: nothing was written; try again", file.display());
    }
    put(name, text).with_context(failed)?;
    Ok(backup)
}
