//! Runs due schedules.

use std::fs::File;
use std::path::Path;
use std::time::Instant;

use anyhow::Result;
use jiff::{SignedDuration, Timestamp, Zoned};

use super::ScheduleError;
use super::deliver::{self, Deliver, DeliveryContext};
use super::due::{MAX_MISSED_AGE, missed, next, plausible_time};
use super::state::{Record, RunResult, State, StateFile};
use crate::{Environment, ScheduleSettings};

/// Result line of a run whose process was killed.
const KILLED: &str = "tars ended before the run did";

/// Runs the configured schedules, unless another process does.
#[derive(Debug)]
pub struct Runner {
    state_file: StateFile,
    schedules: Vec<ScheduleSettings>,
    environment: Environment,
    /// The lock of the runner, once acquired.
    lock: Option<File>,
}

/// A finished run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedRun {
    /// The schedule's name.
    pub name: String,
    /// When it began.
    pub started: Timestamp,
    /// When its last delivery ended.
    pub ended: Timestamp,
    /// Its result.
    pub result: RunResult,
}

/// Carries out the action of a schedule within its timeout, and returns the result.
pub type RunAction<'a> = dyn FnMut(&ScheduleSettings) -> Result<String> + 'a;

impl Runner {
    /// Returns a runner for these schedules, with its state in the data directory `data`. Nothing runs before the first tick.
    pub fn new(data: &Path, schedules: Vec<ScheduleSettings>, environment: Environment) -> Self {
        Self { state_file: StateFile::new(data), schedules, environment, lock: None }
    }

    /// Replaces the schedules. New ones count from the next tick, and removed ones run no more.
    pub fn set_schedules(&mut self, schedules: Vec<ScheduleSettings>) {
        self.schedules = schedules;
    }

    #[cfg(test)]
    pub(super) fn set_variable(&mut self, name: &str, value: &Path) {
        self.environment = std::mem::take(&mut self.environment).with(name, value.as_os_str());
    }

    /// Runs the schedules that are due at `now`, one after the other, delivers the results and returns the runs in order. Returns none
    /// while another process holds the lock.
    ///
    /// # Errors
    /// The state cannot be read or written. A run starts only after it was recorded.
    pub fn tick(
        &mut self,
        now: &Zoned,
        own: &dyn Deliver,
        run: &mut RunAction<'_>,
    ) -> Result<Vec<FinishedRun>, ScheduleError> {
        if self.schedules.is_empty() {
            return Ok(Vec::new());
        }
        if self.lock.is_none() {
            self.lock = self.state_file.try_lock()?;
        }
        if self.lock.is_none() {
            return Ok(Vec::new());
        }
        let ran = self.run_due(now, own, run);
        if ran.is_err() {
            // The lock is released, so that another process may try, and this one does not retry at once.
            self.lock = None;
        }
        ran
    }

    fn run_due(
        &self,
        now: &Zoned,
        own: &dyn Deliver,
        run: &mut RunAction<'_>,
    ) -> Result<Vec<FinishedRun>, ScheduleError> {
        let known = self.state_file.read()?;
        let mut state = brought_up_to_date(&known, &self.schedules, now);
        if state != known {
            self.state_file.write(&state)?;
        }
        let due = |schedule: &&ScheduleSettings| {
            let time = due(schedule, state.schedules.get(&schedule.name)?, now)?;
            Some((time, (*schedule).clone()))
        };
        let mut due: Vec<(Timestamp, ScheduleSettings)> = self.schedules.iter().filter_map(|one| due(&one)).collect();
        due.sort_by_key(|(time, _)| *time);
        let began = Instant::now();
        let clock = || {
            let passed = SignedDuration::try_from(began.elapsed()).unwrap_or(SignedDuration::ZERO);
            now.checked_add(passed).unwrap_or_else(|_| now.clone())
        };
        let mut ran = Vec::new();
        for (_, schedule) in due {
            ran.extend(self.run_one(&schedule, &mut state, &clock, own, run)?);
        }
        Ok(ran)
    }

