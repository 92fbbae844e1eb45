//! An agent's hooks: reads the client's JSON and answers with JSON.
//!
//! A hook never breaks its session: it returns failures as errors, and the caller logs them, prints nothing and exits with success. The
//! input is untrusted. It names its event:
//!
//! - `SessionStart`: starts the watcher for this client, and gives the memory to the agent, to some clients with the first prompt instead
//!   (`deferred.rs`); offers the last unfinished session of the project (`offer.rs`).
//! - `UserPromptSubmit`: gives the agent the context that is relevant to the prompt, each line once per session.
//! - `SubagentStart`, and `UserPromptSubmit` with a subagent's task: gives a subagent the context that is relevant to its task.
//! - `Stop`, `StopFailure`, `PreCompact`, `PostCompact`, `SessionEnd`: puts the turn into the spool, and a separate process writes
//!   the notes ([`finish()`]). If the settings name a model, the session then waits for it, and the same process calls the model once.
//!
//! While a person has paused tars, hooks give no context and spool nothing (`paused.rs`).
//!
//! While the data directory is not writable, turns wait in a fallback folder, and the session is notified once. While the settings are
//! invalid, hooks only report that.
//!
//! Unknown events and fields are ignored.

mod ancestry;
mod deferred;
mod fallback;
mod finish;
mod handed;
mod health;
mod model_alerts;
mod offer;
mod paused;
mod prompt;
mod recall;
mod registry;
mod shown_lines;
mod spool;
mod status_line;
mod subagent;

use std::path::Path;

use ancestry::{client_pid, ending_client};
use deferred::Deferred;
use fallback::Fallback;
pub use finish::finish;
use prompt::Question;
use registry::OpenSession;
pub use registry::{current_caller, current_session};
use shown_lines::ShownLines;
use spool::{PutResult, Spool};
pub use status_line::status_line;
use tars_agent::client::{HookAnswer, HookEvent, HookInput};
use tars_agent::project::Project;
use tars_agent::transcript;
use tars_config::Scope;
use tars_service::sessions::AskedOpenEnds;
use tars_service::{App, ContextRequest, ContextResponse, Length, Service};
use tars_service::{Result, sessions};

/// Starts processes for a hook.
pub trait ProcessStarter {
    /// Starts the watcher in the background for the process `client`, or registers the client with a running watcher. Does not wait.
    ///
    /// # Errors
    /// The watcher cannot be started.
    fn watch(&self, client: Option<u32>) -> Result<()>;
    /// Starts a separate process that finishes the spooled events. Does not wait.
    ///
    /// # Errors
    /// The process cannot be started.
    fn finish(&self) -> Result<()>;
}

/// Returns the answer to the client, which may be empty.
///
/// # Errors
/// A step that the hook depends on failed.
pub fn respond(service: &Service<'_>, input: &HookInput, starter: &dyn ProcessStarter) -> Result<HookAnswer> {
    let app = service.app();
    // A subagent's own events say nothing about the session.
    if !input.agent_id.is_empty() && input.event.is_noted() {
        return Ok(HookAnswer::default());
    }
    if handed::is_deleted(input) {
        handed::forget(app, input)?;
        return Ok(HookAnswer::default());
    }
    let pause = match paused::current(app, input) {
        Ok(pause) => pause,
        Err(error) => return Ok(paused::unknown_state_message(&spool(app), input, &error).unwrap_or_default()),
    };
    let kept = input.client.hands_over_messages().then(|| handed::keep(app, input, pause.is_some()));
    let input = kept.as_ref().unwrap_or(input);
    if pause.is_some() && input.event != HookEvent::SessionStart {
        return while_paused(app, input, starter);
    }
    match input.event {
        HookEvent::SessionStart => session_start(service, input, starter),
        HookEvent::UserPromptSubmit if input.agent_id.is_empty() => prompt_submitted(service, input),
        HookEvent::UserPromptSubmit | HookEvent::SubagentStart => subagent::started(service, input),
        event if event.is_noted() => spool_if_wanted(app, input, starter),
        _ => Ok(HookAnswer::default()),
    }
}

