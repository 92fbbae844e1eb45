//! A model behind a server: `POST {base_url}/chat/completions` (OpenAI) or `POST {base_url}/v1/messages` (Anthropic).
//!
//! Redirects are refused, because a key must not follow them. A key over plain http to another machine is refused too. A server that refuses
//! an optional field of a request gets the request again without it, at once and from then on.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use ureq::http::Uri;

use super::answer::AnswerBuilder;
use super::cancel::POLL_INTERVAL;
use super::error::{ReadError, empty_reason, excerpt};
use super::exchange::{Exchange, OutgoingRequest, ResponseHead};
use super::openai::Form;
use super::refusal::Refusal;
use super::reply::{collect, read};
use super::window::{ServerKind, WindowSource};
use super::{
    CancelToken, ChatError, ChatEvent, ChatModel, ChatRequest, Completion, Dialect, Message, OnEvent, StopReason,
    Usage, anthropic, history, openai,
};
use tars_base::endpoint::{MAX_ERROR_BODY, backoff, parse_url, require_https_for_key, retry_after, without_query};

/// Maximum wait before a retry. If a server asks for a longer one, the call fails.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Total time limit if the requested one overflows the clock.
const MAX_CALL_TIME: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Name of the length limit in OpenAI's dialect, and its newer name. Reasoning models refuse the older name with an
/// error that mentions the newer one, which local servers do not know.
const LIMIT: &str = "max_tokens";
const NEWER_LIMIT: &str = "max_completion_tokens";

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
    /// The kind of server, if the settings tell; otherwise its address or its answers may.
    pub kind: Option<ServerKind>,
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
    /// Whether the server has refused to be asked for figures at the end of a stream.
    refuses_stream_options: AtomicBool,
    /// Whether the model has ended reasoning that it had not opened.
    ends_unopened: AtomicBool,
    /// Whether the server has named itself llama.cpp.
    is_llama_cpp: AtomicBool,
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
    /// The same request may succeed once.
    Again,
    /// The same request may succeed immediately in another form.
    OtherForm,
}

