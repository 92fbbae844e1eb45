//! Follows a conversation's messages from the last one to the first: editing a message starts a branch.

use std::collections::HashSet;

use super::{BadChat, MAX_MESSAGES};

/// Returns the messages from the first to `last`, by the parent of each. `parent` returns `None` for an id that names no message.
///
/// # Errors
/// A message is its own ancestor, or there are too many.
pub(super) fn message_path<'c, M: Copy>(
    last: Option<&'c str>,
    find: impl Fn(&str) -> Option<M>,
    parent: impl Fn(M) -> Option<&'c str>,
) -> Result<Vec<M>, BadChat> {
    let (mut path, mut seen) = (Vec::new(), HashSet::new());
    let mut at = last;
    while let Some(id) = at {
        let Some(message) = find(id) else { break };
        if !seen.insert(id) {
            return Err(BadChat::Circle);
        }
        path.push(message);
        at = parent(message);
    }
    path.reverse();
    Ok(path)
}

/// Fails if a conversation has too many messages.
pub(super) fn check_count(count: usize) -> Result<(), BadChat> {
    if count > MAX_MESSAGES { Err(BadChat::TooManyMessages { count }) } else { Ok(()) }
}
