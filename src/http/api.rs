//! `/v1/{operation}`: the use cases by name, JSON on both sides.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::guard::Channel;
use super::problem::HttpProblem;
use super::{Door, query};
use crate::service::operations::Operation;
use crate::service::{Problem, Service};

/// The longest request, in bytes.
pub(super) const LONGEST: usize = 1 << 20;
/// How long a request may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(10);
/// How long an answer may take.
const SOON: Duration = Duration::from_secs(30);
/// How long one may take that runs over all notes or asks a language model.
const LATE: Duration = Duration::from_secs(15 * 60);

/// Operations whose answers show the memory folder as it stands, so that a write may rest on them.
pub(super) const VERSIONED: [&str; 12] = [
    "daily",
    "timeline",
    "session",
    "sessions",
    "review",
    "layers",
    "lines",
    "forget",
    "week",
    "project",
    "proposals",
    "tidy",
];

/// Operations that read everything there is.
const THOROUGH: [&str; 2] = ["audit", "doctor"];

/// What a job of the pool hands back: the version of the memory folder before it, and the answer.
type Answer = (Option<String>, Result<Vec<u8>, Problem>);

/// Answers a request in the body.
pub(super) async fn post(
    State(door): State<Arc<Door>>,
    Extension(channel): Extension<Channel>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, HttpProblem> {
    let operation = named(&name)?;
    let request = read(body).await?;
    let expected = expected_version(&headers)?;
    answer(&door, operation, request, Asked { channel, expected }).await
}

/// Answers a request in the query, of an operation that never writes.
pub(super) async fn get(
    State(door): State<Arc<Door>>,
    Extension(channel): Extension<Channel>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, HttpProblem> {
    let operation = named(&name)?;
    if operation.writes {
        let message = format!("'{name}' may write, so that it is asked with POST alone");
        return Err(HttpProblem::new(StatusCode::METHOD_NOT_ALLOWED, message).hint(format!("POST /v1/{name}")));
    }
    let request = query::request(door.fields.get(operation.name), &query.unwrap_or_default())
        .map_err(|message| HttpProblem::new(StatusCode::BAD_REQUEST, message).hint("see /v1/openapi.json"))?;
    answer(&door, operation, request, Asked { channel, expected: None }).await
}

/// Who asks, and which version of the memory folder a write rests on.
struct Asked {
    channel: Channel,
    expected: Option<String>,
}

fn named(name: &str) -> Result<&'static Operation, HttpProblem> {
    Operation::named(name).ok_or_else(HttpProblem::nothing_there)
}

/// Reads a request; an empty body is one that leaves everything out.
async fn read(body: Body) -> Result<Value, HttpProblem> {
    let bytes = match timeout(ARRIVAL, to_bytes(body, LONGEST)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) => {
            let too_long = format!("the request is longer than {LONGEST} bytes, or was cut off: {error}");
            return Err(HttpProblem::new(StatusCode::PAYLOAD_TOO_LARGE, too_long));
        }
        Err(_) => return Err(HttpProblem::new(StatusCode::REQUEST_TIMEOUT, "the request did not arrive in time")),
    };
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Value::Object(Map::new()));
    }
    let invalid = |message: String| {
        HttpProblem::new(StatusCode::BAD_REQUEST, message).hint("send a JSON object as /v1/openapi.json describes it")
    };
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(fields)) => Ok(Value::Object(fields)),
        Ok(_) => Err(invalid("the request is JSON, but no object".into())),
        Err(error) => Err(invalid(format!("the request is no JSON: {error}"))),
    }
}

/// Returns the version that a write rests on, if it says one.
fn expected_version(headers: &HeaderMap) -> Result<Option<String>, HttpProblem> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(tag) if !tag.contains('"') => Ok(Some(tag.to_owned())),
        _ => {
            let message = "If-Match holds no single ETag of an earlier answer";
            Err(HttpProblem::new(StatusCode::BAD_REQUEST, message).hint("If-Match: \"…\""))
        }
    }
}

/// Has a thread of the pool answer.
async fn answer(
    door: &Door,
    operation: &'static Operation,
    request: Value,
    asked: Asked,
) -> Result<Response, HttpProblem> {
    let (pool, limit) = if takes_long(operation, &request) { (&door.long, LATE) } else { (&door.short, SOON) };
    let (sender, receiver) = oneshot::channel::<Answer>();
    let under_way = Arc::clone(&door.under_way);
    let job = move |service: &Service<'_>| {
        // The client may have left while the request waited.
        if !sender.is_closed() {
            // Nobody is left to tell where it has left since.
            let _ = sender.send(answer_with(service, operation, request, asked));
        }
        drop(under_way);
    };
    pool.submit(Box::new(job)).map_err(|_| HttpProblem::busy())?;
    let (version, answer) = match timeout(limit, receiver).await {
        Ok(Ok(answered)) => answered,
        Ok(Err(_)) => {
            let message = "the request ended in a fault of tars";
            return Err(HttpProblem::new(StatusCode::INTERNAL_SERVER_ERROR, message).hint("see the log of tars serve"));
        }
        Err(_) => {
            let message = format!("there is no answer after {} s; what was begun goes on", limit.as_secs());
            return Err(HttpProblem::new(StatusCode::GATEWAY_TIMEOUT, message));
        }
    };
    let mut response = ([(header::CONTENT_TYPE, "application/json")], answer?).into_response();
    // A version is digits, which are a value of a header.
    if let Some(tag) = version.and_then(|version| HeaderValue::try_from(format!("\"{version}\"")).ok()) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    Ok(response)
}

/// Whether a request would keep a thread from quick ones: it waits for a language model, or reads everything.
fn takes_long(operation: &Operation, request: &Value) -> bool {
    let asks = |field: &str| request.get(field) == Some(&Value::Bool(true));
    operation.is_long || THOROUGH.contains(&operation.name) || asks("expand") || asks("rerank")
}

fn answer_with(service: &Service<'_>, operation: &Operation, request: Value, asked: Asked) -> Answer {
    service.speak_for(Some(&asked.channel.0));
    service.expect_version(asked.expected);
    // Before the answer: what changes meanwhile makes it old.
    let version = VERSIONED.contains(&operation.name).then(|| service.memory_version().ok()).flatten();
    let answer = service.check_version().and_then(|()| operation.call(service, request));
    let answer = answer.and_then(|answer| Ok(serde_json::to_vec(&answer)?));
    service.expect_version(None);
    (version, answer.map_err(|error| Problem::from(&error)))
}
