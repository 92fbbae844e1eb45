//! Runs the person's schedules when they are due, one after the other in a single process, and delivers the results.
//!
//! A long-lived caller (`tars serve`, `tars chat`) creates a [`Runner`] and calls [`Runner::tick`] repeatedly. It provides the function
//! that carries out an action, and the destinations for the terminal and the memory ([`Deliver`]). It sleeps until
//! [`Runner::next_due`], but at most [`MAX_SLEEP`] at a time, because only a look at the clock reveals a suspended machine or a
//! changed clock.
//!
//! - **Missed**: a run that came due while no process was running is made up for once, however often it was missed, if it came due within
//!   the last seven days. A schedule that was just added, enabled again or given new times does not run for the past.
//! - **Killed**: if the process of a run is killed, the run is made up for once. If that run is killed too, the schedule waits for its
//!   next time, so that an action that kills its process does not do so at every start.
//! - **One runner**: the first process that ticks holds a lock until its [`Runner`] is dropped. Ticks of other processes do nothing. So
//!   no schedule overlaps with itself or with another one.
//! - **Results** are redacted and stripped of control characters before delivery. An empty result is not delivered, and a failed run has
//!   no result. A failed delivery is recorded in the state, and the other deliveries continue.
//!
//! This module never carries out an action itself, never prints and never runs a shell.

mod deliver;
mod due;
mod import;
mod list;
mod runner;
mod state;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

pub use deliver::Deliver;
pub use due::{in_words, next};
pub use import::{Import, read_import};
pub use list::{LastRun, ScheduleStatus, schedule_statuses};
pub use runner::{FinishedRun, RunAction, Runner};
pub use state::RunResult;

/// Maximum time that a caller sleeps between two ticks.
pub const MAX_SLEEP: Duration = Duration::from_secs(30);

/// The state of the runs cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot use {}: no schedule runs until it is repaired or removed", path.display())]
pub struct ScheduleError {
    /// The state file.
    pub path: PathBuf,
    /// Error of the system.
    pub source: io::Error,
}

#[cfg(test)]
mod tests;
