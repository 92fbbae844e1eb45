//! Unprompted context: only the lines of each hit that answer, and nothing around them.
//!
//! A person's notes come first. Notes of tars contribute only outcomes, because lists of requests, files and commands are no
//! evidence. If several outcomes say the same, only the newest appears, because it is in force. Lines that the session has
//! seen, and lines that the session itself wrote, are left out.

mod log_lines;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::Path;

use super::candidate::{Candidate, best_worth, deduplicate, learned_order, merged};
use super::code_languages::CodeLanguages;
use super::fact_files::{FactFiles, FactScope};
use super::memory::Logs;
use super::overruled::DailyLogs;
use super::start::short_line;
use super::{Chosen, Intent, ProjectRef};
use crate::recall::Learned;
use crate::{Service, VAULT};
use tars_agent::context_block::{AnswerLine, Keep, Piece, Source};
use tars_agent::project::Branches;
use tars_base::domain::{Hit, MemoryType, SearchAnswer, TermExplanation};
use tars_text::analysis::{Term, term_presence};
use tars_text::redact::redact_path;
use tars_text::units::{Unit, units};

/// Maximum number of units of one hit: the line that answers, and others that cover the question as well.
const UNITS_PER_HIT: usize = 3;
/// A line of more bytes is brought by the sentences that answer.
const LONG_LINE: usize = 600;
const MAX_OUTCOMES: usize = 4;
const MAX_NOTE_HITS: usize = 3;
/// A line must be worth at least this share of the best line.
const SHARE_OF_BEST: f64 = 0.65;
/// Bonus for the line that answers, because the whole question found it.
const ANSWER_BONUS: f64 = 0.1;
/// Minimum worth of a line that holds only one of several words, unless its passage is near in meaning.
const SINGLE_WORD_MINIMUM: f64 = 0.45;
/// Share of the question's weight from which on a heading alone is what the question asks for.
const SECTION_SHARE: f64 = 0.6;
/// Minimum worth of a line; see [`LineCriteria::worth`].
const MINIMUM: f64 = 0.2;
/// Minimum worth of a line of a hit below the gate, and the nearness from which less worth suffices for a prompt about earlier events.
const BELOW_GATE_MINIMUM: f64 = 0.35;
const BELOW_GATE_MEANING: f64 = 0.2;
const TASK_MINIMUM: f64 = 0.4;
const MINIMUM_WEIGHT: f64 = 0.3;
/// Factor for the weight of words that no note holds: they show that the question is about something else, or say nothing.
const UNKNOWN_TERM_FACTOR: f64 = 0.5;
/// The similarity below which a passage says nothing, and the similarity above which it answers.
const UNRELATED_SIMILARITY: f64 = 0.3;
const ANSWERING_SIMILARITY: f64 = 0.7;

/// The criteria that select the lines.
pub(super) struct LineCriteria<'a> {
    /// The words of the question that notes hold, each with its weight.
    terms: Vec<(Term, f64)>,
    /// The sum of these weights, plus a share of the weights of the question's other words.
    whole: f64,
    /// Whether the question has only one word.
    is_single: bool,
    intent: Intent,
    /// Keys of lines that were shown before.
    seen: HashSet<&'a str>,
    /// The session that asks.
    session: Option<&'a str>,
    /// The only project whose session notes may appear; `None` allows any project.
    scope: Option<ProjectRef<'a>>,
    /// The project that holds the only one as a submodule.
    parent: Option<ProjectRef<'a>>,
    /// The branches of the repository that the agent works in, and its project.
    branches: Option<(&'a Branches, ProjectRef<'a>)>,
    /// The agent's working directory, and the programming languages of its repository once code comes up.
    directory: Option<&'a str>,
    code: OnceCell<CodeLanguages>,
    /// Whether nearness in meaning counts.
    by_meaning: bool,
}

/// Returns the share of the gate that a hit must reach for its lines to be considered. A prompt about earlier events probably
/// means a note, even if the note uses other words.
pub(super) fn gate_share(intent: Intent) -> f64 {
    match intent {
        Intent::Recall => 0.4,
        Intent::Question => 0.7,
        Intent::Task | Intent::Code => 1.0,
    }
}

