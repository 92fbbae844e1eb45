//! Turns corrections, rewards and extracted lines into proposals of rules and facts.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use super::job::{JobResult, SeenTexts};
use super::list::PastProposals;
use super::person::{Person, SectionMatch, is_newer, last_day, own_decisions, personal_statement};
use super::project_page::{CONVENTIONS, page_file};
use super::proposal::{Change, Destination, Job, Line, Proposal};
use super::support::{DropReason, is_known};
use crate::{MEMORY, MemoryError, PROCEDURAL, Source, Trust, durable_bullets, log_lines, word_similarity};
use tars_agent::digest::have_common_subject;
use tars_base::domain::collapse_whitespace;
use tars_chat::tasks::{SourceLine, Task, TaskModel};
use tars_vault::{Entry, MemoryFolder};

/// Minimum word similarity of two lines about one matter: repeated corrections use different words.
const SAME_MATTER: f64 = 0.6;
/// Minimum number of rewards that make a rule. A single reward is just praise.
const MIN_REWARDS: usize = 2;

/// Proposes rules and facts from the lines that wait for a review and from the notes about the person. Lines that an earlier proposal is
/// based on are skipped. With a model, the model proposes, from the lines that `read` does not hold yet. Without one, each line is
/// proposed as it stands, similar lines as one. `entries` are the journal's writes.
///
/// # Errors
/// A file cannot be read. A failure of the model is returned in [`JobResult::problem`].
pub fn review(
    folder: &MemoryFolder,
    entries: &[Entry],
    model: Option<&TaskModel>,
    read: &mut SeenTexts,
) -> Result<JobResult, MemoryError> {
    let input = ReviewInput::of(folder, entries)?;
    let mut proposed = JobResult::default();
    let candidates = match model {
        Some(model) => by_model(model, &input, (read, &mut proposed)),
        None => by_rules(&input.waiting),
    };
    input.filter(candidates, &mut proposed);
    Ok(proposed)
}

/// Proposes, by rules, updates of the person's section of Memory.md: the part of [`review`] about the person.
///
/// # Errors
/// A file cannot be read.
pub fn person_section(folder: &MemoryFolder, entries: &[Entry]) -> Result<JobResult, MemoryError> {
    let input = ReviewInput::of(folder, entries)?;
    let mut candidates = by_rules(&input.waiting);
    candidates.retain(|candidate| personal_statement(&input.person, candidate).is_some());
    let mut proposed = JobResult::default();
    input.filter(candidates, &mut proposed);
    Ok(proposed)
}

/// Input of a review.
struct ReviewInput<'e> {
    /// The waiting lines and the notes about the person, except those that an earlier proposal is based on.
    waiting: Vec<crate::WaitingLine>,
    /// The durable lines.
    known: Vec<crate::Bullet>,
    before: PastProposals,
    person: Person,
    /// The projects of waiting lines in the logs of days, by file and line number.
    projects: BTreeMap<(String, usize), String>,
    /// The pages of projects that exist.
    pages: BTreeSet<String>,
    /// The journal's writes.
    entries: &'e [Entry],
    trust: Trust,
}

impl<'e> ReviewInput<'e> {
    fn of(folder: &MemoryFolder, entries: &'e [Entry]) -> Result<Self, MemoryError> {
        let before = PastProposals::read(folder, entries)?;
        let dropped = crate::dropped_lines(folder)?;
        let mut waiting = crate::promotable_lines(folder)?;
        let trust = Trust::of(folder)?;
        waiting.extend(
            own_decisions(folder)?.into_iter().filter(|line| trust.is_for_facts(&line.bullet.file, &line.text)),
        );
        waiting.retain(|line| !before.mentions(&line.bullet.file, &line.bullet.id));
        waiting.retain(|line| line.source != Source::Extracted || !is_known(&line.text, &dropped));
        let (known, person) = (durable_bullets(folder)?, Person::of(folder)?);
        let pages = folder.files()?.into_iter().filter(|file| file.starts_with("projects/")).collect();
        Ok(Self { pages, projects: projects_of(folder, &waiting)?, waiting, known, before, person, entries, trust })
    }

    /// Returns the project of a waiting line, if a session of it noted the line.
    fn project(&self, line: &crate::WaitingLine) -> Option<&str> {
        self.projects.get(&(line.bullet.file.clone(), line.bullet.line())).map(String::as_str)
    }

