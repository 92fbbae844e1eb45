//! Messages to the person about the model that makes notes: each failure once, and once ever the offer of a model, which
//! `language-model/offered` of the data directory marks.

use tars_agent::client::{HookAnswer, HookInput};
use tars_base::data_files;
use tars_config::SummaryProvider;
use tars_service::sessions::take_model_alerts;
use tars_service::{App, MODEL_OFFER, Result};

/// Adds the unreported problems to the answer at the start of a session, unless it already contains a message.
pub(super) fn with_alerts(app: &App, input: &HookInput, answer: Result<HookAnswer>) -> Result<HookAnswer> {
    let answer = answer?;
    if answer.message.is_some() {
        return Ok(answer);
    }
    let said = alerts(app, input).unwrap_or_else(|error| {
        tracing::warn!("{error:#}");
        None
    });
    Ok(match said {
        Some(said) => answer.with_message(said),
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
