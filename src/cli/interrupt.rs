//! Handling of Ctrl-C, hang-up and termination.

use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Makes the first signal stop the command at the next safe point; a second one ends it at once.
pub(super) fn listen() {
    on_signal(|| {});
}

/// Makes the first signal call `handler`; a second one ends the process at once.
pub(super) fn on_signal(handler: impl Fn() + Send + 'static) {
    let set = ctrlc::set_handler(move || {
        if REQUESTED.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
        handler();
    });
    if let Err(error) = set {
        tracing::warn!(%error, "signals end the command at once");
    }
}

/// Leaves signals to a program that has the terminal, and for which this one only waits.
pub(super) fn leave_to_child() {
    // Without it, a signal ends both at once.
    let _ = ctrlc::set_handler(|| {});
}

/// Returns whether a signal has requested a stop.
pub(super) fn is_requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}
