//! Gathers the outcomes of a session turn by turn. Later turns can revise earlier outcomes.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::cues::{self, DENIAL, REFUTATION, RETRACTION};
use super::extractive::extract_after;
use super::outcome::kind_of;
use super::own_words::own_words;
use super::sentences::sentences;
use super::wording::Wording;
use super::words::{KnownStems, denied_words, mentions, same_statement, same_stems, stems_mention, subject_words};
use tars_base::domain::{Outcome, OutcomeKind, Turn, TurnEnd};
use tars_text::languages::QUESTION_MARKS;

/// The share of an open task's words that a turn of another session must hold to close it: if the turn changed a file,
/// and if it only ran commands.
const CLOSED_BY_OTHER_SESSION: (f64, f64) = (0.65, 0.75);
/// The share of a refutation's words that an outcome must hold to be refuted.
const REFUTED_SHARE: f64 = 0.5;

/// The outcomes of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnDigest {
    /// The turn's id.
    pub id: String,
    /// When the person asked.
    pub at: Option<Timestamp>,
    /// The agent's working directory.
    pub directory: Option<String>,
    /// The branch that was checked out, unless it is the main one.
    pub branch: Option<String>,
    /// The outcomes, most important first. Empty for a turn without any.
    pub outcomes: Vec<Outcome>,
    /// The stems of what the turn says was done. `None` if it did nothing: it changed no file and was a question, ran
    /// nothing, or got no answer.
    pub done: Option<BTreeSet<String>>,
    /// Whether the turn changed a file.
    pub changed: bool,
    /// The author of the outcomes' words.
    pub wording: Wording,
}

impl TurnDigest {
    fn new(turn: &Turn, outcomes: Vec<Outcome>) -> Self {
        let done = did_something(turn).then(|| subject_words(&done(turn)));
        let (id, directory, branch) = (turn.id.clone(), turn.directory.clone(), turn.branch.clone());
        let wording = Wording::of(turn, &outcomes);
        Self { id, at: turn.at, directory, branch, outcomes, done, changed: !turn.files.is_empty(), wording }
    }

    /// Whether the turn did an earlier open task of its session, or names the task as open itself.
    pub fn replaces(&self, open: &str) -> bool {
        let says_again = |one: &Outcome| one.kind == OutcomeKind::Open && same_statement(&one.text, open);
        let is_done =
            self.done.as_ref().is_some_and(|done| stems_mention(done, &subject_words(open))) && !self.leaves_open(open);
        is_done || self.outcomes.iter().any(says_again)
    }

    /// Whether the turn did an open task of another session. This test is stricter than within a session, whose turns
    /// share one subject, because a wrongly ticked task is lost.
    pub fn closes_task_of_other_session(&self, open: &str) -> bool {
        let Some(done) = &self.done else { return false };
        let open_words = subject_words(open);
        let shared = open_words.intersection(done).count();
        let (by_change, by_command) = CLOSED_BY_OTHER_SESSION;
        let min_share = if self.changed { by_change } else { by_command };
        // "The old readings are still wrong" has too few subject words to be recognized.
        open_words.len() > 2
            && shared > 1
            && shared as f64 >= min_share * open_words.len() as f64
            && !self.leaves_open(open)
    }

    fn leaves_open(&self, open: &str) -> bool {
        self.outcomes.iter().any(|one| one.kind == OutcomeKind::Open && mentions(&one.text, open))
    }
}

/// The outcomes of a session, gathered turn by turn.
#[derive(Debug, Clone, Default)]
pub struct SessionDigest {
    turns: Vec<TurnDigest>,
    /// The agent's closing words in the last turn.
    closing: String,
    known: KnownStems,
}

impl SessionDigest {
    /// Adds a redacted turn. It may refute findings of earlier turns and close their open tasks.
    pub fn add(&mut self, turn: &Turn) {
        self.refute(turn);
        let outcomes = extract_after(turn, &std::mem::replace(&mut self.closing, turn.closing.clone()));
        self.close(turn, &outcomes);
        for outcome in
            outcomes.iter().filter(|outcome| outcome.kind == OutcomeKind::Decided || outcome.kind == OutcomeKind::Open)
        {
            // A repeated outcome is kept only in its last turn.
            self.drop_earlier(outcome);
        }
        self.turns.push(TurnDigest::new(turn, outcomes));
    }