/// Spools an event, if the settings want notes.
fn spool_if_wanted(app: &App, input: &HookInput, starter: &dyn ProcessStarter) -> Result<HookAnswer> {
    if app.settings.config.vault.path.is_some() && app.settings.config.hooks.notes {
        return spool_event(app, input, starter);
    }
    Ok(HookAnswer::default())
}

/// Spools only the events that note the turns before the pause.
fn while_paused(app: &App, input: &HookInput, starter: &dyn ProcessStarter) -> Result<HookAnswer> {
    match input.event {
        HookEvent::PreCompact | HookEvent::SessionEnd => spool_if_wanted(app, input, starter),
        _ => Ok(HookAnswer::default()),
    }
}

/// Returns the message to the client while the settings are invalid: at each session start, and once per session at other events. Otherwise
/// the answer is empty. `data` is the data directory as far as it is known.
pub fn respond_without_settings(data: &Path, runtime_dir: Option<&Path>, input: &HookInput, said: &str) -> HookAnswer {
    let fallback = Fallback::new(data, runtime_dir);
    let is_first = || fallback.mark_notified(&format!("{said} {}", input.session));
    let is_told = match input.event {
        HookEvent::SessionStart => {
            // Counts as notified for the later events too.
            is_first();
            true
        }
        HookEvent::UserPromptSubmit => is_first(),
        event => event.is_noted() && fallback.folder().is_ok() && is_first(),
    };
    HookAnswer { message: is_told.then(|| said.to_owned()), ..HookAnswer::default() }
}

/// Returns the spool of the configured data directory.
fn spool(app: &App) -> Spool {
    Spool::new(&app.settings.config.data.dir, app.environment.variable("XDG_RUNTIME_DIR").map(Path::new))
}

/// Registers the session of an event as open.
fn register(app: &App, input: &HookInput) {
    if app.settings.config.hooks.notes && !input.session.is_empty() {
        let kept =
            OpenSession::record(&app.settings.config.data.dir, input, client_pid(&app.environment, input.client));
        kept.unwrap_or_else(|error| tracing::warn!("{error:#}"));
    }
}

/// Spools the end of sessions whose clients were killed, and returns them.
fn catch_up(app: &App, spool: &Spool) -> Vec<OpenSession> {
    let data = &app.settings.config.data.dir;
    let now = app.environment.clock.timestamp();
    let orphaned = OpenSession::orphaned(data);
    for (nanosecond, left) in (0..).zip(&orphaned) {
        // Distinct times give the events distinct names.
        let at = now + jiff::SignedDuration::from_nanos(nanosecond);
        match left.end().map(|end| spool.put(&end, at)) {
            Some(Err(error)) => tracing::warn!("{error:#}"),
            Some(Ok(_)) | None => left.forget(data),
        }
    }
    orphaned
}

fn spool_event(app: &App, input: &HookInput, starter: &dyn ProcessStarter) -> Result<HookAnswer> {
    let spool = spool(app);
    let with_summary;
    let input = match summary_in_transcript(input) {
        Some(summary) => {
            with_summary = HookInput { compact_summary: summary, ..input.clone() };
            &with_summary
        }
        None => input,
    };
    let put = spool.put(input, app.environment.clock.timestamp());
    if put.is_ok() {
        // A session whose end was lost stays registered, so that the next start catches up on it.
        register(app, input);
    }
    let (told_of, said) = match put {
        Ok(PutResult::Spooled) => {
            starter.finish()?;
            return Ok(HookAnswer::default());
        }
        Ok(PutResult::Aside(folder, reason)) => {
            let said = format!("tars {reason:#}; turns are kept in {} until there is room", folder.display());
            (input.session.clone(), said)
        }
        // A person who read that turns are kept gets a second message when they are lost.
        Err(error) => (format!("lost {}", input.session), format!("tars lost the note of this turn: {error:#}")),
    };
    tracing::warn!("{said}");
    Ok(HookAnswer { message: spool.fallback.mark_notified(&told_of).then_some(said), ..HookAnswer::default() })
}

