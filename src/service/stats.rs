//! The counts that tars keeps.

mod vault;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use vault::{TokenWeek, TypeCount, VaultStats, WeekCount};

use crate::recall::{RecallStats, recall_stats};
use crate::{Context, ModelUse, Result, Service, UseCase};

/// Days that are counted, today included.
const DAYS: u16 = 30;

/// Asks for counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StatsRequest {
    /// Whether to count recalled lines too.
    pub recall: bool,
    /// Whether to count the notes too: their languages, their weeks, and those that agents were shown.
    pub vault: bool,
}

/// Counts by subject.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StatsResponse {
    /// Calls of language models.
    pub model: ModelStats,
    /// Recalled lines, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall: Option<RecallStats>,
    /// The notes, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vault: Option<VaultStats>,
}

/// Calls of language models.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ModelStats {
    /// The setting `model.daily_tokens`; 0 means no limit.
    pub daily_tokens: u64,
    /// Tokens used today, input and output together.
    pub today_tokens: u64,
    /// A line for each of the last 30 days and each task with a call, newest day first.
    pub days: Vec<ModelDay>,
}

/// The calls of one task on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModelDay {
    /// The day.
    pub day: Date,
    /// `notes` or `reword`.
    pub task: String,
    /// Calls, including failed ones.
    pub calls: u64,
    /// Calls without an answer or with an unusable one.
    pub failures: u64,
    /// Tokens that were sent.
    pub input_tokens: u64,
    /// Tokens that were received.
    pub output_tokens: u64,
    /// Whether some of these tokens were estimated, because the server reported no number.
    pub estimated: bool,
}

impl UseCase for StatsRequest {
    type Response = StatsResponse;

    fn run(&self, service: &Service<'_>) -> Result<StatsResponse> {
        let app = service.app;
        let ledger = app.model_ledger();
        let known = ledger.last(DAYS).context("cannot read the counts of language models")?;
        let today = app.environment.clock.today();
        let today_tokens = known.iter().filter(|(day, ..)| *day == today).map(|(_, _, used)| used.tokens()).sum();
        let line = |(day, task, used): (Date, String, ModelUse)| ModelDay {
            day,
            task,
            calls: used.calls,
            failures: used.failures,
            input_tokens: used.input_tokens,
            output_tokens: used.output_tokens,
            estimated: used.is_estimated,
        };
        let mut days: Vec<ModelDay> = known.into_iter().map(line).collect();
        days.sort_by(|one, other| other.day.cmp(&one.day).then_with(|| one.task.cmp(&other.task)));
        Ok(StatsResponse {
            model: ModelStats { daily_tokens: app.settings.config.model.daily_tokens, today_tokens, days },
            recall: self.recall.then(|| recall_stats(app)).transpose()?,
            vault: self.vault.then(|| vault::vault_stats(service)).transpose()?,
        })
    }
}
