//! Carries out a person's decision on a proposal.

use jiff::civil::DateTime;

use super::{ListedProposal, list, render};
use crate::upkeep::proposal::{Change, Destination, Line};
use crate::{
    Bullet, Fact, MemoryError, PROPOSALS, SETTLED_PROPOSALS, Settlement, SoulFile, Stored, append_to_section,
    bullet_lines, bullets_of,
};
use tars_vault::{Lines, Splice, Writer};

/// A person's decision on a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Accept the proposal, with this text if it is given and the change brings text.
    Accept(Option<String>),
    /// Refuse the proposal for good.
    Refuse,
}

/// Outcome of settling a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// The change was made. Holds the resulting line, if there is one.
    Done(Option<Bullet>),
    /// The proposal was refused.
    Refused,
    /// A line of the proposal is gone. The proposal was archived without any change.
    Gone,
}

/// Carries out the decision on a proposal and archives the proposal. `review` is the archive file for the corrections and rewards that it
/// settles. All writes of one writer are undone together.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn settle(
    writer: &mut Writer<'_>,
    listed: &ListedProposal,
    decision: &Decision,
    (review, now): (&str, DateTime),
) -> Result<Settled, MemoryError> {
    let settled = match decision {
        Decision::Refuse => Settled::Refused,
        Decision::Accept(text) => {
            let mut change = listed.proposal.change.clone();
            if let (Some(new), Change::Add { text, .. } | Change::Merge { text, .. } | Change::Replace { text, .. }) =
                (text, &mut change)
            {
                text.clone_from(new);
            }
            carry_out(writer, &change, now)?
        }
    };
    put_aside(writer, listed, &settled, now)?;
    if settled != Settled::Gone {
        settle_sources(writer, listed, &settled, (review, now))?;
    }
    Ok(settled)
}

fn carry_out(writer: &mut Writer<'_>, change: &Change, now: DateTime) -> Result<Settled, MemoryError> {
    let folder = writer.folder();
    if let Change::Link { line, target, to } = change {
        let repaired = crate::repair_link(writer, line.key(), target, to.as_deref())?;
        return Ok(repaired.map_or(Settled::Gone, |bullet| Settled::Done(Some(bullet))));
    }
    let mut meant: Vec<Bullet> = Vec::new();
    for line in change.lines() {
        match current_bullet(writer, line)? {
            Some(bullet) => meant.push(bullet),
            None => return Ok(Settled::Gone),
        }
    }
    let stored = |stored: Stored| Settled::Done(Some(stored.bullet));
    Ok(match change {
        Change::Add { to, text } => stored(add(writer, to, text)?),
        Change::Page { file, lines } => {
            if folder.read(file)?.is_some_and(|bytes| !bytes.trim_ascii().is_empty()) {
                return Ok(Settled::Gone);
            }
            for (section, text) in lines {
                add(writer, &Destination { file: file.clone(), section: section.clone() }, text)?;
            }
            Settled::Done(None)
        }
        Change::Merge { text, .. } => {
            let Some((first, others)) = meant.split_first() else { return Ok(Settled::Gone) };
            crate::remove_bullets(writer, others)?;
            // The removals may have shifted the lines. The writer locates the first one again by its id.
            let fact = Fact::of_file(&first.file, None, text)?;
            stored(crate::remember(writer, &fact, &now, Some(first), true)?)
        }
        Change::Replace { text, .. } => {
            let fact = Fact::of_file(&meant[0].file, Some(meant[0].heading.clone()), text)?;
            stored(crate::supersede(writer, &meant[0], &fact, now)?)
        }
        Change::Supersede { by, .. } => match current_bullet(writer, by)? {
            Some(by) => {
                crate::remove_superseded(writer, &meant[0], &by, now)?;
                Settled::Done(Some(by))
            }
            None => Settled::Gone,
        },
        Change::Remove { .. } => {
            crate::remove_bullets(writer, &meant)?;
            Settled::Done(None)
        }
        Change::Link { .. } => Settled::Gone,
        Change::Move { to, .. } => match crate::move_bullet(writer, &meant[0], &to.file, &to.section)? {
            Some(bullet) => Settled::Done(Some(bullet)),
            None => Settled::Gone,
        },
    })
}