/// Returns the summary of a conversation that a client wrote only into the transcript.
fn summary_in_transcript(input: &HookInput) -> Option<String> {
    let is_missing = input.event == HookEvent::PostCompact && input.compact_summary.is_empty();
    let path = Path::new(&input.transcript);
    let read = (is_missing && path.is_file()).then(|| transcript::last_summary(path))?;
    read.unwrap_or_else(|error| {
        tracing::warn!("{error}");
        None
    })
}

/// Adds a warning to the answer, once per session, if the data directory is not writable.
fn with_disk_warning(app: &App, input: &HookInput, answer: Result<HookAnswer>) -> Result<HookAnswer> {
    let data = &app.settings.config.data.dir;
    let Err(error) = fallback::check_room(data) else { return answer };
    let spool = spool(app);
    let turns = match spool.fallback.folder() {
        _ if !app.settings.config.hooks.notes => "lines may be shown twice".to_owned(),
        Ok(folder) => format!("turns are kept in {} until there is room", folder.display()),
        Err(error) => format!("turns are lost until there is room ({error:#})"),
    };
    let said = format!("tars cannot write to {}: {error}; {turns}", data.display());
    tracing::warn!("{said}");
    if !spool.fallback.mark_notified(&input.session) {
        return answer;
    }
    let told = answer.unwrap_or_else(|error| {
        tracing::error!("{error:#}");
        HookAnswer::default()
    });
    Ok(told.with_message(said))
}

/// Returns a message for a session that begins; nothing when one is resumed.
fn at_startup(input: &HookInput, said: String) -> HookAnswer {
    HookAnswer { message: (input.source == "startup").then_some(said), ..HookAnswer::default() }
}

fn session_start(service: &Service<'_>, input: &HookInput, starter: &dyn ProcessStarter) -> Result<HookAnswer> {
    let app = service.app();
    if app.settings.config.vault.path.is_none() {
        let said = "tars has no vault yet and remembers nothing: run `tars init FOLDER` in a terminal";
        return Ok(at_startup(input, said.to_owned()));
    }
    if let Err(error) = app.memory_folder() {
        let said = format!("tars remembers nothing in this session: {error:#}");
        return Ok(at_startup(input, said));
    }
    let data = &app.settings.config.data.dir;
    let spool = spool(app);
    if let Ok(Some(lock)) = spool.lock() {
        let now = app.environment.clock.timestamp();
        lock.sweep(now);
        ShownLines::sweep(data, &lock, now);
        sessions::sweep(app, now);
        OpenSession::sweep(data, &lock, now);
        app.pauses().sweep(now);
        recall::sweep(app, &lock, now);
    }
    let mut left = Vec::new();
    if app.settings.config.hooks.notes {
        if input.source == "fork" {
            sessions::record_fork(app, &input.session).unwrap_or_else(|error| tracing::warn!("{error:#}"));
        }
        // Runs before this session is registered: a resumed session may be one whose client was killed.
        left = catch_up(app, &spool);
        register(app, input);
    }
    // Checked before the watcher can repair anything.
    let problem = health::problem(app, &spool, input);
    // The memory comes from the files, so the answer does not depend on the watcher.
    let started = starter
        .watch(ending_client(&app.environment, input.client))
        .and_then(|()| if spool.is_waiting() || sessions::is_model_awaited(app) { starter.finish() } else { Ok(()) });
    if let Err(error) = started {
        tracing::warn!("{error:#}");
    }
    // When a session is resumed, most clients send the earlier context again; otherwise that context is gone.
    let resumed = input.source == "resume";
    let is_kept = resumed && input.client.keeps_context();
    let mut shown =
        if is_kept { ShownLines::open(data, &input.session) } else { ShownLines::fresh(data, &input.session) };
    if let Some(pause) = paused::current(app, input)? {
        shown.save().unwrap_or_else(|error| tracing::warn!("{error:#}"));
        return Ok(HookAnswer::message(paused::start_message(&pause, &app.environment.clock.now())));
    }
    let offer = offer::line(app, input, &left);
    let request = deferred::memory_request(app, input, is_kept.then_some(&shown), offer.as_deref());
    let mut answer = inject(service, input, &request, offer.as_deref(), &mut shown);
    if let (false, Ok(given)) = (input.client.takes_context_at_start(), &mut answer) {
        Deferred::of(data, &input.session).keep(given.context.take());
    }
    let mut answer = with_disk_warning(app, input, answer);
    if let (Some(problem), Ok(told)) = (problem, &mut answer)
        && told.message.is_none()
        && spool.fallback.mark_notified(&problem.key)
    {
        tracing::warn!("{}", problem.message);
        told.message = Some(problem.message);
    }
    model_alerts::with_alerts(app, input, answer)
}

