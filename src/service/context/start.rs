//! The context at the start of a project's session when the memory does not fit: what holds in the project comes first.
//!
//! Lines come in this order: decisions in force, together with the rules and facts that sessions of the project have discussed;
//! other rules and facts of the project; open ends; the last notes; the rest of the memory; lines about other projects. Among
//! lines of equal weight the newest come first, taken from each file in proportion; discussed facts and rules are ordered by
//! their last mention. No line is cut, and the lines of a file stay in order. Files in `context/` contribute the lines that
//! sessions of the project have discussed: facts that moved out of Memory.md still hold.

mod findings;
mod unconfirmed;
mod vocabulary;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use jiff::ToSpan;
use jiff::civil::Date;

use findings::findings;
use unconfirmed::{UNCONFIRMED, said_in_chats, said_in_sessions};
use vocabulary::SessionVocabulary;

use super::in_force::{LinesInForce, is_overtaken};
use super::memory::Logs;
use super::old_open_ends::{OldOpenEnd, old_open_ends};
use super::time_questions::TimeQuestion;
use super::{Chosen, ContextRequest, FILES, PAGE, ProjectRef, line_keys, marked, memory};
use crate::{App, Service, VAULT};
use tars_agent::context_block::{Keep, Piece};
use tars_agent::digest::subject_words;
use tars_agent::project::Branches;
use tars_base::domain::{MemoryType, OutcomeKind};
use tars_memory::upkeep::{ProjectView, is_persons_heading};
use tars_memory::{LogLine, content_words, day_file, superseded, without_request};

/// Days to look back for decisions that the page lacks.
const DECISION_DAYS: i64 = 30;
/// Minimum number of words that a line shares with a session's line about the same subject.
const SPOKEN: usize = 2;
/// A fact or a rule covers a line of the page if this share of its own words is in that line and `SHARE_OF_LINE` of the line's words are
/// in it.
const SHARE_OF_FACT: f64 = 0.6;
const SHARE_OF_LINE: f64 = 0.4;
/// Lines that share this part of their words say the same.
const SAME: f64 = 0.8;
/// The age rank of the oldest line of a list; the newest has 0.
const OLDEST_RANK: usize = 10_000;
/// These words introduce a reason or an alternative.
const REASONS: [&str; 8] =
    [" instead of ", ", because ", ", since ", ", as ", " statt ", ", weil ", " au lieu ", " en vez de "];

/// The part of the memory that an excerpt belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Facts.
    Facts,
    /// Rules.
    Rules,
    /// The project's page.
    Page,
    /// The log of today, the project's last notes, and lines of earlier days.
    Notes,
}

/// The weight of a line; earlier variants come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Priority {
    InForce,
    OfProject,
    LeftToDo,
    Noted,
    Other,
    Foreign,
}

/// A line with the indented lines below it.
struct Unit {
    numbers: Vec<usize>,
    heading: Option<usize>,
    under: String,
    text: String,
}

