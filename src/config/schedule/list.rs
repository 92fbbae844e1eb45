//! Status of the schedules for display.

use std::path::Path;

use jiff::{Timestamp, Zoned};

use super::ScheduleError;
use super::runner::{brought_up_to_date, last_result, next_run};
use super::state::{RunResult, StateFile};
use crate::ScheduleSettings;

/// A schedule and its status.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleStatus {
    /// The schedule.
    pub schedule: ScheduleSettings,
    /// Its next run if a process is there to run it: `now` if it is due; `None` while it is disabled.
    pub next: Option<Zoned>,
    /// Its last run; `None` if it has never run.
    pub last: Option<LastRun>,
}

/// The last run of a schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastRun {
    /// When it began.
    pub started: Timestamp,
    /// When it ended; `None` while it is running, and for a killed run.
    pub ended: Option<Timestamp>,
    /// Its result; `None` while it is running.
    pub result: Option<RunResult>,
}

/// Returns the status of the schedules at `now`, in their order, from the state in the data directory `data`.
///
/// # Errors
/// The state exists but cannot be read.
pub fn schedule_statuses(
    data: &Path,
    schedules: &[ScheduleSettings],
    now: &Zoned,
) -> Result<Vec<ScheduleStatus>, ScheduleError> {
    let state_file = StateFile::new(data);
    let state = brought_up_to_date(&state_file.read()?, schedules, now);
    let has_runner = state_file.has_runner();
    let of = |schedule: &ScheduleSettings| {
        let record = state.schedules.get(&schedule.name)?;
        let is_running = record.is_open() && has_runner;
        // A run in progress must not count as killed and therefore due.
        let mut settled = record.clone();
        settled.ended = settled.ended.or(settled.started.filter(|_| is_running));
        Some(ScheduleStatus {
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
