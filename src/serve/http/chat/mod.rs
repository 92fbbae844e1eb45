//! `/chat` and `/conversations`: the assistant over HTTP.
//!
//! Each turn runs on its own thread, because it waits for a model and for a person. It passes its events to the connection through a
//! short queue. A client that disconnects stops its turn. A conversation has one turn at a time, because its file is locked. The outcomes
//! of a conversation are noted when it is deleted or cleared, after [`IDLE`], and when the server ends.

mod conversations;
mod description;
mod idle;
mod turn;
mod wire;

pub(super) use conversations::{delete, list, show};
pub(super) use description::paths;
pub(super) use idle::note_what_rests;
use wire::{AnswerRequest, ChatRequest, ChatResponse};

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use futures_util::stream::unfold;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc::Receiver;
use tokio::time::timeout;

use super::Door;
use super::api::LONGEST;
use super::guard::Channel;
use super::problem::HttpProblem;
use tars_assistant::commands::{COMMANDS, Command};
use tars_assistant::{AssistantError, Channel as Typed};
use tars_chat::CancelToken;
use tars_service::{ChatChoice, Problem};
use turn::Turn;
use wire::{CommandLine, Happened};

/// Concurrent turns.
const MAX_TURNS: usize = 8;
/// Events buffered for a slow reader before the turn blocks.
const EVENT_BUFFER: usize = 64;
/// Timeout for the arrival of a request body.
const ARRIVAL: Duration = Duration::from_secs(10);
/// Interval of the keep-alive events.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Idle time after which a conversation is noted in the memory.
pub(super) const IDLE: Duration = Duration::from_secs(30 * 60);

/// The state shared by the turns of all conversations.
#[derive(Default)]
pub(super) struct Chats {
    turns: Arc<AtomicUsize>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    next: u64,
    /// Questions that wait for the person, by id.
    questions: HashMap<String, Sender<bool>>,
    /// Conversations with unnoted outcomes, with the time of their last message.
    spoken: HashMap<String, Instant>,
    /// Models chosen for conversations.
    choices: HashMap<String, ChatChoice>,
}