    /// Describes a waiting line to a model: its source, its day and its project.
    fn origin(&self, line: &crate::WaitingLine) -> String {
        let day = line.bullet.file.strip_suffix(".md").filter(|day| day.parse::<Date>().is_ok());
        let day = day.or_else(|| line.whole.get(..10).filter(|day| day.parse::<Date>().is_ok()));
        let parts = [Some(line.source.as_str()), day, self.project(line)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Returns the place for conventions on the page of the only project of these lines; `None` for lines of none or of several, and
    /// without a page: a new page is a proposal of its own.
    fn page_of(&self, lines: &[&crate::WaitingLine]) -> Option<Destination> {
        let project = self.project(lines.first()?)?;
        let is_one = lines.iter().all(|line| self.project(line) == Some(project));
        let file = page_file(project).filter(|file| is_one && self.pages.contains(file))?;
        Some(Destination { file, section: CONVENTIONS.into() })
    }

    /// Filters candidates. A candidate about the person goes to the person's section, or replaces the contradicting line there. The
    /// newest statement about a matter wins.
    fn filter(&self, mut candidates: Vec<Proposal>, proposed: &mut JobResult) {
        let day = |candidate: &Proposal| personal_statement(&self.person, candidate).map(|(_, day)| day);
        candidates.sort_by_key(|candidate| day(candidate).map(std::cmp::Reverse));
        let mut said: Vec<String> = Vec::new();
        for mut candidate in candidates {
            let own = personal_statement(&self.person, &candidate).map(|(text, day)| (text.to_owned(), day));
            let Some((text, day)) = own else {
                proposed.filter(candidate, &self.known, &self.before);
                continue;
            };
            let is_overtaken = said.iter().any(|later| self.person.is_same_matter(later, &text));
            said.push(text.clone());
            candidate.change = match self.person.match_section(&text, day, self.entries) {
                SectionMatch::Contradicts(old) if !is_overtaken => Change::Replace { old: (&old).into(), text },
                SectionMatch::Nothing if !is_overtaken => Change::Add { to: self.person.place(), text },
                _ => {
                    proposed.dropped.push((candidate, DropReason::Known));
                    continue;
                }
            };
            proposed.filter(candidate, &self.known, &self.before);
        }
    }
}

/// Returns the projects of the waiting lines in the logs of days.
fn projects_of(
    folder: &MemoryFolder,
    waiting: &[crate::WaitingLine],
) -> Result<BTreeMap<(String, usize), String>, MemoryError> {
    let files: BTreeSet<&str> = waiting.iter().map(|line| line.bullet.file.as_str()).collect();
    let mut found = BTreeMap::new();
    for file in files {
        for line in log_lines(&folder.read(file)?.unwrap_or_default()) {
            found.extend(line.section.project.name.clone().map(|name| ((file.to_owned(), line.number), name)));
        }
    }
    Ok(found)
}

fn by_model(
    model: &TaskModel,
    input: &ReviewInput<'_>,
    (read, proposed): (&mut SeenTexts, &mut JobResult),
) -> Vec<Proposal> {
    let ReviewInput { waiting, known, person, entries, .. } = input;
    let mut unread: Vec<&crate::WaitingLine> =
        waiting.iter().filter(|line| !read.holds(Task::Review, &line.whole)).collect();
    let mut found = Vec::new();
    while !unread.is_empty() {
        let new = unread.iter().map(|line| SourceLine { text: line.whole.clone(), of: input.origin(line) });
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
            let from: Vec<&crate::WaitingLine> =
                claim.from.iter().filter_map(|place| unread.get(*place)).copied().collect();
            let to = claim.to.as_deref().unwrap_or_default().to_lowercase();
            let is_for_rules = from.iter().all(|line| line.is_for_rules(&input.trust));
            // Conventions are rules of a project.
            let page = || input.page_of(&from).filter(|_| is_for_rules).unwrap_or_else(facts);
            let place = if to.contains("rule") {
                if !is_for_rules {
                    continue;
                }
                rules()
            } else if to.contains("person") {
                person.place()
            } else if to.contains("project") {
                page()
            } else {
                facts()
            };
            let mut candidate = proposal(place, claim.text, from.iter().map(|line| source(line)).collect());
            // The known lines follow the waiting ones in the request.
            let old = claim.instead.and_then(|at| known.get(at.checked_sub(unread.len())?));
            let text = candidate.change.text().to_owned();
            let others = |old: &crate::Bullet| -> Vec<crate::Bullet> {
                known.iter().filter(|line| line.id != old.id).cloned().collect()
            };
            // If another line already says the new text, nothing is replaced: tidying decides which of the two is older.
            let is_replaced = |old: &&crate::Bullet| {
                have_common_subject(&old.text, &text)
                    && !is_newer(old, last_day(&candidate.sources), entries)
                    && !is_known(&text, &others(old))
            };
            if let Some(old) = old.filter(is_replaced) {
                candidate.change = Change::Replace { old: old.into(), text };
            }
            found.push(candidate);
        }
        let rest = unread.split_off(sent);
        unread.iter().for_each(|line| read.add(Task::Review, &line.whole));
        unread = rest;
    }
    found
}

/// Proposes each line as it stands, only the newest of similar ones.
fn by_rules(waiting: &[crate::WaitingLine]) -> Vec<Proposal> {
    let mut groups: Vec<Vec<&crate::WaitingLine>> = Vec::new();
    for line in waiting {
        let says_so = |group: &Vec<&crate::WaitingLine>| {
            group.iter().any(|other| word_similarity(&line.text, &other.text) >= SAME_MATTER)
        };
        match groups.iter_mut().find(|group| says_so(group)) {
            Some(group) => group.push(line),
            None => groups.push(vec![line]),
        }
    }
    // The most frequent statement comes first.
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let is_worth = |group: &&Vec<&crate::WaitingLine>| {
        group.iter().any(|line| line.source != Source::Reward) || group.len() >= MIN_REWARDS
    };
    let said = |group: &Vec<&crate::WaitingLine>| {
        let newest = group.iter().max_by_key(|line| (line.source != Source::Reward, &line.whole))?;
        let place = if newest.source == Source::Extracted { facts() } else { rules() };
        Some(proposal(place, newest.text.clone(), group.iter().map(|line| source(line)).collect()))
    };
    groups.iter().filter(is_worth).filter_map(said).collect()
}

fn source(line: &crate::WaitingLine) -> Line {
    // The source keeps its date, but not its nested lines.
    let text = line.whole.lines().next().unwrap_or_default().to_owned();
    Line { text, ..Line::from(&line.bullet) }
}

fn rules() -> Destination {
    Destination { file: PROCEDURAL.into(), section: "Rules".into() }
}

fn facts() -> Destination {
    Destination { file: MEMORY.into(), section: "Facts".into() }
}

fn proposal(to: Destination, text: String, sources: Vec<Line>) -> Proposal {
    let text = collapse_whitespace(&text);
    Proposal { job: Job::Review, change: Change::Add { to, text }, sources }
}