    /// Returns the outcomes of a redacted turn that would come next, without adding it.
    pub fn next(&self, turn: &Turn) -> TurnDigest {
        TurnDigest::new(turn, extract_after(turn, &self.closing))
    }

    /// Returns the turns in their order.
    pub fn turns(&self) -> &[TurnDigest] {
        &self.turns
    }

    fn refute(&mut self, turn: &Turn) {
        let request = own_words(&turn.request);
        for sentence in sentences(&request) {
            self.refute_by(&sentence, &request, true);
        }
        if turn.end == TurnEnd::Answered {
            for sentence in sentences(&turn.closing) {
                self.refute_by(&sentence, &request, false);
            }
        }
    }

    fn refute_by(&mut self, sentence: &str, request: &str, is_person: bool) {
        let plain = cues::plain(sentence);
        let settles = kind_of(sentence, request) == Some(OutcomeKind::Decided);
        let denied = denied_words(sentence);
        let corrects = settles && !denied.is_empty();
        let refutes = cues::holds(&plain, REFUTATION);
        let takes_back = is_person && cues::holds(&plain, RETRACTION);
        if !refutes && !corrects && !takes_back && !cues::holds(&plain, DENIAL) {
            return;
        }
        // Agents only take back findings; people also take back decisions.
        let can_be_refuted = |outcome: &Outcome| match outcome.kind {
            OutcomeKind::Found => true,
            // A change made on a wrong guess.
            OutcomeKind::Done => true,
            OutcomeKind::Decided => settles || is_person,
            _ => false,
        };
        let words =
            if settles { vec![denied] } else { vec![subject_words(&refuting_clauses(&plain)), subject_words(&plain)] };
        for words in words {
            let mut any = false;
            for outcome in
                self.turns.iter_mut().flat_map(|turn| &mut turn.outcomes).filter(|outcome| can_be_refuted(outcome))
            {
                let shared = self.known.of(&outcome.text).intersection(&words).count();
                if shared > 0 && shared as f64 >= REFUTED_SHARE * words.len() as f64 {
                    outcome.kind = OutcomeKind::RuledOut;
                    any = true;
                }
            }
            if any {
                return;
            }
        }
        // "That was not it" and "forget it" refer to the previous turn.
        let meant = match (takes_back, refutes && !settles && is_person) {
            (true, _) => OutcomeKind::Decided,
            (false, true) => OutcomeKind::Found,
            (false, false) => return,
        };
        let last = self.turns.last_mut().and_then(|last| last.outcomes.iter_mut().rev().find(|one| one.kind == meant));
        if let Some(last) = last {
            last.kind = OutcomeKind::RuledOut;
        }
    }

    fn close(&mut self, turn: &Turn, outcomes: &[Outcome]) {
        if turn.end != TurnEnd::Answered {
            return;
        }
        let still_open = outcomes.iter().filter(|outcome| outcome.kind == OutcomeKind::Open);
        let still_open: Vec<_> = still_open.map(|open| subject_words(&open.text)).collect();
        let done = subject_words(&done(turn));
        for earlier in &mut self.turns {
            earlier.outcomes.retain(|outcome| {
                if outcome.kind != OutcomeKind::Open {
                    return true;
                }
                let words = self.known.of(&outcome.text);
                still_open.iter().any(|open| stems_mention(open, words)) || !stems_mention(&done, words)
            });
        }
    }

    fn drop_earlier(&mut self, outcome: &Outcome) {
        let words = subject_words(&outcome.text);
        for earlier in &mut self.turns {
            earlier
                .outcomes
                .retain(|known| known.kind != outcome.kind || !same_stems(&words, self.known.of(&known.text)));
        }
    }
}

/// Whether a turn did something. Commands that answer a question only look: the answer to "Is it the same again?" finds
/// the open fault, in the same words, and fixes nothing.
fn did_something(turn: &Turn) -> bool {
    let asks = || own_words(&turn.request).trim_end().ends_with(QUESTION_MARKS);
    turn.end == TurnEnd::Answered && (!turn.files.is_empty() || (!turn.commands.is_empty() && !asks()))
}

