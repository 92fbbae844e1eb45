//! A flag that ends a call from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often a call that waits looks at its token. A cancelled call returns after this time at the latest.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Ends the calls that carry it. Clones share one state, and a token that was cancelled stays so.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Asks every call that carries this token to end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether somebody has cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