    /// Returns when the next schedule is due: `now` if one already is. Returns `None` if none will be, while another process holds the
    /// lock, or after this process failed to record a run.
    pub fn next_due(&self, now: &Zoned) -> Option<Zoned> {
        self.lock.as_ref()?;
        // If the state cannot be read, the next tick reports the error.
        let state = brought_up_to_date(&self.state_file.read().unwrap_or_default(), &self.schedules, now);
        self.schedules.iter().filter_map(|schedule| next_run(schedule, state.schedules.get(&schedule.name)?, now)).min()
    }

    fn run_one(
        &self,
        schedule: &ScheduleSettings,
        state: &mut State,
        clock: &dyn Fn() -> Zoned,
        own: &dyn Deliver,
        run: &mut RunAction<'_>,
    ) -> Result<Option<FinishedRun>, ScheduleError> {
        let Some(record) = state.schedules.get_mut(&schedule.name) else { return Ok(None) };
        let time = clock();
        record.was_retried = record.is_open() && !record.was_retried;
        record.started = Some(time.timestamp());
        record.ended = None;
        // Times that come due during the run are made up for by one run after it.
        record.counted = Some(time.timestamp());
        self.state_file.write(state)?;
        let result = match run(schedule).map(|text| deliver::sanitized_result(&text)) {
            Ok(text) if text.is_empty() => RunResult { ok: true, line: String::new() },
            Ok(text) => {
                let context = DeliveryContext { schedule, text: &text, time: &time, environment: &self.environment };
                match deliver::deliver(&context, own) {
                    None => RunResult { ok: true, line: deliver::line(&text) },
                    Some(failure) => RunResult { ok: false, line: failure },
                }
            }
            Err(error) => RunResult { ok: false, line: deliver::line(&format!("{error:#}")) },
        };
        let ended = clock().timestamp();
        if let Some(record) = state.schedules.get_mut(&schedule.name) {
            record.ended = Some(ended);
            record.result = Some(result.clone());
        }
        self.state_file.write(state)?;
        Ok(Some(FinishedRun { name: schedule.name.clone(), started: time.timestamp(), ended, result }))
    }
}

/// Returns the state for these schedules: removed ones are dropped, and new ones count from `now`.
pub(super) fn brought_up_to_date(known: &State, schedules: &[ScheduleSettings], now: &Zoned) -> State {
    let of = |schedule: &ScheduleSettings| {
        let (key, value) = schedule.when.setting();
        let when = format!("{key} {value}");
        let mut record = known.schedules.get(&schedule.name).cloned().unwrap_or_else(|| Record {
            when: when.clone(),
            counted: None,
            started: None,
            ended: None,
            was_retried: false,
            result: None,
        });
        let counted = record.counted.filter(|_| schedule.enabled && record.when == when);
        record.counted = schedule.enabled.then(|| plausible_time(counted.unwrap_or(now.timestamp()), now.timestamp()));
        record.when = when;
        (schedule.name.clone(), record)
    };
    State { schedules: schedules.iter().map(of).collect() }
}

/// Returns since when a schedule is due; `None` if it is not due.
pub(super) fn due(schedule: &ScheduleSettings, record: &Record, now: &Zoned) -> Option<Timestamp> {
    let counted = record.counted?;
    let killed = record.started.filter(|_| record.is_open() && !record.was_retried);
    let killed = killed.filter(|started| now.timestamp().duration_since(*started) <= MAX_MISSED_AGE);
    killed.or_else(|| missed(schedule, counted, now))
}

/// Returns the next run of a schedule: `now` if it is due; `None` if it is disabled.
pub(super) fn next_run(schedule: &ScheduleSettings, record: &Record, now: &Zoned) -> Option<Zoned> {
    if due(schedule, record, now).is_some() {
        return Some(now.clone());
    }
    // After the clock was set back slightly, the stored time lies in the future.
    let after = record.counted?.max(now.timestamp());
    next(schedule, &after.to_zoned(now.time_zone().clone()))
}

/// Returns the result of the last run. A killed run is a failure. Returns `None` while the run is in progress, and if none has run.
pub(super) fn last_result(record: &Record, is_running: bool) -> Option<RunResult> {
    match record.is_open() {
        true if is_running => None,
        true => Some(RunResult { ok: false, line: KILLED.to_owned() }),
        false => record.result.clone(),
    }
}
