//! Reads the JSON in the body of a request.

use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::StatusCode;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::time::timeout;

use super::problem::HttpProblem;

/// Largest request body, in bytes.
const MAX_BODY_BYTES: usize = 1 << 20;
/// Timeout for the arrival of a request body.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Reads a request of this type.
pub(super) async fn read<T: DeserializeOwned>(body: Body) -> Result<T, HttpProblem> {
    let bytes = read_bytes(body).await?;
    serde_json::from_slice(&bytes).map_err(|error| malformed(format!("the request cannot be read: {error}")))
}

/// Reads a JSON object; an empty body stands for an empty object.
pub(super) async fn read_object(body: Body) -> Result<Value, HttpProblem> {
    let bytes = read_bytes(body).await?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Value::Object(Map::new()));
    }
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(fields)) => Ok(Value::Object(fields)),
        Ok(_) => Err(malformed("the request is JSON, but not an object".into())),
        Err(error) => Err(malformed(format!("the request is not JSON: {error}"))),
    }
}

/// Reads the bytes of a body.
pub(super) async fn read_bytes(body: Body) -> Result<Bytes, HttpProblem> {
    match timeout(BODY_TIMEOUT, to_bytes(body, MAX_BODY_BYTES)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) => {
            let message = format!("the request is longer than {MAX_BODY_BYTES} bytes, or was cut off: {error}");
            Err(HttpProblem::new(StatusCode::PAYLOAD_TOO_LARGE, message))
        }
        Err(_) => Err(HttpProblem::new(StatusCode::REQUEST_TIMEOUT, "the request did not arrive in time")),
    }
}

fn malformed(message: String) -> HttpProblem {
    HttpProblem::new(StatusCode::BAD_REQUEST, message).with_hint("send a JSON object as /v1/openapi.json describes it")
}