impl ContextRequest {
    /// Returns the context at the start of a project's session. `parts` holds the parts of the memory, followed by the files of
    /// `context/`; decisions and open ends of earlier days are added.
    pub(super) fn start(
        &self,
        service: &Service<'_>,
        logs: &Logs<'_>,
        own: ProjectRef<'_>,
        branches: Option<&Branches>,
        mut parts: Vec<Option<Piece>>,
        all: usize,
    ) -> (Vec<Chosen>, bool, Vec<OldOpenEnd>) {
        let today = service.app.environment.clock.today();
        let vocabulary = SessionVocabulary::read(service.app, logs, own, parts[PAGE].as_ref(), today);
        let topics = parts.split_off(FILES).into_iter().flatten();
        let topics: Vec<Piece> = topics.filter_map(|topic| of_project(&topic, &vocabulary)).collect();
        let page = parts[PAGE].as_ref().map(Piece::text).unwrap_or_default();
        let facts: Vec<Piece> = parts[..PAGE].iter().flatten().chain(&topics).cloned().collect();
        let known: Vec<&Piece> = facts.iter().collect();
        let in_force = parts[PAGE].as_ref().and_then(|page| page_in_force(service.app, page, &known));
        let mut chosen: Vec<(Part, Chosen)> = Vec::new();
        for (at, part) in parts.into_iter().enumerate() {
            let of = [Part::Facts, Part::Rules, Part::Page].get(at).copied().unwrap_or(Part::Notes);
            let piece = if of == Part::Page { in_force.clone() } else { part };
            chosen.extend(piece.map(|piece| (of, Chosen { collection: VAULT.to_owned(), piece, score: None })));
        }
        let of_topic = |piece| (Part::Facts, Chosen { collection: VAULT.to_owned(), piece, score: None });
        chosen.extend(topics.into_iter().map(of_topic));
        let stands = |line: &str| {
            memory::is_on_page(line, &page)
                || chosen.iter().any(|(_, one)| one.piece.text().lines().any(|shown| shown.trim() == line.trim()))
                || self.has_seen(line)
        };
        let of = ProjectView { name: own.0, key: own.1, branches };
        let mut decided = decided_before(service, logs, of, &known, &|line, _| stands(line));
        if let Some((name, key)) = self.parent() {
            // The branches here are not those of the parent.
            let is_left_out = |line: &str, branch: Option<&str>| branch.is_some() || stands(line);
            decided.extend(decided_before(
                service,
                logs,
                ProjectView { name, key, branches: None },
                &known,
                &is_left_out,
            ));
        }
        let open =
            TimeQuestion::left_open(today).map(|open| open.pieces(service, logs, self, &stands)).unwrap_or_default();
        let mut waiting = said_in_sessions(service, logs, own, &stands);
        waiting.extend(said_in_chats(service, &stands));
        let old = if self.asks { old_open_ends(service, own) } else { Vec::new() };
        let questions = old.iter().map(|old| old.chosen.clone());
        chosen.extend(decided.into_iter().chain(waiting).chain(open).chain(questions).map(|one| (Part::Notes, one)));
        // The words count for the room.
        let (parts, chosen): (Vec<Part>, Vec<Chosen>) = chosen.into_iter().unzip();
        let chosen = parts.into_iter().zip(marked(service.app, chosen)).collect();
        let (mut chosen, complete) = fitting(chosen, &vocabulary, all);
        let room = all.saturating_sub(chosen.iter().map(|one| one.piece.cost()).sum());
        let has_seen = |line: &str| self.has_seen(line);
        let more = findings(service, logs, own, branches, (&chosen, room, !complete), &has_seen);
        chosen.extend(marked(service.app, more));
        (chosen, complete, old)
    }

    /// Whether the agent was shown a line.
    fn has_seen(&self, line: &str) -> bool {
        self.seen.as_ref().is_some_and(|seen| line_keys(line).any(|key| seen.contains(&key)))
    }
}

/// Returns the recent decisions before today that are in force, are not covered by `known`, and are not excluded by `stands`.
fn decided_before(
    service: &Service<'_>,
    logs: &Logs<'_>,
    of: ProjectView<'_>,
    known: &[&Piece],
    stands: &dyn Fn(&str, Option<&str>) -> bool,
) -> Vec<Chosen> {
    let today = service.app().environment.clock.today();
    let known = words_of(known);
    let Ok(folder) = service.app().memory_folder() else { return Vec::new() };
    let in_force = LinesInForce::read(service, of, today.saturating_sub(DECISION_DAYS.days()));
    let of_day = |day: Date| {
        let file = day_file(&folder, day).ok()?;
        let log = logs.read(&file)?;
        let is_meant = |line: &&LogLine| {
            line.kind == Some(OutcomeKind::Decided)
                && line.section.project.is(of.name, of.key)
                && in_force.holds(day, line.text_without_request())
                && !is_said(line.text_without_request(), &known)
        };
        let meant: Vec<&LogLine> = log.lines.iter().filter(is_meant).collect();
        let piece = log.piece(&folder.vault_path(&file), day, Keep::Start)?;
        let piece = piece.retain_lines(|number, text| {
            meant.iter().any(|line| line.number == number && !stands(text, line.branch.as_deref()))
        })?;
        Some(Chosen { collection: VAULT.to_owned(), piece, score: None })
    };
    in_force.days().into_iter().filter(|day| *day < today).filter_map(of_day).collect()
}

/// Returns the lines of a file in `context/` that sessions of the project have discussed, with their headings.
fn of_project(topic: &Piece, vocabulary: &SessionVocabulary) -> Option<Piece> {
    let own = units(topic).into_iter().filter(|unit| vocabulary.is_own(&unit.text));
    let kept: BTreeSet<usize> = own.flat_map(|unit| unit.numbers.into_iter().chain(unit.heading)).collect();
    topic.without(|number, _| !kept.contains(&number))
}

