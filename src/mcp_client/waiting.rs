//! Waiting for a server, for a time at most and as long as the person does.

use std::future::Future;
use std::time::Duration;

use super::{McpClientError, ServerSpec};

/// How often it is looked whether the person has stopped the call.
const LOOK: Duration = Duration::from_millis(50);

/// Why something is waited for no longer.
pub(super) enum Stop {
    TimedOut,
    Cancelled,
}

/// Waits for `work`, for a time at most and as long as nobody cancels.
pub(super) async fn within<T>(
    work: impl Future<Output = T>,
    time: Duration,
    cancelled: &dyn Fn() -> bool,
) -> Result<T, Stop> {
    let until_cancelled = async {
        while !cancelled() {
            tokio::time::sleep(LOOK).await;
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