/// Words that say that something is not done.
const NEGATIONS: &[&str] = &[
    "not", "don't", "didn't", "doesn't", "isn't", "wasn't", "never", "nicht", "nie", "ne", "pas", "jamais", "nunca",
    "sin",
];

/// Returns the sentences of a turn about finished work: no questions, open tasks, postponements or denials.
fn done(turn: &Turn) -> String {
    let request = own_words(&turn.request);
    let said = |text: &str| -> Vec<String> {
        let is_open = |sentence: &str| kind_of(sentence, &request) == Some(OutcomeKind::Open);
        let is_done = |sentence: &String| !is_open(sentence) && !cues::holds_any(sentence, NEGATIONS);
        sentences(text).into_iter().filter(|sentence| !sentence.ends_with(QUESTION_MARKS)).filter(is_done).collect()
    };
    [said(&request), said(&turn.closing)].concat().join("\n")
}

/// Returns the clauses of a sentence that refute something: "It wasn't the relay, it was the timer" refutes the relay.
fn refuting_clauses(plain: &str) -> String {
    let clauses = plain
        .split([',', ';', ':', '\u{2014}'])
        .filter(|clause| [REFUTATION, DENIAL, RETRACTION].iter().any(|kind| cues::holds(clause, *kind)));
    clauses.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(request: &str, closing: &str) -> Turn {
        let (request, closing) = (request.to_owned(), closing.to_owned());
        Turn { request, answer: closing.clone(), closing, tools: vec!["Read".into()], ..Turn::default() }
    }

    fn kinds(turns: &[(&str, &str)]) -> Vec<Vec<OutcomeKind>> {
        let mut digest = SessionDigest::default();
        turns.iter().for_each(|(request, closing)| digest.add(&turn(request, closing)));
        let kinds = |turn: &TurnDigest| turn.outcomes.iter().map(|outcome| outcome.kind).collect();
        digest.turns().iter().map(kinds).collect()
    }

    #[test]
    fn a_refuted_guess_is_no_finding() {
        use OutcomeKind::{Found, RuledOut};
        let turns = [
            ("why does the pump stop?", "The root cause was the relay, which sticks."),
            ("look again", "It wasn't the relay. The root cause was the timer, which overflowed at midnight."),
        ];
        let refuted = kinds(&turns);
        assert_eq!(refuted[0], [RuledOut]);
        assert_eq!(kinds(&turns[..1])[0], [Found]);
        let bare = [turns[0], ("that was not it, look again", "Looking at the log of the night now, more follows.")];
        assert_eq!(kinds(&bare)[0], [RuledOut]);
    }

    #[test]
    fn a_correction_refutes_only_what_it_denies() {
        use OutcomeKind::{Decided, RuledOut};
        let turns =
            [("ok, then we keep Redis for the cache", "Fine."), ("no, not Redis, we decided on sqlite", "Fine.")];
        assert_eq!(kinds(&turns), [vec![RuledOut], vec![Decided]]);
    }

    #[test]
    fn changes_on_a_wrong_guess_and_retracted_decisions_are_ruled_out() {
        use OutcomeKind::RuledOut;
        let mut digest = SessionDigest::default();
        let files = vec!["src/watchdog.cpp".to_owned()];
        digest.add(&Turn {
            files,
            ..turn("the esp restarts, raise the watchdog", "I set the watchdog to 10 s and flashed it again.")
        });
        digest.add(&turn("here is the log", "The log says BROWNOUT_RST, it is not the watchdog."));
        assert_eq!(digest.turns()[0].outcomes[0].kind, RuledOut);
        let back = ("forget it, we use Stripe after all", "Stripe is in place now.");
        assert_eq!(kinds(&[("ok, then we keep Mollie for the payments", "Fine."), back])[0], [RuledOut]);
    }

    #[test]
    fn a_fault_elsewhere_refutes_nothing() {
        use OutcomeKind::{Decided, Found};
        let decided = ("ok, we keep sqlite for the store of bookings", "Fine.");
        let found = ("why does the pump stop?", "The root cause was the relay, which sticks.");
        for later in [
            ("fix it", "The filter of the bookings was wrong: it compared local time with UTC."),
            ("fix the link", "The link in the README was wrong, it leads to the handbook now."),
            ("I take that back about the colours of the login page", "Fine."),
            ("why?", "It had nothing to do with the colours of the page."),
        ] {
            let kinds = kinds(&[found, decided, later]);
            assert_eq!((&kinds[0][..], &kinds[1][..]), (&[Found][..], &[Decided][..]), "{later:?}");
        }
    }

    #[test]
    fn outcomes_about_other_subjects_are_kept() {
        for (one, other) in [
            ("ok, we keep port 5432 for the staging database", "ok, we keep port 5433 for the test database"),
            (
                "ok, then we keep sqlite for the cache of the booking service",
                "ok, then we keep sqlite for the queue of the booking service",
            ),
        ] {
            let kinds = kinds(&[(one, "Fine."), (other, "Fine.")]);
            assert_eq!((kinds[0].len(), kinds[1].len()), (1, 1), "{one}");
        }
        let open = |format: &str| format!("The {format} export of invoices still needs to be done.");
        let kinds_of_open = kinds(&[("go on", &open("CSV")), ("go on", &open("PDF"))]);
        assert_eq!((kinds_of_open[0].len(), kinds_of_open[1].len()), (1, 1));
        let again =
            kinds(&[("We decided to use sqlite", "Fine."), ("We decided to use sqlite for the cache", "Fine.")]);
        assert_eq!((again[0].len(), again[1].len()), (0, 1));
    }

    #[test]
    fn a_finished_task_replaces_the_open_one() {
        let mut digest = SessionDigest::default();
        let closing = "Der Idempotenz-Test stellt dieselbe Nachricht dreimal zu; eine doppelte wird ignoriert.";
        digest.add(&Turn { files: vec!["a.ts".into()], ..turn("mach jetzt noch den idempotenz-test", closing) });
        assert!(digest.turns()[0].replaces("Ein Idempotenz-Test für doppelte Nachrichten fehlt noch."));
        assert!(!digest.turns()[0].replaces("Ein Lasttest für die Kasse fehlt noch."));
    }

    #[test]
    fn a_turn_that_only_looked_closes_no_task_of_another_session() {
        let renames = "The instrument still renames the plate folder during the copy.";
        let is_closed_by = |open: &str, request: &str, closing: &str, file: Option<&str>| {
            let mut digest = SessionDigest::default();
            let files = file.into_iter().map(str::to_owned).collect();
            digest.add(&Turn { files, commands: vec!["./look".into()], ..turn(request, closing) });
            digest.turns()[0].closes_task_of_other_session(open)
        };
        let is_closed = |request: &str, closing: &str, file| is_closed_by(renames, request, closing, file);
        let same = "The same: the instrument renamed the plate folder during the copy.";
        assert!(!is_closed("it stopped last night. the same thing again?", same, None));
        let fixed = "The plate folder is only copied once the instrument has renamed it.";
        assert!(is_closed("fix the copy of the plate folder", fixed, Some("copy.py")));
        assert!(is_closed("fix the copy of the plate folder", fixed, None));
        let merged =
            |file| is_closed_by("The branch `plates` is not merged.", "ok", "Merged `plates` into main.", file);
        assert!(merged(Some("CHANGELOG.md")) && !merged(None), "a change says more than a command");
        let left = "Tests ran. I did not touch the copy of the plate folder, which the instrument renamed.";
        assert!(!is_closed("run the tests, don't change the copy of the plate folder", left, Some("test.py")));
        let not_yet = "The instrument renaming the plate folder during the copy is not fixed.";
        assert!(!is_closed("clean up", not_yet, Some("copy.py")));
    }

    #[test]
    fn a_question_closes_nothing() {
        let open = ("deploy it", "Deployed to production. Staging still needs a restart.");
        let asked = ("why does staging need a restart?", "The configuration is read when the process begins.");
        assert!(kinds(&[open, asked])[0].contains(&OutcomeKind::Open));
    }

    #[test]
    fn a_later_turn_closes_an_open_task() {
        let open = ("deploy it", "Deployed to production. Staging still needs a restart.");
        assert!(kinds(&[open])[0].contains(&OutcomeKind::Open));
        let closed = [open, ("restart staging", "I restarted staging; it answers on the usual port.")];
        assert!(!kinds(&closed)[0].contains(&OutcomeKind::Open));
    }
}
