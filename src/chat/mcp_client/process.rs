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

    /// Returns the line of its standard error that tells why it failed (untrusted text).
    pub(super) fn error_line(&self) -> String {
        self.error_output.drain();
        clean_excerpt(telling_line(&String::from_utf8_lossy(&self.error_output.bytes())))
    }

    pub(super) fn has_ended(&self) -> bool {
        self.group.lock().unwrap_or_else(PoisonError::into_inner).has_ended().unwrap_or(true)
    }
}

/// Returns the first line that reports an error, otherwise the last one: a stack trace follows its message in some languages, and
/// precedes it in others.
fn telling_line(said: &str) -> &str {
    let reports =
        |line: &&str| line.to_lowercase().split(' ').any(|word| word.trim_start_matches('[').ends_with("error:"));
    let mut lines = said.lines().filter(|line| !line.trim().is_empty());
    lines.clone().find(reports).or_else(|| lines.next_back()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_of_a_stack_trace_is_shown() {
        let node = "node:internal/modules/cjs/loader:1215\n  throw err;\n\nError: Cannot find module '/x.js'\n    at f (a:1)\n\n\
                    Node.js v20.20.2\n";
        assert_eq!(telling_line(node), "Error: Cannot find module '/x.js'");
        let python =
            "Traceback (most recent call last):\n  File \"s.py\", line 1\nModuleNotFoundError: No module named 'mcp'\n";
        assert_eq!(telling_line(python), "ModuleNotFoundError: No module named 'mcp'");
        assert_eq!(telling_line("starting\nno such option: --x\n\n"), "no such option: --x");
        assert_eq!(telling_line(""), "");
    }
}
