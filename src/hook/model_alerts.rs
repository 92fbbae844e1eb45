//! Messages to the person about the model that makes notes: each failure once, and once ever the offer of a model, which
//! `language-model/offered` of the data directory marks.

use serde_json::Value;

use tars_agent::client::claude_code::{self, HookInput};
use tars_base::data_files;
use tars_config::SummaryProvider;
use tars_service::sessions::take_model_alerts;
use tars_service::{App, MODEL_OFFER, Result};

/// Adds the unreported problems to the answer at the start of a session, unless it already contains a message.
pub(super) fn with_alerts(app: &App, input: &HookInput, answer: Result<Option<Value>>) -> Result<Option<Value>> {
    let answer = answer?;
    if answer.as_ref().is_some_and(|answer| answer.get("systemMessage").is_some()) {
        return Ok(answer);
    }
    let said = alerts(app, input).unwrap_or_else(|error| {
        tracing::warn!("{error:#}");
        None
    });
    Ok(match said {
        Some(said) => Some(claude_code::add_message(answer, &said)),
        None => answer,
    })
}

fn alerts(app: &App, input: &HookInput) -> Result<Option<String>> {
    if let Some(said) = take_model_alerts(app)? {
        return Ok(Some(format!("tars: {said}")));
    }
    let config = &app.settings.config;
    let is_undecided = config.summary.provider == SummaryProvider::Auto && config.hooks.notes;
    let is_offered = input.source == "startup" && is_undecided && data_files::mark(&app.model_folder(), "offered")?;
    Ok(is_offered.then(|| format!("tars notes sessions {MODEL_OFFER}")))
}
