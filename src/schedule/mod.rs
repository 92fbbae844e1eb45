//! The person's schedules: what is due, one run after the other in one process of all, and where the result goes.
//!
//! A caller that lives for long (`tars serve`, `tars chat`) makes a [`Runner`] and calls [`Runner::tick`] again and again. It brings
//! what carries out an action, and where results for the terminal and for the memory go ([`Deliver`]). It sleeps until
//! [`Runner::wait_until`], but not longer than [`LONGEST_SLEEP`] at a time: a machine that was suspended and a clock that was set
//! are noticed only by looking at the clock.
//!
//! - **Missed**: a run whose time came while nothing ran is made up for once, however often it was missed, if its time came within
//!   the last seven days. A schedule that was just added, switched on again or given other times does not run for the past.
//! - **Killed**: a run that was going on when its process was killed is made up for once. If that one is killed too, the
//!   schedule waits for its next time: what kills its process must not do so at every start.
//! - **One runner**: the first process that ticks keeps the right to run until its [`Runner`] is dropped; the others' ticks do
//!   nothing. So no schedule overlaps with itself or with another one.
//! - **Results** are redacted, and cleaned of control characters, before they go anywhere. An empty result goes nowhere, and a run
//!   that failed has none. A delivery that fails is told in the state, and the others go on.
//!
//! This module never carries out an action itself, never prints and never runs a shell.

mod command;
mod deliver;
mod due;
mod import;
mod list;
mod notify;
mod parcel;
mod runner;
mod state;
mod webhook;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

pub use deliver::Deliver;
pub use due::{in_words, next};
pub use import::{Import, read_import};
pub use list::{LastRun, Overview, overview};
pub use runner::{Ran, RunAction, Runner};
pub use state::RunResult;

/// The longest that a caller sleeps between two ticks.
pub const LONGEST_SLEEP: Duration = Duration::from_secs(30);

/// What is known of the runs cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot use {}: no schedule runs until that is mended or the file is removed", path.display())]
pub struct ScheduleError {
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

#[cfg(test)]
mod tests;