/// Returns the project's page without outdated lines and without lines that a fact or a rule covers.
fn page_in_force(app: &App, page: &Piece, others: &[&Piece]) -> Option<Piece> {
    let gone = app.memory_folder().ok().and_then(|folder| superseded(&folder).ok()).unwrap_or_default();
    let known = words_of(others);
    let page = page.without(|_, line| {
        line.starts_with("- ") && (gone.iter().any(|old| is_overtaken(line, old)) || is_said(line, &known))
    })?;
    // Drops headings without a line.
    let kept: BTreeSet<usize> =
        units(&page).into_iter().flat_map(|unit| unit.numbers.into_iter().chain(unit.heading)).collect();
    page.without(|number, _| !kept.contains(&number))
}

/// Returns the words of each fact and rule in these excerpts.
fn words_of(others: &[&Piece]) -> Vec<BTreeSet<String>> {
    let lines = others.iter().flat_map(|piece| piece.numbered()).filter(|(_, line)| line.starts_with("- "));
    lines.map(|(_, line)| subject_words(line)).collect()
}

/// Whether a fact or a rule covers a line, including its numbers; the reason and the alternative in the line do not count.
fn is_said(line: &str, known: &[BTreeSet<String>]) -> bool {
    let head = REASONS.iter().filter_map(|reason| line.find(reason)).min().map_or(line, |at| &line[..at]);
    let words = subject_words(head);
    let is_number = |word: &&String| word.bytes().all(|byte| byte.is_ascii_digit());
    known.iter().any(|other| {
        let shared = other.intersection(&words).count();
        let (of_other, of_line) = (shared as f64 / other.len() as f64, shared as f64 / words.len() as f64);
        shared > SPOKEN
            && (of_other >= SHARE_OF_FACT && of_line >= SHARE_OF_LINE || of_line >= SAME)
            && words.iter().filter(is_number).all(|number| other.contains(number))
    })
}

/// Returns the first lines of these excerpts, as many as fit `all`, and whether nothing was left out.
fn fitting(parts: Vec<(Part, Chosen)>, vocabulary: &SessionVocabulary, all: usize) -> (Vec<Chosen>, bool) {
    let cost = |parts: &[(Part, Chosen)]| parts.iter().map(|(_, one)| one.piece.cost()).sum::<usize>();
    if cost(&parts) <= all {
        return (parts.into_iter().map(|(_, one)| one).collect(), true);
    }
    let shorter = |(part, one): (Part, Chosen)| match part {
        Part::Notes => (part, Chosen { piece: short(&one.piece), ..one }),
        _ => (part, one),
    };
    let parts: Vec<(Part, Chosen)> = parts.into_iter().map(shorter).collect();
    let units: Vec<Vec<Unit>> = parts.iter().map(|(_, one)| units(&one.piece)).collect();
    let mut order: Vec<(Priority, usize, usize, usize)> = Vec::new();
    for (at, ((part, one), units)) in parts.iter().zip(&units).enumerate() {
        let mut places: BTreeMap<Priority, Vec<usize>> = BTreeMap::new();
        for (place, weight) in weights(*part, &one.piece, units, vocabulary).into_iter().enumerate() {
            places.entry(weight).or_default().push(place);
        }
        for (weight, mut places) in places {
            if *part != Part::Page && *part != Part::Notes && weight == Priority::InForce {
                // In a growing list the newest line stands last, so the last mentioned line moves to the end. Lines that nobody
                // mentioned keep their order in front.
                places.sort_by_key(|place| Reverse(vocabulary.last_spoken(&units[*place].text).unwrap_or(usize::MAX)));
            }
            let oldest = (places.len() - 1).max(1);
            let age = |(before, place): (usize, usize)| (weight, before * OLDEST_RANK / oldest, at, place);
            order.extend(places.into_iter().rev().enumerate().map(age));
        }
    }
    order.sort_unstable();
    put_repeated_last(&mut order, &units);
    let shown = |count: usize| -> Vec<Chosen> {
        let mut kept: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); parts.len()];
        for (_, _, at, place) in &order[..count] {
            let unit = &units[*at][*place];
            kept[*at].extend(unit.numbers.iter().chain(&unit.heading));
        }
        let cut = |((part, one), kept): (&(Part, Chosen), &BTreeSet<usize>)| {
            let piece = one.piece.without(|number, _| !kept.contains(&number))?;
            let left_out = order[count..].iter().filter(|(weight, _, at, _)| {
                *part == Part::Page && *weight == Priority::InForce && std::ptr::eq(&parts[*at].1, one)
            });
            Some(Chosen { piece: piece.with_omission_count(left_out.count()), ..one.clone() })
        };
        parts.iter().zip(&kept).filter_map(cut).collect()
    };
    let fits = |count: &usize| shown(*count).iter().map(|one| one.piece.cost()).sum::<usize>() <= all;
    // The cost grows with the number of lines, apart from an occasional heading.
    let (mut least, mut most) = (0, order.len());
    while least < most {
        let middle = (least + most).div_ceil(2);
        if fits(&middle) {
            least = middle;
        } else {
            most = middle - 1;
        }
    }
    (shown(least), false)
}