impl<'a> LineCriteria<'a> {
    pub(super) fn new(answer: &SearchAnswer, intent: Intent, seen: HashSet<&'a str>, session: Option<&'a str>) -> Self {
        let sought = answer.explanation.iter().flat_map(|explanation| &explanation.terms);
        let (known, unknown): (Vec<_>, Vec<_>) = sought.partition(|term| term.chunks > 0);
        // In a vault of a few notes every word is common.
        let told = |term: &TermExplanation| term.weight.max(MINIMUM_WEIGHT);
        let weight = |terms: &[&TermExplanation]| terms.iter().map(|term| told(term)).sum::<f64>();
        let whole = weight(&known) + UNKNOWN_TERM_FACTOR * weight(&unknown);
        let is_single = known.len() + unknown.len() == 1;
        let terms = known.into_iter().map(|term| (Term::Word(term.text.clone()), told(term))).collect();
        Self {
            terms,
            whole,
            is_single,
            intent,
            seen,
            session,
            scope: None,
            parent: None,
            branches: None,
            directory: None,
            code: OnceCell::new(),
            by_meaning: true,
        }
    }

    /// Ignores similarity if `is_foreign`: the model hardly knows the language of the question.
    pub(super) fn by_words_if(self, is_foreign: bool) -> Self {
        Self { by_meaning: !is_foreign, ..self }
    }

    /// Leaves out notes of tars about projects other than `scope` and its `parent`.
    pub(super) fn within(self, scope: Option<ProjectRef<'a>>, parent: Option<ProjectRef<'a>>) -> Self {
        Self { scope, parent, ..self }
    }

    /// Leaves out decisions of branches that do not hold where the agent works.
    pub(super) fn on(self, branches: Option<(&'a Branches, ProjectRef<'a>)>) -> Self {
        Self { branches, ..self }
    }

    /// Leaves out code in other languages than those of this working directory's repository.
    pub(super) fn in_directory(self, directory: Option<&'a str>) -> Self {
        Self { directory, ..self }
    }

    /// Whether code with this word in front of it may concern the repository.
    fn may_concern(&self, word: &str) -> bool {
        let Some(directory) = self.directory.filter(|_| CodeLanguages::knows(word)) else { return true };
        self.code.get_or_init(|| CodeLanguages::of(Path::new(directory))).may_concern(word)
    }

    /// Returns the selected lines of these hits: a person's notes first, then outcomes, best first. Among facts, those of the project at
    /// hand come first.
    pub(super) fn pieces(
        &self,
        service: &Service<'_>,
        hits: Vec<Hit>,
        facts: &FactFiles<'_>,
        learned: &Learned,
    ) -> Vec<Chosen> {
        let is_log =
            |hit: &Hit| hit.collection == VAULT && matches!(hit.memory_type, MemoryType::Daily | MemoryType::Episodic);
        let (in_logs, notes): (Vec<Hit>, Vec<Hit>) = hits.into_iter().partition(is_log);
        let mut notes: Vec<Candidate> =
            notes.iter().take(MAX_NOTE_HITS).flat_map(|hit| self.of_note(hit, facts)).collect();
        let logs = Logs::new(service.app());
        let mut outcomes: Vec<Candidate> = self.of_logs(&logs, &in_logs);
        let best = best_worth(notes.iter().chain(&outcomes));
        notes.iter_mut().chain(&mut outcomes).for_each(|one| one.learn(learned));
        notes.retain(|one| self.is_worth_showing(service, (one, false), best));
        outcomes.retain(|one| self.is_worth_showing(service, (one, false), best));
        notes.sort_by_key(|one| one.scope);
        learned_order(&mut notes, service.app().settings.config.search.gate);
        outcomes.sort_by(|one, other| other.place().total_cmp(&one.place()));
        let mut outcomes = deduplicate(outcomes);
        outcomes.truncate(MAX_OUTCOMES);
        // A decision that holds may be among them already.
        let mut outcomes = deduplicate(DailyLogs::new(&logs, self.branches).in_force(service, outcomes));
        outcomes.truncate(MAX_OUTCOMES);
        merged(notes).into_iter().chain(outcomes).filter_map(|one| self.chosen(one)).collect()
    }

