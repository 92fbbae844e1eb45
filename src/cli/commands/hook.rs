//! `tars hook`, and its other names `tars search --hook` and `tars remember --hook`: an agent's hooks. `tars status --line`: its
//! status line.
//!
//! Whatever goes wrong goes to `hook.log` in the data directory. Standard output gets one JSON object or nothing, and the
//! command ends with success: anything else would disturb the session, or stop the person's prompt.

use std::io::{IsTerminal, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use serde_json::Value;

use super::watch;
use crate::app::{App, CatchUp};
use crate::cli::args::{Args, Command, HookName};
use crate::cli::{json, terminal};
use crate::client::claude_code::{HookEvent, HookInput};
use crate::config::{self, Environment};
use crate::daemon::RotatingFile;
use crate::hook::{self, Host};
use crate::private;
use crate::service::{Daemon, Reach, Service};

/// A prompt that somebody pasted a book into is a few megabytes long.
const MAX_INPUT: u64 = 64 << 20;
/// How long it may take to come. A client writes it when it starts the hook, and ends a hook after five seconds.
const INPUT: Duration = Duration::from_secs(3);
/// A watcher that was started for a client that cannot be named ends after so long without a question or a change.
const IDLE: Duration = Duration::from_secs(30 * 60);
/// How long a process waits for another one that makes notes at the moment.
const PATIENCE: Duration = Duration::from_secs(3);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Serves a hook; never fails, and says nothing that the client does not understand.
pub(in crate::cli) fn run(args: &Args) {
    let started = Instant::now();
    let environment = Environment::of_process();
    let is_off = environment.variable("TARS_DISABLE").is_some_and(|value| value != "0");
    if let Command::Status(_) = &args.command {
        let line = if is_off { Ok("tars off".to_owned()) } else { status_line(environment, args) };
        // A client shows what is printed, and nothing of why it is not.
        let line = line.unwrap_or_else(|_| "tars does not work: tars status says why".into());
        let _ = writeln!(std::io::stdout().lock(), "{}", terminal::clean_line(&line));
        return;
    }
    if is_off {
        return;
    }
    // What a hook prints is read by a program: a panic's message is none of it.
    std::panic::set_hook(Box::new(|info| tracing::error!("{info}")));
    let named = match &args.command {
        Command::Hook(hook) => Some(event(hook.event)),
        _ => None,
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
            let data = config::data_dir_without_files(&environment, &args.flags());
            if let Some(data) = data.as_deref().filter(|data| private::create_folder(data).is_ok()) {
                start_log(data);
            }
            let said = terminal::clean_line(&format!("tars: {error:#}").replace('\n', " "));
            tracing::error!("{said}");
            if finishes { Ok(()) } else { tell(&environment, &data.unwrap_or_default(), named, &said) }
        }
    };
    if let Err(error) = served {
        tracing::error!("{error:#}");
    }
}

/// Returns what the client's status line shows of tars. A person may try it in a terminal, without the client's JSON.
fn status_line(environment: Environment, args: &Args) -> Result<String> {
    let app = App::new(environment, &args.flags())?;
    let input = if std::io::stdin().is_terminal() { None } else { standard_input()? };
    let session = input.and_then(|input| HookInput::parse(&input).ok()).map(|input| input.session);
    hook::status_line(&app, &session.unwrap_or_default())
}

fn start_log(data: &Path) {
    if let Ok(log) = RotatingFile::open(&data.join("hook.log")) {
        terminal::start_log_to("warn", move || log.clone());
    }
}

/// Tells the person, who would else miss the memory and the notes of the turns, what is wrong with the settings.
fn tell(environment: &Environment, data: &Path, named: Option<HookEvent>, said: &str) -> Result<()> {
    let input = input(named)?;
    let runtime_dir = environment.variable("XDG_RUNTIME_DIR").map(Path::new);
    hook::respond_without_settings(data, runtime_dir, &input, said).map_or(Ok(()), |answer| say(&answer))
}

