//! An agent's hooks: the client's JSON in, the client's JSON out.
//!
//! A hook never breaks the session it serves: what goes wrong is an error to the caller, who logs it, prints nothing and
//! ends with success. What stands in the input is untrusted. Which event it is, the input says:
//!
//! - `SessionStart`: the watcher is started for this client, and the memory is put before the agent.
//! - `UserPromptSubmit`: what is relevant to the prompt is put before the agent, each line once a session.
//! - `SubagentStart`: what is relevant to the request that the agent is at is put before its helper.
//! - `Stop`, `StopFailure`, `PreCompact`, `PostCompact`, `SessionEnd`: the turn is put
//!   aside in the [`Spool`], and a process of its own makes a note of it.
//!   Where the settings name a model, the session then waits in the [`ModelQueue`], and the same process asks the model once.
//!
//! While a person has paused tars, nothing is put before the agent, and nothing of what is said is put aside (`paused.rs`).
//!
//! While the data directory cannot be written, turns are kept elsewhere, and the session is told so once. While the settings
//! are wrong, nothing else is done than telling the session.
//!
//! Other events, and fields that are not known, are passed over.

mod ancestry;
mod closing;
mod day_notes;
mod fallback;
mod finish;
mod health;
mod leftovers;
mod model_news;
mod model_notes;
mod model_queue;
mod paused;
mod progress;
mod prompt;
mod proposals;
mod quotes;
mod registry;
mod session;
mod session_facts;
mod shown;
mod spool;
mod status_line;
mod written;

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use serde_json::Value;

use crate::app::App;
use crate::client::claude_code::{self, HookEvent, HookInput};
use crate::config::Scope;
use crate::project::Project;
use crate::service::{ContextRequest, ContextResponse, Length, Service};
use crate::transcript;
pub use ancestry::client;
use fallback::Fallback;
pub use finish::finish;
pub use model_notes::note_with_model;
pub use model_queue::ModelQueue;
pub use progress::Progress;
use prompt::Question;
use registry::OpenSession;
pub use registry::current_session;
pub use session::Session;
pub use spool::{Kept, Spool, Spooled, Spooling};
pub use status_line::status_line;

/// How often, and how long apart, a transcript is looked into for the task of a helper.
const LOOKS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(50);

/// Starts processes for a hook.
pub trait Host {
    /// Starts the watcher in the background for the process `client`, or tells the running one of it, and does not wait.
    ///
    /// # Errors
    /// It cannot be started.
    fn watch(&self, client: Option<u32>) -> Result<()>;
    /// Starts a process of its own that finishes what is spooled, and does not wait.
    ///
    /// # Errors
    /// It cannot be started.
    fn finish(&self) -> Result<()>;
}

/// Returns what the client is to be told; `None`: nothing.
///
/// # Errors
/// Something failed that the hook needs.
pub fn respond(service: &Service<'_>, input: &HookInput, host: &dyn Host) -> Result<Option<Value>> {
    let app = service.app();
    match paused::current(app, input) {
        Ok(Some(_)) if input.event != HookEvent::SessionStart => return while_paused(app, input, host),
        Ok(_) => {}
        Err(error) => return Ok(paused::unknown(&spool(app), input, &error)),
    }
    match input.event {
        HookEvent::SessionStart => session_start(service, input, host),
        HookEvent::UserPromptSubmit => prompt_submitted(service, input),
        HookEvent::SubagentStart => helper_started(service, input),
        event if event.is_noted() => noted(app, input, host),
        _ => Ok(None),
    }
}

/// Puts an event aside, if turns are noted.
fn noted(app: &App, input: &HookInput, host: &dyn Host) -> Result<Option<Value>> {
    if app.settings.config.vault.path.is_some() && app.settings.config.hooks.notes {
        return put_aside(app, input, host);
    }
    Ok(None)
}

/// What was said before a pause is noted when the session ends in it.
fn while_paused(app: &App, input: &HookInput, host: &dyn Host) -> Result<Option<Value>> {
    match input.event {
        HookEvent::PreCompact | HookEvent::SessionEnd => noted(app, input, host),
        _ => Ok(None),
    }
}

/// Returns what the client is to be told while the settings are wrong: that, whenever a session begins and else once in a
/// session; `None`: nothing. `data` is the data directory as far as it is known.
pub fn respond_without_settings(
    data: &Path,
    runtime_dir: Option<&Path>,
    input: &HookInput,
    said: &str,
) -> Option<Value> {
    let fallback = Fallback::new(data, runtime_dir);
    let is_first = || fallback.is_first(&format!("{said} {}", input.session));
    let is_told = match input.event {
        HookEvent::SessionStart => {
            // It counts as told for the events after it.
            is_first();
            true
        }
        HookEvent::UserPromptSubmit => is_first(),
        event => event.is_noted() && fallback.folder().is_ok() && is_first(),
    };
    is_told.then(|| claude_code::message(said))
}

