//! A model behind a server: `POST {base_url}/chat/completions` (OpenAI) or `POST {base_url}/v1/messages` (Anthropic).
//!
//! Redirects are refused, because a key must not follow them. A key over plain http to another machine is refused too.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use ureq::http::Uri;

use super::answer::AnswerBuilder;
use super::cancel::POLL_INTERVAL;
use super::error::ReadError;
use super::exchange::{Exchange, OutgoingRequest, ResponseHead};
use super::sse::{EventReader, MAX_EVENT};
use super::{
    CancelToken, ChatError, ChatEvent, ChatModel, ChatRequest, Completion, Message, OnEvent, anthropic, history, openai,
};
use tars_base::endpoint::{
    MAX_ERROR_BODY, backoff, excerpt, parse_url, require_https_for_key, retry_after, without_query,
};

/// Maximum size of an answer in bytes. In a stream, most bytes are field names: about 200 bytes per token.
const MAX_ANSWER: usize = 32 << 20;
/// Maximum wait before a retry. If a server asks for a longer one, the call fails.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Total time limit if the requested one overflows the clock.
const MAX_CALL_TIME: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Name of the length limit in OpenAI's dialect, and its newer name. Reasoning models refuse the older name with an
/// error that mentions the newer one, which local servers do not know.
const LIMIT: &str = "max_tokens";
const NEWER_LIMIT: &str = "max_completion_tokens";

/// API dialect of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

/// Connection settings of a server.
#[derive(Clone)]
pub struct ServerOptions {
    /// API dialect.
    pub dialect: Dialect,
    /// Base address; for OpenAI's dialect including the version.
    pub base_url: String,
    /// The server's name for the model.
    pub model: String,
    /// API key; an empty one counts as none.
    pub api_key: Option<String>,
}

impl fmt::Debug for ServerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerOptions")
            .field("base_url", &self.base_url)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// Waits between attempts, until the time has passed or the token is cancelled. Tests record the waits instead.
type Pause = dyn Fn(Duration, &CancelToken) + Send + Sync;

/// A model behind a server.
pub struct Server {
    options: ServerOptions,
    url: Uri,
    pause: Box<Pause>,
    /// Whether the server has asked for [`NEWER_LIMIT`].
    wants_newer_limit: AtomicBool,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Why an attempt failed, and how to go on.
struct Failure {
    error: ChatError,
    next: Next,
}

enum Next {
    /// A retry would fail the same way.
    Nothing,
    /// A retry may succeed, after the server's requested wait if it named one.
    Retry(Option<Duration>),
    /// The same request with [`NEWER_LIMIT`] may succeed immediately.
    NewerLimit,
}

/// A call and the form of its request.
#[derive(Clone, Copy)]
struct Call<'r> {
    request: &'r ChatRequest,
    messages: &'r [Message],
    deadline: Instant,
    limit_field: &'static str,
}

impl Server {
    /// Returns a model behind the server that `options` describe. Nothing is sent yet.
    ///
    /// # Errors
    /// [`ChatError::Address`] and [`ChatError::InsecureKey`] for the address; [`ChatError::NoModelName`] for an empty model name.
    pub fn new(options: ServerOptions) -> Result<Self, ChatError> {
        Self::with_pause(options, Box::new(pause))
    }

    /// As [`Server::new`], with `pause` for the waits between attempts.
    pub(super) fn with_pause(mut options: ServerOptions, pause: Box<Pause>) -> Result<Self, ChatError> {
        options.api_key = options.api_key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
        if options.model.is_empty() {
            return Err(ChatError::NoModelName);
        }
        let base = options.base_url.trim_end_matches('/');
        let url = match options.dialect {
            Dialect::OpenAi => format!("{base}/chat/completions"),
            Dialect::Anthropic => format!("{}/v1/messages", base.trim_end_matches("/v1")),
        };
        let url = parse_url(&url)?;
        if options.api_key.is_some() {
            require_https_for_key(&url)?;
        }
        Ok(Self { options, url, pause, wants_newer_limit: AtomicBool::new(false) })
    }

    fn key(&self) -> Option<&str> {
        self.options.api_key.as_deref()
    }

    fn outgoing(&self, call: Call<'_>) -> OutgoingRequest {
        let Call { request, messages, limit_field, .. } = call;
        // Compression would make the server buffer the stream into larger pieces.
        let mut headers =
            vec![("content-type", "application/json".to_owned()), ("accept-encoding", "identity".to_owned())];
        let body = match self.options.dialect {
            Dialect::OpenAi => {
                headers.extend(self.key().map(|key| ("authorization", format!("Bearer {key}"))));
                openai::body(request, &self.options.model, messages, limit_field)
            }
            Dialect::Anthropic => {
                headers.push(("anthropic-version", "2023-06-01".to_owned()));
                headers.extend(self.key().map(|key| ("x-api-key", key.to_owned())));
                anthropic::body(request, &self.options.model, messages)
            }
        };
        OutgoingRequest { url: self.url.clone(), headers, body: body.to_string() }
    }

