//! Lines that may appear in a brief answer.

use std::collections::BTreeSet;
use std::rc::Rc;

use jiff::civil::Date;

use super::fact_files::FactScope;
use super::memory::Log;
use crate::recall::{Learned, Place, reorder};
use tars_agent::digest::same_subject;
use tars_base::domain::{Hit, OutcomeKind};
use tars_memory::upkeep::is_same_matter;

/// Lines of a hit that may appear.
pub(super) struct Candidate {
    pub(super) hit: Hit,
    pub(super) numbers: Vec<usize>,
    /// Their worth for the question, 0 to 1.
    pub(super) worth: f64,
    /// How near it is to the question in meaning, 0 to 1.
    pub(super) nearness: f64,
    /// The factor that the recorded use of the lines supplies for their place, close to 1.
    pub(super) use_factor: f64,
    /// The project that they are about, as seen from the one at hand.
    pub(super) scope: FactScope,
    /// The text of an outcome; empty for the lines of a person's note.
    pub(super) outcome: String,
    /// The kind of that outcome.
    pub(super) kind: Option<OutcomeKind>,
    pub(super) day: Option<Date>,
    /// The whole log, for lines that need not lie within the hit.
    pub(super) log: Option<Rc<Log>>,
    /// The words to add behind the line.
    pub(super) remark: Option<String>,
}

impl Candidate {
    /// Looks up how the use of its lines moves it: the mean of those that sessions were shown.
    pub(super) fn learn(&mut self, learned: &Learned) {
        if !learned.knows_lines() {
            return;
        }
        let (first, text) = match &self.log {
            Some(log) => (1, &log.text),
            None => (self.hit.start_line, &self.hit.content),
        };
        let own = (first..).zip(text.split('\n')).filter(|(number, _)| self.numbers.contains(number));
        let known = own.filter_map(|(_, line)| learned.worth(&self.hit.collection, &self.hit.path, line));
        let factors: Vec<f64> = known.map(|worth| worth.factor).collect();
        if !factors.is_empty() {
            self.use_factor = factors.iter().sum::<f64>() / factors.len() as f64;
        }
    }

    /// Returns its worth with the use of its lines.
    pub(super) fn place(&self) -> f64 {
        self.worth * self.use_factor
    }
}

/// Lets lines of notes that sessions used pass lines of hits that are little better, of the same scope and on the same side of the gate.
pub(super) fn learned_order(notes: &mut [Candidate], gate: f64) {
    reorder(notes, |one| Place {
        group: Some(2 * one.scope as u32 + u32::from(one.hit.score >= gate)),
        score: one.hit.score,
        factor: one.use_factor,
    });
}

/// Returns the worth of the best candidate, 0 if there is none.
pub(super) fn best_worth<'c>(candidates: impl IntoIterator<Item = &'c Candidate>) -> f64 {
    candidates.into_iter().map(|one| one.worth).fold(0.0, f64::max)
}

/// Deduplicates outcomes: keeps the newest outcome of each subject, at the best one's rank. If decisions on one subject differ, the newest wins.
pub(super) fn deduplicate(outcomes: Vec<Candidate>) -> Vec<Candidate> {
    let mut once: Vec<Candidate> = Vec::new();
    for one in outcomes {
        let is_decision = |one: &Candidate| one.kind == Some(OutcomeKind::Decided);
        let is_same = |known: &Candidate| {
            same_subject(&known.outcome, &one.outcome)
                || (is_decision(known) && is_decision(&one) && is_same_matter(&known.outcome, &one.outcome))
        };
        match once.iter_mut().find(|known| is_same(known)) {
            Some(known) if (one.day, &one.numbers) > (known.day, &known.numbers) => *known = one,
            Some(_) => {}
            None => once.push(one),
        }
    }
    once
}

/// Merges the lines of the same hit under the same heading, because an excerpt names one heading.
pub(super) fn merged(notes: Vec<Candidate>) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for one in notes {
        let is_same = |known: &Candidate| known.hit.id == one.hit.id && known.hit.heading == one.hit.heading;
        match found.iter_mut().find(|known| is_same(known)) {
            Some(known) => {
                let numbers: BTreeSet<usize> = known.numbers.iter().chain(&one.numbers).copied().collect();
                known.numbers = numbers.into_iter().collect();
            }
            None => found.push(one),
        }
    }
    found
}
