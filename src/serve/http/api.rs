//! `/v1/{operation}`: the use cases by name, with JSON requests and answers.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::guard::Channel;
use super::problem::HttpProblem;
use super::{ServerState, body, query};
use tars_service::operations::Operation;
use tars_service::{Problem, Service};

/// Timeout of a normal answer.
const NORMAL_TIMEOUT: Duration = Duration::from_secs(30);
/// Timeout of an answer that scans all notes or calls a language model.
const LONG_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// Operations that return the memory folder's current state with an ETag, on which a write can rest.
pub(super) const VERSIONED: [&str; 13] = [
    "daily",
    "timeline",
    "session",
    "sessions",
    "review",
    "layers",
    "lines",
    "forget",
    "done",
    "week",
    "project",
    "proposals",
    "tidy",
];

/// Operations that read all data.
const FULL_SCANS: [&str; 2] = ["audit", "doctor"];

/// The result of a job in the pool: the version of the memory folder before the operation, and the answer.
type Answer = (Option<String>, Result<Vec<u8>, Problem>);

/// Answers a request with a JSON body.
pub(super) async fn post(
    State(server): State<Arc<ServerState>>,
    Extension(channel): Extension<Channel>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, HttpProblem> {
    let operation = named(&name)?;
    let request = body::read_object(body).await?;
    let expected = expected_version(&headers)?;
    answer(&server, operation, request, RequestContext { channel, expected }).await
}

/// Answers a request in the query string, for operations that never write.
pub(super) async fn get(
    State(server): State<Arc<ServerState>>,
    Extension(channel): Extension<Channel>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, HttpProblem> {
    let operation = named(&name)?;
    if operation.writes {
        let message = format!("'{name}' may write, so it accepts only POST");
        return Err(HttpProblem::new(StatusCode::METHOD_NOT_ALLOWED, message).with_hint(format!("POST /v1/{name}")));
    }
    let request = query::request(server.fields.get(operation.name), &query.unwrap_or_default())
        .map_err(|message| HttpProblem::new(StatusCode::BAD_REQUEST, message).with_hint("see /v1/openapi.json"))?;
    answer(&server, operation, request, RequestContext { channel, expected: None }).await
}

/// The caller, and the version of the memory folder that a write rests on.
struct RequestContext {
    channel: Channel,
    expected: Option<String>,
}

fn named(name: &str) -> Result<&'static Operation, HttpProblem> {
    Operation::named(name).ok_or_else(HttpProblem::not_found)
}

/// Returns the version in `If-Match`, if there is one.
fn expected_version(headers: &HeaderMap) -> Result<Option<String>, HttpProblem> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(tag) if !tag.contains('"') => Ok(Some(tag.to_owned())),
        _ => {
            let message = "If-Match is not a single ETag of an earlier answer";
            Err(HttpProblem::new(StatusCode::BAD_REQUEST, message).with_hint("If-Match: \"…\""))
        }
    }
}

/// Answers on a thread of the pool.
async fn answer(
    server: &ServerState,
    operation: &'static Operation,
    request: Value,
    context: RequestContext,
) -> Result<Response, HttpProblem> {
    let (pool, limit) =
        if takes_long(operation, &request) { (&server.long, LONG_TIMEOUT) } else { (&server.short, NORMAL_TIMEOUT) };
    let (sender, receiver) = oneshot::channel::<Answer>();
    let running_requests = Arc::clone(&server.running_requests);
    let job = move |service: &Service<'_>| {
        // The client may have disconnected while the request waited.
        if !sender.is_closed() {
            // The client may have disconnected since.
            let _ = sender.send(answer_with(service, operation, request, context));
        }
        drop(running_requests);
    };
    pool.submit(Box::new(job)).map_err(|_| HttpProblem::busy())?;
    let (version, answer) = match timeout(limit, receiver).await {
        Ok(Ok(answered)) => answered,
        Ok(Err(_)) => return Err(HttpProblem::fault("request")),
        Err(_) => {
            let message = format!("there is no answer after {} s; the operation continues", limit.as_secs());
            return Err(HttpProblem::new(StatusCode::GATEWAY_TIMEOUT, message));
        }
    };
    let mut response = ([(header::CONTENT_TYPE, "application/json")], answer?).into_response();
    // A version consists of digits, so it is a valid header value.
    if let Some(tag) = version.and_then(|version| HeaderValue::try_from(format!("\"{version}\"")).ok()) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    Ok(response)
}

/// Returns whether a request would block quick ones: it waits for a language model, or reads all data.
fn takes_long(operation: &Operation, request: &Value) -> bool {
    let is_set = |field: &str| request.get(field) == Some(&Value::Bool(true));
    operation.is_long || FULL_SCANS.contains(&operation.name) || is_set("expand") || is_set("rerank")
}

fn answer_with(service: &Service<'_>, operation: &Operation, request: Value, context: RequestContext) -> Answer {
    service.set_client(Some(&context.channel.0));
    service.expect_version(context.expected);
    // Read before the operation: a later change then makes the version stale, which is the safe direction.
    let version = VERSIONED.contains(&operation.name).then(|| service.memory_version().ok()).flatten();
    let answer = service.check_version().and_then(|()| operation.call(service, request));
    service.expect_version(None);
    (version, answer.map_err(|error| Problem::from(&error)))
}