fn prompt_submitted(service: &Service<'_>, input: &HookInput) -> Result<HookAnswer> {
    let app = service.app();
    if app.settings.config.vault.path.is_none() {
        return Ok(HookAnswer::default());
    }
    let question = prompt::question(input.client, &input.prompt);
    let is_given = input.client.takes_context_at_start();
    if question.is_none() && is_given {
        return Ok(HookAnswer::default());
    }
    let mut shown = ShownLines::open(&app.settings.config.data.dir, &input.session);
    let answer = |shown: &mut ShownLines| {
        let Some(question) = question else { return Ok(HookAnswer::default()) };
        let seen = Some(shown.lines().cloned().collect());
        let request = ContextRequest { seen, ..answer_request(app, input, question) };
        inject(service, input, &request, None, shown)
    };
    let answer = if is_given { answer(&mut shown) } else { deferred::with_memory(service, input, shown, answer) };
    with_disk_warning(app, input, answer)
}

/// Returns a request for the project that the client works in, if the client names its directory.
fn in_project(app: &App, input: &HookInput) -> ContextRequest {
    let directory = Some(input.directory.as_str()).filter(|directory| !directory.is_empty());
    let project = directory.map(|directory| Project::of(Path::new(directory)));
    let parent = directory.and_then(|directory| Project::parent_of(Path::new(directory)));
    ContextRequest {
        project: project.as_ref().map(|project| project.name.clone()),
        project_key: project.map(|project| project.key),
        parent: parent.map(|parent| (parent.name, parent.key)),
        only_project: app.settings.config.hooks.scope == Scope::Project,
        directory: directory.map(str::to_owned),
        client: Some(input.client.name().to_owned()),
        ..ContextRequest::default()
    }
}

/// Returns a request for lines that answer a question, for a prompt that did not ask for notes.
fn answer_request(app: &App, input: &HookInput, question: Question) -> ContextRequest {
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
fn call_and_log(service: &Service<'_>, request: &ContextRequest) -> Result<ContextResponse> {
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
    offer: Option<&str>,
    shown: &mut ShownLines,
) -> Result<HookAnswer> {
    let answer = call_and_log(service, request)?;
    answer.pieces.iter().for_each(|one| shown.add(&one.text));
    if let Err(error) = AskedOpenEnds::add(service.app(), &answer.asked) {
        tracing::warn!("{error:#}");
    }
    // The worst case is a line that is shown twice.
    if let Err(error) = shown.save() {
        tracing::warn!("{error:#}");
    }
    recall::record(service.app(), input, &input.prompt, request, &answer);
    let told: Vec<&str> = answer.block.as_deref().into_iter().chain(offer).collect();
    Ok(HookAnswer { context: (!told.is_empty()).then(|| told.join("\n")), ..HookAnswer::default() })
}
