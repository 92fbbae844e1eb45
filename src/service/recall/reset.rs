//! The time from which on the recall ledger counts.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::search::days;
use crate::{App, Context, Refusal, Result, Service, UseCase};

/// Sets the time from which on the recall ledger counts, for the figures and for learning. Nothing is deleted.
///
/// It is no operation for other programs: forgetting what was learned is a person's decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResetRecallRequest {
    /// `now`, `all` (everything counts again), a time as a response names it, or a day: a date, or words such as `yesterday`.
    pub from: String,
}

/// The time from which on the recall ledger counts now, and the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ResetRecallResponse {
    /// The time; null if everything counts.
    pub counts_from: Option<Timestamp>,
    /// The former time; null if everything counted.
    pub counted_from: Option<Timestamp>,
}

impl UseCase for ResetRecallRequest {
    type Response = ResetRecallResponse;

    /// Sets the time, and counts again.
    ///
    /// # Errors
    /// `from` names no past time, no agent was ever shown anything, or the data directory cannot be written.
    fn run(&self, service: &Service<'_>) -> Result<ResetRecallResponse> {
        let app = service.app;
        let ledger = app.recall_ledger();
        if !ledger.exists() {
            let message = "nothing was put before an agent so far".into();
            return Err(Refusal { message, hint: "tars stats --recall".into() }.into());
        }
        let counts_from = time(app, &self.from)?;
        let counted_from = ledger.counts_from().unwrap_or_else(|error| {
            tracing::warn!("{error}");
            None
        });
        ledger.count_from(counts_from).context("cannot write the recall ledger")?;
        app.update_uses();
        Ok(ResetRecallResponse { counts_from, counted_from })
    }
}

/// Returns the time that `from` names; `None` if everything counts.
fn time(app: &App, from: &str) -> Result<Option<Timestamp>> {
    let clock = &app.environment.clock;
    let now = clock.timestamp();
    let time = match from.trim() {
        "now" => now,
        "all" => return Ok(None),
        text => match text.parse() {
            Ok(time) => time,
            Err(_) => {
                let first = days(text, clock.today())?.first;
                first.to_zoned(clock.zone()).ok().context("that day is out of range")?.timestamp()
            }
        },
    };
    if time > now {
        let message = format!("'{}' lies in the future", tars_base::domain::one_line(from, 80));
        return Err(Refusal { message, hint: "tars stats --recall --reset counts from now on".into() }.into());
    }
    Ok(Some(time))
}
