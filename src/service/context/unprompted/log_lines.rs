//! The lines of logs that may appear unprompted: outcomes of sessions, and a person's own lines.

use std::rc::Rc;

use super::super::Intent;
use super::super::candidate::Candidate;
use super::super::fact_files::FactScope;
use super::super::memory::{Log, Logs, may_hold};
use super::{LineCriteria, UNITS_PER_HIT, meaning_at};
use tars_agent::digest::have_common_subject;
use tars_base::domain::{Hit, OutcomeKind};
use tars_memory::LogLine;

/// Factor for a guess or an answer whose session later came to a finding or a decision, which replaces it.
const OVERTAKEN_FACTOR: f64 = 0.5;
/// That finding or decision is worth this share of the guess or answer.
const RESULT_FACTOR: f64 = 0.9;

impl LineCriteria<'_> {
    /// Returns the outcomes of logs that may appear.
    pub(super) fn of_logs(&self, logs: &Logs<'_>, hits: &[Hit]) -> Vec<Candidate> {
        hits.iter().filter_map(|hit| Some(self.of_log(&logs.of(hit)?, hit))).flatten().collect()
    }

    /// Returns the outcomes of a log that may appear for this hit.
    fn of_log(&self, log: &Rc<Log>, hit: &Hit) -> Vec<Candidate> {
        let lines = &log.lines;
        let within = |line: &LogLine| (hit.start_line..=hit.end_line).contains(&line.number);
        let mut worth: Vec<f64> = lines
            .iter()
            .map(|line| if within(line) && self.may_come(line) { self.worth_of_line(hit, line) } else { 0.0 })
            .collect();
        for index in 0..lines.len() {
            let is_answer =
                matches!(lines[index].kind, Some(OutcomeKind::Answered | OutcomeKind::RuledOut | OutcomeKind::Open));
            if worth[index] == 0.0 || !is_answer {
                continue;
            }
            // A session's later result says more than its first guess. It is often in other words; then the guess keeps its worth.
            let is_akin = |line: &LogLine| have_common_subject(&line.text, &lines[index].text);
            let result = |line: &LogLine| {
                let is_later = line.section == lines[index].section && line.number > lines[index].number;
                let is_result = match line.kind {
                    Some(OutcomeKind::Found) => true,
                    Some(OutcomeKind::Decided) => is_akin(line) || self.intent == Intent::Recall,
                    _ => false,
                };
                is_later && is_result && self.may_come(line)
            };
            if let Some(later) = lines.iter().position(result) {
                worth[later] = worth[later].max(worth[index] * RESULT_FACTOR);
                if is_akin(&lines[later]) {
                    worth[index] *= OVERTAKEN_FACTOR;
                }
            }
        }
        for (line, worth) in lines.iter().zip(&mut worth) {
            // An answer points to the session's result; by itself it is no outcome.
            if line.section.anchor.is_some() && line.kind == Some(OutcomeKind::Answered) {
                *worth = 0.0;
            }
        }
        let candidate = |(line, worth): (&LogLine, f64)| Candidate {
            worth,
            nearness: meaning_at(hit, line.number),
            use_factor: 1.0,
            numbers: vec![line.number],
            scope: FactScope::General,
            hit: hit.clone(),
            outcome: line.text_without_request().to_owned(),
            kind: line.kind,
            day: hit.date,
            log: Some(Rc::clone(log)),
            remark: None,
        };
        let mut found: Vec<Candidate> =
            lines.iter().zip(worth).filter(|(_, worth)| *worth > 0.0).map(candidate).collect();
        found.sort_by(|one, other| other.worth.total_cmp(&one.worth));
        found.truncate(UNITS_PER_HIT);
        found
    }

    /// Returns the worth of a line of a log: each is a passage of its own, so each has its own similarity.
    fn worth_of_line(&self, hit: &Hit, line: &LogLine) -> f64 {
        let (near, answers) = (meaning_at(hit, line.number), line.number == hit.line);
        let worth = self.worth(near, ("", &line.text), answers);
        if self.by_meaning && !answers { worth.max(near) } else { worth }
    }

    fn may_come(&self, line: &LogLine) -> bool {
        let anchor = &line.section.anchor;
        let is_own = |session: &str| anchor.as_ref().is_some_and(|anchor| anchor.is_of(session));
        let is_of_parent = || self.parent.is_some_and(|(name, key)| line.section.project.is(name, key));
        let is_foreign = |(name, key)| line.section.is_foreign(name, key) && !is_of_parent();
        let is_evidence = match (anchor, line.kind) {
            // A person's line.
            (None, _) => true,
            (Some(_), Some(OutcomeKind::Changed | OutcomeKind::Unfinished)) | (Some(_), None) => false,
            (Some(_), Some(OutcomeKind::Decided)) => true,
            // Only decisions constrain a task.
            (Some(_), Some(_)) => !line.is_ticked && self.intent != Intent::Task,
        };
        let may_hold = may_hold(line, self.branches);
        is_evidence
            && may_hold
            && !line.is_unconfirmed
            && !self.session.is_some_and(is_own)
            && !self.scope.is_some_and(is_foreign)
    }
}
