//! Errors in the form that a person reads: what happened, where, and the next step.

use tars_service::Error;
use tars_text::redact::redact;

use super::terminal;

/// Prints an error and its hint to standard error. An error can repeat what a server or a program said.
pub(super) fn print(error: &Error) {
    terminal::print_problem(&redact(&format!("{error:#}")).text, error.hint());
}

/// Returns whether the reader of standard output has gone away, for example `head`.
pub(super) fn is_closed_pipe(error: &Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
            || cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind)
                == Some(std::io::ErrorKind::BrokenPipe)
    })
}
