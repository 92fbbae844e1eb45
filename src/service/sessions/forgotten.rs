//! The sessions that a person has taken back: they are neither noted nor imported again.

use std::collections::HashSet;

use super::model_queue::ModelQueue;
use super::progress::SessionProgress;
use crate::{App, Result};
use tars_memory::clean_id;
use tars_vault::{MemoryFolder, writes_in_force};

/// Returns the sessions and chats that a person has taken back, unless they have undone it.
///
/// # Errors
/// The origins or the journal cannot be read.
pub(super) fn forgotten(app: &App, folder: &MemoryFolder) -> Result<HashSet<String>> {
    let Some(origins) = folder.origins_of(&[])? else { return Ok(HashSet::new()) };
    if origins.forgotten(|_| true).is_empty() {
        return Ok(HashSet::new());
    }
    let entries = app.journal(folder)?.entries()?;
    let in_force: HashSet<u64> = writes_in_force(&entries).iter().map(|entry| entry.group).collect();
    let known: HashSet<u64> = entries.iter().map(|entry| entry.group).collect();
    // The journal drops old commands, which can no longer be undone.
    let stands = |group: u64| in_force.contains(&group) || !known.contains(&group);
    Ok(origins.forgotten(stands).into_iter().map(str::to_owned).collect())
}

/// Whether a person has taken back the session `id`, as the client gives it.
///
/// # Errors
/// As [`forgotten`].
pub(super) fn is_forgotten(app: &App, folder: &MemoryFolder, id: &str) -> Result<bool> {
    Ok(forgotten(app, folder)?.contains(&clean_id(id)))
}

/// Removes what the data directory keeps of a session's text.
///
/// # Errors
/// The data directory cannot be written.
pub(crate) fn forget_session(app: &App, session: &str) -> Result<()> {
    ModelQueue::of(app).remove(session)?;
    let data = app.data_dir()?;
    let progress = SessionProgress::of(data, session);
    if !progress.summary.is_empty() {
        SessionProgress { summary: String::new(), ..progress }.save(data, session)?;
    }
    Ok(())
}
