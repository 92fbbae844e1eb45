//! An undo group that several writers share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An undo group for writers that open one after the other, such as those of a turn of a conversation. Clones are the same group.
#[derive(Debug, Clone, Default)]
pub struct UndoGroup(Arc<AtomicU64>);

impl UndoGroup {
    /// Returns the group's id; `None` before its first write.
    pub(super) fn id(&self) -> Option<u64> {
        // Ids count from 1.
        Some(self.0.load(Ordering::SeqCst)).filter(|id| *id > 0)
    }

    /// Records the id once a write of the group has succeeded. The id of a failed one may go to another program's write.
    pub(super) fn record(&self, id: Option<u64>) {
        if let (None, Some(id)) = (self.id(), id) {
            self.0.store(id, Ordering::SeqCst);
        }
    }
}
