//! The list of proposals that wait for a decision, `proposals.md`, with checkboxes, and the archive of settled ones,
//! `archive/proposals.md`.
//!
//! Both files lie in the vault, so that machines that share it know the earlier proposals and refusals. A ticked box accepts, a `-` in it
//! refuses. The next run reads the list and applies these decisions. The text of a proposal may be edited first.

mod carry_out;
mod render;

use std::collections::BTreeSet;

use super::proposal::{Change, Proposal};
use super::support::is_known;
use crate::{Bullet, PROPOSALS, SETTLED_PROPOSALS, append_to_section, bullets};
use tars_vault::{Entry, Lines, MemoryFolder, Splice, Writer, writes_in_force};

pub use carry_out::{Decision, Settled, settle};

/// First lines of the list.
const INTRODUCTION: &str = "What could be remembered or put in order. Tick a box to accept, put a `-` into it to refuse, and change \
    the words of a proposal as you like. `tars review` carries it out; nothing is changed before.";

/// A person's decision on a proposal, as its box shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// No decision yet.
    Open,
    /// Accepted.
    Accepted,
    /// Refused.
    Refused,
}

/// A proposal in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedProposal {
    /// Its id, computed when the proposal was made.
    pub id: String,
    /// The person's decision.
    pub verdict: Verdict,
    /// The proposal, with the person's edits. The texts of lines that it only mentions are as the list shows them.
    pub proposal: Proposal,
    bullet: Bullet,
}

/// Earlier proposals, settled or not. They are not proposed again.
#[derive(Debug, Clone, Default)]
pub struct PastProposals {
    ids: BTreeSet<String>,
    /// Proposed texts.
    said: Vec<Bullet>,
    /// File and bullet id of the lines that proposals are based on or change.
    lines: BTreeSet<(String, String)>,
    /// Proposed lines of pages, each with the page's file.
    of_pages: Vec<(String, Bullet)>,
    /// Files of pages whose proposal is open.
    open_pages: BTreeSet<String>,
}

impl Verdict {
    /// Parses the checkbox at the start of a line. Returns the decision and the rest of the line.
    fn of(text: &str) -> Option<(Self, &str)> {
        let (mark, rest) = text.strip_prefix('[')?.split_once(']')?;
        let word = match mark.trim() {
            "" => Self::Open,
            "x" | "X" => Self::Accepted,
            "-" => Self::Refused,
            _ => return None,
        };
        Some((word, rest.trim_start()))
    }
}

impl PastProposals {
    /// Reads the list, the archive and the journal. `entries` are the journal's writes; they reveal proposals that a person deleted from
    /// the list, which counts as a refusal.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn read(folder: &MemoryFolder, entries: &[Entry]) -> Result<Self, crate::MemoryError> {
        let mut known = Self::default();
        let written = writes_in_force(entries).into_iter().filter(|entry| entry.file == PROPOSALS);
        let written = written.flat_map(|entry| &entry.changes).flat_map(|change| {
            let text = change.inserted.join("\n");
            proposals_in(PROPOSALS, &Lines::of(text.as_bytes()))
        });
        let open = listed_in(folder, PROPOSALS)?;
        let page = |listed: &ListedProposal| match &listed.proposal.change {
            Change::Page { file, .. } => Some(file.clone()),
            _ => None,
        };
        known.open_pages = open.iter().filter_map(page).collect();
        for listed in open.into_iter().chain(listed_in(folder, SETTLED_PROPOSALS)?).chain(written) {
            let Proposal { change, sources, .. } = &listed.proposal;
            if let Change::Page { file, lines } = change {
                let line = |(_, text): &(String, String)| (file.clone(), Bullet::of_text(text));
                known.of_pages.extend(lines.iter().map(line));
            }
            // A person may have edited the text since, so the ids of both versions count.
            known.ids.extend([listed.id.clone(), change.id()]);
            let mentioned = sources.iter().chain(change.lines());
            known.lines.extend(mentioned.map(|line| (line.file.clone(), line.id.clone())));
            if change.brings_text() {
                known.said.push(Bullet { id: listed.id, text: change.text().to_owned(), ..Bullet::default() });
            }
        }
        Ok(known)
    }

    /// Whether a change was proposed before, in the same or nearly the same words.
    pub fn was_proposed(&self, change: &Change) -> bool {
        let said_before = || is_known(change.text(), &self.said);
        match change {
            // A page may be proposed again for its new lines, but only one proposal is open at a time.
            Change::Page { file, lines } => {
                self.open_pages.contains(file) || lines.iter().all(|(_, text)| self.was_on_page(file, text))
            }
            Change::Add { to, text } if self.was_on_page(&to.file, text) => true,
            _ => self.ids.contains(&change.id()) || change.brings_text() && said_before(),
        }
    }

    /// Whether the line, or a similar one, was part of a proposed page.
    pub fn was_on_page(&self, file: &str, text: &str) -> bool {
        let said = self.of_pages.iter().filter(|(of, _)| of == file).map(|(_, line)| line.clone()).collect::<Vec<_>>();
        is_known(text, &said)
    }

    /// Whether a proposal is based on a line or changes it.
    pub fn mentions(&self, file: &str, id: &str) -> bool {
        self.lines.contains(&(file.to_owned(), id.to_owned()))
    }

    /// Whether the list or the archive holds the proposal with this id.
    pub fn has(&self, id: &str) -> bool {
        self.ids.contains(id)
    }
}

