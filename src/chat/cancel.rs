//! A flag that ends a call from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Interval at which a waiting call checks for cancellation. A cancelled call returns within this time.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Ends the calls that carry it. Clones share one state. Cancelling is final.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Cancels every call that carries this token.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether the token was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
