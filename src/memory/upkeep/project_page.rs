//! Maintains the page of a project: decisions in force, conventions, open ends and, with a model, its state.
//!
//! Proposals are the only way to write the page, even for its first lines. The notes come from the logs of days only, because the logs of
//! sessions repeat them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use super::job::{JobResult, SeenTexts};
use super::list::PastProposals;
use super::person::day_written;
use super::proposal::{Change, Destination, Job, Line, Proposal};
use super::support::{DropReason, commands, is_generic, is_known, is_supported};
use crate::{
    Bullet, LogSection, MemoryError, PROCEDURAL, Relation, Source, Trust, bullets_of, durable_bullets, log_lines,
    similar_bullets,
};
use tars_agent::digest::same_subject;
use tars_agent::project::{Branches, file_name_form, short_name};
use tars_base::domain::{OutcomeKind, collapse_whitespace};
use tars_chat::tasks::{SourceLine, Task, TaskModel};
use tars_vault::{Entry, MemoryFolder};

/// Folder of the pages.
const PAGES: &str = "projects";
/// The sections of a page, each with the name of its list in a model's answer.
const SECTIONS: [(&str, &str); 4] =
    [("State", "state"), (CONVENTIONS, "conventions"), (DECISIONS, "decisions"), (OPEN, "open")];
pub(super) const CONVENTIONS: &str = "Conventions";
const DECISIONS: &str = "Decisions in force";
const OPEN: &str = "Open ends";
/// Maximum number of noted lines for the model, newest first.
const MAX_NOTED_LINES: usize = 120;

/// A project as seen from a working directory.
#[derive(Clone, Copy)]
pub struct ProjectView<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its key, if known.
    pub key: Option<&'a str>,
    /// The branches of its repository, if its place is known.
    pub branches: Option<&'a Branches>,
}

impl ProjectView<'_> {
    /// Whether a decision that was made on `branch` may hold here; without a branch it was made on the main one.
    pub fn may_hold(&self, branch: Option<&str>) -> bool {
        branch.zip(self.branches).is_none_or(|(branch, branches)| branches.state(branch).may_hold())
    }

    /// Whether a decision that was made on `branch` is part of the main branch.
    fn is_merged(&self, branch: Option<&str>) -> bool {
        branch.is_none_or(|branch| self.branches.is_some_and(|all| all.is_in_main(branch)))
    }
}

/// A line noted in a session of the project.
#[derive(Debug, Clone)]
struct Noted {
    branch: Option<String>,
    day: Date,
    kind: OutcomeKind,
    is_ticked: bool,
    text: String,
    line: Line,
}

/// A line that the page should hold.
#[derive(Debug, Clone)]
struct Wanted {
    section: &'static str,
    text: String,
    sources: Vec<Line>,
    /// The last day that noted it.
    day: Option<Date>,
}

/// Returns the file name of a project's page within the memory folder; `None` if the project's name makes no safe file name.
pub fn page_file(name: &str) -> Option<String> {
    let form = file_name_form(name);
    let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    (form.starts_with(char::is_alphanumeric) && form.chars().all(is_plain)).then(|| format!("{PAGES}/{form}.md"))
}

