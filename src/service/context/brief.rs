//! What is brought up unasked: of each find the lines that answer, and nothing around them.
//!
//! A person's notes come first. Of what tars itself has noted only outcomes come: lists of requests, files and commands are no
//! evidence. Outcomes that say the same come once, the newest of them, since it holds. Lines that the session has seen, and
//! those that it has itself brought about, do not come.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use jiff::civil::Date;

use super::lines::units;
use super::memory::Log;
use super::{Chosen, Intent, Own};
use crate::analysis::{Term, presence};
use crate::app::VAULT;
use crate::digest::{OutcomeKind, same_subject, share_a_subject};
use crate::domain::{Hit, MemoryType, SearchAnswer, TermExplanation};
use crate::injection::{Answer, Keep, Piece, Source};
use crate::memory::NotedLine;
use crate::redact::redact_path;
use crate::service::Service;

/// Units of one find that come at most: the line that answers, and others that say as much about what was asked.
const OF_A_FIND: usize = 3;
/// Outcomes that come at most.
const OUTCOMES: usize = 4;
/// Finds in a person's notes that come at most.
const FINDS: usize = 3;
/// A line comes if it is worth this share of the best one at least.
const AS_GOOD: f64 = 0.65;
/// What the line that answers is worth more than its words tell, since the whole question has found it.
const ANSWERS: f64 = 0.1;
/// A line that holds one word of several must be worth so much at least, or its passage be near in meaning.
const ONE_WORD: f64 = 0.45;
/// What a guess or an answer is worth whose session has come to a finding or a decision, which comes in its place.
const OVERTAKEN: f64 = 0.5;
/// What that finding or decision is worth of it.
const RESULT: f64 = 0.9;
/// A line comes if it is worth so much at least; see [`Wanted::worth`].
const LEAST: f64 = 0.2;
/// A line of a hit below the gate comes if it is worth so much at least.
const STRONG: f64 = 0.35;
/// What lines must be worth at least that come with a task.
const FOR_TASK: f64 = 0.4;
/// What a word tells at least.
const LEAST_WEIGHT: f64 = 0.3;
/// Share for which words count that no note holds: they say that the question is about something else, or are only words.
const UNKNOWN: f64 = 0.5;
/// The similarities between which a passage goes from saying nothing to answering.
const UNLIKE: f64 = 0.3;
const ALIKE: f64 = 0.7;

/// What decides about the lines.
pub(super) struct Wanted<'a> {
    /// The words that are sought and that notes hold, each with what it tells.
    terms: Vec<(Term, f64)>,
    /// What they tell together, and a share of what other words of the question do.
    whole: f64,
    intent: Intent,
    /// Keys of lines that were shown.
    seen: HashSet<&'a str>,
    /// The session that asks.
    session: Option<&'a str>,
    /// The project that notes of sessions must be of; `None` where they may be of any.
    scope: Option<Own<'a>>,
    /// Whether nearness in meaning counts.
    by_meaning: bool,
}

/// Lines of a hit that may come.
struct Candidate {
    hit: Hit,
    numbers: Vec<usize>,
    /// What they are worth for the question, 0 to 1.
    worth: f64,
    /// What an outcome says; empty for the lines of a person's note.
    outcome: String,
    day: Option<Date>,
    /// The whole file, where the lines need not lie within the hit.
    log: Option<Rc<Log>>,
}

/// Returns the share of the gate that a hit must reach for its lines to be looked at. Somebody who speaks of what was before is
/// likely to mean a note, though its words may be others.
pub(super) fn near_gate(intent: Intent) -> f64 {
    match intent {
        Intent::Recall => 0.4,
        Intent::Question => 0.7,
        Intent::Task | Intent::Code => 1.0,
    }
}

impl<'a> Wanted<'a> {
    pub(super) fn new(answer: &SearchAnswer, intent: Intent, seen: HashSet<&'a str>, session: Option<&'a str>) -> Self {
        let sought = answer.explanation.iter().flat_map(|explanation| &explanation.terms);
        let (known, unknown): (Vec<_>, Vec<_>) = sought.partition(|term| term.chunks > 0);
        // In a vault of a few notes every word is a common one.
        let told = |term: &TermExplanation| term.weight.max(LEAST_WEIGHT);
        let weight = |terms: &[&TermExplanation]| terms.iter().map(|term| told(term)).sum::<f64>();
        let whole = weight(&known) + UNKNOWN * weight(&unknown);
        let terms = known.into_iter().map(|term| (Term::Word(term.text.clone()), told(term))).collect();
        Self { terms, whole, intent, seen, session, scope: None, by_meaning: true }
    }

    /// Goes by words alone: the model hardly knows the language of the question.
    pub(super) fn by_words_if(self, is_foreign: bool) -> Self {
        Self { by_meaning: !is_foreign, ..self }
    }

    /// Leaves out what tars noted in other projects than this one.
    pub(super) fn within(self, scope: Option<Own<'a>>) -> Self {
        Self { scope, ..self }
    }

