//! Proposes updates of a project's page and of the person's section in Memory.md, after every few sessions.

use std::path::Path;

use crate::Result;

use super::event::SessionEvent;
use super::writer::SessionWriter;
use tars_agent::project::{Branches, Project};
use tars_memory::upkeep::{self, ProjectSeen, ProjectView, Proposal, SeenTexts};

/// Number of new sessions after which the project's page (sessions of the project) or the person's section (all sessions) is checked.
const SESSIONS: usize = 5;

/// Proposes rule-based updates of the project's page and of the person's section, if enough sessions were noted since the last time.
///
/// # Errors
/// The memory folder cannot be read or written.
pub(super) fn propose(writes: &mut SessionWriter<'_>, event: &SessionEvent) -> Result<()> {
    let project = Project::of(Path::new(&event.directory));
    let all = upkeep::projects(&writes.folder)?;
    let is_own = |seen: &&ProjectSeen| seen.name == project.name && seen.key.as_deref() == Some(&project.key);
    let is_due = |sessions: usize| sessions > 0 && sessions.is_multiple_of(SESSIONS);
    let is_page_due = all.iter().find(is_own).is_some_and(|seen| is_due(seen.sessions));
    let is_person_due = is_due(all.iter().map(|seen| seen.sessions).sum());
    if !is_page_due && !is_person_due {
        return Ok(());
    }
    let mut proposals: Vec<Proposal> = Vec::new();
    let entries = writes.app.journal(&writes.folder)?.entries()?;
    if is_page_due {
        let branches = Branches::of(Path::new(&event.directory));
        let of = ProjectView { name: &project.name, key: Some(&project.key), branches: branches.as_ref() };
        proposals = upkeep::project_page(&writes.folder, of, &entries, (None, &mut SeenTexts::default()))?.proposals;
    }
    if is_person_due {
        proposals.extend(upkeep::person_section(&writes.folder, &entries)?.proposals);
    }
    if !proposals.is_empty() {
        writes.write(|writer| upkeep::propose(writer, &proposals))?;
    }
    Ok(())
}