/// Proposes the changes that bring a project's page up to date: by rules, and by the model if one is given and the lines have changed
/// since it last read them. `entries` are the journal's writes.
///
/// A missing page is proposed as a whole. A project whose name makes no file name has no page.
///
/// # Errors
/// A file cannot be read. A failure of the model is returned in [`JobResult::problem`].
pub fn project_page(
    folder: &MemoryFolder,
    of: ProjectView<'_>,
    entries: &[Entry],
    (model, read): (Option<&TaskModel>, &mut SeenTexts),
) -> Result<JobResult, MemoryError> {
    let mut proposed = JobResult::default();
    let Some(file) = page_file(of.name) else { return Ok(proposed) };
    let page = bullets_of(folder, &file)?;
    // A page outlives branches.
    let mut noted = noted(folder, of, Date::MIN, &|_| true)?;
    let trust = Trust::of(folder)?;
    noted.retain(|one| of.is_merged(one.branch.as_deref()) && trust.is_for_facts(&one.line.file, &one.text));
    let mut wanted = conventions(folder, of)?;
    wanted.extend(decisions(&noted));
    wanted.extend(open_ends(&noted));
    if let Some(model) = model {
        for one in by_model(model, (of.name, &file), (&page, &noted), read, &mut proposed) {
            let is_said = wanted.iter().any(|other| is_known(&one.text, &[Bullet::of_text(&other.text)]));
            if !is_said {
                wanted.push(one);
            }
        }
    }
    let before = PastProposals::read(folder, entries)?;
    let job = || Job::Project(of.name.to_owned());
    let is_there = folder.read(&file)?.is_some_and(|bytes| !bytes.trim_ascii().is_empty());
    if !is_there {
        // A longer page replaces the open one, and keeps a model's lines. The rules decide about lines that were noted.
        let of_rules: Vec<Bullet> = noted.iter().map(|one| Bullet::of_text(&one.text)).collect();
        for (section, text) in before.open_page(&file) {
            let is_said =
                wanted.iter().any(|other| is_known(text, &[Bullet::of_text(&other.text)])) || is_known(text, &of_rules);
            let section = SECTIONS.iter().find(|(known, _)| known == section).map(|(known, _)| *known);
            if let Some(section) = section.filter(|_| !is_said) {
                wanted.push(Wanted { section, text: text.clone(), sources: Vec::new(), day: None });
            }
        }
        // Lines that were refused with an earlier page are not proposed again.
        wanted.retain(|one| !before.was_on_page(&file, &one.text));
        let in_order =
            SECTIONS.iter().flat_map(|(section, _)| wanted.iter().filter(move |one| one.section == *section));
        let lines: Vec<(String, String)> = in_order.map(|one| (one.section.to_owned(), one.text.clone())).collect();
        if !lines.is_empty() {
            let sources = wanted.iter().flat_map(|one| one.sources.clone()).collect();
            let change = Change::Page { file, lines };
            proposed.filter(Proposal { job: job(), change, sources }, &[], &before);
        }
        return Ok(proposed);
    }
    let known = durable_bullets(folder)?;
    for one in wanted {
        let change = match replaced(&one, &page, entries)? {
            Some(old) => Change::Replace { old: old.into(), text: one.text },
            None => Change::Add { to: Destination { file: file.clone(), section: one.section.into() }, text: one.text },
        };
        proposed.filter(Proposal { job: job(), change, sources: one.sources }, &known, &before);
    }
    for (line, since) in closed_ends(&page, &noted) {
        let change = Change::Remove { line: line.into(), since: since.line.clone() };
        proposed.filter(Proposal { job: job(), change, sources: Vec::new() }, &[], &before);
    }
    Ok(proposed)
}

/// A project with noted sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectSeen {
    /// Its name.
    pub name: String,
    /// Its key, if a note holds it.
    pub key: Option<String>,
    /// Number of its sessions in the logs of days.
    pub sessions: usize,
}

/// Returns the projects with noted sessions, by name. Projects with the same name differ in their keys.
///
/// # Errors
/// A file cannot be read.
pub fn projects(folder: &MemoryFolder) -> Result<Vec<ProjectSeen>, MemoryError> {
    let mut found: BTreeMap<(String, Option<String>), BTreeSet<String>> = BTreeMap::new();
    for (_, file) in days(folder)? {
        for section in crate::log_sections(&folder.read(&file)?.unwrap_or_default()) {
            if let (Some(anchor), Some(name)) = (section.anchor, section.project.name) {
                found.entry((name, section.project.key)).or_default().insert(anchor.session);
            }
        }
    }
    let seen = |((name, key), sessions): (_, BTreeSet<String>)| ProjectSeen { name, key, sessions: sessions.len() };
    Ok(found.into_iter().map(seen).collect())
}

/// Returns the logs of days, oldest first.
fn days(folder: &MemoryFolder) -> Result<Vec<(Date, String)>, MemoryError> {
    let day = |file: String| Some((file.strip_suffix(".md")?.parse::<Date>().ok()?, file));
    Ok(folder.files()?.into_iter().filter_map(day).collect())
}

/// Returns the decisions in force that were noted since a day, with their days, oldest first. Only the newest 60 are considered, because
/// the comparison is quadratic and a session waits for the result. Notes of `session` are left out.
///
/// # Errors
/// A file cannot be read.
pub fn decisions_since(
    folder: &MemoryFolder,
    of: ProjectView<'_>,
    since: Date,
    session: Option<&str>,
) -> Result<Vec<(Date, String)>, MemoryError> {
    let is_of_session = |section: &LogSection| {
        section.anchor.as_ref().zip(session).is_some_and(|(anchor, session)| anchor.is_of(session))
    };
    let mut noted = noted(folder, of, since, &|section| !is_of_session(section))?;
    let is_meant = |one: &Noted| matches!(one.kind, OutcomeKind::Decided | OutcomeKind::RuledOut);
    noted.retain(|one| is_meant(one) && of.may_hold(one.branch.as_deref()));
    let decided = decisions(&noted[noted.len().saturating_sub(MAX_COMPARED)..]);
    Ok(decided.into_iter().filter_map(|one| Some((one.day?, one.text))).collect())
}

