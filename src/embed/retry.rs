//! Asking again: how often, and how long to wait in between.

use std::time::Duration;

use super::{EmbedError, TextKind};
use crate::endpoint::backoff;

/// Waits; tests count instead.
pub(super) type Sleep = dyn Fn(Duration) + Send + Sync;

/// How much is done before giving up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Persistence {
    tries: u32,
    longest_wait: Duration,
}

impl Persistence {
    /// Returns how persistent embedding texts of this kind is. Indexing waits out a crowded server; a question has
    /// someone waiting for it, who is better served by an early failure.
    pub(super) fn of(kind: TextKind) -> Self {
        match kind {
            TextKind::Passage => Self { tries: 5, longest_wait: Duration::from_secs(60) },
            TextKind::Query => Self { tries: 2, longest_wait: Duration::from_secs(2) },
        }
    }

    /// Returns what `attempt` gives, asking again while it fails in passing. It is told the number of the try, from 1.
    pub(super) fn run<T>(self, sleep: &Sleep, attempt: impl Fn(u32) -> Result<T, Failure>) -> Result<T, EmbedError> {
        let mut tried = 1;
        loop {
            match attempt(tried) {
                Ok(value) => return Ok(value),
                Err(Failure::Passing { wait, error }) if tried < self.tries => {
                    let wait = wait.unwrap_or_else(|| backoff(tried)).min(self.longest_wait);
                    tracing::debug!(%error, tried, ?wait, "asking again");
                    sleep(wait);
                    tried += 1;
                }
                Err(Failure::Passing { error, .. } | Failure::Final(error)) => return Err(error),
            }
        }
    }
}

/// Why a try failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// Another try may succeed, after the wait the server asked for if it did.
    Passing { error: EmbedError, wait: Option<Duration> },
    /// Another try would fail the same way.
    Final(EmbedError),
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn the_wait_a_server_asks_for_is_capped() {
        let waits = Arc::new(Mutex::new(Vec::new()));
        let log = waits.clone();
        let sleep = move |wait| log.lock().unwrap().push(wait);
        let attempt = |tried| match tried {
            1 => Err(Failure::Passing { error: EmbedError::Cancelled, wait: Some(Duration::from_secs(3600)) }),
            2 => Err(Failure::Passing { error: EmbedError::Cancelled, wait: Some(Duration::from_secs(7)) }),
            _ => Ok(tried),
        };
        assert_eq!(Persistence::of(TextKind::Passage).run(&sleep, attempt).unwrap(), 3);
        assert_eq!(*waits.lock().unwrap(), [Duration::from_secs(60), Duration::from_secs(7)]);
        assert!(Persistence::of(TextKind::Query).run(&sleep, attempt).is_err());
        assert_eq!(waits.lock().unwrap()[2..], [Duration::from_secs(2)]);
    }
}
