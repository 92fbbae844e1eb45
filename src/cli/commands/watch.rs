//! `tars watch`

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::args::Watch;
use crate::format::pluralize;
use crate::times::{ago_of, format_duration};
use crate::{Outcome, interrupt, json, terminal, watch_log};
use tars_base::ipc::Greeting;
use tars_config::UserFile;
use tars_serve::daemon::{
    self, DaemonLock, Engine, LockHolder, RemovedService, RotatingFile, ServiceState, WatchOptions,
};
use tars_service::protocol::{Request, Response};
use tars_service::{App, Context, Daemon, Error, Refusal, Result, bail};

/// How long a daemon may take to start or to end.
pub(super) const DAEMON_TIMEOUT: Duration = Duration::from_secs(15);
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(20);

pub(crate) fn run(app: App, args: &Watch) -> Result<Outcome> {
    match args {
        Watch { status: true, .. } => status(&app, args.json),
        Watch { stop: true, .. } => stop(&app),
        Watch { detach: true, .. } => detach(&app, args),
        _ => watch(app, args),
    }
}

/// Watches in this process until it is stopped.
fn watch(app: App, args: &Watch) -> Result<Outcome> {
    app.roots()?;
    let data = app.data_dir()?.to_owned();
    if args.detached {
        // A new session, so that closing the terminal does not end it. A restarted watcher already has one.
        match rustix::process::setsid() {
            Err(error) if error != rustix::io::Errno::PERM => {
                return Err(Error::without_hint(error)).context("cannot start a session of its own");
            }
            _ => {}
        }
        let log = data.join("watch.log");
        let log = RotatingFile::open(&log).with_context(|| format!("cannot open {}", log.display()))?;
        terminal::start_log_to("info", move || log.clone());
    } else {
        watch_log::start(&app.environment.clock);
    }
    let Some(lock) = DaemonLock::try_acquire(&data, app.environment.clock.timestamp())
        .with_context(|| format!("cannot take the watcher's lock in {}", data.display()))?
    else {
        register_clients(&app, &args.with_client);
        already(&app, DaemonLock::holder(&data))?;
        return Ok(Outcome::Done);
    };
    let socket = Daemon::of(&app).socket();
    let engine = Arc::new(Engine::new(app, args.idle_exit, &args.with_client).restartable());
    let stopping = Arc::clone(&engine);
    interrupt::on_signal(move || stopping.stop());
    let ready = || tracing::info!(pid = std::process::id(), socket = %socket.display(), "watching");
    daemon::watch(&lock, &engine, &WatchOptions { socket: &socket, ready: &ready })
        // Nobody reads the output of a background process.
        .inspect_err(|error| {
            if args.detached {
                tracing::error!("{error:#}")
            }
        })?;
    let Some(clients) = engine.restart_clients() else {
        tracing::info!("ended");
        return Ok(Outcome::Done);
    };
    tracing::info!("restarting with the current settings");
    drop(lock);
    let mut command = Command::new(std::env::current_exe().context("cannot find this program")?);
    command.args(std::env::args_os().skip(1));
    for pid in clients.iter().filter(|pid| !args.with_client.contains(pid)) {
        command.arg("--with-client").arg(pid.to_string());
    }
    let error = command.exec();
    tracing::error!("the watcher cannot restart: {error}");
    Err(error).context("the watcher cannot restart")
}