    /// Returns what comes of these hits: of a person's notes first, the best first.
    pub(super) fn pieces(&self, service: &Service<'_>, hits: Vec<Hit>) -> Vec<Chosen> {
        let is_log =
            |hit: &Hit| hit.collection == VAULT && matches!(hit.memory_type, MemoryType::Daily | MemoryType::Episodic);
        let (logs, notes): (Vec<Hit>, Vec<Hit>) = hits.into_iter().partition(is_log);
        let mut notes: Vec<Candidate> = notes.into_iter().take(FINDS).flat_map(|hit| self.of_note(hit)).collect();
        let mut outcomes: Vec<Candidate> = self.of_logs(service, logs);
        let best = notes.iter().chain(&outcomes).map(|one| one.worth).fold(0.0, f64::max);
        let least = if self.intent == Intent::Task { FOR_TASK } else { LEAST };
        let limit = (best * AS_GOOD).max(least);
        let gate = service.app().settings.config.search.gate;
        let strong = if self.intent == Intent::Recall { LEAST } else { STRONG };
        let may_come = |one: &Candidate| one.worth >= limit && (one.hit.score >= gate || one.worth >= strong);
        notes.retain(may_come);
        outcomes.retain(may_come);
        outcomes.sort_by(|one, other| other.worth.total_cmp(&one.worth));
        let mut outcomes = once_each(outcomes);
        outcomes.truncate(OUTCOMES);
        merged(notes).into_iter().chain(outcomes).filter_map(|one| self.chosen(one)).collect()
    }

    /// Returns the units of a person's note that may come.
    fn of_note(&self, hit: Hit) -> Vec<Candidate> {
        let lines: Vec<&str> = hit.content.split('\n').collect();
        let units = units(&lines, hit.start_line);
        let about = format!("{} {}", hit.title, hit.heading);
        let worth = |lines: &std::ops::RangeInclusive<usize>, text: &str| {
            self.worth(&hit, (&about, text), lines.contains(&hit.line))
        };
        let mut found: Vec<Candidate> = units
            .into_iter()
            .map(|unit| Candidate {
                worth: worth(&unit.lines, &unit.text),
                numbers: unit.lines.collect(),
                hit: hit.clone(),
                outcome: String::new(),
                day: hit.date,
                log: None,
            })
            .collect();
        found.sort_by(|one, other| other.worth.total_cmp(&one.worth));
        found.truncate(OF_A_FIND);
        found
    }

    /// Returns the outcomes of logs that may come. Several finds may lie in one log, which is read once.
    fn of_logs(&self, service: &Service<'_>, hits: Vec<Hit>) -> Vec<Candidate> {
        let mut logs: HashMap<String, Option<Rc<Log>>> = HashMap::new();
        let found = hits.into_iter().filter_map(|hit| {
            let log = logs.entry(hit.path.clone()).or_insert_with(|| log_of(service, &hit).map(Rc::new)).clone()?;
            Some(self.of_log(&log, &hit))
        });
        found.flatten().collect()
    }

    /// Returns the outcomes of a log that may come by this find.
    fn of_log(&self, log: &Rc<Log>, hit: &Hit) -> Vec<Candidate> {
        let lines = &log.lines;
        let within = |line: &NotedLine| (hit.start_line..=hit.end_line).contains(&line.number);
        let mut worth: Vec<f64> = lines
            .iter()
            .map(|line| {
                if within(line) && self.may_come(line) {
                    self.worth(hit, ("", &line.text), line.number == hit.line)
                } else {
                    0.0
                }
            })
            .collect();
        for index in 0..lines.len() {
            let is_answer =
                matches!(lines[index].kind, Some(OutcomeKind::Answered | OutcomeKind::RuledOut | OutcomeKind::Open));
            if worth[index] == 0.0 || !is_answer {
                continue;
            }
            // What the session came to later says more than what it began with. It is often told in other words, and then the
            // first is not overtaken by it.
            let is_akin = |line: &NotedLine| share_a_subject(&line.text, &lines[index].text);
            let result = |line: &NotedLine| {
                let is_later = line.section == lines[index].section && line.number > lines[index].number;
                let is_result = match line.kind {
                    Some(OutcomeKind::Found) => true,
                    Some(OutcomeKind::Decided) => is_akin(line) || self.intent == Intent::Recall,
                    _ => false,
                };
                is_later && is_result && self.may_come(line)
            };
            if let Some(later) = lines.iter().position(result) {
                worth[later] = worth[later].max(worth[index] * RESULT);
                if is_akin(&lines[later]) {
                    worth[index] *= OVERTAKEN;
                }
            }
        }
        for (line, worth) in lines.iter().zip(&mut worth) {
            // An answer leads to what the session came to; by itself it is no outcome.
            if line.section.anchor.is_some() && line.kind == Some(OutcomeKind::Answered) {
                *worth = 0.0;
            }
        }
        let candidate = |(line, worth): (&NotedLine, f64)| Candidate {
            worth,
            numbers: vec![line.number],
            hit: hit.clone(),
            outcome: line.text.clone(),
            day: hit.date,
            log: Some(Rc::clone(log)),
        };
        let mut found: Vec<Candidate> =
            lines.iter().zip(worth).filter(|(_, worth)| *worth > 0.0).map(candidate).collect();
        found.sort_by(|one, other| other.worth.total_cmp(&one.worth));
        found.truncate(OF_A_FIND);
        found
    }

