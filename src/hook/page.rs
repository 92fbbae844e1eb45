//! Proposals for a project's page, after every few sessions.

use std::path::Path;

use anyhow::Result;

use super::spool::Spooled;
use super::written::Written;
use crate::project::Project;
use crate::upkeep::{self, PageOf, ReadLines};

/// After so many sessions of a project its page is looked at.
const SESSIONS: usize = 5;

/// Proposes by rules what would make the page of the event's project true, if enough of its sessions were noted since the last time.
///
/// # Errors
/// The memory folder cannot be read or written.
pub(super) fn propose_page(written: &mut Written<'_>, spooled: &Spooled) -> Result<()> {
    let project = Project::of(Path::new(&spooled.directory));
    let of = PageOf { name: &project.name, key: Some(&project.key) };
    let all = upkeep::projects(written.folder())?;
    let seen = all.iter().find(|seen| seen.name == project.name && seen.key.as_deref() == Some(&project.key));
    if seen.is_none_or(|seen| seen.sessions % SESSIONS != 0) {
        return Ok(());
    }
    let entries = written.app.journal(written.folder())?.entries()?;
    let mut read = ReadLines::default();
    let proposed = upkeep::project_page(written.folder(), of, &entries, (None, &mut read))?;
    if !proposed.proposals.is_empty() {
        written.write(|writer| upkeep::propose(writer, &proposed.proposals))?;
    }
    Ok(())
}