/// Returns the spool that the settings and the session name.
pub fn spool(app: &App) -> Spool {
    Spool::new(&app.settings.config.data.dir, app.environment.variable("XDG_RUNTIME_DIR").map(Path::new))
}

/// Keeps what the event says of its session.
fn register(app: &App, input: &HookInput) {
    if app.settings.config.hooks.notes && !input.session.is_empty() {
        let kept = OpenSession::keep(&app.settings.config.data.dir, input, client(&app.environment));
        kept.unwrap_or_else(|error| tracing::warn!("{error:#}"));
    }
}

/// Puts the ends of sessions aside whose clients were killed.
fn catch_up(app: &App, spool: &Spool) {
    let data = &app.settings.config.data.dir;
    let now = app.environment.clock.timestamp();
    for (nanosecond, left) in (0..).zip(OpenSession::left(data)) {
        // Each has a name of its own.
        let at = now + jiff::SignedDuration::from_nanos(nanosecond);
        match left.end().map(|end| spool.put(&end, at)) {
            Some(Err(error)) => tracing::warn!("{error:#}"),
            Some(Ok(_)) | None => left.forget(data),
        }
    }
}

fn put_aside(app: &App, input: &HookInput, host: &dyn Host) -> Result<Option<Value>> {
    let spool = spool(app);
    let put = spool.put(input, app.environment.clock.timestamp());
    if put.is_ok() {
        // A session whose end is lost stays registered, so that the next start catches it up.
        register(app, input);
    }
    let (told_of, said) = match put {
        Ok(Kept::Spooled) => {
            host.finish()?;
            return Ok(None);
        }
        Ok(Kept::Aside(folder, reason)) => {
            let said = format!("tars {reason:#}; turns are kept in {} until there is room", folder.display());
            (input.session.clone(), said)
        }
        // A person who was told that turns are kept is told once more that they are not.
        Err(error) => (format!("lost {}", input.session), format!("tars lost the note of this turn: {error:#}")),
    };
    tracing::warn!("{said}");
    Ok(spool.fallback.is_first(&told_of).then(|| claude_code::message(&said)))
}

/// Adds to an answer, once in a session, that the data directory cannot be written.
fn with_room(app: &App, input: &HookInput, answer: Result<Option<Value>>) -> Result<Option<Value>> {
    let data = &app.settings.config.data.dir;
    let Err(error) = fallback::check_room(data) else { return answer };
    let spool = spool(app);
    let turns = match spool.fallback.folder() {
        _ if !app.settings.config.hooks.notes => "what was shown may be shown again".to_owned(),
        Ok(folder) => format!("turns are kept in {} until there is room", folder.display()),
        Err(error) => format!("turns are lost until there is room ({error:#})"),
    };
    let said = format!("tars cannot write to {}: {error}; {turns}", data.display());
    tracing::warn!("{said}");
    if !spool.fallback.is_first(&input.session) {
        return answer;
    }
    let told = answer.unwrap_or_else(|error| {
        tracing::error!("{error:#}");
        None
    });
    Ok(Some(claude_code::add_message(told, &said)))
}

fn session_start(service: &Service<'_>, input: &HookInput, host: &dyn Host) -> Result<Option<Value>> {
    let app = service.app();
    if app.settings.config.vault.path.is_none() {
        // Said where a session begins, not whenever one goes on.
        let said = "tars has no vault yet and remembers nothing: run `tars init FOLDER` in a terminal";
        return Ok((input.source == "startup").then(|| claude_code::message(said)));
    }
    if let Err(error) = app.memory_folder() {
        let said = format!("tars remembers nothing in this session: {error:#}");
        return Ok((input.source == "startup").then(|| claude_code::message(&said)));
    }
    let data = &app.settings.config.data.dir;
    let spool = spool(app);
    if let Ok(Some(spooling)) = spool.take() {
        let now = app.environment.clock.timestamp();
        spooling.sweep(now);
        Session::sweep(data, &spooling, now);
        Progress::sweep(data, &spooling, now);
        ModelQueue::of(app).sweep(&spooling, now);
        OpenSession::sweep(data, &spooling, now);
        app.pauses().sweep(now);
        shown::sweep(app, &spooling, now);
    }
    if app.settings.config.hooks.notes {
        if input.source == "fork" {
            let forked = Progress { forked_at: Some(app.environment.clock.timestamp()), ..Progress::default() };
            forked.save(data, &input.session).unwrap_or_else(|error| tracing::warn!("{error:#}"));
        }
        // Before this session is registered: it may be one whose client was killed, and which a person takes up again.
        catch_up(app, &spool);
        register(app, input);
    }
    // Before the watcher may have mended it.
    let complaint = health::complaint(app, &spool, &input.session);
    // The memory is read from the files: it is there though a watcher may not be.
    let started = host
        .watch(client(&app.environment))
        .and_then(|()| if spool.is_waiting() || ModelQueue::of(app).is_waiting() { host.finish() } else { Ok(()) });
    if let Err(error) = started {
        tracing::warn!("{error:#}");
    }
    // What was put before the agent earlier is sent again where a session is resumed; else it is gone.
    let resumed = input.source == "resume";
    let mut session = if resumed { Session::open(data, &input.session) } else { Session::fresh(data, &input.session) };
    if let Some(pause) = paused::current(app, input)? {
        session.save().unwrap_or_else(|error| tracing::warn!("{error:#}"));
        return Ok(Some(claude_code::message(&paused::told(&pause, &app.environment.clock.now()))));
    }
    let request = ContextRequest {
        length: Some(Length::Characters(app.settings.config.hooks.session_characters)),
        seen: resumed.then(|| session.lines().cloned().collect()),
        // The notes of a resumed session's own turns stand in the day's log: it holds the turns themselves.
        without_daily: resumed,
        ..in_project(app, input)
    };
    let mut answer = with_room(app, input, inject(service, input, &request, &mut session));
    if let (Some(complaint), Ok(told)) = (complaint, &mut answer)
        && told.as_ref().is_none_or(|told| told.get("systemMessage").is_none())
        && spool.fallback.is_first(&complaint.key)
    {
        tracing::warn!("{}", complaint.said);
        *told = Some(claude_code::add_message(told.take(), &complaint.said));
    }
    model_news::with_news(app, input, answer)
}