/// Returns the notes of the project since a day in the sections that `is_meant` selects, oldest first.
fn noted(
    folder: &MemoryFolder,
    of: ProjectView<'_>,
    since: Date,
    is_meant: &dyn Fn(&LogSection) -> bool,
) -> Result<Vec<Noted>, MemoryError> {
    let mut found = Vec::new();
    for (day, file) in days(folder)?.into_iter().filter(|(day, _)| *day >= since) {
        let bytes = folder.read(&file)?.unwrap_or_default();
        let lines = log_lines(&bytes);
        let own = |line: &&crate::LogLine| {
            line.section.anchor.is_some()
                && line.section.project.is(of.name, of.key)
                && is_meant(&line.section)
                && !commands(&line.text)
        };
        let own: Vec<_> = lines.iter().filter(own).collect();
        if own.is_empty() {
            continue;
        }
        let bullets = bullets_of(folder, &file)?;
        for line in own {
            let bullet = bullets.iter().find(|bullet| bullet.line() == line.number);
            if let (Some(kind), Some(bullet)) = (line.kind, bullet) {
                let source = Line { text: line.text.clone(), ..Line::from(bullet) };
                let (is_ticked, text) = (line.is_ticked, collapse_whitespace(line.text_without_request()));
                found.push(Noted { branch: line.branch.clone(), day, kind, is_ticked, text, line: source });
            }
        }
    }
    Ok(found)
}

/// Returns the decisions in force, oldest first. A decision that was repeated, changed or ruled out later is left out.
fn decisions(noted: &[Noted]) -> Vec<Wanted> {
    let mut in_force: Vec<Wanted> = Vec::new();
    for one in noted {
        let is_about = |known: &Wanted| is_same_matter(&one.text, &known.text);
        match one.kind {
            OutcomeKind::Decided => {
                let (old, mut rest): (Vec<Wanted>, Vec<Wanted>) = in_force.into_iter().partition(is_about);
                // A repeated decision keeps the sources of its repetitions. A changed one has only its own.
                let same = old.into_iter().filter(|old| is_known(&one.text, &[Bullet::of_text(&old.text)]));
                let sources = same.flat_map(|old| old.sources).chain([one.line.clone()]).collect();
                rest.push(Wanted { section: DECISIONS, text: one.text.clone(), sources, day: Some(one.day) });
                in_force = rest;
            }
            OutcomeKind::RuledOut => in_force.retain(|known| !is_about(known)),
            _ => {}
        }
    }
    in_force
}

/// Returns the open ends, oldest first.
fn open_ends(noted: &[Noted]) -> Vec<Wanted> {
    let mut open: Vec<Wanted> = Vec::new();
    for one in noted {
        match one.kind {
            OutcomeKind::Open => {
                open.retain(|known| !is_same_matter(&one.text, &known.text));
                if !one.is_ticked {
                    let sources = vec![one.line.clone()];
                    open.push(Wanted { section: OPEN, text: one.text.clone(), sources, day: Some(one.day) });
                }
            }
            OutcomeKind::Done => open.retain(|known| !same_subject(&one.text, &known.text)),
            _ => {}
        }
    }
    open
}

/// Returns the rules and extracted lines that name the project.
fn conventions(folder: &MemoryFolder, of: ProjectView<'_>) -> Result<Vec<Wanted>, MemoryError> {
    let mut found: Vec<Wanted> = Vec::new();
    let short = short_name(of.name);
    let rules = bullets_of(folder, PROCEDURAL)?.into_iter().map(|rule| (rule.text.clone(), Line::from(&rule)));
    let trust = Trust::of(folder)?;
    let extracted = crate::promotable_lines(folder)?.into_iter();
    let extracted = extracted.filter(|line| line.source == Source::Extracted && line.is_for_rules(&trust));
    let extracted = extracted.map(|line| (line.text.clone(), Line { text: line.text, ..Line::from(&line.bullet) }));
    for (text, line) in rules.chain(extracted) {
        let text = collapse_whitespace(&text);
        if mentions(&text, of.name) || mentions(&text, short) {
            found.retain(|known| !is_known(&text, &[Bullet::of_text(&known.text)]));
            found.push(Wanted { section: CONVENTIONS, text, sources: vec![line], day: None });
        }
    }
    Ok(found)
}

