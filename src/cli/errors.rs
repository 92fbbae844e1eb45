//! Errors in the form that a person reads: what happened, where, and the next step.

use tars_serve::daemon::ServiceError;
#[cfg(feature = "serve")]
use tars_serve::http::KeyError;
use tars_service::Problem;

use super::terminal;

/// Prints an error and its hint to standard error.
pub(super) fn print(error: &anyhow::Error) {
    let Problem { message, hint, .. } = Problem::from(error);
    terminal::print_problem(&message, hint.or_else(|| hint_of_command(error)).as_deref());
}

/// Returns the hint for an error that only commands have.
fn hint_of_command(error: &anyhow::Error) -> Option<String> {
    let hint = error.chain().find_map(|cause| cause.downcast_ref::<ServiceError>().and_then(ServiceError::hint));
    #[cfg(feature = "serve")]
    let hint =
        hint.or_else(|| error.chain().find_map(|cause| cause.downcast_ref::<KeyError>().and_then(KeyError::hint)));
    hint
}

/// Returns whether the reader of standard output has gone away, for example `head`.
pub(super) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
            || cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind)
                == Some(std::io::ErrorKind::BrokenPipe)
    })
}
