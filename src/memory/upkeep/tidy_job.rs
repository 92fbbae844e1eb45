//! Proposes removals of duplicates and superseded facts, repairs of links, and moves of details to files of their own.

use jiff::civil::Date;

use super::core_moves::core_moves;
use super::job::{JobResult, SeenTexts};
use super::link_repairs::link_repairs;
use super::list::PastProposals;
use super::person::day_written;
use super::proposal::{Change, Destination, Job, Line, Proposal};
use super::support::{DropReason, keeps_values};
use crate::{Bullet, Finding, LayerFile, MEMORY, MemoryError, durable_bullets};
use tars_chat::tasks::{Claim, SourceLine, Task, TaskModel};
use tars_vault::{Entry, MemoryFolder};

/// Context of a tidying run outside of the memory folder.
#[derive(Debug, Clone, Copy, Default)]
pub struct TidyContext<'a> {
    /// Paths of all notes of the vault, relative to it; links may lead to them.
    pub notes: &'a [String],
    /// The journal's writes, oldest first. They tell which of two lines came later.
    pub entries: &'a [Entry],
    /// The current day. It decides which dated details are past.
    pub today: Date,
}

/// Proposes changes to the durable lines: by rules, and by the model if one is given and the lines have changed since it last read them.
///
/// # Errors
/// A file cannot be read. A failure of the model is returned in [`JobResult::problem`].
pub fn tidy(
    folder: &MemoryFolder,
    around: TidyContext<'_>,
    model: Option<&TaskModel>,
    read: &mut SeenTexts,
) -> Result<JobResult, MemoryError> {
    let (known, before) = (durable_bullets(folder)?, PastProposals::read(folder, around.entries)?);
    let mut proposed = JobResult::default();
    let findings = crate::findings(folder, around.notes)?;
    let links = link_repairs(folder, &findings, around.notes)?;
    for finding in findings {
        if let Some(change) = of_finding(&finding.resolved_by_journal(around.entries)) {
            proposed.filter(Proposal { job: Job::Tidy, change, sources: Vec::new() }, &[], &before);
        }
    }
    for proposal in links {
        proposed.filter(proposal, &[], &before);
    }
    for proposal in core_moves(folder, around.today, &before, &proposed.proposals)? {
        proposed.filter(proposal, &[], &before);
    }
    if let Some(model) = model {
        for change in by_model(model, (&known, around.entries), read, &mut proposed) {
            proposed.filter(Proposal { job: Job::Tidy, change, sources: Vec::new() }, &[], &before);
        }
    }
    Ok(proposed)
}

fn of_finding(finding: &Finding) -> Option<Change> {
    Some(match finding {
        Finding::Duplicate { kept, removed } | Finding::Close { kept, removed } => {
            Change::Remove { line: removed.into(), since: kept.into() }
        }
        Finding::Superseded { kept, removed } => Change::Supersede { old: removed.into(), by: kept.into() },
        Finding::Conflict { .. } | Finding::BrokenLink { .. } | Finding::Overgrown(_) => return None,
    })
}

fn by_model(
    model: &TaskModel,
    (known, entries): (&[Bullet], &[Entry]),
    read: &mut SeenTexts,
    proposed: &mut JobResult,
) -> Vec<Change> {
    let all: Vec<&str> = known.iter().map(|line| line.text.as_str()).collect();
    let all = all.join("\n");
    if known.len() < 2 || read.holds(Task::Tidy, &all) {
        return Vec::new();
    }
    let line = |bullet: &Bullet| {
        let written = day_written(bullet, entries).map(|day| format!(", {day}")).unwrap_or_default();
        SourceLine { text: bullet.text.clone(), of: format!("{}, {}{written}", bullet.file, bullet.heading) }
    };
    match model.claims(&known.iter().map(line).collect::<Vec<_>>()) {
        Ok(claims) => {
            read.add(Task::Tidy, &all);
            let mut changes = Vec::new();
            for claim in &claims.claims {
                let wanted = of_claim(claim, known);
                if wanted.is_empty() {
                    proposed.dropped.push((senseless(claim, known), DropReason::Unsupported));
                }
                changes.extend(wanted);
            }
            changes
        }
        Err(error) => {
            proposed.problem = Some(error);
            Vec::new()
        }
    }
}

/// Returns a claim that would lose something or makes no sense, for the list of dropped ones.
fn senseless(claim: &Claim, known: &[Bullet]) -> Proposal {
    let first = claim.from.iter().find_map(|place| known.get(*place));
    let said = if claim.text.is_empty() { first.map_or("", |line| &line.text) } else { &claim.text };
    let text = format!("{}: {said}", claim.what.as_deref().unwrap_or("change"));
    Proposal { job: Job::Tidy, change: Change::Add { to: Destination::default(), text }, sources: Vec::new() }
}

/// Returns the changes that a claim requests, one for each line that it supersedes or moves; none if it would lose something or makes no
/// sense.
fn of_claim(claim: &Claim, known: &[Bullet]) -> Vec<Change> {
    let lines: Vec<&Bullet> = claim.from.iter().filter_map(|place| known.get(*place)).collect();
    if claim.what.as_deref() == Some("merge") {
        return merged(claim, &lines).into_iter().collect();
    }
    lines.into_iter().filter_map(|line| of_line(claim, line, known)).collect()
}

/// Returns the merge of lines into one.
fn merged(claim: &Claim, lines: &[&Bullet]) -> Option<Change> {
    let first = lines.first()?;
    let is_one_file = lines.len() > 1 && lines.iter().all(|line| line.file == first.file);
    let loses_nothing = keeps_values(&claim.text, lines.iter().map(|line| line.text.as_str()));
    (is_one_file && loses_nothing).then(|| Change::Merge {
        lines: lines.iter().map(|line| Line::from(*line)).collect(),
        text: claim.text.clone(),
    })
}

/// Returns the change of a single line.
fn of_line(claim: &Claim, line: &Bullet, known: &[Bullet]) -> Option<Change> {
    match claim.what.as_deref()? {
        "supersede" => {
            let by = known.get(claim.by?).filter(|by| by.id != line.id)?;
            // Lines about one subject share at least one word.
            let words = tars_text::analysis::terms(&line.text);
            let shares = tars_text::analysis::term_presence(&by.text, &words).iter().any(|held| *held > 0.0);
            shares.then(|| Change::Supersede { old: line.into(), by: by.into() })
        }
        "move" => {
            let file = LayerFile::parse(claim.to.as_deref()?).filter(|file| file.as_str().starts_with("context/"))?;
            (line.file == MEMORY && line.indent == 0).then(|| Change::Move {
                line: line.into(),
                to: Destination {
                    file: file.as_str().to_owned(),
                    section: Some(line.heading.clone())
                        .filter(|name| !name.is_empty())
                        .unwrap_or_else(|| "Facts".into()),
                },
            })
        }
        _ => None,
    }
}
