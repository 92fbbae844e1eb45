//! `tars mcp install`: adds tars to the configuration of an agent's client.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::args::{Args, McpServerArgs};
use crate::terminal::sanitize;
use crate::{Outcome, terminal};
use tars_agent::client::{ConfigPlaces, McpClient, ServerCommand};
use tars_base::disk::{AtomicWrite, Folder};
use tars_service::{App, Context, Refusal, Result, bail};

/// Largest configuration that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// Mode of a new configuration file: clients store keys in it.
const MODE: u32 = 0o600;
/// File name suffix of the backup of a configuration.
const BACKUP_SUFFIX: &str = ".before-tars";

/// Lists the clients on this machine, and whether they use tars.
pub(super) fn list(app: &App) -> Result<Outcome> {
    let (places, clients) = (places(app)?, installed_clients(app)?);
    let mut out = anstream::stdout().lock();
    for (client, knows) in &clients {
        let state = match knows {
            Some(true) => "knows tars",
            Some(false) => "does not know tars",
            None => "cannot be read",
        };
        writeln!(out, "{:<15} {state}  {}", client.name(), sanitize(&client.file(&places).display().to_string()))?;
    }
    if !clients.is_empty() {
        terminal::print_note("tars mcp install CLIENT adds it, --remove removes it");
        return Ok(Outcome::Done);
    }
    let names = McpClient::ALL.map(McpClient::name).join(", ");
    terminal::print_note(&format!(
        "none of these clients is on this machine: {names}; tars mcp install CLIENT --print shows what to add"
    ));
    Ok(Outcome::Nothing)
}

/// Prints the configuration as it would be in an empty file.
pub(super) fn print(args: &Args, client: McpClient, offer: &McpServerArgs) -> Result<Outcome> {
    let text = client.add_server("", &command(args, offer)?)?;
    write!(anstream::stdout().lock(), "{text}")?;
    Ok(Outcome::Done)
}

/// Adds tars to the client's configuration.
pub(super) fn install(app: &App, args: &Args, client: McpClient, offer: &McpServerArgs) -> Result<Outcome> {
    app.roots()?;
    let ConfigChange { file, changed, backup } = add(app, client, &command(args, offer)?)?;
    let mut out = anstream::stdout().lock();
    if !changed {
        writeln!(out, "{} already contains it", file.display())?;
        return Ok(Outcome::Done);
    }
    writeln!(out, "added tars to {}", file.display())?;
    say_follow_up(client, backup.as_deref());
    Ok(Outcome::Done)
}

/// Removes tars from the client's configuration.
pub(super) fn remove(app: &App, client: McpClient) -> Result<Outcome> {
    let ConfigChange { file, changed, backup } = remove_from(app, client)?;
    if !changed {
        terminal::print_note(&format!("tars is not in {}", file.display()));
        return Ok(Outcome::Nothing);
    }
    writeln!(anstream::stdout().lock(), "removed tars from {}", file.display())?;
    say_follow_up(client, backup.as_deref());
    Ok(Outcome::Done)
}

/// The result of a change to a client's configuration.
pub(super) struct ConfigChange {
    /// The configuration file.
    pub(super) file: PathBuf,
    /// Whether it has changed.
    pub(super) changed: bool,
    /// The backup of the former content.
    pub(super) backup: Option<PathBuf>,
}

/// Adds the server that `command` starts to a client.
pub(super) fn add(app: &App, client: McpClient, command: &ServerCommand) -> Result<ConfigChange> {
    let file = client.file(&places(app)?);
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
pub(super) fn remove_from(app: &App, client: McpClient) -> Result<ConfigChange> {
    let file = client.file(&places(app)?);
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
pub(super) fn installed_clients(app: &App) -> Result<Vec<(McpClient, Option<bool>)>> {
    let places = places(app)?;
    let knows = |client: McpClient| {
        let text = read(&client.file(&places)).ok()?;
        client.remove_server(text.as_deref().unwrap_or_default()).ok().map(|without| without.is_some())
    };
    let clients = McpClient::ALL.into_iter().filter(|client| client.is_installed(&places));
    Ok(clients.map(|client| (client, knows(client))).collect())
}

fn say_follow_up(client: McpClient, backup: Option<&Path>) {
    if let Some(backup) = backup {
        terminal::print_note(&format!("its former content is in {}", backup.display()));
    }
    terminal::print_note(&format!("restart {} to apply the change", client.name()));
}

fn refused(file: &Path, error: &dyn std::fmt::Display, client: McpClient) -> Refusal {
    Refusal {
        message: format!("{} was not changed: {error}", file.display()),
        hint: format!("tars mcp install {} --print shows what to add by hand", client.name()),
    }
}

/// Returns the command line that starts the server: this program with the named folders and the options.
pub(super) fn command(args: &Args, offer: &McpServerArgs) -> Result<ServerCommand> {
    let text = |path: PathBuf| {
        path.into_os_string().into_string().ok().context("a path is not valid UTF-8, which JSON requires")
    };
    let program = text(std::env::current_exe().context("cannot find this program")?)?;
    let mut arguments = vec!["mcp".to_owned()];
    for (flag, path) in args.folders() {
        let path = std::path::absolute(&path).with_context(|| format!("cannot resolve {}", path.display()))?;
        arguments.extend([flag.to_owned(), text(path)?]);
    }
    if offer.read_only {
        arguments.push("--read-only".into());
    }
    if !offer.collections.is_empty() {
        arguments.extend(["--collections".into(), offer.collections.join(",")]);
    }
    arguments.extend(offer.budget.into_iter().flat_map(|budget| ["--budget".into(), budget.to_string()]));
    Ok(ServerCommand { program, arguments })
}

fn places(app: &App) -> Result<ConfigPlaces> {
    let environment = &app.environment;
    let home = environment.home.clone().context("the home directory is not known")?;
    let named = |variable: &str| environment.variable(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = named("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
    Ok(ConfigPlaces { config, codex: named("CODEX_HOME"), is_mac: cfg!(target_os = "macos"), home })
}

/// Returns the text of a configuration; `None` if there is none.
fn read(file: &Path) -> Result<Option<String>> {
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
fn backup_path(file: &Path) -> PathBuf {
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(BACKUP_SUFFIX);
    target.with_file_name(name)
}

/// Replaces a configuration atomically, and backs up its former content beside it. Follows a link and changes its target. Returns the
/// path of the backup.
fn replace(file: &Path, before: Option<&str>, text: &str) -> Result<Option<PathBuf>> {
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