    /// Whether a candidate may appear beside the best one. Lines that nobody asked for need more below the gate, unless they are near.
    fn is_worth_showing(&self, service: &Service<'_>, (one, is_asked): (&Candidate, bool), best: f64) -> bool {
        let least = if self.intent == Intent::Task { TASK_MINIMUM } else { MINIMUM };
        let is_near = is_asked || self.by_meaning && one.nearness >= BELOW_GATE_MEANING;
        let strong = if self.intent == Intent::Recall && is_near { MINIMUM } else { BELOW_GATE_MINIMUM };
        let gate = service.app().settings.config.search.gate;
        // Use in vain can make a line too weak. Use makes no line strong enough.
        let worth = one.worth.min(one.place());
        worth >= (best * SHARE_OF_BEST).max(least) && (one.hit.score >= gate || worth >= strong)
    }

    /// Returns the lines of fact files that answer: those of the project at hand first, then by their worth.
    pub(super) fn facts(&self, service: &Service<'_>, hits: &[Hit], facts: &FactFiles<'_>) -> Vec<Chosen> {
        let of_hit = |hit: &Hit| {
            let mut units = self.units(hit, facts);
            // A section that the question asks for by its name answers as a whole.
            let named = |one: &Candidate| {
                let name = one.hit.heading.rsplit(" > ").next().unwrap_or_default();
                Some(self.words(name).0).filter(|share| *share >= SECTION_SHARE)
            };
            for one in &mut units {
                one.worth = one.worth.max(named(one).unwrap_or_default() * one.scope.factor());
            }
            let of_section = |(at, one): &(usize, Candidate)| *at < UNITS_PER_HIT || named(one).is_some();
            units.into_iter().enumerate().filter(of_section).map(|(_, one)| one).collect::<Vec<_>>()
        };
        let mut found: Vec<Candidate> = hits.iter().flat_map(of_hit).collect();
        let best = best_worth(&found);
        found.retain(|one| self.is_worth_showing(service, (one, true), best));
        found.sort_by(|one, other| one.scope.cmp(&other.scope).then(other.worth.total_cmp(&one.worth)));
        merged(found).into_iter().filter_map(|one| self.chosen(one)).collect()
    }

    /// Returns the best candidates of a person's note.
    fn of_note(&self, hit: &Hit, facts: &FactFiles<'_>) -> Vec<Candidate> {
        let mut found = self.units(hit, facts);
        found.truncate(UNITS_PER_HIT);
        found
    }

    /// Returns the candidates of a person's note, best first.
    fn units(&self, hit: &Hit, facts: &FactFiles<'_>) -> Vec<Candidate> {
        let lines: Vec<&str> = hit.content.split('\n').collect();
        let candidate = |unit: Unit| {
            let (mut hit, mut scope) = (hit.clone(), FactScope::General);
            let answers = unit.lines.contains(&hit.line);
            if let Some(place) = facts.place(&hit, *unit.lines.start()) {
                (hit.heading, scope) = place;
                if !answers {
                    (hit.line, hit.column) = (*unit.lines.start(), 0);
                }
            }
            let about = format!("{} {}", hit.title, hit.heading);
            Candidate {
                worth: self.worth(meaning(&hit), (&about, &unit.text), answers) * scope.factor(),
                nearness: meaning(&hit),
                use_factor: 1.0,
                numbers: unit.lines.collect(),
                scope,
                day: hit.date,
                hit,
                outcome: String::new(),
                kind: None,
                log: None,
                remark: None,
            }
        };
        let may_concern = |unit: &Unit| unit.code.as_ref().is_none_or(|word| self.may_concern(word));
        let mut found: Vec<Candidate> =
            units(&lines, hit.start_line).into_iter().filter(may_concern).map(candidate).collect();
        found.sort_by(|one, other| other.worth.total_cmp(&one.worth));
        found
    }