/// Moves lines to the end that repeat an earlier line nearly word for word, with all of its numbers.
fn put_repeated_last(order: &mut Vec<(Priority, usize, usize, usize)>, units: &[Vec<Unit>]) {
    let words = |&(_, _, at, place): &(Priority, usize, usize, usize)| content_words(&units[at][place].text);
    let mut said: Vec<BTreeSet<String>> = Vec::new();
    let mut repeated = Vec::new();
    order.retain(|one| {
        let own = words(one);
        let says = |other: &BTreeSet<String>| {
            let shared = own.intersection(other).count();
            let numbers = own.iter().filter(|word| word.contains(|c: char| c.is_ascii_digit()));
            numbers.clone().all(|number| other.contains(number))
                && (2.0 * shared as f64 >= SAME * (own.len() + other.len()) as f64
                    || shared > SPOKEN && shared == own.len())
        };
        let is_repeated = said.iter().any(says);
        if is_repeated {
            repeated.push(*one);
        } else {
            said.push(own);
        }
        !is_repeated
    });
    order.append(&mut repeated);
}

/// Returns an excerpt of a daily log in short form.
fn short(piece: &Piece) -> Piece {
    piece.with_shortened_lines(short_line)
}

/// Returns a line of a daily log in short form: without its time, and without the request after the dash.
pub(super) fn short_line(line: &str) -> String {
    let Some((time, said)) = line.strip_prefix("- ").and_then(|said| said.split_once(' ')) else {
        return line.to_owned();
    };
    match OutcomeKind::of_line(said) {
        Some(_) if time.len() == 5 && time.as_bytes()[2] == b':' => format!("- {}", without_request(said)),
        _ => line.to_owned(),
    }
}

/// Returns the weight of each unit of an excerpt.
fn weights(part: Part, piece: &Piece, units: &[Unit], vocabulary: &SessionVocabulary) -> Vec<Priority> {
    let headings = if part == Part::Facts { vocabulary.headings(units) } else { BTreeSet::new() };
    let of = |unit: &Unit| match part {
        _ if vocabulary.is_foreign(&unit.text) && matches!(part, Part::Facts | Part::Rules) => Priority::Foreign,
        Part::Facts if vocabulary.is_own(&unit.text) => Priority::InForce,
        Part::Facts if headings.contains(unit.under.as_str()) => Priority::OfProject,
        // The person is the same in every project.
        Part::Facts if is_persons_heading(&unit.under) => Priority::OfProject,
        Part::Facts => Priority::Other,
        Part::Rules if vocabulary.is_own(&unit.text) => Priority::InForce,
        Part::Rules => Priority::OfProject,
        Part::Page if unit.under.contains("Open ends") => Priority::LeftToDo,
        Part::Page => Priority::InForce,
        Part::Notes if unit.text.contains("Decided: ") && piece.source().kind == MemoryType::Daily => Priority::InForce,
        Part::Notes if unit.text.contains(UNCONFIRMED) => Priority::OfProject,
        Part::Notes if unit.text.contains("Open: ") => Priority::LeftToDo,
        Part::Notes => Priority::Noted,
    };
    units.iter().map(of).collect()
}

/// Returns the lines of an excerpt, each with the indented lines below it and the heading above it.
fn units(piece: &Piece) -> Vec<Unit> {
    let mut found: Vec<Unit> = Vec::new();
    let mut heading: Option<(usize, &str)> = None;
    for (number, line) in piece.numbered() {
        if line.trim().is_empty() {
            continue;
        }
        if line.starts_with('#') {
            heading = Some((number, line));
            continue;
        }
        let is_below = line.starts_with([' ', '\t']);
        match found.last_mut().filter(|last| {
            last.heading == heading.map(|(number, _)| number) && (is_below || last.numbers.contains(&number))
        }) {
            Some(last) => {
                last.numbers.push(number);
                last.text.push(' ');
                last.text.push_str(line.trim());
            }
            None => found.push(Unit {
                numbers: vec![number],
                heading: heading.map(|(number, _)| number),
                under: heading.map_or_else(String::new, |(_, line)| line.trim_start_matches('#').trim().to_owned()),
                text: line.to_owned(),
            }),
        }
    }
    found
}

#[cfg(test)]
mod tests;