    fn attempt(&self, call: Call<'_>, on_event: &mut OnEvent<'_>) -> Result<Completion, Failure> {
        let mut answer = AnswerBuilder::new(call.request, on_event);
        let mut exchange = Exchange::start(self.outgoing(call), call.request, call.deadline);
        let read = exchange.head().and_then(|head| match head.status {
            200..=299 => self.read(&mut exchange, &head, &mut answer).map(|()| None),
            _ => self.refusal(&mut exchange, &head).map(Some),
        });
        let has_emitted = answer.has_emitted();
        let result = match read {
            Ok(None) => answer.finish(),
            Ok(Some(failure)) => return Err(failure),
            Err(error) => Err(error),
        };
        result.map_err(|error| self.failure(error, call.request, has_emitted))
    }

    /// Reads an answer: a stream of events, or one JSON object.
    fn read(
        &self,
        exchange: &mut Exchange<'_>,
        head: &ResponseHead,
        answer: &mut AnswerBuilder<'_>,
    ) -> Result<(), ReadError> {
        let kind = head.header("content-type").unwrap_or_default().to_ascii_lowercase();
        // Some servers never stream, and some send no content type.
        if kind.contains("event-stream") || (answer.is_streamed() && kind.is_empty()) {
            return self.read_events(&mut || exchange.bytes(), answer);
        }
        let mut body = Vec::new();
        collect(exchange, MAX_ANSWER + 1, &mut body)?;
        if body.len() > MAX_ANSWER {
            return Err(too_large());
        }
        let shown = || excerpt(&body, self.key());
        let object =
            serde_json::from_slice(&body).map_err(|error| ReadError::Unusable(format!("{error}: {}", shown())))?;
        match self.options.dialect {
            Dialect::OpenAi => openai::read_object(&object, answer, self.key())?,
            Dialect::Anthropic => anthropic::read_object(&object, answer, self.key())?,
        }
        if answer.is_empty() && !answer.is_stopped() {
            return Err(ReadError::Unusable(format!("no text: {}", shown())));
        }
        Ok(())
    }

    /// Reads a stream of events. `next` returns the next bytes.
    pub(super) fn read_events(
        &self,
        next: &mut dyn FnMut() -> Result<Option<Vec<u8>>, ReadError>,
        answer: &mut AnswerBuilder<'_>,
    ) -> Result<(), ReadError> {
        let mut reader = EventReader::default();
        let mut size = 0;
        loop {
            let bytes = match next() {
                Ok(Some(bytes)) => bytes,
                Ok(None) => break,
                // The answer is complete; only usage figures can be missing.
                Err(ReadError::BrokenOff { .. } | ReadError::Silent(_)) if answer.is_stopped() => return Ok(()),
                Err(error) => return Err(error),
            };
            size += bytes.len();
            if size > MAX_ANSWER {
                return Err(too_large());
            }
            let events = reader
                .push(&bytes)
                .map_err(|_| ReadError::Unusable(format!("an event has more than {MAX_EVENT} bytes")))?;
            for data in events {
                if self.read_event(&data, answer)? {
                    return Ok(());
                }
            }
        }
        // The last event may be complete even without the blank line that ends it.
        let is_over = match reader.finish().map(|data| self.read_event(&data, answer)) {
            None | Some(Err(ReadError::Unusable(_))) => false,
            Some(read) => read?,
        };
        if is_over || answer.is_stopped() {
            return Ok(());
        }
        Err(ReadError::BrokenOff { reason: "the answer ends before it is whole".into(), is_transient: true })
    }

    /// Reads the data of one event. Returns whether the stream is over.
    fn read_event(&self, data: &str, answer: &mut AnswerBuilder<'_>) -> Result<bool, ReadError> {
        match self.options.dialect {
            Dialect::OpenAi => openai::read_event(data, answer, self.key()),
            Dialect::Anthropic => anthropic::read_event(data, answer, self.key()),
        }
    }