/// Returns the current bullet of a proposed line.
fn current_bullet(writer: &Writer<'_>, line: &Line) -> Result<Option<Bullet>, MemoryError> {
    Ok(bullets_of(writer.folder(), &line.file)?.into_iter().find(|bullet| bullet.id == line.id))
}

fn add(writer: &mut Writer<'_>, to: &Destination, text: &str) -> Result<Stored, MemoryError> {
    let section = Some(to.section.clone()).filter(|section| !section.trim().is_empty());
    let fact = Fact::of_file(&to.file, section, text)?;
    match SoulFile::of(&to.file) {
        Some(soul) => crate::remember_soul(writer, soul, &fact, None),
        None => crate::remember_in(writer, &to.file, &fact),
    }
}

/// Moves a proposal from the list to the archive.
fn put_aside(
    writer: &mut Writer<'_>,
    listed: &ListedProposal,
    settled: &Settled,
    now: DateTime,
) -> Result<(), MemoryError> {
    let bytes = writer.folder().read(PROPOSALS)?.unwrap_or_default();
    let lines = Lines::of(&bytes);
    let current = list(writer.folder())?.into_iter().find(|other| other.id == listed.id);
    let (mark, fate) = match settled {
        Settled::Done(_) => ("x", "accepted"),
        Settled::Refused => ("-", "refused"),
        Settled::Gone => ("-", "not possible any more"),
    };
    let whole: Vec<String> = match &current {
        Some(current) => current.bullet.lines.clone().map(|line| lines.line(line).into_owned()).collect(),
        None => render::rendered(writer.folder(), &listed.proposal),
    };
    let said = whole[0].split_once("] ").map_or(whole[0].as_str(), |(_, said)| said);
    let first = format!("[{mark}] {} {fate}: {said}", now.date());
    let nested = whole.iter().skip(1).map(|line| line.strip_prefix("  ").unwrap_or(line).trim_end().to_owned());
    let text: Vec<String> = std::iter::once(first).chain(nested).collect();
    writer.edit(SETTLED_PROPOSALS, |lines| {
        vec![append_to_section(
            lines,
            "Settled proposals",
            &now.date().strftime("%Y-%m").to_string(),
            bullet_lines(&text.join("\n")),
        )]
    })?;
    if let Some(current) = current {
        let range = current.bullet.lines;
        let gone = Splice { at: range.start, remove: range.len(), insert: Vec::new() };
        let id = listed.id.clone();
        writer.edit(PROPOSALS, |lines| {
            // The list may have been saved since it was read.
            let range = range.clone().filter(|line| *line < lines.len()).map(|line| lines.line(line).into_owned());
            let is_same =
                range.collect::<Vec<_>>() == whole && whole.iter().any(|line| render::id_in(line) == Some(&id));
            if is_same { vec![gone.clone()] } else { Vec::new() }
        })?;
    }
    Ok(())
}

/// Settles the corrections, rewards and extracted lines that a proposal was based on, unless another open proposal is based on them too.
fn settle_sources(
    writer: &mut Writer<'_>,
    listed: &ListedProposal,
    settled: &Settled,
    (review, now): (&str, DateTime),
) -> Result<(), MemoryError> {
    let open = list(writer.folder())?;
    let waiting = crate::waiting_lines(writer.folder())?;
    for source in &listed.proposal.sources {
        let is_needed = open
            .iter()
            .any(|other| other.id != listed.id && other.proposal.sources.iter().any(|line| line.key() == source.key()));
        let waits = waiting.iter().find(|waits| waits.bullet.file == source.file && waits.bullet.id == source.id);
        if let (Some(waits), false) = (waits, is_needed) {
            let settlement = match settled {
                Settled::Done(Some(bullet)) => Settlement::PromotedTo(bullet.file.clone()),
                Settled::Done(None) | Settled::Refused | Settled::Gone => Settlement::Drop,
            };
            crate::settle(writer, waits, &settlement, review, now)?;
        }
    }
    Ok(())
}
