//! The outcomes of a session, turn by turn: what a later turn says of an earlier one counts.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::cues::{self, DECISION, PERSONS_DECISION, REFUTATION};
use super::extractive::extract_after;
use super::outcome::{Outcome, OutcomeKind};
use super::own_words::own_words;
use super::sentences::sentences;
use super::words::stems;
use crate::domain::{Turn, TurnEnd};

/// From this share of its words on, something left open is closed by what a later turn says.
const CLOSED: f64 = 0.6;

/// A turn's outcomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnDigest {
    /// The turn's id.
    pub id: String,
    /// When the person asked.
    pub at: Option<Timestamp>,
    /// What came of it, the most important first; empty where nothing of worth did.
    pub outcomes: Vec<Outcome>,
}

/// The outcomes of a session, gathered turn by turn.
#[derive(Debug, Clone, Default)]
pub struct SessionDigest {
    turns: Vec<TurnDigest>,
    /// The agent's closing words in the last turn.
    closing: String,
}

impl SessionDigest {
    /// Adds a turn, whose secrets are out already. It may rule out what an earlier one found, and close what one left open.
    pub fn add(&mut self, turn: &Turn) {
        self.refute(turn);
        let outcomes = extract_after(turn, &std::mem::replace(&mut self.closing, turn.closing.clone()));
        self.close(turn, &outcomes);
        for outcome in
            outcomes.iter().filter(|outcome| outcome.kind == OutcomeKind::Decided || outcome.kind == OutcomeKind::Open)
        {
            // Said again, it stands where it was said last.
            self.drop_earlier(outcome);
        }
        self.turns.push(TurnDigest { id: turn.id.clone(), at: turn.at, outcomes });
    }

    /// Returns the turns in their order.
    pub fn turns(&self) -> &[TurnDigest] {
        &self.turns
    }

    fn earlier(&mut self) -> impl DoubleEndedIterator<Item = &mut Outcome> {
        self.turns.iter_mut().flat_map(|turn| turn.outcomes.iter_mut())
    }

    fn refute(&mut self, turn: &Turn) {
        let said = match turn.end {
            TurnEnd::Answered => turn.closing.as_str(),
            TurnEnd::Interrupted | TurnEnd::Failed => "",
        };
        for sentence in sentences(&own_words(&turn.request)).into_iter().chain(sentences(said)) {
            let plain = cues::plain(&sentence);
            let denied = denied(&plain);
            let settles = cues::holds(&plain, &DECISION) || cues::holds(&plain, &PERSONS_DECISION);
            let is_correction = settles && !denied.is_empty();
            if !cues::holds(&plain, &REFUTATION) && !is_correction {
                continue;
            }
            let words = if settles { denied } else { stems(&plain) };
            let is_settled = |outcome: &&mut Outcome| matches!(outcome.kind, OutcomeKind::Decided | OutcomeKind::Found);
            let meant = |outcome: &&mut Outcome| stems(&outcome.text).intersection(&words).count() > 0;
            let mut any = false;
            for outcome in self.earlier().filter(is_settled).filter(meant) {
                outcome.kind = OutcomeKind::RuledOut;
                any = true;
            }
            if !any
                && !settles
                && let Some(last) = self.earlier().rev().find(|outcome| outcome.kind == OutcomeKind::Found)
            {
                last.kind = OutcomeKind::RuledOut;
            }
        }
    }

    fn close(&mut self, turn: &Turn, outcomes: &[Outcome]) {
        if turn.end != TurnEnd::Answered {
            return;
        }
        let still_open: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.kind == OutcomeKind::Open).collect();
        let done = done(turn);
        for earlier in &mut self.turns {
            earlier.outcomes.retain(|outcome| {
                outcome.kind != OutcomeKind::Open
                    || still_open.iter().any(|open| closes(&open.text, &outcome.text))
                    || !closes(&done, &outcome.text)
            });
        }
    }

    fn drop_earlier(&mut self, outcome: &Outcome) {
        for earlier in &mut self.turns {
            earlier.outcomes.retain(|known| {
                known.kind != outcome.kind
                    || !(closes(&outcome.text, &known.text) && closes(&known.text, &outcome.text))
            });
        }
    }
}

/// Returns what a turn says was done.
fn done(turn: &Turn) -> String {
    format!("{}\n{}", own_words(&turn.request), turn.closing)
}

/// Whether `said` speaks of what `open` leaves open: it holds most of its words.
fn closes(said: &str, open: &str) -> bool {
    let (said, open) = (stems(said), stems(open));
    !open.is_empty() && open.intersection(&said).count() as f64 >= CLOSED * open.len() as f64
}

/// Returns the words that stand right behind a negation: "not Redis", "kein Redis".
fn denied(plain: &str) -> BTreeSet<String> {
    let words: Vec<&str> = plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut found = BTreeSet::new();
    for (index, word) in words.iter().enumerate() {
        if ["not", "no", "nicht", "kein", "keine", "keinen", "pas", "drop", "instead", "statt", "lieu"].contains(word) {
            let behind = words[index + 1..]
                .iter()
                .filter(|word| !["of", "de", "du", "the", "mehr", "longer", "el", "la", "le"].contains(word));
            found.extend(behind.take(1).flat_map(|word| stems(word)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(request: &str, closing: &str) -> Turn {
        let (request, closing) = (request.to_owned(), closing.to_owned());
        Turn { request, answer: closing.clone(), closing, ..Turn::default() }
    }

    fn kinds(turns: &[(&str, &str)]) -> Vec<Vec<OutcomeKind>> {
        let mut digest = SessionDigest::default();
        turns.iter().for_each(|(request, closing)| digest.add(&turn(request, closing)));
        let kinds = |turn: &TurnDigest| turn.outcomes.iter().map(|outcome| outcome.kind).collect();
        digest.turns().iter().map(kinds).collect()
    }

    #[test]
    fn a_guess_that_was_refuted_is_no_finding() {
        use OutcomeKind::{Found, RuledOut};
        let turns = [
            ("why does the pump stop?", "The root cause was the relay, which sticks."),
            ("it stopped again", "It wasn't the relay. The cause is the timer, which overflows at midnight."),
        ];
        assert_eq!(kinds(&turns), [vec![RuledOut], vec![Found]]);
        let bare = [turns[0], ("that was not it, look again", "Looking at the log of the night now, more follows.")];
        assert_eq!(kinds(&bare)[0], [RuledOut]);
    }

    #[test]
    fn a_correction_rules_out_what_it_denies_and_nothing_else() {
        use OutcomeKind::{Decided, RuledOut};
        let turns = [("let's use Redis for the cache", "Fine."), ("no, not Redis, let's use sqlite", "Fine.")];
        assert_eq!(kinds(&turns), [vec![RuledOut], vec![Decided]]);
    }

    #[test]
    fn what_was_left_open_is_closed_by_a_later_turn() {
        let open = ("deploy it", "Production runs the new build. Staging still needs a restart.");
        assert!(kinds(&[open])[0].contains(&OutcomeKind::Open));
        let closed = [open, ("restart staging", "I restarted staging; it answers on the usual port.")];
        assert!(!kinds(&closed)[0].contains(&OutcomeKind::Open));
    }
}