    /// Returns what a text is worth for the question, 0 to 1: the share of what the question's words tell that it holds, or how
    /// near the passage is that answers. One word of several says nothing. `about` is what a line says without repeating it: the
    /// title and the headings over it.
    fn worth(&self, hit: &Hit, (about, text): (&str, &str), answers: bool) -> f64 {
        let (mut words, mut held) = self.words(text);
        if held > 0 && !about.is_empty() {
            (words, held) = self.words(&format!("{about}\n{text}"));
        }
        let words = if held > 1 || self.terms.len() == 1 || words >= ONE_WORD { words } else { 0.0 };
        let meaning = if self.by_meaning { meaning(hit) } else { 0.0 };
        match answers {
            true if words > 0.0 => words.max(meaning) + ANSWERS,
            true => meaning,
            false => words,
        }
    }

    fn may_come(&self, line: &NotedLine) -> bool {
        let anchor = &line.section.anchor;
        let is_own = |session: &str| anchor.as_ref().is_some_and(|anchor| anchor.is_of(session));
        let is_foreign = |(name, key)| line.section.is_foreign(name, key);
        let is_evidence = match (anchor, line.kind) {
            // A person's line.
            (None, _) => true,
            (Some(_), Some(OutcomeKind::Changed | OutcomeKind::Unfinished)) | (Some(_), None) => false,
            // What was done, and what was answered, binds no task.
            (Some(_), Some(OutcomeKind::Done | OutcomeKind::Answered)) => self.intent != Intent::Task,
            (Some(_), Some(_)) => !line.is_ticked,
        };
        is_evidence && !line.is_unconfirmed && !self.session.is_some_and(is_own) && !self.scope.is_some_and(is_foreign)
    }

    /// Returns the share of what the words of the question tell that a text holds, and how many of them it holds.
    fn words(&self, text: &str) -> (f64, usize) {
        let terms: Vec<Term> = self.terms.iter().map(|(term, _)| term.clone()).collect();
        let presence = presence(text, &terms);
        let held: f64 = presence.iter().zip(&self.terms).map(|(held, (_, weight))| held * weight).sum();
        let count = presence.iter().filter(|held| **held > 0.0).count();
        (if self.whole > 0.0 { held / self.whole } else { 0.0 }, count)
    }

    /// Returns the lines of a candidate, without those that were shown.
    fn chosen(&self, one: Candidate) -> Option<Chosen> {
        let Candidate { hit, numbers, log, .. } = one;
        let source = Source {
            collection: (hit.collection != VAULT).then(|| hit.collection.clone()),
            path: redact_path(&hit.path).into_owned(),
            answer: Some(Answer { line: hit.line, heading: hit.heading.clone() }),
            date: hit.date,
            kind: hit.memory_type,
        };
        let seen = |line: &str| super::line_keys(line).any(|key| self.seen.contains(key.as_str()));
        // A line that the session came to later may stand outside of the hit.
        let (start_line, content) = match &log {
            Some(log) => (1, &log.text),
            None => (hit.start_line, &hit.content),
        };
        let piece = Piece::new(source, start_line, content, Keep::Start)?;
        let piece = piece.keeping(|number, text| numbers.contains(&number) && !seen(text))?;
        Some(Chosen { collection: hit.collection, piece, score: Some(hit.score) })
    }
}

/// Returns how near the passage that answers is in meaning, 0 to 1.
fn meaning(hit: &Hit) -> f64 {
    let similarity = hit.explanation.as_ref().and_then(|explanation| explanation.similarity);
    similarity.map_or(0.0, |similarity| ((similarity - UNLIKE) / (ALIKE - UNLIKE)).clamp(0.0, 1.0))
}

/// Returns the log that a find lies in.
pub(super) fn log_of(service: &Service<'_>, hit: &Hit) -> Option<Log> {
    let folder = service.app().memory_folder().ok()?;
    let name = hit.path.strip_prefix(folder.shown("").as_str())?.trim_start_matches('/');
    Log::read(service.app(), name)
}

/// Returns each outcome once: of those about the same subject the newest, which holds, in the place of the best.
fn once_each(outcomes: Vec<Candidate>) -> Vec<Candidate> {
    let mut once: Vec<Candidate> = Vec::new();
    for one in outcomes {
        match once.iter_mut().find(|known| same_subject(&known.outcome, &one.outcome)) {
            Some(known) if (one.day, &one.numbers) > (known.day, &known.numbers) => *known = one,
            Some(_) => {}
            None => once.push(one),
        }
    }
    once
}

/// Returns the lines of one hit together.
fn merged(notes: Vec<Candidate>) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for one in notes {
        match found.iter_mut().find(|known| known.hit.id == one.hit.id) {
            Some(known) => {
                let numbers: BTreeSet<usize> = known.numbers.iter().chain(&one.numbers).copied().collect();
                known.numbers = numbers.into_iter().collect();
            }
            None => found.push(one),
        }
    }
    found
}
