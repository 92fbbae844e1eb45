//! The process of a server.

use std::sync::{Mutex, PoisonError};

use super::error::short;
use tars_base::process::{Collected, Group};

/// The process of a server, with its error output.
pub(super) struct Program {
    group: Mutex<Group>,
    complaint: Collected,
}

impl Program {
    pub(super) fn new(group: Group, complaint: Collected) -> Self {
        Self { group: Mutex::new(group), complaint }
    }

    /// Returns the last line of its standard error (untrusted text).
    pub(super) fn complaint(&self) -> String {
        self.complaint.drain();
        let said = String::from_utf8_lossy(&self.complaint.bytes()).into_owned();
        short(said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default())
    }

    pub(super) fn has_ended(&self) -> bool {
        self.group.lock().unwrap_or_else(PoisonError::into_inner).has_ended().unwrap_or(true)
    }
}
