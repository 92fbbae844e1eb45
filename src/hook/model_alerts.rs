//! Messages to the person about the model that makes notes: each failure once, and once ever the offer of a model.
//!
//! In the data directory, `language-model/told.json` holds the current failures and whether they were reported; `language-model/offered`
//! marks that a model was offered.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use anyhow::Result;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use tars_agent::client::claude_code::{self, HookInput};
use tars_base::disk::{self, Folder};
use tars_base::domain::sanitize_line;
use tars_base::private;
use tars_config::SummaryProvider;
use tars_service::{App, MODEL_OFFER};
use tars_text::cleaning::truncated;

const FILE: &str = "told.json";
const MAX_BYTES: u64 = 64 << 10;
/// Longest message in characters.
const MAX_MESSAGE_CHARACTERS: usize = 400;

/// Current problems with the model, and which of them were reported.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ModelAlerts {
    /// Why the model made no notes in its last call.
    model: Option<Trouble>,
    /// Why the person's own instructions are not used.
    prompt: Option<Trouble>,
    /// The last day on which a spent budget was logged.
    budget: Option<Date>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Trouble {
    said: String,
    is_told: bool,
}

impl ModelAlerts {
    /// Reads the state from the folder of language models.
    pub(super) fn of(folder: &Path) -> Self {
        let bytes = private::read(&folder.join(FILE), MAX_BYTES).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Writes the state.
    ///
    /// # Errors
    /// The data directory cannot be written.
    pub(super) fn save(&self, folder: &Path) -> Result<()> {
        private::create_folder(folder)?;
        Ok(disk::write_atomic(&Folder::open(folder)?, FILE, &serde_json::to_vec(self)?, 0o600)?)
    }

    /// Records whether the model failed. A row of failures is reported once.
    pub(super) fn set_model(&mut self, failure: Option<&str>) {
        let is_told = self.model.as_ref().is_some_and(|trouble| trouble.is_told);
        self.model = failure.map(|said| Trouble { said: message(said), is_told });
    }

    /// Records the problem with the person's own instructions.
    pub(super) fn set_prompt(&mut self, problem: Option<&str>) {
        let said = problem.map(message);
        if self.prompt.as_ref().map(|trouble| &trouble.said) != said.as_ref() {
            self.prompt = said.map(|said| Trouble { said, is_told: false });
        }
    }

    /// Returns whether a spent budget is unlogged so far on this day, and marks it as logged.
    pub(super) fn is_first_spent(&mut self, day: Date) -> bool {
        self.budget.replace(day) != Some(day)
    }

    /// Returns the unreported problems, and marks them as reported.
    fn take(&mut self) -> Option<String> {
        let untold = [&mut self.model, &mut self.prompt].into_iter().flatten().filter(|trouble| !trouble.is_told);
        let said: Vec<String> = untold
            .map(|trouble| {
                trouble.is_told = true;
                trouble.said.clone()
            })
            .collect();
        (!said.is_empty()).then(|| said.join("; "))
    }
}

fn message(said: &str) -> String {
    truncated(&sanitize_line(&said.replace('\n', " ")), MAX_MESSAGE_CHARACTERS)
}

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
    let folder = app.model_folder();
    let mut known = ModelAlerts::of(&folder);
    if let Some(said) = known.take() {
        known.save(&folder)?;
        return Ok(Some(format!("tars: {said}")));
    }
    let config = &app.settings.config;
    let is_undecided = config.summary.provider == SummaryProvider::Auto && config.hooks.notes;
    let is_offered = input.source == "startup" && is_undecided && is_first_offer(folder)?;
    Ok(is_offered.then(|| format!("tars notes sessions {MODEL_OFFER}")))
}

/// Returns whether a model was never offered, and marks it as offered.
fn is_first_offer(folder: PathBuf) -> Result<bool> {
    private::create_folder(&folder)?;
    let made = private::open(&folder.join("offered"), OpenOptions::new().write(true).create_new(true));
    match made {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_model_failures_is_reported_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut alerts = ModelAlerts::default();
        alerts.set_model(Some("claude: not\nlogged in"));
        alerts.save(folder.path()).unwrap();
        let mut alerts = ModelAlerts::of(folder.path());
        assert_eq!(alerts.take().as_deref(), Some("claude: not logged in"));
        alerts.set_model(Some("another reason"));
        assert_eq!(alerts.take(), None);
        alerts.set_model(None);
        alerts.set_model(Some("it fails again"));
        assert_eq!(alerts.take().as_deref(), Some("it fails again"));
    }

    #[test]
    fn unusable_instructions_are_reported_once() {
        let mut alerts = ModelAlerts::default();
        for (problem, told) in [(Some("empty"), true), (Some("empty"), false), (Some("too long"), true), (None, false)]
        {
            alerts.set_prompt(problem);
            assert_eq!(alerts.take().is_some(), told, "{problem:?}");
        }
    }

    #[test]
    fn a_spent_budget_is_logged_once_a_day() {
        let mut alerts = ModelAlerts::default();
        let days = [1, 1, 2].map(|day| Date::constant(2026, 11, day));
        assert_eq!(days.map(|day| alerts.is_first_spent(day)), [true, false, true]);
    }
}
