//! Pauses and resumes tars, for one session with an agent or for all.

pub(crate) mod files;

pub use files::{Pause, PausedTimes, Pauses};

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Refusal, Result, Service, UseCase};

/// Minimum length of a session id's prefix, in characters.
const MIN_PREFIX: usize = 4;

/// Pauses tars: meanwhile the hooks show the agent nothing and write no notes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PauseRequest {
    /// The session's id; `None` means all sessions.
    pub session: Option<String>,
    /// The length of the pause in seconds; `None` lasts until it is resumed.
    pub seconds: Option<u64>,
}

/// Ends a pause.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ResumeRequest {
    /// The session's id, or a prefix of four characters or more that only one paused session has; `None` ends the pause of all sessions.
    pub session: Option<String>,
}

/// The result of ending a pause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ResumeResponse {
    /// Whether a pause was in force.
    pub resumed: bool,
    /// The pauses that are still in force; the pause of all sessions comes first.
    pub paused: Vec<Pause>,
}

impl UseCase for PauseRequest {
    type Response = Pause;

    fn run(&self, service: &Service<'_>) -> Result<Pause> {
        let now = service.app.environment.clock.timestamp();
        let until = self.seconds.map(|seconds| {
            let length = i64::try_from(seconds).ok().filter(|seconds| *seconds > 0).map(SignedDuration::from_secs);
            length.and_then(|length| now.checked_add(length).ok()).ok_or_else(|| Refusal {
                message: format!("a pause cannot last {seconds} seconds"),
                hint: "tars pause --for 2h".into(),
            })
        });
        service.app.pauses().begin(self.session.as_deref(), now, until.transpose()?)
    }
}

impl UseCase for ResumeRequest {
    type Response = ResumeResponse;

    fn run(&self, service: &Service<'_>) -> Result<ResumeResponse> {
        let (pauses, now) = (service.app.pauses(), service.app.environment.clock.timestamp());
        let mut resumed = pauses.end(self.session.as_deref(), now)?;
        let begins_so =
            |id: &&str| self.session.as_deref().is_some_and(|begin| begin.len() >= MIN_PREFIX && id.starts_with(begin));
        if let [id] = &pauses
            .in_force(now)?
            .iter()
            .filter_map(|pause| pause.session.as_deref())
            .filter(begins_so)
            .collect::<Vec<_>>()[..]
            && !resumed
        {
            resumed = pauses.end(Some(id), now)?;
        }
        Ok(ResumeResponse { resumed, paused: pauses.in_force(now)? })
    }
}