    /// Returns the worth of a text for the question, 0 to 1: the share of the question's weight that it holds, or the similarity
    /// of the passage that answers. One word of several is worth nothing. `about` is the context that a line does not repeat: the
    /// title and the headings above it.
    fn worth(&self, nearness: f64, (about, text): (&str, &str), answers: bool) -> f64 {
        let (mut words, mut held) = self.words(text);
        if held > 0 && !about.is_empty() {
            (words, held) = self.words(&format!("{about}\n{text}"));
        }
        let words = if held > 1 || self.is_single || words >= SINGLE_WORD_MINIMUM { words } else { 0.0 };
        let meaning = if self.by_meaning { nearness } else { 0.0 };
        match answers {
            true if words > 0.0 => words.max(meaning) + ANSWER_BONUS,
            true => meaning,
            false => words,
        }
    }

    /// Returns the share of the question's weight in a text, and the number of the question's words in it.
    fn words(&self, text: &str) -> (f64, usize) {
        let terms: Vec<Term> = self.terms.iter().map(|(term, _)| term.clone()).collect();
        let presence = term_presence(text, &terms);
        let held: f64 = presence.iter().zip(&self.terms).map(|(held, (_, weight))| held * weight).sum();
        let count = presence.iter().filter(|held| **held > 0.0).count();
        (if self.whole > 0.0 { held / self.whole } else { 0.0 }, count)
    }

    /// Returns the lines of a candidate, without lines that were shown before.
    fn chosen(&self, one: Candidate) -> Option<Chosen> {
        let Candidate { hit, numbers, log, remark, .. } = one;
        let column = if log.is_some() { hit.column } else { hit.column_after((hit.start_line, hit.start_column)) };
        let source = Source {
            collection: (hit.collection != VAULT).then(|| hit.collection.clone()),
            path: redact_path(&hit.path).into_owned(),
            answer: Some(AnswerLine { line: hit.line, column, heading: hit.heading.clone() }),
            date: hit.date,
            kind: hit.memory_type,
        };
        let is_known = |line: &str| super::line_keys(line).any(|key| self.seen.contains(key.as_str()));
        // A session's start may have shown its short form.
        let seen = |line: &str| is_known(line) || is_known(&short_line(line));
        // A later result of the session may lie outside the hit.
        let (start_line, content) = match &log {
            Some(log) => (1, &log.text),
            None => (hit.start_line, &hit.content),
        };
        let piece = Piece::new(source, start_line, content, Keep::Start)?;
        let piece = piece.retain_lines(|number, text| numbers.contains(&number) && !seen(text))?;
        let mut piece = piece.retain_sentences(LONG_LINE, |text| self.words(text).1 > 1);
        if let Some(remark) = remark {
            piece = piece.with_remark(&remark);
        }
        Some(Chosen { collection: hit.collection, piece, score: Some(hit.score) })
    }
}

/// Returns the similarity of a hit, scaled to 0 to 1.
fn meaning(hit: &Hit) -> f64 {
    hit.explanation.as_ref().and_then(|explanation| explanation.similarity).map_or(0.0, nearness)
}

/// Returns the similarity of the passage with a line, scaled to 0 to 1; that of the hit for its own line if no passage was compared.
fn meaning_at(hit: &Hit, line: usize) -> f64 {
    let passages = hit.explanation.as_ref().map_or(&[][..], |explanation| explanation.passages.as_slice());
    if passages.is_empty() && line == hit.line {
        return meaning(hit);
    }
    let of_line = passages.iter().filter(|(lines, _)| lines.contains(&line));
    of_line.map(|(_, similarity)| nearness(*similarity)).fold(0.0, f64::max)
}

fn nearness(similarity: f64) -> f64 {
    ((similarity - UNRELATED_SIMILARITY) / (ANSWERING_SIMILARITY - UNRELATED_SIMILARITY)).clamp(0.0, 1.0)
}
