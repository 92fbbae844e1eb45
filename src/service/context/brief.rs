//! What is brought up unasked: of each find the lines that answer, and nothing around them.
//!
//! A person's notes come first. Of what tars itself has noted only outcomes come: lists of requests, files and commands are no
//! evidence. Outcomes that say the same come once, the newest of them, since it holds. Lines that the session has seen, and
//! those that it has itself brought about, do not come.

use std::collections::{BTreeSet, HashSet};

use jiff::civil::Date;

use super::lines::{Unit, units};
use super::{Chosen, Own};
use crate::analysis::{Term, is_little_word_elsewhere, presence, terms};
use crate::app::VAULT;
use crate::digest::{OutcomeKind, same_subject};
use crate::domain::{Hit, MemoryType};
use crate::injection::{Answer, Keep, Piece, Source};
use crate::memory::{NotedLine, foreign_lines, noted_lines};
use crate::redact::redact_path;
use crate::service::Service;

/// Units of one find that come at most: the line that answers, and others that say as much about what was asked.
const OF_A_FIND: usize = 3;
/// Outcomes that come at most.
const OUTCOMES: usize = 4;
/// Finds in a person's notes that come at most.
const FINDS: usize = 3;
/// A further unit of a find comes if it holds this share of what the best one holds of the question.
const AS_GOOD: f64 = 0.75;

/// What decides about the lines.
pub(super) struct Wanted<'a> {
    terms: Vec<Term>,
    /// Keys of lines that were shown.
    seen: HashSet<&'a str>,
    /// The session that asks.
    session: Option<&'a str>,
    /// The project that notes of sessions must be of; `None` where they may be of any.
    scope: Option<Own<'a>>,
}

/// An outcome that was found.
struct Found {
    line: NotedLine,
    day: Option<Date>,
    hit: Hit,
}

impl<'a> Wanted<'a> {
    pub(super) fn new(query: &str, seen: HashSet<&'a str>, session: Option<&'a str>) -> Self {
        let tells = |term: &Term| !is_little_word_elsewhere(term.text());
        Self { terms: terms(query).into_iter().filter(tells).collect(), seen, session, scope: None }
    }

    /// Leaves out what tars noted in other projects than this one.
    pub(super) fn within(self, scope: Option<Own<'a>>) -> Self {
        Self { scope, ..self }
    }

    /// Returns what comes of these hits, the best first.
    pub(super) fn pieces(&self, service: &Service<'_>, hits: Vec<Hit>) -> Vec<Chosen> {
        let is_log =
            |hit: &Hit| hit.collection == VAULT && matches!(hit.memory_type, MemoryType::Daily | MemoryType::Episodic);
        let (logs, notes): (Vec<Hit>, Vec<Hit>) = hits.into_iter().partition(is_log);
        let mut chosen: Vec<Chosen> = notes.iter().take(FINDS).filter_map(|hit| self.of_note(hit)).collect();
        chosen.extend(self.of_logs(service, &logs));
        chosen
    }

    /// Returns the lines of a person's note that answer.
    fn of_note(&self, hit: &Hit) -> Option<Chosen> {
        let lines: Vec<&str> = hit.content.split('\n').collect();
        let units = units(&lines, hit.start_line);
        let best = units.iter().position(|unit| unit.lines.contains(&hit.line))?;
        let worth: Vec<f64> = units.iter().map(|unit| self.worth(&unit.text)).collect();
        let mut taken: BTreeSet<usize> = BTreeSet::from([best]);
        let mut others: Vec<usize> = (0..units.len()).filter(|index| *index != best).collect();
        others.sort_by(|one, other| worth[*other].total_cmp(&worth[*one]));
        let limit = (worth[best] * AS_GOOD).max(2.0);
        taken.extend(others.into_iter().filter(|index| worth[*index] >= limit).take(OF_A_FIND - 1));
        let shown: Vec<&Unit> = taken.into_iter().map(|index| &units[index]).collect();
        let piece = self.piece(hit, hit.line, shown.iter().flat_map(|unit| unit.lines.clone()).collect())?;
        Some(Chosen { collection: hit.collection.clone(), piece, score: Some(hit.score) })
    }

