//! Writes the facts of a session into its daily log, where they wait for a review: after each turn by rules, and with a model when the
//! session ends or is compacted.

use std::path::Path;

use super::event::SessionEvent;
use super::progress::SessionProgress;
use super::writer::SessionWriter;
use crate::{App, Result};
use tars_agent::digest::TurnDigest;
use tars_agent::project::Project;
use tars_base::domain::{ContentHash, hex};
use tars_chat::tasks::MAX_FACTS;
use tars_memory::upkeep::{Conversation, FoundFact, unknown_facts};
use tars_memory::{ExtractedFact, LogProject, normalized, note_facts};

/// Returns whether the settings want facts, and the session is long enough for them.
pub(super) fn are_wanted(app: &App, conversation: &Conversation) -> bool {
    app.settings.config.auto.extract && conversation.is_long_enough()
}

/// Writes the facts that the person's own words contain, however short the session is: somebody who says "always" means it. A fact of this session that was written before is not repeated, even if somebody
/// has removed it.
///
/// # Errors
/// The memory folder cannot be read or written, or the data directory cannot be written.
pub(super) fn note_by_rules(
    writes: &mut SessionWriter<'_>,
    event: &SessionEvent,
    conversation: &Conversation,
    digests: &[TurnDigest],
) -> Result<()> {
    let app = writes.app;
    if !app.settings.config.auto.extract {
        return Ok(());
    }
    let data = app.data_dir()?;
    let mut progress = SessionProgress::of(data, &event.session);
    let found = conversation.by_rules(digests);
    let written = write(writes, event, found, &progress.facts)?;
    if !written.is_empty() {
        progress.facts.extend(written);
        progress.save(data, &event.session)?;
    }
    Ok(())
}

/// Writes the facts of the session that are new to it and to the memory, and returns their keys. `known` holds the keys of the facts
/// written before; a session has at most [`MAX_FACTS`] in total.
///
/// # Errors
/// The memory folder cannot be read or written.
pub(super) fn write(
    writes: &mut SessionWriter<'_>,
    event: &SessionEvent,
    found: Vec<FoundFact>,
    known: &[String],
) -> Result<Vec<String>> {
    let app = writes.app;
    let room = MAX_FACTS.saturating_sub(known.len());
    let new: Vec<FoundFact> = found.into_iter().filter(|fact| !known.contains(&key(&fact.text))).collect();
    let facts = unknown_facts(&writes.folder, new, app.environment.clock.today(), room)?;
    if facts.is_empty() {
        return Ok(Vec::new());
    }
    let zone = app.environment.clock.zone();
    let mut facts: Vec<ExtractedFact> = facts.iter().map(|fact| fact.dated(&zone, event.at)).collect();
    facts.sort_by_key(|fact| fact.time);
    let project = Project::of(Path::new(&event.directory));
    let project = LogProject { name: Some(project.name), key: Some(project.key) };
    writes.write(|writer| note_facts(writer, &event.session, Some(&project), &facts))?;
    Ok(facts.iter().map(|fact| key(&fact.text)).collect())
}

/// Returns the key of a fact: a hash of its text, so that the data directory does not keep text that a person has removed.
fn key(text: &str) -> String {
    hex(&ContentHash::of_parts([normalized(text).as_bytes()]).as_bytes()[..8])
}