impl Chats {
    /// Returns the counter of running turns.
    pub(super) fn turns(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.turns)
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts a turn while it runs.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn of(turns: &Arc<AtomicUsize>) -> Option<Self> {
        let before = turns.fetch_add(1, Ordering::SeqCst);
        // Counted even above the limit: dropping the guard decrements it.
        let counted = Self(Arc::clone(turns));
        (before < MAX_TURNS).then_some(counted)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The receiving end of a turn's events. Dropping it cancels the turn.
struct Listening {
    happens: Receiver<Happened>,
    cancel: CancelToken,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Runs a turn for a message, or executes a command.
pub(super) async fn say(
    State(door): State<Arc<Door>>,
    Extension(channel): Extension<Channel>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, HttpProblem> {
    let request: ChatRequest = read(body).await?;
    let Some(counted) = Counted::of(&door.chats.turns) else {
        return Err(HttpProblem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            format!("{MAX_TURNS} answers are already in progress"),
        )
        .hint("wait until one is finished"));
    };
    let streams = headers.get_all(header::ACCEPT).iter().any(|value| {
        value.to_str().is_ok_and(|kinds| kinds.split(',').any(|kind| kind.trim().starts_with("text/event-stream")))
    });
    let (sender, happens) = tokio::sync::mpsc::channel(EVENT_BUFFER);
    let listening = Listening { happens, cancel: CancelToken::default() };
    let turn = Turn { request, channel: channel.0, can_ask: streams, said: sender, cancel: listening.cancel.clone() };
    let working = Arc::clone(&door);
    let work = move || {
        turn.run(&working);
        drop(counted);
    };
    std::thread::Builder::new().name("turn".into()).spawn(work).map_err(|error| {
        HttpProblem::new(StatusCode::SERVICE_UNAVAILABLE, format!("no thread can be started: {error}"))
    })?;
    if streams { Ok(stream(listening).into_response()) } else { whole(listening).await }
}

/// Streams the events of a turn as they happen.
fn stream(listening: Listening) -> impl IntoResponse {
    let events = unfold(listening, |mut listening| async move {
        let happened = listening.happens.recv().await?;
        Some((Ok::<Event, Infallible>(happened.event()), listening))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT))
}

/// Waits for the end of the turn and returns one complete answer.
async fn whole(mut listening: Listening) -> Result<Response, HttpProblem> {
    let mut response = ChatResponse::default();
    while let Some(happened) = listening.happens.recv().await {
        match happened {
            Happened::Done(end) => return Ok(Json(ChatResponse { end, ..response }).into_response()),
            Happened::Problem(problem) => return Err(*problem),
            other => response.add(other),
        }
    }
    Err(HttpProblem::new(StatusCode::INTERNAL_SERVER_ERROR, "the turn failed because of a fault in tars")
        .hint("see the log of tars serve"))
}

/// Passes on the person's answer to a permission question of the model.
pub(super) async fn answer(State(door): State<Arc<Door>>, body: Body) -> Result<StatusCode, HttpProblem> {
    let answer: AnswerRequest = read(body).await?;
    let asked = door.chats.open().questions.remove(&answer.question);
    match asked.map(|asked| asked.send(answer.allow)) {
        Some(Ok(())) => Ok(StatusCode::NO_CONTENT),
        _ => Err(HttpProblem::new(StatusCode::NOT_FOUND, "the question is no longer open")),
    }
}

/// Lists the commands available over HTTP.
pub(super) async fn commands() -> Json<Vec<CommandLine>> {
    let here = COMMANDS.iter().filter(|command| command.from <= Typed::Interactive);
    let line = |command: &'static Command| CommandLine {
        name: command.name,
        aliases: command.aliases,
        usage: command.usage,
        about: command.about,
        from: command.from,
    };
    Json(here.map(line).collect())
}

async fn read<T: DeserializeOwned>(body: Body) -> Result<T, HttpProblem> {
    let bytes = match timeout(ARRIVAL, to_bytes(body, LONGEST)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) => {
            let too_long = format!("the request is longer than {LONGEST} bytes, or was cut off: {error}");
            return Err(HttpProblem::new(StatusCode::PAYLOAD_TOO_LARGE, too_long));
        }
        Err(_) => return Err(HttpProblem::new(StatusCode::REQUEST_TIMEOUT, "the request did not arrive in time")),
    };
    serde_json::from_slice(&bytes).map_err(|error| {
        HttpProblem::new(StatusCode::BAD_REQUEST, format!("the request cannot be read: {error}"))
            .hint("send a JSON object as /v1/openapi.json describes it")
    })
}

/// Converts an error of the assistant into an HTTP problem.
fn problem(error: &anyhow::Error) -> HttpProblem {
    use tars_assistant::conversation::ConversationError;
    let conversation = error.chain().find_map(|cause| cause.downcast_ref::<ConversationError>());
    let status = match (conversation, error.downcast_ref::<AssistantError>()) {
        (Some(ConversationError::Id(_)), _) => StatusCode::UNPROCESSABLE_ENTITY,
        (Some(ConversationError::Missing(_)), _) => StatusCode::NOT_FOUND,
        (Some(ConversationError::Busy(_)), _) => StatusCode::CONFLICT,
        (_, Some(AssistantError::Empty | AssistantError::TooLong(_))) => StatusCode::UNPROCESSABLE_ENTITY,
        (_, Some(AssistantError::Chat(_))) => StatusCode::BAD_GATEWAY,
        _ => return Problem::from(error).into(),
    };
    let told = HttpProblem::new(status, format!("{error:#}"));
    match Problem::from(error).hint {
        Some(hint) => told.hint(hint),
        None => told,
    }
}
