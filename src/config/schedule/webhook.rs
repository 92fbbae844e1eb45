//! Posts a result to the URL of a schedule.

use std::io::Read;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::json;

use super::parcel::Parcel;
use tars_base::endpoint::{Patience, agent, excerpt, parse_url, reason, refuse_open_key, shown};

/// Timeout of the connection.
const CONNECT: Duration = Duration::from_secs(10);
/// Maximum bytes to read of a server's error response.
const COMPLAINT: u64 = 4 << 10;

/// Posts `{"name","time","text"}`. Redirects are not followed, and a token is sent only over https or to this machine.
///
/// # Errors
/// The request fails, the token's variable is not set, or the server does not answer with success.
pub(super) fn post(parcel: &Parcel<'_>) -> Result<()> {
    let schedule = parcel.schedule;
    let url = parse_url(schedule.url.as_deref().context("no url is configured")?)?;
    let token = match &schedule.token_env {
        Some(name) => {
            refuse_open_key(&url)?;
            let token = parcel.environment.variable(name).and_then(|token| token.to_str());
            Some(token.with_context(|| format!("{name} should hold the token but is not set"))?)
        }
        None => None,
    };
    let patience = Patience { connect: Some(CONNECT), stall: None, total: Some(schedule.timeout) };
    let mut request = agent(&url, patience).post(&url).header("content-type", "application/json");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let time = parcel.time.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
    let body = json!({ "name": schedule.name, "time": time, "text": parcel.text });
    let mut response =
        request.send(body.to_string()).map_err(|error| anyhow!("{}: {}", shown(&url), reason(&error)))?;
    let status = response.status();
    if status.is_success() {
        return Ok(());
    }
    if status.is_redirection() {
        bail!("{} redirects ({}), which is not followed", shown(&url), status.as_u16());
    }
    let mut complaint = Vec::new();
    // A partly read response is still worth showing.
    let _ = response.body_mut().as_reader().take(COMPLAINT).read_to_end(&mut complaint);
    bail!("{} answers {}: {}", shown(&url), status.as_u16(), excerpt(&complaint, token))
}
