//! `tars hook`, also as `tars search --hook` and `tars remember --hook`: an agent's hooks. `tars status --line`: its status line.
//!
//! Errors go to `hook.log` in the data directory. Standard output gets one JSON object or nothing, and the command exits with success:
//! anything else would disturb the session, or block the person's prompt.

use std::io::{IsTerminal, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::watch;
use crate::args::{Args, Command};
use crate::{json, terminal};
use tars_agent::client::{AgentClient, HookAnswer, HookEvent, HookInput};
use tars_base::private;
use tars_config::Environment;
use tars_hook::ProcessStarter;
use tars_serve::daemon::RotatingFile;
use tars_service::setup::record_hook;
use tars_service::{App, Backend, CatchUp, Context, Daemon, Error, Result, Service, failure};

/// Largest input, in bytes. A prompt with a pasted book takes a few megabytes.
const MAX_INPUT: u64 = 64 << 20;
/// Timeout for the input. A client writes it when it starts the hook, and kills a hook after five seconds.
const INPUT_TIMEOUT: Duration = Duration::from_secs(3);
/// Idle time after which a watcher ends that was started for an unidentified client.
const IDLE: Duration = Duration::from_secs(30 * 60);

/// Serves a hook. Never fails, and prints only valid answers.
pub(crate) fn run(args: &Args) {
    let started = Instant::now();
    let environment = Environment::of_process();
    let is_off = environment.variable("TARS_DISABLE").is_some_and(|value| value != "0");
    if let Command::Status(_) = &args.command {
        let line = if is_off { Ok("tars off".to_owned()) } else { status_line(environment, args) };
        // A client shows the output, but no reason for its absence.
        let line = line.unwrap_or_else(|_| "tars does not work: tars status says why".into());
        let _ = writeln!(std::io::stdout().lock(), "{}", terminal::sanitize_line(&line));
        return;
    }
    if is_off {
        return;
    }
    // A program reads the output of a hook, so a panic goes to the log.
    std::panic::set_hook(Box::new(|info| tracing::error!("{info}")));
    let named = match &args.command {
        Command::Hook(hook) => (hook.client, Some(hook.event)),
        _ => (AgentClient::default(), None),
    };
    let finishes = matches!(&args.command, Command::Remember(remember) if remember.finish);
    let served = match App::new(environment.clone(), &args.flags()) {
        Ok(app) => {
            if let Ok(data) = app.data_dir() {
                start_log(data);
            }
            if finishes { finish(&app) } else { serve(app, named, started) }
        }
        Err(error) => {
            let data = tars_config::data_dir_without_files(&environment, &args.flags());
            if let Some(data) = data.as_deref().filter(|data| private::create_folder(data).is_ok()) {
                start_log(data);
            }
            let said = terminal::sanitize_line(&format!("tars: {error:#}").replace('\n', " "));
            tracing::error!("{said}");
            if finishes {
                Ok(())
            } else {
                report_invalid_settings(&environment, &data.unwrap_or_default(), named, &said)
            }
        }
    };
    if let Err(error) = served {
        tracing::error!("{error:#}");
    }
}

/// Returns the status line. Works without the client's JSON, so that a person can try it in a terminal.
fn status_line(environment: Environment, args: &Args) -> Result<String> {
    let app = App::new(environment, &args.flags())?;
    let input = if std::io::stdin().is_terminal() { None } else { standard_input()? };
    let session =
        input.and_then(|input| HookInput::parse(AgentClient::default(), &input).ok()).map(|input| input.session);
    tars_hook::status_line(&app, &session.unwrap_or_default())
}

fn start_log(data: &Path) {
    if let Ok(log) = RotatingFile::open(&data.join("hook.log")) {
        terminal::start_log_to("warn", move || log.clone());
    }
}

/// Reports invalid settings to the person, whose memory and notes would otherwise silently stop.
fn report_invalid_settings(
    environment: &Environment,
    data: &Path,
    named: (AgentClient, Option<HookEvent>),
    said: &str,
) -> Result<()> {
    let input = input(named)?;
    let runtime_dir = environment.variable("XDG_RUNTIME_DIR").map(Path::new);
    let answer = tars_hook::respond_without_settings(data, runtime_dir, &input, said);
    print_answer(&answer, input.client, input.event)
}

fn serve(app: App, named: (AgentClient, Option<HookEvent>), started: Instant) -> Result<()> {
    let input = input(named)?;
    // A person or a subagent waits for these answers. Spooling has no deadline, however slow the disk is.
    let is_awaited = matches!(input.event, HookEvent::UserPromptSubmit | HookEvent::SubagentStart);
    let deadline = is_awaited.then_some(app.settings.config.hooks.deadline);
    let (client, event) = (input.client, input.event);
    let data = app.settings.config.data.dir.clone();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        // `tars search` and `tars index` compute missing vectors: here a person waits, and the deadline may cut the answer off.
        let service = Service::new(&app, Backend::Fallback).with_catch_up(CatchUp::Words);
        let answer = catch_unwind(AssertUnwindSafe(|| tars_hook::respond(&service, &input, &Processes { app: &app })));
        // Nobody receives the answer after the deadline.
        let _ = sender.send(answer.unwrap_or_else(|_| Err(failure!("the hook panicked"))));
    });
    let received = match deadline {
        None => receiver.recv().map_err(Error::without_hint),
        Some(deadline) => receiver
            .recv_timeout(deadline.saturating_sub(started.elapsed()))
            .map_err(|_| failure!("no answer within {} ms", deadline.as_millis())),
    };
    let answered = received.and_then(|answer| print_answer(&answer?, client, event));
    record_hook(&data, client, event, started.elapsed());
    answered
}

