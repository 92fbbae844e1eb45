//! The watcher as a service of the system, for people who want it always on: a systemd user unit, or a launchd agent.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use tars_service::ProblemKind;

/// Why a service cannot be installed or removed.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The service file cannot be written or removed.
    #[error("cannot change {path}: {reason}")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        reason: io::Error,
    },
    /// The service manager failed or is missing. The file written before is removed again.
    #[error("'{command}' failed: {reason}")]
    Manager {
        /// The command that failed.
        command: String,
        /// The cause.
        reason: String,
    },
    /// A path cannot be written into a service file.
    #[error("{path} contains a character that a service file cannot contain")]
    Path {
        /// The path.
        path: PathBuf,
    },
}

impl ServiceError {
    /// Returns an alternative: a watcher in the background needs no service manager.
    pub fn hint(&self) -> Option<String> {
        matches!(self, Self::Manager { .. }).then(|| "tars watch --detach".into())
    }
}

impl From<ServiceError> for tars_service::Error {
    fn from(error: ServiceError) -> Self {
        Self::new(ProblemKind::Failed, error.hint(), error)
    }
}

/// The state of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceState {
    /// The service file.
    pub file: PathBuf,
    /// Whether the service is installed: the user's own file exists, or the package's service is enabled.
    pub installed: bool,
    /// Whether the file belongs to a package instead of the user.
    pub by_package: bool,
    /// The service manager's word for its state (`active`, `inactive` ...); `None` where it reports nothing.
    pub manager_state: Option<String>,
}

const LABEL: &str = "tars.watch";

/// Returns the path of the user's service file.
fn file(home: &Path, config_home: &Path) -> PathBuf {
    if cfg!(target_os = "macos") {
        home.join("Library/LaunchAgents").join(format!("{LABEL}.plist"))
    } else {
        config_home.join("systemd/user/tars-watch.service")
    }
}

/// Installs and starts a service that runs `program` with `arguments`, the first of which is the command.
///
/// # Errors
/// The file cannot be written, or the service manager fails. Everything is then restored to its former state.
pub fn install(home: &Path, config_home: &Path, program: &Path, arguments: &[String]) -> Result<PathBuf, ServiceError> {
    let path = file(home, config_home);
    let text = if cfg!(target_os = "macos") { launchd(program, arguments) } else { systemd(program, arguments) }?;
    let failed = |reason| ServiceError::File { path: path.clone(), reason };
    let before = FormerState::of(&path).map_err(failed)?;
    let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
    let started = written.map_err(failed).and_then(|()| start(&path));
    if let Err(error) = started {
        before.restore(&path);
        return Err(error);
    }
    Ok(path)
}

fn start(path: &Path) -> Result<(), ServiceError> {
    if cfg!(target_os = "macos") {
        return manage(&["launchctl", "load", "-w", &path.to_string_lossy()]);
    }
    manage(&["systemctl", "--user", "daemon-reload"])?;
    manage(&["systemctl", "--user", "enable", "--now", "tars-watch.service"])
}

/// The state before the service file was written.
struct FormerState {
    content: Option<Vec<u8>>,
    /// Folders that did not exist, innermost first.
    folders: Vec<PathBuf>,
}

impl FormerState {
    fn of(path: &Path) -> io::Result<Self> {
        let content = match fs::read(path) {
            Ok(content) => Some(content),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let missing = path.ancestors().skip(1).take_while(|folder| !folder.exists());
        Ok(Self { content, folders: missing.map(Path::to_owned).collect() })
    }

    /// Restores the former state as far as possible, without errors of its own: the caller reports the error that made it necessary.
    fn restore(&self, path: &Path) {
        if self.content.is_none() && !cfg!(target_os = "macos") {
            // When starting failed, the service may be enabled already. Without a service manager there is nothing to undo.
            let _ = manage(&["systemctl", "--user", "disable", "tars-watch.service"]);
        }
        let restored = match &self.content {
            Some(content) => fs::write(path, content),
            None => fs::remove_file(path),
        };
        // A folder that is no longer empty stays.
        let emptied = self.folders.iter().try_for_each(fs::remove_dir);
        if let Err(error) = restored.and(emptied) {
            tracing::debug!(%error, "the service's file was not taken back");
        }
    }
}

/// The result of removing the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemovedService {
    /// There was no service.
    Nothing,
    /// The user's own service was removed.
    Own,
    /// A package's service was disabled; its file stays.
    Disabled(PathBuf),
}

/// Stops and removes the service.
///
/// # Errors
/// The file cannot be removed. A failing service manager is no error: it need not stop a service that it does not know.
pub fn uninstall(home: &Path, config_home: &Path) -> Result<RemovedService, ServiceError> {
    let path = file(home, config_home);
    let of_package = if path.is_file() { None } else { of_package().filter(|unit| unit.is_enabled) };
    let stopped = if cfg!(target_os = "macos") {
        manage(&["launchctl", "unload", "-w", &path.to_string_lossy()])
    } else {
        manage(&["systemctl", "--user", "disable", "--now", "tars-watch.service"])
    };
    if let Err(error) = stopped {
        tracing::debug!(%error, "the service was not stopped");
    }
    match fs::remove_file(&path) {
        Ok(()) => Ok(RemovedService::Own),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(of_package.map_or(RemovedService::Nothing, |unit| RemovedService::Disabled(unit.file)))
        }
        Err(reason) => Err(ServiceError::File { path, reason }),
    }
}

