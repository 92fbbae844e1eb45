//! Corrections, rewards and extracted lines to rules and facts.

use super::job::{Proposed, ReadLines, durable_lines};
use super::list::Known;
use super::proposal::{Change, Job, Line, Place, Proposal};
use crate::memory::{self, MEMORY, MemoryError, PROCEDURAL, Source, shared_words};
use crate::tasks::{SourceLine, Task, TaskModel};
use crate::vault::{Entry, MemoryFolder};

/// Lines that share so many of their words are about one matter: a person who corrects again says it in other words.
const SAME_MATTER: f64 = 0.6;
/// A reward alone is praise; said as often as this, it is a rule.
const REWARDS: usize = 2;

/// Proposes what follows from the lines that wait for a review and that no proposal rests on yet. With a model it is the model that
/// proposes, from those lines that it has not read before (`read`; `entries` are the writes so far). Without one each line is proposed as it stands, lines that say the same
/// as one.
///
/// # Errors
/// A file cannot be read. What goes wrong with the model stands in the answer.
pub fn review(
    folder: &MemoryFolder,
    entries: &[Entry],
    model: Option<&TaskModel>,
    read: &mut ReadLines,
) -> Result<Proposed, MemoryError> {
    let (known, before) = (durable_lines(folder)?, Known::read(folder, entries)?);
    let waiting: Vec<memory::WaitingLine> = memory::waiting_lines(folder)?
        .into_iter()
        .filter(|line| !before.mentions(&line.bullet.file, &line.bullet.id))
        .collect();
    let mut proposed = Proposed::default();
    let candidates = match model {
        Some(model) => by_model(model, &waiting, &known, (read, &mut proposed)),
        None => by_rules(&waiting),
    };
    for candidate in candidates {
        proposed.sieve(candidate, &known, &before);
    }
    Ok(proposed)
}

fn by_model(
    model: &TaskModel,
    waiting: &[memory::WaitingLine],
    known: &[memory::Bullet],
    (read, proposed): (&mut ReadLines, &mut Proposed),
) -> Vec<Proposal> {
    let mut unread: Vec<&memory::WaitingLine> =
        waiting.iter().filter(|line| !read.holds(Task::Review, &line.whole)).collect();
    let mut found = Vec::new();
    while !unread.is_empty() {
        let new =
            unread.iter().map(|line| SourceLine { text: line.whole.clone(), of: line.source.as_str().to_owned() });
        let there = known.iter().map(|line| SourceLine {
            text: line.text.clone(),
            of: if line.file == PROCEDURAL { "known rule".into() } else { "known fact".into() },
        });
        let lines: Vec<SourceLine> = new.chain(there).collect();
        let claims = match model.claims(&lines) {
            Ok(claims) => claims,
            Err(error) => {
                proposed.problem = Some(error);
                return found;
            }
        };
        let sent = claims.sent.min(unread.len());
        for claim in claims.claims {
            let sources = claim.from.iter().filter_map(|place| unread.get(*place)).map(|line| source(line));
            let is_rule = claim.to.as_deref().is_some_and(|to| to.to_lowercase().contains("rule"));
            found.push(proposal(is_rule, claim.text, sources.collect()));
        }
        let rest = unread.split_off(sent);
        unread.iter().for_each(|line| read.add(Task::Review, &line.whole));
        unread = rest;
    }
    found
}

/// Each line as it stands, the newest of those that say the same.
fn by_rules(waiting: &[memory::WaitingLine]) -> Vec<Proposal> {
    let mut groups: Vec<Vec<&memory::WaitingLine>> = Vec::new();
    for line in waiting {
        let says_so = |group: &Vec<&memory::WaitingLine>| {
            group.iter().any(|other| shared_words(&line.text, &other.text) >= SAME_MATTER)
        };
        match groups.iter_mut().find(|group| says_so(group)) {
            Some(group) => group.push(line),
            None => groups.push(vec![line]),
        }
    }
    // What was said most often comes first.
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let is_worth = |group: &&Vec<&memory::WaitingLine>| {
        group.iter().any(|line| line.source != Source::Reward) || group.len() >= REWARDS
    };
    let said = |group: &Vec<&memory::WaitingLine>| {
        let newest = group.iter().max_by_key(|line| (line.source != Source::Reward, &line.whole))?;
        let is_rule = newest.source != Source::Extracted;
        Some(proposal(is_rule, newest.text.clone(), group.iter().map(|line| source(line)).collect()))
    };
    groups.iter().filter(is_worth).filter_map(said).collect()
}

fn source(line: &memory::WaitingLine) -> Line {
    // With its day, and without what is nested in it.
    let text = line.whole.lines().next().unwrap_or_default().to_owned();
    Line { text, ..Line::from(&line.bullet) }
}

fn proposal(is_rule: bool, text: String, sources: Vec<Line>) -> Proposal {
    let (file, section) = if is_rule { (PROCEDURAL, "Rules") } else { (MEMORY, "Facts") };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let to = Place { file: file.into(), section: section.into() };
    Proposal { job: Job::Review, change: Change::Add { to, text }, sources }
}
