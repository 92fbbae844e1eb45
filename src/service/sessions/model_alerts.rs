//! Problems of the model that makes notes, each to be reported to the person once.
//!
//! In the data directory, `language-model/told.json` holds the current failures and whether they were reported.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::{App, Result};
use tars_base::data_files;
use tars_base::domain::sanitize_line;
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

/// Returns the unreported problems, and marks them as reported.
///
/// # Errors
/// The data directory cannot be written.
pub fn take_model_alerts(app: &App) -> Result<Option<String>> {
    let mut alerts = ModelAlerts::of(app);
    let said = alerts.take();
    if said.is_some() {
        alerts.save(app)?;
    }
    Ok(said)
}

impl ModelAlerts {
    fn of(app: &App) -> Self {
        data_files::read_json(&app.model_folder().join(FILE), MAX_BYTES).ok().flatten().unwrap_or_default()
    }

    fn save(&self, app: &App) -> Result<()> {
        Ok(data_files::write(&app.model_folder(), FILE, &serde_json::to_vec(self)?)?)
    }

    /// Changes the stored state.
    ///
    /// # Errors
    /// The data directory cannot be written.
    pub(super) fn update(app: &App, change: impl FnOnce(&mut Self)) -> Result<()> {
        let mut alerts = Self::of(app);
        change(&mut alerts);
        alerts.save(app)
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

#[cfg(test)]
mod tests {
    use super::*;
    use tars_config::Environment;

    #[test]
    fn a_row_of_model_failures_is_reported_once() {
        let home = tempfile::tempdir().unwrap();
        let place = Some(home.path().to_owned());
        let environment = Environment { home: place.clone(), directory: place, ..Environment::default() };
        let app = App::new(environment, &[]).unwrap();
        let failed = |failure| ModelAlerts::update(&app, |alerts| alerts.set_model(failure)).unwrap();
        let said = || take_model_alerts(&app).unwrap();
        failed(Some("claude: not\nlogged in"));
        assert_eq!(said().as_deref(), Some("claude: not logged in"));
        failed(Some("another reason"));
        assert_eq!(said(), None);
        failed(None);
        failed(Some("it fails again"));
        assert_eq!(said().as_deref(), Some("it fails again"));
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
