//! Lines that may appear in a brief answer.

use std::collections::BTreeSet;
use std::rc::Rc;

use jiff::civil::Date;

use super::fact_files::FactScope;
use super::memory::Log;
use tars_agent::digest::same_subject;
use tars_base::domain::{Hit, OutcomeKind};
use tars_memory::upkeep::is_same_matter;

/// Lines of a hit that may appear.
pub(super) struct Candidate {
    pub(super) hit: Hit,
    pub(super) numbers: Vec<usize>,
    /// Their worth for the question, 0 to 1.
    pub(super) worth: f64,
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

/// Returns the worth of the best candidate, 0 if there is none.
pub(super) fn best_worth<'c>(candidates: impl IntoIterator<Item = &'c Candidate>) -> f64 {
    candidates.into_iter().map(|one| one.worth).fold(0.0, f64::max)
}

/// Deduplicates outcomes: keeps the newest outcome of each subject, at the best one's rank. Of decisions that say different things about
/// one subject, the newest holds.
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
