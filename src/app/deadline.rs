//! How long a question waits for notes to be read.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::domain::Progress;

/// How long a question reads notes for itself, the newest first.
const READING: Duration = Duration::from_secs(2);

/// Ends a run after a while, but not before a batch of notes is in: questions that follow each other come to an end of them.
pub(super) struct Deadline {
    until: Instant,
    has_begun: AtomicBool,
}

impl Deadline {
    /// A run that a question waits for.
    pub(super) fn of_a_question() -> Self {
        Self::after(READING)
    }

    /// A run that may take so long.
    pub(super) fn after(time: Duration) -> Self {
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
    fn a_run_that_a_question_waits_for_brings_in_one_batch_at_least() {
        let deadline = Deadline::after(Duration::ZERO);
        assert!(!deadline.cancelled());
        deadline.advance(1);
        assert!(deadline.cancelled());
    }
}
