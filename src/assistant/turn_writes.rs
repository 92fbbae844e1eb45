//! The writes of a turn: their bound, and their undo group.

use tars_service::{Result, Service, UndoGroup, ensure};

/// Maximum number of writes in one turn, all its answers together.
const MAX_WRITES: usize = 20;

/// The writes of a turn's tools, which are one step of undo.
#[derive(Debug, Default)]
pub(super) struct TurnWrites {
    count: usize,
    group: UndoGroup,
}

/// Makes the writes of a service those of one turn, until it is dropped.
pub(super) struct WriteGuard<'s, 'a>(&'s Service<'a>);

impl TurnWrites {
    /// Counts another write; until the guard is dropped, the writes of `service` belong to this turn.
    ///
    /// # Errors
    /// The turn has made all its writes. The model gets the message.
    pub(super) fn begin<'s, 'a>(&mut self, service: &'s Service<'a>) -> Result<WriteGuard<'s, 'a>> {
        ensure!(
            self.count < MAX_WRITES,
            "a turn writes {MAX_WRITES} times at most: nothing was written. Tell the user what is left to write, so that they can ask for \
             it in another message"
        );
        self.count += 1;
        service.set_undo_group(Some(self.group.clone()));
        Ok(WriteGuard(service))
    }
}

impl Drop for WriteGuard<'_, '_> {
    fn drop(&mut self) {
        self.0.set_undo_group(None);
    }
}
