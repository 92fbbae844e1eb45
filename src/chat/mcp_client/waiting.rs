//! Waits for a server with a timeout and cancellation.

use std::future::Future;
use std::time::Duration;

use super::{McpClientError, ServerSpec};

/// Interval between checks for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Why a wait ended early.
pub(super) enum Stop {
    TimedOut,
    Cancelled,
}

/// Waits for `work` until the timeout passes or `cancelled` returns true.
pub(super) async fn within<T>(
    work: impl Future<Output = T>,
    time: Duration,
    cancelled: &dyn Fn() -> bool,
) -> Result<T, Stop> {
    let until_cancelled = async {
        while !cancelled() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    tokio::select! {
        done = work => Ok(done),
        () = tokio::time::sleep(time) => Err(Stop::TimedOut),
        () = until_cancelled => Err(Stop::Cancelled),
    }
}

impl Stop {
    pub(super) fn error(self, spec: &ServerSpec) -> McpClientError {
        match self {
            Self::TimedOut => McpClientError::TimedOut { server: spec.name.clone(), after: spec.timeout },
            Self::Cancelled => McpClientError::Cancelled,
        }
    }
}