/// Returns the state of the service.
pub fn state(home: &Path, config_home: &Path) -> ServiceState {
    let file = file(home, config_home);
    let output = if cfg!(target_os = "macos") {
        Command::new("launchctl").args(["list", LABEL]).output()
    } else {
        Command::new("systemctl").args(["--user", "is-active", "tars-watch.service"]).output()
    };
    let manager_state = output.ok().map(|output| {
        if cfg!(target_os = "macos") {
            if output.status.success() { "loaded".to_owned() } else { "not loaded".to_owned() }
        } else {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        }
    });
    let manager_state = manager_state.filter(|state| !state.is_empty());
    if !file.is_file()
        && let Some(Unit { file, is_enabled }) = of_package()
    {
        return ServiceState { installed: is_enabled, by_package: true, file, manager_state };
    }
    ServiceState { installed: file.is_file(), by_package: false, file, manager_state }
}

/// A unit that systemd found outside the user's own folder.
struct Unit {
    file: PathBuf,
    is_enabled: bool,
}

/// Returns the unit that a package installed; `None` if systemd knows none.
fn of_package() -> Option<Unit> {
    if cfg!(target_os = "macos") {
        return None;
    }
    let words = ["--user", "show", "--property=FragmentPath,UnitFileState", "tars-watch.service"];
    let output = Command::new("systemctl").args(words).output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let value = |key: &str| said.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('=')).map(str::trim);
    let file = value("FragmentPath").filter(|path| !path.is_empty())?;
    Some(Unit {
        file: file.into(),
        is_enabled: value("UnitFileState").is_some_and(|state| state.starts_with("enabled")),
    })
}

fn manage(words: &[&str]) -> Result<(), ServiceError> {
    let failed = |reason: String| ServiceError::Manager { command: words.join(" "), reason };
    let output = Command::new(words[0]).args(&words[1..]).output().map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(failed(if said.is_empty() { output.status.to_string() } else { said }))
}

/// The systemd user unit, with `@COMMAND@` as the placeholder for its command. Packages install the same text.
const UNIT: &str = include_str!("tars-watch.service");

/// Returns the systemd user unit for this command line.
fn systemd(program: &Path, arguments: &[String]) -> Result<String, ServiceError> {
    let mut command = quoted(&program.to_string_lossy())?;
    for argument in arguments {
        command.push(' ');
        command.push_str(&quoted(argument)?);
    }
    Ok(UNIT.replace("@COMMAND@", &command))
}

/// Quotes a word for systemd.service(5): doubles `%` and `$`, escapes quotes and backslashes.
fn quoted(word: &str) -> Result<String, ServiceError> {
    if word.chars().any(char::is_control) {
        return Err(ServiceError::Path { path: word.into() });
    }
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    Ok(format!("\"{escaped}\""))
}

/// Returns the launchd agent for this command line.
fn launchd(program: &Path, arguments: &[String]) -> Result<String, ServiceError> {
    let mut words = String::new();
    for word in [program.to_string_lossy().into_owned()].iter().chain(arguments) {
        if word.chars().any(char::is_control) {
            return Err(ServiceError::Path { path: word.into() });
        }
        let escaped = word.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        words.push_str(&format!("    <string>{escaped}</string>\n"));
    }
    Ok(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \
         \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n<dict>\n  <key>Label</key>\n  \
         <string>{LABEL}</string>\n  <key>ProgramArguments</key>\n  <array>\n{words}  </array>\n  <key>RunAtLoad</key>\n  \
         <true/>\n  <key>KeepAlive</key>\n  <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n  \
         <key>ProcessType</key>\n  <string>Background</string>\n</dict>\n</plist>\n"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_arguments_are_quoted_for_systemd() {
        let unit = systemd(
            Path::new("/opt/my tars/tars"),
            &["watch".into(), "--vault".into(), "/notes/100% $HOME \"x\"".into()],
        )
        .unwrap();
        let line = "ExecStart=\"/opt/my tars/tars\" \"watch\" \"--vault\" \"/notes/100%% $$HOME \\\"x\\\"\"\n";
        assert!(unit.contains(line), "{unit}");
        assert!(systemd(Path::new("/a\nExecStop=evil"), &[]).is_err());
    }

    #[test]
    fn agent_arguments_are_escaped_for_xml() {
        let agent = launchd(Path::new("/a&b/<tars>"), &[]).unwrap();
        assert!(agent.contains("<string>/a&amp;b/&lt;tars&gt;</string>"), "{agent}");
    }
}