fn prompt_submitted(service: &Service<'_>, input: &HookInput) -> Result<Option<Value>> {
    let app = service.app();
    let Some(question) = prompt::question(&input.prompt) else { return Ok(None) };
    if app.settings.config.vault.path.is_none() {
        return Ok(None);
    }
    let mut session = Session::open(&app.settings.config.data.dir, &input.session);
    let seen = Some(session.lines().cloned().collect());
    let request = ContextRequest { seen, ..brief(app, input, question) };
    with_room(app, input, inject(service, input, &request, &mut session))
}

/// Returns what a helper is to do; `None` where the transcript tells nothing. The client writes the transcript a moment later, and
/// a first one is not even there.
fn helper_task(input: &HookInput) -> Result<Option<String>> {
    let path = Path::new(&input.transcript);
    for _ in 0..LOOKS {
        let tasks = if path.is_file() { transcript::helper_tasks(path, &input.agent_type)? } else { Vec::new() };
        if !tasks.is_empty() {
            return Ok(Some(tasks.join("\n\n")));
        }
        std::thread::sleep(PAUSE);
    }
    if !path.is_file() {
        return Ok(None);
    }
    Ok(transcript::last_turn(path)?.map(|turn| turn.request))
}

/// Puts before a helper of the agent what is relevant to its task. The event does not tell the task, but the message that starts
/// the helper stands in the transcript by then; where it does not, the request that the agent is at is asked with. A helper begins
/// without the conversation, so what the session was shown, and what it has settled itself, is new to it.
fn helper_started(service: &Service<'_>, input: &HookInput) -> Result<Option<Value>> {
    let app = service.app();
    if app.settings.config.vault.path.is_none() || input.transcript.is_empty() {
        return Ok(None);
    }
    let Some(task) = helper_task(input)? else { return Ok(None) };
    let Some(question) = prompt::question(&task) else { return Ok(None) };
    let request = ContextRequest { session: None, ..brief(app, input, question) };
    let answer = called(service, &request)?;
    shown::record(app, input, &task, &request, &answer);
    Ok(answer.block.map(|block| claude_code::context(input.event, &block)))
}

/// Returns a request of the project that the client works in, if it says where that is.
fn in_project(app: &App, input: &HookInput) -> ContextRequest {
    let project = (!input.directory.is_empty()).then(|| Project::of(Path::new(&input.directory)));
    ContextRequest {
        project: project.as_ref().map(|project| project.name.clone()),
        project_key: project.map(|project| project.key),
        only_project: app.settings.config.hooks.scope == Scope::Project,
        ..ContextRequest::default()
    }
}

/// Returns a request of the lines that answer a question, for somebody who has not asked for notes.
fn brief(app: &App, input: &HookInput, question: Question) -> ContextRequest {
    ContextRequest {
        query: Some(question.text),
        memory: false,
        length: Some(Length::Characters(app.settings.config.hooks.prompt_characters)),
        brief: Some(question.intent),
        session: Some(input.session.clone()),
        ..in_project(app, input)
    }
}

/// Returns the answer to a request, and logs its warnings.
fn called(service: &Service<'_>, request: &ContextRequest) -> Result<ContextResponse> {
    let answer = service.call(request)?;
    for warning in &answer.warnings {
        tracing::warn!("{warning}");
    }
    Ok(answer)
}

fn inject(
    service: &Service<'_>,
    input: &HookInput,
    request: &ContextRequest,
    session: &mut Session,
) -> Result<Option<Value>> {
    let answer = called(service, request)?;
    answer.pieces.iter().for_each(|one| session.see(&one.text));
    // At worst something is shown twice.
    if let Err(error) = session.save() {
        tracing::warn!("{error:#}");
    }
    shown::record(service.app(), input, &input.prompt, request, &answer);
    Ok(answer.block.map(|block| claude_code::context(input.event, &block)))
}
