//! Waits for a server with a timeout and cancellation.

use std::future::Future;
use std::time::Duration;

use super::{McpClientError, ServerSpec};
use crate::cancel::POLL_INTERVAL;

/// Why a wait ended early.
pub(super) enum WaitError {
    TimedOut,
    Cancelled,
}

/// Waits for `work` until the timeout passes or `cancelled` returns true.
pub(super) async fn with_timeout<T>(
    work: impl Future<Output = T>,
    time: Duration,
    cancelled: &dyn Fn() -> bool,
) -> Result<T, WaitError> {
    let until_cancelled = async {
        while !cancelled() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    tokio::select! {
        done = work => Ok(done),
        () = tokio::time::sleep(time) => Err(WaitError::TimedOut),
        () = until_cancelled => Err(WaitError::Cancelled),
    }
}

impl WaitError {
    pub(super) fn error(self, spec: &ServerSpec) -> McpClientError {
        match self {
            Self::TimedOut => McpClientError::TimedOut { server: spec.name.clone(), after: spec.timeout },
            Self::Cancelled => McpClientError::Cancelled,
        }
    }
}
