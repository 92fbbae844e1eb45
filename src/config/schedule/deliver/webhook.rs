//! Posts a result to the URL of a schedule.

use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::json;

use super::DeliveryContext;
use tars_base::endpoint::{
    Timeouts, agent, describe_error, error_excerpt, parse_url, require_https_for_key, without_query,
};

/// Timeout of the connection.
const CONNECT: Duration = Duration::from_secs(10);

/// Posts `{"name","time","text"}`. Redirects are not followed, and a token is sent only over https or to this machine.
///
/// # Errors
/// The request fails, the token's variable is not set, or the server does not answer with success.
pub(super) fn post(context: &DeliveryContext<'_>) -> Result<()> {
    let schedule = context.schedule;
    let url = parse_url(schedule.url.as_deref().context("no url is configured")?)?;
    let token = match &schedule.token_env {
        Some(name) => {
            require_https_for_key(&url)?;
            let token = context.environment.variable(name).and_then(|token| token.to_str());
            Some(token.with_context(|| format!("{name} should hold the token but is not set"))?)
        }
        None => None,
    };
    let patience = Timeouts { connect: Some(CONNECT), stall: None, total: Some(schedule.timeout) };
    let mut request = agent(&url, patience).post(&url).header("content-type", "application/json");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let time = context.time.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
    let body = json!({ "name": schedule.name, "time": time, "text": context.text });
    let mut response = request
        .send(body.to_string())
        .map_err(|error| anyhow!("{}: {}", without_query(&url), describe_error(&error)))?;
    let status = response.status();
    if status.is_success() {
        return Ok(());
    }
    if status.is_redirection() {
        bail!("{} redirects ({}), which is not followed", without_query(&url), status.as_u16());
    }
    bail!("{} answers {}: {}", without_query(&url), status.as_u16(), error_excerpt(&mut response, token))
}
