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
    /// Files of pages with an open proposal that a person has decided on or edited.
    open_pages: BTreeSet<String>,
    /// Open proposals of pages as tars wrote them. One with more lines replaces them.
    replaceable: Vec<ListedProposal>,
}

impl ListedProposal {
    /// Returns the number of its first line in the list, from 1.
    pub fn line_number(&self) -> usize {
        self.bullet.line()
    }

    /// Whether nobody has decided on it or edited it.
    fn is_untouched(&self) -> bool {
        self.verdict == Verdict::Open && self.id == self.proposal.change.id()
    }
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
        let is_page = |listed: &&ListedProposal| matches!(listed.proposal.change, Change::Page { .. });
        let (replaceable, kept): (Vec<_>, Vec<_>) =
            open.iter().filter(is_page).cloned().partition(ListedProposal::is_untouched);
        known.open_pages = kept.iter().filter_map(|listed| listed.proposal.change.page()).map(str::to_owned).collect();
        known.replaceable = replaceable;
        // An open page, and those whose place tars gave to another one, are no earlier proposals of their lines.
        let removed = entries.iter().filter(|entry| entry.file == PROPOSALS).flat_map(|entry| &entry.changes);
        let replaced: BTreeSet<&str> =
            removed.flat_map(|change| &change.removed).filter_map(|line| render::id_in(line)).collect();
        let is_replaceable = |listed: &ListedProposal| {
            listed.proposal.change.page().is_some()
                && listed.verdict == Verdict::Open
                && (replaced.contains(listed.id.as_str()) || known.replaceable.iter().any(|open| open.id == listed.id))
        };
        let all = open.into_iter().chain(listed_in(folder, SETTLED_PROPOSALS)?).chain(written);
        for listed in all.filter(|listed| !is_replaceable(listed)).collect::<Vec<_>>() {
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
                let is_listed = |text: &String| self.was_on_page(file, text) || self.is_on_open_page(file, text);
                self.open_pages.contains(file) || lines.iter().all(|(_, text)| is_listed(text))
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

    /// Returns the lines of the open proposal of a page that a longer one may replace, each with its heading.
    pub fn open_page(&self, file: &str) -> &[(String, String)] {
        let open = self.replaceable.iter().find_map(|listed| match &listed.proposal.change {
            Change::Page { file: of, lines } if of == file => Some(lines.as_slice()),
            _ => None,
        });
        open.unwrap_or_default()
    }

    fn is_on_open_page(&self, file: &str, text: &str) -> bool {
        let said: Vec<Bullet> = self.open_page(file).iter().map(|(_, text)| Bullet::of_text(text)).collect();
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
            if lines.all().iter().any(|line| render::id_in(line) == Some(&id)) {
                return Vec::new();
            }
            replaced_page(lines, proposal, &written).unwrap_or_else(|| splices(lines, proposal, written.clone()))
        })?;
        added.insert(id);
    }
    Ok(list(folder)?.into_iter().filter(|listed| added.contains(&listed.id)).collect())
}

/// Returns the change that puts a page in the place of its open proposal; `None` if there is none, or a person has decided on it or edited it.
fn replaced_page(lines: &Lines<'_>, proposal: &Proposal, written: &[String]) -> Option<Vec<Splice>> {
    let page = proposal.change.page()?;
    let is_replaced = |listed: &ListedProposal| listed.is_untouched() && listed.proposal.change.page() == Some(page);
    let range = proposals_in(PROPOSALS, lines).into_iter().find(is_replaced)?.bullet.lines;
    Some(vec![Splice { at: range.start, remove: range.len(), insert: written.to_vec() }])
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