/// A call.
#[derive(Clone, Copy)]
struct Call<'r> {
    request: &'r ChatRequest,
    messages: &'r [Message],
    deadline: Instant,
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
        Ok(Self {
            options,
            url,
            pause,
            wants_newer_limit: AtomicBool::new(false),
            refuses_stream_options: AtomicBool::new(false),
            ends_unopened: AtomicBool::new(false),
            is_llama_cpp: AtomicBool::new(false),
        })
    }

    /// Returns address and model, which make the fields that only they get back.
    fn maker(&self) -> String {
        format!("{} {}", without_query(&self.url), self.options.model)
    }

    fn form(&self) -> Form {
        let limit_field = if self.wants_newer_limit.load(Ordering::Relaxed) { NEWER_LIMIT } else { LIMIT };
        Form { limit_field, has_stream_options: !self.refuses_stream_options.load(Ordering::Relaxed) }
    }

    fn key(&self) -> Option<&str> {
        self.options.api_key.as_deref()
    }

    fn outgoing(&self, call: Call<'_>) -> OutgoingRequest {
        let Call { request, messages, .. } = call;
        // Compression would make the server buffer the stream into larger pieces.
        let mut headers =
            vec![("content-type", "application/json".to_owned()), ("accept-encoding", "identity".to_owned())];
        let body = match self.options.dialect {
            Dialect::OpenAi => {
                headers.extend(self.key().map(|key| ("authorization", format!("Bearer {key}"))));
                openai::body(request, &self.options.model, (messages, &self.maker()), self.form())
            }
            Dialect::Anthropic => {
                headers.push(("anthropic-version", "2023-06-01".to_owned()));
                headers.extend(self.key().map(|key| ("x-api-key", key.to_owned())));
                anthropic::body(request, &self.options.model, (messages, &self.maker()))
            }
        };
        OutgoingRequest { url: self.url.clone(), headers, body: body.to_string() }
    }

    fn attempt(&self, call: Call<'_>, on_event: &mut OnEvent<'_>) -> Result<Completion, Failure> {
        let mut answer = AnswerBuilder::new(call.request, on_event);
        if self.ends_unopened.load(Ordering::Relaxed) {
            answer.hold_reasoning();
        }
        let mut exchange = Exchange::start(self.outgoing(call), call.request, call.deadline);
        let read = match exchange.head() {
            Ok(head) if (200..300).contains(&head.status) => {
                let is_llama_cpp = head.header("server").and_then(ServerKind::of_header).is_some();
                self.is_llama_cpp.fetch_or(is_llama_cpp, Ordering::Relaxed);
                let kind = head.header("content-type").unwrap_or_default();
                read(self.options.dialect, kind, &mut || exchange.bytes(), &mut answer, self.key())
            }
            Ok(head) => match self.refusal(&mut exchange, &head, call.request) {
                Ok(failure) => return Err(failure),
                Err(error) => Err(error),
            },
            Err(ReadError::BrokenOff { reason, is_transient }) => Err(ReadError::Unreachable { reason, is_transient }),
            Err(error) => Err(error),
        };
        let has_emitted = answer.has_emitted();
        self.ends_unopened.fetch_or(answer.ends_unopened(), Ordering::Relaxed);
        let result = read.and_then(|()| answer.finish(&self.maker()));
        result.map_err(|error| self.failure(error, call.request, has_emitted))
    }

    /// Reads why the server refused the request.
    fn refusal(
        &self,
        exchange: &mut Exchange<'_>,
        head: &ResponseHead,
        request: &ChatRequest,
    ) -> Result<Failure, ReadError> {
        let (url, status) = (without_query(&self.url), head.status);
        let mut body = Vec::new();
        // A partial error response is still worth showing, so a broken connection is ignored here.
        if let Err(ReadError::Cancelled) = collect(&mut || exchange.bytes(), MAX_ERROR_BODY, &mut body) {
            return Err(ReadError::Cancelled);
        }
        let said = match head.header("location") {
            Some(location) if (300..400).contains(&status) => format!("it redirects to {location}").into_bytes(),
            _ => body,
        };
        let excerpt = excerpt(&said, self.key());
        let refused = Refusal::of(&String::from_utf8_lossy(&said)).filter(|_| !matches!(status, 401 | 403 | 429));
        let form = self.form();
        match refused {
            Some(Refusal::Overflow { window }) => {
                return Ok(Failure { error: ChatError::TooLong { url, excerpt, window }, next: Next::Nothing });
            }
            Some(Refusal::Tools) if !request.tools.is_empty() => {
                return Ok(Failure { error: ChatError::ToolsRefused { url, excerpt }, next: Next::Nothing });
            }
            Some(Refusal::Limit) => self.wants_newer_limit.store(true, Ordering::Relaxed),
            Some(Refusal::StreamOptions) => self.refuses_stream_options.store(true, Ordering::Relaxed),
            _ => {}
        }
        let next = match status {
            400 | 422 if self.options.dialect == Dialect::OpenAi && form != self.form() => Next::OtherForm,
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
            ReadError::Unreachable { reason, is_transient } => {
                (ChatError::Network { url, reason }, retry(is_transient))
            }
            ReadError::BrokenOff { reason, is_transient } => (ChatError::CutOff { url, reason }, retry(is_transient)),
            ReadError::Overflow { excerpt, window } => (ChatError::TooLong { url, excerpt, window }, Next::Nothing),
            ReadError::Empty { stop, has_thought, usage } => {
                let reason = empty_reason(&stop, has_thought);
                // The same answer would reach its limit, or be refused, once more.
                let is_final = matches!(stop, StopReason::Refused | StopReason::MaxTokens);
                let next = if is_final { Next::Nothing } else { Next::Again };
                (ChatError::Empty { name: url, reason, usage }, next)
            }
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
        let wait = match next {
            Next::Retry(asked) => asked.unwrap_or_else(|| backoff(tried)),
            Next::Again => backoff(tried),
            _ => return Err(error),
        };
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

    fn window(&self, must_ask: bool) -> Option<usize> {
        let Dialect::OpenAi = self.options.dialect else { return None };
        let own = self.is_llama_cpp.load(Ordering::Relaxed).then_some(ServerKind::LlamaCpp);
        let kind = self.options.kind.or(own).or_else(|| ServerKind::of_address(&self.options.base_url));
        let source = WindowSource { base: &self.options.base_url, model: &self.options.model, key: self.key() };
        (must_ask || kind.is_some_and(ServerKind::is_quick)).then(|| source.ask(kind)).flatten()
    }

    fn send(&self, request: &ChatRequest, on_event: &mut OnEvent<'_>) -> Result<Completion, ChatError> {
        let messages = history::fit_to_budget(request);
        let now = Instant::now();
        let deadline = now.checked_add(request.limits.total_timeout).unwrap_or(now + MAX_CALL_TIME);
        let call = Call { request, messages, deadline };
        // The tokens of empty answers.
        let mut spent: Option<Usage> = None;
        let mut tried = 1;
        // Each of the two optional fields can be refused once.
        let mut forms = 0;
        loop {
            let failure = match self.attempt(call, on_event) {
                Ok(completion) => {
                    let omitted_messages = request.messages.len() - messages.len();
                    let usage = completion.usage.plus(spent.unwrap_or_default());
                    return Ok(Completion { omitted_messages, usage, ..completion });
                }
                Err(failure) => failure,
            };
            if matches!(failure.next, Next::OtherForm) && forms < 2 {
                forms += 1;
                continue;
            }
            let failure = match failure {
                Failure { error: ChatError::Empty { name, reason, usage }, next } => {
                    // An empty answer is asked for once more.
                    let next = if spent.is_none() { next } else { Next::Nothing };
                    let usage = spent.unwrap_or_default().plus(usage);
                    spent = Some(usage);
                    Failure { error: ChatError::Empty { name, reason, usage }, next }
                }
                failure => failure,
            };
            self.wait(failure, call, tried, on_event)?;
            tried += 1;
        }
    }
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