fn serve(app: App, named: Option<HookEvent>, started: Instant) -> Result<()> {
    let input = input(named)?;
    // A person or a helper waits for the answer. What is put aside must not be cut off, however slow the disk is.
    let is_awaited = matches!(input.event, HookEvent::UserPromptSubmit | HookEvent::SubagentStart);
    let deadline = is_awaited.then_some(app.settings.config.hooks.deadline);
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        // A person waits, and the deadline may cut the answer off: `tars search` and `tars index` make what vectors are missing.
        let service = Service::new(&app, Reach::Fallback).catching_up(CatchUp::Words);
        let answer = catch_unwind(AssertUnwindSafe(|| hook::respond(&service, &input, &ProcessHost { app: &app })));
        // Nobody listens any more after the deadline.
        let _ = sender.send(answer.unwrap_or_else(|_| Err(anyhow!("the hook panicked"))));
    });
    let answer: Option<Value> = match deadline {
        None => receiver.recv()??,
        Some(deadline) => match receiver.recv_timeout(deadline.saturating_sub(started.elapsed())) {
            Ok(answer) => answer?,
            Err(_) => return Err(anyhow!("no answer within {} ms", deadline.as_millis())),
        },
    };
    answer.map_or(Ok(()), |answer| say(&answer))
}

fn event(name: HookName) -> HookEvent {
    match name {
        HookName::SessionStart => HookEvent::SessionStart,
        HookName::UserPromptSubmit => HookEvent::UserPromptSubmit,
        HookName::Stop => HookEvent::Stop,
        HookName::StopFailure => HookEvent::StopFailure,
        HookName::SubagentStart => HookEvent::SubagentStart,
        HookName::PreCompact => HookEvent::PreCompact,
        HookName::PostCompact => HookEvent::PostCompact,
        HookName::SessionEnd => HookEvent::SessionEnd,
    }
}

/// Reads what the client says. Where it does not say which event it is, it is the one that the command line has `named`.
fn input(named: Option<HookEvent>) -> Result<HookInput> {
    let Some(input) = standard_input()? else {
        say(&Value::Object(serde_json::Map::new()))?;
        return Err(anyhow!("standard input was not closed within {} s", INPUT.as_secs()));
    };
    let mut input = HookInput::parse(&input)?;
    if let (HookEvent::Other, Some(named)) = (input.event, named) {
        input.event = named;
    }
    Ok(input)
}

/// Reads standard input to its end; `None` if it does not come to one in time.
fn standard_input() -> Result<Option<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    // Reading cannot be broken off: where it lasts too long, the thread ends with the process.
    std::thread::spawn(move || {
        let mut input = Vec::new();
        let read = std::io::stdin().lock().take(MAX_INPUT).read_to_end(&mut input);
        let _ = sender.send(read.map(|_| input));
    });
    match receiver.recv_timeout(INPUT) {
        Ok(read) => Ok(Some(read.context("cannot read standard input")?)),
        Err(_) => Ok(None),
    }
}

fn say(answer: &Value) -> Result<()> {
    let mut out = std::io::stdout().lock();
    json::line(&mut out, answer)?;
    out.flush()?;
    Ok(())
}

/// Makes notes of everything that was taken aside.
fn finish(app: &App) -> Result<()> {
    // Its own session: it outlives the client, whose hooks are killed with it. A process that already leads
    // a group is not in one that the client ends.
    match rustix::process::setsid() {
        Ok(_) | Err(rustix::io::Errno::PERM) => {}
        Err(error) => return Err(error).context("cannot start a session of its own"),
    }
    let spool = hook::spool(app);
    let started = Instant::now();
    // Another process that makes notes may have looked for the last time before ours was there.
    while started.elapsed() < PATIENCE && spool.is_waiting() {
        if let Some(spooling) = spool.take()? {
            // What fails waits for another process: nothing has changed a moment later.
            spooling.each(|spooled| hook::finish(app, spooled));
            break;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    Daemon::of(app).tell_written();
    // A model takes its time: by now the notes that need none are there, and turns of other sessions are not kept waiting.
    hook::note_with_model(app)?;
    Daemon::of(app).tell_written();
    Ok(())
}

/// Starts processes for a hook.
struct ProcessHost<'a> {
    app: &'a App,
}

impl Host for ProcessHost<'_> {
    fn watch(&self, client: Option<u32>) -> Result<()> {
        let clients: Vec<u32> = client.into_iter().collect();
        if Daemon::of(self.app).running().is_some() {
            return watch::tell(self.app, &clients);
        }
        let idle = clients.is_empty().then_some(IDLE);
        watch::start(self.app, idle, &clients)?;
        Ok(())
    }

    fn finish(&self) -> Result<()> {
        watch::again(self.app)?.args(["remember", "--finish"]).spawn().context("cannot start the note's process")?;
        Ok(())
    }
}