    /// Reads why the server refused the request.
    fn refusal(&self, exchange: &mut Exchange<'_>, head: &ResponseHead) -> Result<Failure, ReadError> {
        let (url, status) = (without_query(&self.url), head.status);
        let mut body = Vec::new();
        // A partial error response is still worth showing, so a broken connection is ignored here.
        if let Err(ReadError::Cancelled) = collect(exchange, MAX_ERROR_BODY, &mut body) {
            return Err(ReadError::Cancelled);
        }
        let said = match head.header("location") {
            Some(location) if (300..400).contains(&status) => format!("it redirects to {location}").into_bytes(),
            _ => body,
        };
        let excerpt = excerpt(&said, self.key());
        let next = match status {
            400 if excerpt.contains(NEWER_LIMIT) => Next::NewerLimit,
            408 | 429 | 500..=599 => {
                Next::Retry(head.header("retry-after").and_then(|value| retry_after(value, Timestamp::now())))
            }
            _ => Next::Nothing,
        };
        Ok(Failure { error: ChatError::Status { url, status, excerpt }, next })
    }

    fn failure(&self, error: ReadError, request: &ChatRequest, has_emitted: bool) -> Failure {
        let url = without_query(&self.url);
        let retry = |is_transient: bool| if is_transient && !has_emitted { Next::Retry(None) } else { Next::Nothing };
        let (error, next) = match error {
            ReadError::Cancelled => (ChatError::Cancelled, Next::Nothing),
            ReadError::TimedOut => {
                (ChatError::ServerTimedOut { url, after: request.limits.total_timeout }, Next::Nothing)
            }
            ReadError::Silent(after) => (ChatError::Silent { url, after }, Next::Nothing),
            ReadError::BrokenOff { reason, is_transient } => (ChatError::Network { url, reason }, retry(is_transient)),
            ReadError::Reported { excerpt, is_transient } => {
                (ChatError::Reported { url, excerpt }, retry(is_transient))
            }
            ReadError::Unusable(reason) => (ChatError::Answer { url, reason }, Next::Nothing),
        };
        Failure { error, next }
    }

    /// Waits before a retry. Returns the error if there is none.
    fn wait(&self, failure: Failure, call: Call<'_>, tried: u32, on_event: &mut OnEvent<'_>) -> Result<(), ChatError> {
        let Failure { error, next } = failure;
        let Next::Retry(asked) = next else { return Err(error) };
        let wait = asked.unwrap_or_else(|| backoff(tried));
        let left = call.deadline.saturating_duration_since(Instant::now());
        if tried >= call.request.limits.max_attempts || wait > MAX_WAIT || wait >= left {
            return Err(error);
        }
        tracing::debug!(%error, tried, ?wait, "retrying the request");
        if on_event(ChatEvent::Retrying { tried, wait, error: &error }).is_break() {
            return Err(ChatError::Cancelled);
        }
        (self.pause)(wait, &call.request.cancel);
        Ok(())
    }
}

impl ChatModel for Server {
    fn name(&self) -> &str {
        match self.options.dialect {
            Dialect::OpenAi => "openai",
            Dialect::Anthropic => "anthropic",
        }
    }

    fn supports_tools(&self) -> bool {
        true
    }

    fn send(&self, request: &ChatRequest, on_event: &mut OnEvent<'_>) -> Result<Completion, ChatError> {
        let messages = history::fit_to_budget(request);
        let now = Instant::now();
        let deadline = now.checked_add(request.limits.total_timeout).unwrap_or(now + MAX_CALL_TIME);
        let limit_field = if self.wants_newer_limit.load(Ordering::Relaxed) { NEWER_LIMIT } else { LIMIT };
        let mut call = Call { request, messages, deadline, limit_field };
        let mut tried = 1;
        loop {
            let failure = match self.attempt(call, on_event) {
                Ok(completion) => {
                    let omitted_messages = request.messages.len() - messages.len();
                    return Ok(Completion { omitted_messages, ..completion });
                }
                Err(failure) => failure,
            };
            if matches!(failure.next, Next::NewerLimit) && call.limit_field == LIMIT {
                self.wants_newer_limit.store(true, Ordering::Relaxed);
                call.limit_field = NEWER_LIMIT;
                continue;
            }
            self.wait(failure, call, tried, on_event)?;
            tried += 1;
        }
    }
}

fn too_large() -> ReadError {
    ReadError::Unusable(format!("it has more than {MAX_ANSWER} bytes"))
}

/// Appends the answer's bytes to `all`, up to a length of `most`.
fn collect(exchange: &mut Exchange<'_>, most: usize, all: &mut Vec<u8>) -> Result<(), ReadError> {
    while all.len() < most
        && let Some(bytes) = exchange.bytes()?
    {
        all.extend(bytes);
    }
    all.truncate(most);
    Ok(())
}

fn pause(wait: Duration, cancel: &CancelToken) {
    let until = Instant::now() + wait;
    while !cancel.is_cancelled() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        thread::sleep(POLL_INTERVAL.min(left));
    }
}