/// Reads the client's input. An input without an event gets the one that the command line names.
fn input((client, named): (AgentClient, Option<HookEvent>)) -> Result<HookInput> {
    let Some(input) = standard_input()? else {
        if client == AgentClient::ClaudeCode {
            print_json(&Value::Object(serde_json::Map::new()))?;
        }
        return Err(failure!("standard input was not closed within {} s", INPUT_TIMEOUT.as_secs()));
    };
    let mut input = HookInput::parse(client, &input)?;
    if let (HookEvent::Other, Some(named)) = (input.event, named) {
        input.event = named;
    }
    Ok(input)
}

/// Reads standard input to its end; `None` after the timeout.
fn standard_input() -> Result<Option<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    // A blocking read cannot be cancelled, so the thread ends with the process.
    std::thread::spawn(move || {
        let mut input = Vec::new();
        let read = std::io::stdin().lock().take(MAX_INPUT).read_to_end(&mut input);
        let _ = sender.send(read.map(|_| input));
    });
    match receiver.recv_timeout(INPUT_TIMEOUT) {
        Ok(read) => Ok(Some(read.context("cannot read standard input")?)),
        Err(_) => Ok(None),
    }
}

fn print_answer(answer: &HookAnswer, client: AgentClient, event: HookEvent) -> Result<()> {
    answer.to_json(client, event).map_or(Ok(()), |answer| print_json(&answer))
}

fn print_json(answer: &Value) -> Result<()> {
    let mut out = std::io::stdout().lock();
    json::line(&mut out, answer)?;
    out.flush()?;
    Ok(())
}

/// Makes notes of all spooled events.
fn finish(app: &App) -> Result<()> {
    // A new session, so that this process outlives the client, which kills its hooks. EPERM means that the process already leads a group,
    // which the client does not kill.
    match rustix::process::setsid() {
        Ok(_) | Err(rustix::io::Errno::PERM) => {}
        Err(error) => return Err(Error::without_hint(error)).context("cannot start a session of its own"),
    }
    tars_hook::finish(&Service::new(app, Backend::Local))
}

/// Starts processes for a hook.
struct Processes<'a> {
    app: &'a App,
}

impl ProcessStarter for Processes<'_> {
    fn watch(&self, client: Option<u32>) -> Result<()> {
        let clients: Vec<u32> = client.into_iter().collect();
        if Daemon::of(self.app).running().is_some() {
            watch::register_clients(self.app, &clients);
            return Ok(());
        }
        let idle = clients.is_empty().then_some(IDLE);
        watch::start(self.app, idle, &clients)?;
        Ok(())
    }

    fn finish(&self) -> Result<()> {
        watch::respawn_command(self.app)?
            .args(["remember", "--finish"])
            .spawn()
            .context("cannot start the note's process")?;
        Ok(())
    }
}