    /// Returns the outcomes in logs that answer, each once.
    fn of_logs(&self, service: &Service<'_>, hits: &[Hit]) -> Vec<Chosen> {
        let mut found: Vec<Found> = Vec::new();
        for hit in hits {
            let lines = self.noted(service, hit);
            let worth: Vec<f64> = lines.iter().map(|line| self.worth(&line.text)).collect();
            let best =
                lines.iter().zip(&worth).filter(|(line, _)| line.number == hit.line).map(|(_, worth)| *worth).next();
            let limit = (best.unwrap_or_else(|| worth.iter().copied().fold(0.0, f64::max)) * AS_GOOD).max(1.0);
            let mut taken = 0;
            for (line, worth) in lines.into_iter().zip(worth) {
                let is_answer = line.number == hit.line;
                if (is_answer || worth >= limit) && taken < OF_A_FIND && self.may_come(&line) {
                    found.push(Found { line, day: hit.date, hit: hit.clone() });
                    taken += 1;
                }
            }
        }
        // The newest of those that say the same holds, in the place of the best of them.
        let mut once: Vec<Found> = Vec::new();
        for one in found {
            match once.iter_mut().find(|known| same_subject(&known.line.text, &one.line.text)) {
                Some(known) if one.day > known.day => *known = one,
                Some(_) => {}
                None => once.push(one),
            }
        }
        once.truncate(OUTCOMES);
        let chosen = |found: Found| {
            let piece = self.piece(&found.hit, found.line.number, vec![found.line.number])?;
            Some(Chosen { collection: VAULT.to_owned(), piece, score: Some(found.hit.score) })
        };
        once.into_iter().filter_map(chosen).collect()
    }

    /// Returns the lines of a find in a log, as they stand on the disk.
    fn noted(&self, service: &Service<'_>, hit: &Hit) -> Vec<NotedLine> {
        let Ok(folder) = service.app().memory_folder() else { return Vec::new() };
        let prefix = folder.shown("");
        let Some(name) = hit.path.strip_prefix(prefix.as_str()) else { return Vec::new() };
        let Ok(Some(bytes)) = folder.read(name.trim_start_matches('/')) else { return Vec::new() };
        let foreign = match self.scope {
            Some((name, key)) => foreign_lines(&String::from_utf8_lossy(&bytes), name, key),
            None => Vec::new(),
        };
        let within = |line: &NotedLine| {
            (hit.start_line..=hit.end_line).contains(&line.number)
                && !foreign.iter().any(|lines| lines.contains(&line.number))
        };
        noted_lines(&bytes).into_iter().filter(within).collect()
    }

    fn may_come(&self, line: &NotedLine) -> bool {
        let is_own = |session: &str| line.anchor.as_ref().is_some_and(|anchor| anchor.is_of(session));
        let is_evidence = match (&line.anchor, line.kind) {
            // A person's line.
            (None, _) => true,
            (Some(_), Some(OutcomeKind::Changed | OutcomeKind::Unfinished)) | (Some(_), None) => false,
            (Some(_), Some(_)) => !line.is_ticked,
        };
        is_evidence && !self.session.is_some_and(is_own)
    }

    /// Returns how many of the words that are sought a text holds.
    fn worth(&self, text: &str) -> f64 {
        presence(text, &self.terms).iter().sum()
    }

    /// Returns these lines of a hit, in their order, without those that were shown.
    fn piece(&self, hit: &Hit, answer: usize, numbers: Vec<usize>) -> Option<Piece> {
        let source = Source {
            collection: (hit.collection != VAULT).then(|| hit.collection.clone()),
            path: redact_path(&hit.path).into_owned(),
            answer: Some(Answer { line: answer, heading: hit.heading.clone() }),
            date: hit.date,
            kind: hit.memory_type,
        };
        let seen = |line: &str| super::line_keys(line).any(|key| self.seen.contains(key.as_str()));
        Piece::new(source, hit.start_line, &hit.content, Keep::Start)?
            .keeping(|number, text| numbers.contains(&number) && !seen(text))
    }
}
