//! Retries of a request: how many, and how long to wait in between.

use std::time::Duration;

use super::{EmbedError, TextKind};
use tars_base::endpoint::backoff;

/// Waits for this long. Tests record the waits instead.
pub(super) type Sleep = dyn Fn(Duration) + Send + Sync;

/// Retry limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct RetryPolicy {
    max_attempts: u32,
    max_wait: Duration,
}

impl RetryPolicy {
    /// Returns the limits for embedding texts of this kind. Indexing waits until a busy server recovers. A question has
    /// somebody waiting for it, who is better served by an early failure.
    pub(super) fn of(kind: TextKind) -> Self {
        match kind {
            TextKind::Passage => Self { max_attempts: 5, max_wait: Duration::from_secs(60) },
            TextKind::Query => Self { max_attempts: 2, max_wait: Duration::from_secs(2) },
        }
    }

    /// Returns the result of `attempt`, retrying temporary failures. `attempt` receives its number, from 1.
    pub(super) fn run<T>(self, sleep: &Sleep, attempt: impl Fn(u32) -> Result<T, Failure>) -> Result<T, EmbedError> {
        let mut tried = 1;
        loop {
            match attempt(tried) {
                Ok(value) => return Ok(value),
                Err(Failure::Temporary { wait, error }) if tried < self.max_attempts => {
                    let wait = wait.unwrap_or_else(|| backoff(tried)).min(self.max_wait);
                    tracing::debug!(%error, tried, ?wait, "retrying the request");
                    sleep(wait);
                    tried += 1;
                }
                Err(Failure::Temporary { error, .. } | Failure::Final(error)) => return Err(error),
            }
        }
    }
}

/// Why an attempt failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// A retry may succeed, after the server's requested wait if it named one.
    Temporary { error: EmbedError, wait: Option<Duration> },
    /// A retry would fail the same way.
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
            1 => Err(Failure::Temporary { error: EmbedError::Cancelled, wait: Some(Duration::from_secs(3600)) }),
            2 => Err(Failure::Temporary { error: EmbedError::Cancelled, wait: Some(Duration::from_secs(7)) }),
            _ => Ok(tried),
        };
        assert_eq!(RetryPolicy::of(TextKind::Passage).run(&sleep, attempt).unwrap(), 3);
        assert_eq!(*waits.lock().unwrap(), [Duration::from_secs(60), Duration::from_secs(7)]);
        assert!(RetryPolicy::of(TextKind::Query).run(&sleep, attempt).is_err());
        assert_eq!(waits.lock().unwrap()[2..], [Duration::from_secs(2)]);
    }
}
