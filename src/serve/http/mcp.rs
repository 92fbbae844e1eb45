//! `/mcp`: reads the messages of agents before the SDK does, whose answers to broken ones are no JSON-RPC.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};

use super::body::read_bytes;
use crate::mcp::{self, MemoryServer};

/// Returns the service under `/mcp`.
pub(super) fn routes(memory: MemoryServer) -> Router {
    Router::new().fallback_service(mcp::http_service(memory)).layer(from_fn(read_message))
}

/// Passes a message on if it is one, and otherwise answers with an error of JSON-RPC.
async fn read_message(request: Request, next: Next) -> Response {
    if request.method() != Method::POST || !is_json(request.headers()) {
        return next.run(request).await;
    }
    let (mut head, body) = request.into_parts();
    let bytes = match read_bytes(body).await {
        Ok(bytes) => bytes,
        Err(problem) => return problem.into_response(),
    };
    match mcp::checked_message(&bytes) {
        Ok(message) => {
            let length = HeaderValue::from(message.len());
            head.headers.remove(header::TRANSFER_ENCODING);
            head.headers.insert(header::CONTENT_LENGTH, length);
            next.run(Request::from_parts(head, Body::from(message))).await
        }
        Err(error) => {
            let headers = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
            (StatusCode::BAD_REQUEST, headers, Bytes::from(error.to_string())).into_response()
        }
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}