/// Returns the proposals of the list in order.
///
/// # Errors
/// The list cannot be read.
pub fn list(folder: &MemoryFolder) -> Result<Vec<ListedProposal>, crate::MemoryError> {
    listed_in(folder, PROPOSALS)
}

/// Returns the texts that a person has refused.
///
/// # Errors
/// The archive cannot be read.
pub fn refused(folder: &MemoryFolder) -> Result<Vec<String>, crate::MemoryError> {
    let settled = listed_in(folder, SETTLED_PROPOSALS)?.into_iter();
    let refused = settled.filter(|listed| listed.verdict == Verdict::Refused && listed.proposal.change.brings_text());
    Ok(refused.map(|listed| listed.proposal.change.text().to_owned()).collect())
}

fn listed_in(folder: &MemoryFolder, file: &str) -> Result<Vec<ListedProposal>, crate::MemoryError> {
    let bytes = folder.read(file)?.unwrap_or_default();
    Ok(proposals_in(file, &Lines::of(&bytes)))
}

fn proposals_in(file: &str, lines: &Lines<'_>) -> Vec<ListedProposal> {
    let found = bullets(file, lines).into_iter().filter(|bullet| bullet.indent == 0);
    found.filter_map(|bullet| render::read(&bullet, lines)).collect()
}

/// Appends proposals to the list, each under the heading of its job, and returns those that were new.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn propose(writer: &mut Writer<'_>, proposals: &[Proposal]) -> Result<Vec<ListedProposal>, crate::MemoryError> {
    let folder = writer.folder();
    let mut added = BTreeSet::new();
    for proposal in proposals {
        // The list is read again for each proposal, because one may repeat another.
        let known = PastProposals::read(folder, &writer.entries()?)?;
        let id = proposal.change.id();
        if known.was_proposed(&proposal.change) {
            continue;
        }
        let written = render::rendered(folder, proposal);
        writer.edit(PROPOSALS, |lines| {
            // A sync from another machine may have added the proposal in the meantime.
            let is_there = lines.all().iter().any(|line| render::id_in(line) == Some(&id));
            if is_there { Vec::new() } else { splices(lines, proposal, written.clone()) }
        })?;
        added.insert(id);
    }
    Ok(list(folder)?.into_iter().filter(|listed| added.contains(&listed.id)).collect())
}

fn splices(lines: &Lines<'_>, proposal: &Proposal, written: Vec<String>) -> Vec<Splice> {
    let mut splice = append_to_section(lines, "Proposals", &proposal.job.heading(), written);
    if lines.all().iter().all(|line| line.trim().is_empty()) {
        // The introduction follows the title and the blank line of a new file.
        let after_title = splice.insert.len().min(2);
        splice.insert.splice(after_title..after_title, [INTRODUCTION.to_owned(), String::new()]);
    }
    vec![splice]
}

#[cfg(test)]
mod tests;
