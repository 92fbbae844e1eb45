//! Shared parts of the proposing jobs.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::list::PastProposals;
use super::proposal::{Change, Proposal};
use super::support::{DropReason, commands, is_generic, is_known, is_supported};
use crate::Bullet;
use tars_base::domain::{ContentHash, hex};
use tars_chat::tasks::{Task, TaskError};

/// Result of a job.
#[derive(Debug, Default)]
pub struct JobResult {
    /// The proposals, best first.
    pub proposals: Vec<Proposal>,
    /// Dropped proposals, each with the reason.
    pub dropped: Vec<(Proposal, DropReason)>,
    /// Why the model answered nothing, or not about all lines. Unread lines wait for the next run.
    pub problem: Option<TaskError>,
}

/// Texts that a model has read, per task, by hash. A text is not sent to a paid model twice.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenTexts(BTreeMap<String, BTreeSet<String>>);

impl SeenTexts {
    /// Whether the model has read a text for a task.
    pub fn holds(&self, task: Task, text: &str) -> bool {
        self.0.get(task.as_str()).is_some_and(|known| known.contains(&hash(text)))
    }

    /// Records that the model has read a text for a task.
    pub fn add(&mut self, task: Task, text: &str) {
        self.0.entry(task.as_str().to_owned()).or_default().insert(hash(text));
    }
}

fn hash(text: &str) -> String {
    hex(&ContentHash::of_parts([text.as_bytes()]).as_bytes()[..8])
}

impl JobResult {
    /// Filters a proposal: keeps it, or drops it with a reason. `known` are the durable lines, `before` the earlier proposals.
    pub(super) fn filter(&mut self, proposal: Proposal, known: &[Bullet], before: &PastProposals) {
        let rests_on = proposal.sources.iter().chain(proposal.change.lines()).map(|line| line.text.as_str());
        let sources = || rests_on.clone().filter(|text| !commands(text));
        let text = proposal.change.text();
        let is_new = matches!(proposal.change, Change::Add { .. });
        let reason = if before.was_proposed(&proposal.change) || self.has(&proposal) {
            Some(DropReason::Proposed)
        } else if proposal.change.brings_text() && is_generic(text) {
            Some(DropReason::Generic)
        } else if proposal.change.brings_text() && (commands(text) || !is_supported(text, sources())) {
            Some(DropReason::Unsupported)
        } else if is_new && is_known(text, known) {
            Some(DropReason::Known)
        } else {
            None
        };
        match reason {
            Some(reason) => self.dropped.push((proposal, reason)),
            None => self.proposals.push(proposal),
        }
    }

    /// Whether a kept proposal says the same, or changes one of the same lines.
    fn has(&self, proposal: &Proposal) -> bool {
        let lines = |change: &Change| -> BTreeSet<(String, String)> {
            change.lines().iter().map(|line| (line.file.clone(), line.id.clone())).collect()
        };
        let (id, taken) = (proposal.change.id(), lines(&proposal.change));
        // Links of the same line are repaired independently.
        let is_link = |change: &Change| matches!(change, Change::Link { .. });
        let apart = |other: &Change| is_link(other) && is_link(&proposal.change);
        self.proposals.iter().any(|other| {
            let same_words = proposal.change.brings_text()
                && other.change.brings_text()
                && is_known(proposal.change.text(), &[Bullet::of_text(other.change.text())]);
            other.change.id() == id || same_words || !apart(&other.change) && !taken.is_disjoint(&lines(&other.change))
        })
    }
}
