//! `/chat` and `/conversations`: the assistant over HTTP.
//!
//! Each turn runs on its own thread, because it waits for a model and for a person. It passes its events to the connection through a
//! short queue. A client that closes its stream stops its turn. A conversation has one turn at a time, because its file is locked. The outcomes
//! of a conversation are noted when it is deleted or cleared, after [`IDLE`], and when the server ends.

mod conversations;
mod idle;
mod turn;
pub(super) mod wire;

pub(super) use conversations::{delete, list, show};
pub(super) use idle::note_idle_conversations;

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use futures_util::stream::unfold;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::Receiver;

use super::ServerState;
use super::body::read;
use super::guard::Channel;
use super::problem::HttpProblem;
use tars_assistant::commands::{COMMANDS, Command};
use tars_assistant::{AssistantError, Channel as Typed};
use tars_chat::CancelToken;
use tars_service::{ChatChoice, Problem};
use turn::Turn;
use wire::{AnswerRequest, ChatEvent, ChatRequest, ChatResponse, CommandLine};

/// Concurrent turns.
pub(super) const MAX_TURNS: usize = 8;
/// Events buffered for a slow reader before the turn blocks.
const EVENT_BUFFER: usize = 64;
/// Interval of the keep-alive events.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Idle time after which a conversation is noted in the memory.
pub(super) const IDLE: Duration = Duration::from_secs(30 * 60);

/// The state shared by the turns of all conversations.
pub(super) struct ChatState {
    turns: Arc<Semaphore>,
    open: Mutex<OpenChats>,
}

#[derive(Default)]
struct OpenChats {
    next: u64,
    /// Questions that wait for the person, by id.
    questions: HashMap<String, Sender<bool>>,
    /// Conversations with unnoted outcomes, with the time of their last message.
    unnoted: HashMap<String, Instant>,
    /// Models chosen for conversations.
    choices: HashMap<String, ChatChoice>,
}

impl ChatState {
    pub(super) fn new() -> Self {
        Self { turns: Arc::new(Semaphore::new(MAX_TURNS)), open: Mutex::default() }
    }

    /// Returns the permits of turns; all [`MAX_TURNS`] are available while no turn runs.
    pub(super) fn turns(&self) -> Arc<Semaphore> {
        Arc::clone(&self.turns)
    }

    fn lock(&self) -> MutexGuard<'_, OpenChats> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The receiving end of a turn's events. Dropping it cancels the turn.
struct ChatEvents {
    receiver: Receiver<ChatEvent>,
    cancel: CancelToken,
}

impl Drop for ChatEvents {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Runs a turn for a message, or executes a command.
pub(super) async fn say(
    State(server): State<Arc<ServerState>>,
    Extension(channel): Extension<Channel>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, HttpProblem> {
    let request: ChatRequest = read(body).await?;
    let Ok(permit) = server.chats.turns().try_acquire_owned() else {
        return Err(HttpProblem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            format!("{MAX_TURNS} answers are already in progress"),
        )
        .with_hint("wait until one is finished"));
    };
    let streams = headers.get_all(header::ACCEPT).iter().any(|value| {
        value.to_str().is_ok_and(|kinds| kinds.split(',').any(|kind| kind.trim().starts_with("text/event-stream")))
    });
    let (sender, receiver) = tokio::sync::mpsc::channel(EVENT_BUFFER);
    let events = ChatEvents { receiver, cancel: CancelToken::default() };
    let turn = Turn { request, channel: channel.0, can_ask: streams, events: sender, cancel: events.cancel.clone() };
    let working = Arc::clone(&server);
    let work = move || {
        turn.run(&working);
        drop(permit);
    };
    std::thread::Builder::new().name("turn".into()).spawn(work).map_err(|error| {
        HttpProblem::new(StatusCode::SERVICE_UNAVAILABLE, format!("no thread can be started: {error}"))
    })?;
    if streams { Ok(stream(events).into_response()) } else { whole(events).await }
}

/// Streams the events of a turn as they happen.
fn stream(events: ChatEvents) -> impl IntoResponse {
    let stream = unfold(events, |mut events| async move {
        let event = events.receiver.recv().await?;
        Some((Ok::<Event, Infallible>(event.to_sse()), events))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(HEARTBEAT))
}

/// Waits for the end of the turn and returns one complete answer.
async fn whole(mut events: ChatEvents) -> Result<Response, HttpProblem> {
    let mut response = ChatResponse::default();
    while let Some(event) = events.receiver.recv().await {
        match event {
            ChatEvent::Done(end) => return Ok(Json(ChatResponse { end, ..response }).into_response()),
            ChatEvent::Problem(problem) => return Err(*problem),
            other => response.add(other),
        }
    }
    Err(HttpProblem::fault("turn"))
}

/// Passes on the person's answer to a permission question of the model.
pub(super) async fn answer(State(server): State<Arc<ServerState>>, body: Body) -> Result<StatusCode, HttpProblem> {
    let answer: AnswerRequest = read(body).await?;
    let question = server.chats.lock().questions.remove(&answer.question);
    match question.map(|question| question.send(answer.allow)) {
        Some(Ok(())) => Ok(StatusCode::NO_CONTENT),
        _ => Err(HttpProblem::new(StatusCode::NOT_FOUND, "the question is no longer open")),
    }
}

/// Lists the commands available over HTTP.
pub(super) async fn commands() -> Json<Vec<CommandLine>> {
    let here = COMMANDS.iter().filter(|command| command.min_channel <= Typed::Interactive);
    let line = |command: &'static Command| CommandLine {
        name: command.name,
        aliases: command.aliases,
        usage: command.usage,
        about: command.about,
        from: command.min_channel,
    };
    Json(here.map(line).collect())
}

/// Converts an error of the assistant into an HTTP problem.
fn problem(error: &tars_service::Error) -> HttpProblem {
    use tars_assistant::conversation::ConversationError;
    let status = match (error.cause(), error.cause()) {
        (Some(ConversationError::Id(_)), _) => StatusCode::UNPROCESSABLE_ENTITY,
        (Some(ConversationError::Missing(_)), _) => StatusCode::NOT_FOUND,
        (Some(ConversationError::Busy(_)), _) => StatusCode::CONFLICT,
        (_, Some(AssistantError::Empty | AssistantError::TooLong(_))) => StatusCode::UNPROCESSABLE_ENTITY,
        (_, Some(AssistantError::Chat(_))) => StatusCode::BAD_GATEWAY,
        _ => return Problem::from(error).into(),
    };
    let told = HttpProblem::new(status, format!("{error:#}"));
    match error.hint() {
        Some(hint) => told.with_hint(hint),
        None => told,
    }
}