/// Whether a text holds a name as a separate word.
fn mentions(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "-_/".contains(c);
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    text.match_indices(&name)
        .any(|(at, found)| !text[..at].ends_with(is_part) && !text[at + found.len()..].starts_with(is_part))
}

/// Returns the line of the page that a later decision changed.
fn replaced<'p>(wanted: &Wanted, page: &'p [Bullet], entries: &[Entry]) -> Result<Option<&'p Bullet>, MemoryError> {
    let says_so = similar_bullets(&wanted.text, page, None)?;
    if wanted.section != DECISIONS || says_so.iter().any(|like| like.relation != Relation::Conflict) {
        return Ok(None);
    }
    let other = says_so.into_iter().find(|like| like.bullet.heading == DECISIONS);
    let old = other.and_then(|like| page.iter().find(|line| line.id == like.bullet.id));
    // A line that was put on the page after the decision is newer than the decision.
    Ok(old.filter(|old| day_written(old, entries).zip(wanted.day).is_none_or(|(written, noted)| noted >= written)))
}

/// Returns the open ends of the page that were done, each with the line that closes it.
fn closed_ends<'a>(page: &'a [Bullet], noted: &'a [Noted]) -> Vec<(&'a Bullet, &'a Noted)> {
    let closes = |line: &Bullet, one: &Noted| match one.kind {
        OutcomeKind::Open => one.is_ticked && is_same_matter(&line.text, &one.text),
        OutcomeKind::Done => same_subject(&line.text, &one.text),
        _ => false,
    };
    let still_open = open_ends(noted);
    page.iter()
        .filter(|line| line.heading == OPEN)
        .filter(|line| !still_open.iter().any(|open| is_same_matter(&line.text, &open.text)))
        .filter_map(|line| Some((line, noted.iter().rfind(|one| closes(line, one))?)))
        .collect()
}

fn by_model(
    model: &TaskModel,
    (name, file): (&str, &str),
    (page, noted): (&[Bullet], &[Noted]),
    read: &mut SeenTexts,
    proposed: &mut JobResult,
) -> Vec<Wanted> {
    let newest = &noted[noted.len().saturating_sub(MAX_NOTED_LINES)..];
    let of_page = page.iter().map(|line| SourceLine { text: line.text.clone(), of: format!("page, {}", line.heading) });
    let of_days =
        newest.iter().map(|one| SourceLine { text: one.text.clone(), of: format!("{} {}", one.day, one.kind.label()) });
    let lines: Vec<SourceLine> = of_page.chain(of_days).collect();
    let all: String = lines.iter().flat_map(|line| [line.of.as_str(), " ", line.text.as_str(), "\n"]).collect();
    if newest.is_empty() || read.holds(Task::Project, &all) {
        return Vec::new();
    }
    let claims = match model.claims(&lines) {
        Ok(claims) => claims,
        Err(error) => {
            proposed.problem = Some(error);
            return Vec::new();
        }
    };
    read.add(Task::Project, &all);
    let mut wanted = |claim: tars_chat::tasks::Claim| {
        let (section, _) = SECTIONS.iter().find(|(_, list)| *list == claim.list)?;
        let place = |at: usize| match at.checked_sub(page.len()) {
            None => page.get(at).map(Line::from),
            Some(at) => newest.get(at).map(|one| one.line.clone()),
        };
        let sources: Vec<Line> = claim.from.iter().filter_map(|at| place(*at)).collect();
        let day = claim.from.iter().filter_map(|at| newest.get(at.checked_sub(page.len())?)).map(|one| one.day).max();
        let text = collapse_whitespace(&claim.text);
        let reason = match () {
            () if !is_supported(&text, sources.iter().map(|line| line.text.as_str())) => DropReason::Unsupported,
            () if is_generic(&text) => DropReason::Generic,
            () => return Some(Wanted { section, text, sources, day }),
        };
        let to = Destination { file: file.to_owned(), section: (*section).to_owned() };
        let dropped = Proposal { job: Job::Project(name.to_owned()), change: Change::Add { to, text }, sources };
        proposed.dropped.push((dropped, reason));
        None
    };
    claims.claims.into_iter().filter_map(&mut wanted).collect()
}

/// Maximum number of decisions to compare while a session waits.
const MAX_COMPARED: usize = 60;

/// Whether two lines say the same, or different things about one subject.
pub fn is_same_matter(one: &str, other: &str) -> bool {
    same_subject(one, other) || !similar_bullets(one, &[Bullet::of_text(other)], None).unwrap_or_default().is_empty()
}

#[cfg(test)]
mod tests;
