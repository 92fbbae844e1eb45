//! What a person is shown of the schedules.

use std::path::Path;

use jiff::{Timestamp, Zoned};

use super::ScheduleError;
use super::runner::{brought_up_to_date, last_result, next_run};
use super::state::{Place, RunResult};
use crate::config::ScheduleSettings;

/// A schedule and how it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Overview {
    /// The schedule.
    pub schedule: ScheduleSettings,
    /// When it runs next, if something is there to run it: the present if it is due; `None` while it is switched off.
    pub next: Option<Zoned>,
    /// Its last run; `None` if it has never run.
    pub last: Option<LastRun>,
}

/// The last run of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastRun {
    /// When it began.
    pub started: Timestamp,
    /// When it ended; `None` while it goes on, and for one that was killed.
    pub ended: Option<Timestamp>,
    /// How it ended; `None` while it goes on.
    pub result: Option<RunResult>,
}

/// Returns how the schedules stand at `now`, in their order, by the state in the data directory `data`.
///
/// # Errors
/// The state is there and cannot be read.
pub fn overview(data: &Path, schedules: &[ScheduleSettings], now: &Zoned) -> Result<Vec<Overview>, ScheduleError> {
    let place = Place::new(data);
    let state = brought_up_to_date(&place.read()?, schedules, now);
    let has_runner = place.has_runner();
    let of = |schedule: &ScheduleSettings| {
        let record = state.schedules.get(&schedule.name)?;
        let is_running = record.is_open() && has_runner;
        // While it runs, it is not due for having been killed.
        let mut settled = record.clone();
        settled.ended = settled.ended.or(settled.started.filter(|_| is_running));
        Some(Overview {
            schedule: schedule.clone(),
            next: next_run(schedule, &settled, now),
            last: record.started.map(|started| LastRun {
                started,
                ended: record.ended,
                result: last_result(record, is_running),
            }),
        })
    };
    Ok(schedules.iter().filter_map(of).collect())
}
