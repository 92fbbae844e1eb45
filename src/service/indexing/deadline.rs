//! Limits how long a question waits for notes to be read.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tars_base::domain::Progress;

/// How long a question reads notes by itself, newest first.
const READING_TIME: Duration = Duration::from_secs(2);

/// Cancels a run after a while, but not before one batch of notes is indexed, so that a series of questions completes the work.
pub(crate) struct Deadline {
    until: Instant,
    has_begun: AtomicBool,
}

impl Deadline {
    /// Returns the deadline of a run that a question waits for.
    pub(crate) fn of_a_question() -> Self {
        Self::after(READING_TIME)
    }

    /// Returns a deadline after this time.
    pub(crate) fn after(time: Duration) -> Self {
        Self { until: Instant::now() + time, has_begun: AtomicBool::new(false) }
    }
}

impl Progress for Deadline {
    fn advance(&self, _count: usize) {
        self.has_begun.store(true, Ordering::SeqCst);
    }

    fn cancelled(&self) -> bool {
        self.has_begun.load(Ordering::SeqCst) && Instant::now() >= self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_not_cancelled_before_its_first_batch() {
        let deadline = Deadline::after(Duration::ZERO);
        assert!(!deadline.cancelled());
        deadline.advance(1);
        assert!(deadline.cancelled());
    }
}