/// Starts a daemon in the background and returns when it answers.
fn detach(app: &App, args: &Watch) -> Result<Outcome> {
    app.roots()?;
    let data = app.data_dir()?;
    let mut out = anstream::stdout().lock();
    if let Some(greeting) = Daemon::of(app).running() {
        register_clients(app, &args.with_client);
        already(app, DaemonLock::holder(data).or(Some(LockHolder { pid: greeting.pid, ..LockHolder::default() })))?;
        return Ok(Outcome::Done);
    }
    let mut child = start(app, args.idle_exit, &args.with_client)?;
    let deadline = Instant::now() + DAEMON_TIMEOUT;
    while Instant::now() < deadline {
        if let Some(Greeting { pid, .. }) = Daemon::of(app).running() {
            register_clients(app, &args.with_client);
            writeln!(out, "watching in the background (process {pid})")?;
            return Ok(Outcome::Done);
        }
        if let Some(status) = child.try_wait()?
            && !status.success()
        {
            break;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    let log = data.join("watch.log");
    Err(Refusal { message: "the watcher did not start".into(), hint: format!("tail {}", log.display()) }.into())
}

/// Starts a watcher without waiting for it.
pub(super) fn start(app: &App, idle_exit: Option<Duration>, clients: &[u32]) -> Result<Child> {
    let mut command = respawn_command(app)?;
    command.arg("watch").arg("--detached");
    if let Some(idle) = idle_exit {
        command.arg("--idle-exit").arg(format!("{}ms", idle.as_millis()));
    }
    for pid in clients {
        command.arg("--with-client").arg(pid.to_string());
    }
    command.spawn().context("cannot start the watcher")
}

/// Returns a command that starts this program again: with the same settings, but without the terminal, folder and project.
pub(super) fn respawn_command(app: &App) -> Result<Command> {
    let config = &app.settings.config;
    let mut command = Command::new(std::env::current_exe().context("cannot find this program")?);
    command.arg("--data-dir").arg(&config.data.dir).arg("--models-dir").arg(&config.models.dir);
    if let Some(vault) = &config.vault.path {
        command.arg("--vault").arg(vault);
    }
    if let Some(file) = app.settings.path() {
        command.env(UserFile::VARIABLE, file);
    }
    command.current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}

/// Registers clients with a running daemon.
pub(super) fn register_clients(app: &App, clients: &[u32]) {
    for pid in clients {
        Daemon::of(app).ask_any(&Request::Client { pid: *pid }, Duration::from_secs(1));
    }
}

fn already(app: &App, holder: Option<LockHolder>) -> Result<()> {
    let mut out = anstream::stdout().lock();
    match holder {
        Some(LockHolder { pid, since, .. }) if !since.is_empty() => {
            writeln!(
                out,
                "already watching (process {pid}, started {})",
                ago_of(&since, &app.environment.clock.now())
            )?;
        }
        Some(LockHolder { pid, .. }) => writeln!(out, "already watching (process {pid})")?,
        None => writeln!(out, "already watching")?,
    }
    Ok(())
}

fn status(app: &App, as_json: bool) -> Result<Outcome> {
    let mut out = anstream::stdout().lock();
    let answer = Daemon::of(app).ask_any(&Request::Watch, Duration::from_secs(2));
    let Some(Response::Watch(mut state)) = answer else {
        if as_json {
            json::line(&mut out, &serde_json::Value::Null)?;
        } else if let Some(LockHolder { pid, .. }) = DaemonLock::holder(&app.settings.config.data.dir) {
            bail!("process {pid} holds the lock of the watcher, but does not answer");
        } else {
            writeln!(out, "not watching")?;
        }
        return Ok(Outcome::Nothing);
    };
    state.listen = DaemonLock::holder(&app.settings.config.data.dir).and_then(|holder| holder.listen);
    if as_json {
        json::line(&mut out, &state)?;
        return Ok(Outcome::Done);
    }
    writeln!(out, "watching     process {}, for {}", state.pid, format_duration(state.uptime_seconds))?;
    if let Some(address) = &state.listen {
        writeln!(out, "serving      http://{}", terminal::sanitize_line(address))?;
    }
    writeln!(out, "changes      {}", if state.events { "by events" } else { "by polling" })?;
    match state.pending {
        0 => writeln!(out, "waiting      nothing")?,
        pending => {
            writeln!(out, "waiting      {}, for {}", pluralize(pending, "file"), format_duration(state.lag_ms / 1000))?
        }
    }
    writeln!(out, "model        {}", if state.model_loaded { "loaded" } else { "not loaded" })?;
    writeln!(out, "clients      {}", state.clients)?;
    writeln!(out, "answered     {}", state.answered)?;
    if let Some(problem) = state.problem {
        writeln!(out, "problem      {}", terminal::sanitize(&problem))?;
    }
    Ok(Outcome::Done)
}

fn stop(app: &App) -> Result<Outcome> {
    let stopped = stop_and_wait(app)?;
    writeln!(anstream::stdout().lock(), "{}", if stopped { "stopped" } else { "not watching" })?;
    Ok(if stopped { Outcome::Done } else { Outcome::Nothing })
}

/// Stops the watcher and waits until it has ended; returns whether there was one.
pub(super) fn stop_and_wait(app: &App) -> Result<bool> {
    let data = &app.settings.config.data.dir;
    let Some(holder) = DaemonLock::holder(data) else { return Ok(false) };
    request_stop(app, &holder)?;
    let deadline = Instant::now() + DAEMON_TIMEOUT;
    while DaemonLock::holder(data).is_some() {
        if Instant::now() >= deadline {
            bail!("the watcher (process {}) has not ended yet", holder.pid);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(true)
}

/// Asks the lock's holder to end, without waiting.
pub(super) fn request_stop(app: &App, holder: &LockHolder) -> Result<()> {
    let asked = Daemon::of(app).ask_any(&Request::Stop, Duration::from_secs(2));
    if asked.is_none()
        && let Some(pid) = i32::try_from(holder.pid).ok().and_then(rustix::process::Pid::from_raw)
    {
        // The lock guarantees that this process is the daemon.
        rustix::process::kill_process(pid, rustix::process::Signal::TERM)
            .map_err(Error::without_hint)
            .context("cannot signal the watcher")?;
    }
    Ok(())
}

/// `tars service`
pub(crate) fn service(app: &App, args: &crate::args::Service) -> Result<Outcome> {
    use crate::args::Service;
    let mut out = anstream::stdout().lock();
    match args {
        Service::Install { serve } => {
            writeln!(out, "installed {} and started it", install_service(app, *serve)?.display())?;
            Ok(Outcome::Done)
        }
        Service::Uninstall => {
            let removed = uninstall_service(app)?;
            let said = match &removed {
                RemovedService::Nothing => "there was none".to_owned(),
                RemovedService::Own => "removed".to_owned(),
                RemovedService::Disabled(file) => {
                    format!("stopped and disabled; {} belongs to a package", file.display())
                }
            };
            writeln!(out, "{said}")?;
            Ok(if removed == RemovedService::Nothing { Outcome::Nothing } else { Outcome::Done })
        }
        Service::Status => {
            let state = service_state(app)?;
            let installed = match (state.installed, state.by_package) {
                (true, false) => "installed",
                (true, true) => "installed by a package",
                (false, false) => "not installed",
                (false, true) => "provided by a package but not enabled",
            };
            let word = state.manager_state.map(|word| format!(", {word}")).unwrap_or_default();
            writeln!(out, "{installed}{word} ({})", state.file.display())?;
            Ok(if state.installed { Outcome::Done } else { Outcome::Nothing })
        }
    }
}

/// Installs the watcher, or the server, as a service that runs at every login. Returns the service file.
pub(super) fn install_service(app: &App, serve: bool) -> Result<PathBuf> {
    app.roots()?;
    let program = std::env::current_exe().context("cannot find this program")?;
    let config = &app.settings.config;
    let command = match serve {
        true if cfg!(not(feature = "serve")) => bail!("this build of tars does not answer over HTTP"),
        true => "serve",
        false => "watch",
    };
    let mut arguments = vec![command.to_owned()];
    for (flag, path) in [
        ("--data-dir", Some(&config.data.dir)),
        ("--models-dir", Some(&config.models.dir)),
        ("--vault", config.vault.path.as_ref()),
    ] {
        if let Some(path) = path {
            arguments.extend([flag.to_owned(), path.to_string_lossy().into_owned()]);
        }
    }
    let (home, config_home) = homes(app)?;
    Ok(daemon::install(&home, &config_home, &program, &arguments)?)
}

/// Stops and removes the service.
pub(super) fn uninstall_service(app: &App) -> Result<RemovedService> {
    let (home, config_home) = homes(app)?;
    Ok(daemon::uninstall(&home, &config_home)?)
}

/// Returns the state of the service.
pub(super) fn service_state(app: &App) -> Result<ServiceState> {
    let (home, config_home) = homes(app)?;
    Ok(daemon::state(&home, &config_home))
}

/// Returns the user's home folder and configuration folder.
fn homes(app: &App) -> Result<(PathBuf, PathBuf)> {
    let home = app.environment.home.clone().context("the home directory is not known")?;
    let config_home = app.environment.variable("XDG_CONFIG_HOME").map_or_else(|| home.join(".config"), PathBuf::from);
    Ok((home, config_home))
}
