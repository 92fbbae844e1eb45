//! The process of a server.

use std::sync::{Mutex, PoisonError};

use super::error::clean_excerpt;
use tars_base::process::{OutputReader, ProcessGroup};

/// The process of a server, with its error output.
pub(super) struct ServerProcess {
    group: Mutex<ProcessGroup>,
    error_output: OutputReader,
}

impl ServerProcess {
    pub(super) fn new(group: ProcessGroup, error_output: OutputReader) -> Self {
        Self { group: Mutex::new(group), error_output }
    }

    /// Returns the last line of its standard error (untrusted text).
    pub(super) fn last_error_line(&self) -> String {
        self.error_output.drain();
        let said = String::from_utf8_lossy(&self.error_output.bytes()).into_owned();
        clean_excerpt(said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default())
    }

    pub(super) fn has_ended(&self) -> bool {
        self.group.lock().unwrap_or_else(PoisonError::into_inner).has_ended().unwrap_or(true)
    }
}
