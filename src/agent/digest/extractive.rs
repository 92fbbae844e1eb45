//! Extracts the outcomes of a turn without a language model: what lasts, in the turn's own sentences, and what was merely done.

use super::outcome::{kind_in_turn, likely_kind};
use super::own_words::own_words;
use super::replies::accepted_advice;
use super::sentences::sentences;
use super::short_forms::{MAX_QUOTE, changed_file, headline};
use super::small_talk::has_content;
use super::standing::standing_statements;
use super::words::{mentions, repeats, same_statement, subject_words};
use crate::context_block::without_frame;
use tars_base::domain::{Outcome, OutcomeKind, Turn, TurnEnd};
use tars_text::classifier::{Intent, SentenceKind, TurnContext, TurnSentence, intent};
use tars_text::cleaning::truncated;
use tars_text::languages::QUESTION_MARKS;
use tars_text::markdown::list_item;

/// Maximum length of a request that an outcome names, in characters.
const MAX_ABOUT: usize = 80;
/// Maximum number of files, or of commands, that a line lists.
const MAX_LISTED: usize = 5;
/// Maximum number of outcomes of one kind per turn, the most probable ones.
const MAX_OF_A_KIND: usize = 2;
/// Minimum number of subject words for a decision to be understood on its own.
const MIN_SUBJECT_WORDS: usize = 2;
/// The least probability with which a person's sentence is a question.
const ASKS: f32 = 0.8;
/// The kinds that a sentence can have, in the order of their lines.
const KINDS: [OutcomeKind; 4] = [OutcomeKind::Decided, OutcomeKind::Found, OutcomeKind::RuledOut, OutcomeKind::Open];

/// Returns the outcomes of a turn that follows an agent's closing words `before`, which may have asked the person to
/// choose. A turn that changed nothing and said nothing of substance, such as thanks, has none. The caller redacts the
/// turn first, since a private span may reach over several sentences.
pub(super) fn extract_after(turn: &Turn, before: &str) -> Vec<Outcome> {
    let about = headline(&turn.request).map(|request| truncated(&request, MAX_ABOUT));
    // An incomplete answer settles nothing, and its beginning may be wrong.
    // An agent may repeat the frame in which it got excerpts of the memory.
    let closing = if turn.end == TurnEnd::Answered { sentences(&without_frame(&turn.closing)) } else { Vec::new() };
    let lasting = lasting(turn, &closing, before);
    let mut found: Vec<Outcome> = KINDS.into_iter().flat_map(|kind| most_probable(&lasting, kind)).collect();
    let files = turn.files.iter().map(|file| format!("`{}`", changed_file(file, turn.directory.as_deref()))).collect();
    let files = listed(files);
    if turn.end == TurnEnd::Answered {
        let is_said = |sentence: &String| found.iter().any(|known| alike(&known.text, sentence));
        let reports = |sentence: &String| !sentence.ends_with(QUESTION_MARKS) && !is_said(sentence);
        let unsaid: Vec<String> = closing.into_iter().filter(reports).collect();
        let done = done(turn, &unsaid, files, found.is_empty());
        found.extend(done);
    } else {
        let request = about.clone().unwrap_or_default();
        let why = if turn.end == TurnEnd::Failed { "the model's server failed" } else { "interrupted" };
        let changed = files.map(|files| format!("; changed {files}")).unwrap_or_default();
        found.push(outcome(OutcomeKind::Unfinished, format!("{request} ({why}{changed})")));
        return found;
    }
    for (index, outcome) in found.iter_mut().enumerate() {
        // A short open task such as "Somebody should look at that" is unclear without its request.
        let needs_about = (index == 0 && outcome.kind != OutcomeKind::Done)
            || (outcome.kind == OutcomeKind::Open && subject_words(&outcome.text).len() <= MIN_SUBJECT_WORDS);
        outcome.about =
            about.clone().filter(|about| needs_about && !repeats(&outcome.text, about) && !alike(&outcome.text, about));
    }
    found
}

/// Makes an outcome. The label of its line replaces the same label in the text.
fn outcome(kind: OutcomeKind, text: String) -> Outcome {
    let text = match OutcomeKind::of_line(&text) {
        Some((label, said)) if label == kind && !said.is_empty() => said.to_owned(),
        _ => text,
    };
    Outcome { kind, text, about: None }
}

/// Returns the sentences of a turn that last, with the probabilities of their kinds; accepted advice comes first.
fn lasting(turn: &Turn, closing: &[String], before: &str) -> Vec<(Outcome, f32)> {
    let request = own_words(&turn.request);
    let mut said: Vec<(Outcome, f32)> = Vec::new();
    let context = TurnContext::new(&request, before, acts(turn));
    if let Some(advice) = accepted_advice(turn, before) {
        said.push((outcome(OutcomeKind::Decided, truncated(&advice, MAX_QUOTE)), 1.0));
    }
    // A statement about one of several alternatives is not settled yet, unlike what the agent found out before it lists them.
    let is_choice = turn.files.is_empty() && presents_alternatives(&turn.closing);
    let settled = if is_choice { sentences(before_list(&turn.closing)).len() } else { closing.len() };
    let answered = placed(closing.to_vec()).take(settled).filter(|(_, _, sentence)| has_content(sentence));
    // A question without its mark states nothing.
    let asks = |sentence: &str| intent(sentence).any_of(&[Intent::Recall, Intent::Question, Intent::Code]) >= ASKS;
    let asked = placed(sentences(&request)).filter(|(_, _, sentence)| !asks(sentence));
    // A standing rule waits for its review instead.
    let rules = standing_statements(&turn.request);
    // The agent's words come first: of two sentences that say the same, they are the more precise.
    let spoken = answered.map(|sentence| (sentence, false)).chain(asked.map(|sentence| (sentence, true)));
    for ((place, count, sentence), is_persons) in spoken {
        let of_turn = TurnSentence { text: &sentence, is_persons, place, count };
        let Some((kind, probability)) = kind_in_turn(&context, of_turn) else { continue };
        let is_rule = is_persons && kind != OutcomeKind::Decided && rules.iter().any(|rule| alike(rule, &sentence));
        if is_rule || said.iter().any(|(known, _)| says_same(known, kind, &sentence)) {
            continue;
        }
        // "Let's do it that way" says nothing by itself.
        if kind != OutcomeKind::Decided || subject_words(&sentence).len() >= MIN_SUBJECT_WORDS {
            said.push((outcome(kind, truncated(&sentence, MAX_QUOTE)), probability));
        }
    }
    said
}

/// Returns sentences with their places and their number.
fn placed(sentences: Vec<String>) -> impl Iterator<Item = (usize, usize, String)> {
    let count = sentences.len();
    sentences.into_iter().enumerate().map(move |(place, sentence)| (place, count, sentence))
}

/// Whether the agent used a tool.
fn acts(turn: &Turn) -> bool {
    !turn.tools.is_empty() || !turn.files.is_empty() || !turn.commands.is_empty()
}

/// Returns the most probable outcomes of a kind, as many as a turn may have, in their order.
fn most_probable(said: &[(Outcome, f32)], kind: OutcomeKind) -> Vec<Outcome> {
    let of_kind: Vec<&(Outcome, f32)> = said.iter().filter(|(outcome, _)| outcome.kind == kind).collect();
    let mut probabilities: Vec<f32> = of_kind.iter().map(|(_, probability)| *probability).collect();
    probabilities.sort_by(|one, other| other.total_cmp(one));
    let least = probabilities.get(MAX_OF_A_KIND - 1).copied().unwrap_or_default();
    let kept = of_kind.into_iter().filter(|(_, probability)| *probability >= least);
    kept.take(MAX_OF_A_KIND).map(|(outcome, _)| outcome.clone()).collect()
}

/// Returns what a turn did: its first sentence that reports something, with the changed files. `None` for a turn that changed and ran
/// nothing and reports nothing. Changed files are named without a sentence only if the turn has no other outcome (`is_only`).
fn done(turn: &Turn, closing: &[String], files: Option<String>, is_only: bool) -> Option<Outcome> {
    let request = own_words(&turn.request);
    let reports =
        |sentence: &&String| has_content(sentence) && likely_kind(sentence, &request) == SentenceKind::Outcome;
    // Commands that answer a question only look.
    let is_task = !request.trim_end().ends_with(QUESTION_MARKS) && intent(&request).best().0 == Intent::Task;
    let acts = !turn.files.is_empty() || (!turn.commands.is_empty() && is_task);
    let first = || closing.iter().find(|sentence| acts && has_content(sentence));
    let lead = closing.iter().find(|sentence| (acts || is_task) && reports(sentence)).or_else(first);
    match (lead.map(|lead| truncated(lead, MAX_QUOTE)), files) {
        (Some(lead), Some(files)) => Some(outcome(OutcomeKind::Done, format!("{lead} ({files})"))),
        (None, Some(files)) if is_only => Some(outcome(OutcomeKind::Done, files)),
        (Some(lead), None) => Some(outcome(OutcomeKind::Done, lead)),
        (None, _) => None,
    }
}

/// Whether an agent presents alternatives for the person to pick from.
fn presents_alternatives(closing: &str) -> bool {
    let items = closing.lines().filter(|line| list_item(line.trim_start()).is_some()).count();
    items > 1 && sentences(closing).last().is_some_and(|last| last.ends_with(QUESTION_MARKS))
}

/// Returns the text before its first list item.
fn before_list(text: &str) -> &str {
    let is_prose = |line: &&str| list_item(line.trim_start()).is_none();
    let end = text.split_inclusive('\n').take_while(is_prose).map(str::len).sum();
    &text[..end]
}

/// Whether a sentence of this kind repeats a known outcome. Person and agent often both say what is open or decided, each in their own
/// words.
fn says_same(known: &Outcome, kind: OutcomeKind, sentence: &str) -> bool {
    let is_rephrased = match kind {
        OutcomeKind::Open => same_statement(&known.text, sentence),
        OutcomeKind::Decided => mentions(&known.text, sentence),
        _ => false,
    };
    known.kind == kind && (alike(&known.text, sentence) || is_rephrased)
}

/// Whether two texts are the same, or one is part of the other.
fn alike(one: &str, other: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().trim_end_matches(['.', '!', '?', '…']).to_owned();
    let (one, other) = (plain(one), plain(other));
    one.contains(&other) || other.contains(&one)
}

fn listed(entries: Vec<String>) -> Option<String> {
    let more = entries.len().saturating_sub(MAX_LISTED);
    let named = entries[..entries.len() - more].join(", ");
    match (entries.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(named),
        (false, more) => Some(format!("{named} and {more} more")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extract(turn: &Turn) -> Vec<Outcome> {
        extract_after(turn, "")
    }

    fn turn() -> Turn {
        Turn {
            directory: Some("/home/anna/pump".into()),
            request: "Why does the pump stop at night? It is urgent.\n```\npanic at 12\n```".into(),
            answer: "Let me look.\n\nGreat news! The timer overflowed at midnight, which was the cause.".into(),
            closing: "Great news! The root cause was the timer, which overflowed at midnight. I fixed the timer and all tests \
                      pass. Open: the shed still needs the new build."
                .into(),
            files: vec!["/home/anna/pump/src/timer.rs".into(), "/etc/hosts".into()],
            commands: vec!["cargo test timer\necho done".into()],
            ..Turn::default()
        }
    }

    fn lines(turn: &Turn) -> Vec<String> {
        extract(turn).iter().map(|outcome| outcome.line(None)).collect()
    }

    #[test]
    fn a_turn_becomes_a_few_lines_with_the_outcome_first() {
        assert_eq!(
            lines(&turn()),
            [
                "Found: The root cause was the timer, which overflowed at midnight. — Why does the pump stop at night? It is urgent.",
                "Open: the shed still needs the new build.",
                "Done: I fixed the timer and all tests pass. (`src/timer.rs`, `/etc/hosts`)",
            ]
        );
    }

    #[test]
    fn small_talk_yields_no_line() {
        assert!(extract(&Turn::default()).is_empty());
        let said = |request: &str, closing: &str| {
            lines(&Turn { request: request.into(), answer: closing.into(), closing: closing.into(), ..Turn::default() })
        };
        assert_eq!(said("great, thanks!", "You're welcome! Happy to help with the rest of the pump."), [""; 0]);
        assert_eq!(said("perfekt, danke", "Gerne!"), [""; 0]);
        assert_eq!(said("what is a closure?", "A closure is a function that holds variables of its place."), [""; 0]);
    }

    #[test]
    fn alternatives_and_unchanged_states_are_not_open_tasks() {
        let open = |request: &str, closing: &str| {
            let turn = Turn { request: request.into(), closing: closing.into(), ..Turn::default() };
            let open = |outcome: &Outcome| outcome.kind == OutcomeKind::Open;
            lines(&turn).len() > extract(&turn).into_iter().filter(|outcome| !open(outcome)).count()
        };
        for closing in [
            "Two ways:\n\n- fix `overlaps()`, which still has to be remembered everywhere\n- a constraint\n\nWhich one?",
            "Relanzada.\n\n- por placa: hay que reescribirlo entero\n- por muestra: más ficheros\n\n¿Cómo lo ves?",
            "Relanzada: 96 muestras, todo bien.",
            "moka remains for availability only, as it was.",
            "Bleibt beim Aufteilen ein Cent übrig, trägt ihn die erste Karte.",
            "Le cron reste à 4 h 10.",
        ] {
            assert!(!open("and now", closing), "{closing}");
        }
        assert!(!open("Next: the endpoint opens a connection on every request.", "There is one connection now."));
    }

    #[test]
    fn a_cause_before_a_list_of_steps_is_a_finding() {
        let cause = "The root cause was a race: the instrument renames the folder while the copy reads it.";
        let found = |closing: String| {
            let turn = Turn { request: "why did the copy die?".into(), closing, ..Turn::default() };
            lines(&turn)
        };
        let alone = found(cause.to_owned());
        assert!(alone[0].starts_with("Found: The root cause was a race"), "{alone:?}");
        assert_eq!(found(format!("{cause}\n\n- wait for the marker\n- copy twice\n\nShall I try the first?")), alone);
    }

    #[test]
    fn a_short_open_task_names_the_request() {
        let closing = "Deployed to production. Staging still needs a restart.";
        let commands = vec!["./deploy".to_owned()];
        let turn = Turn { request: "deploy it".into(), closing: closing.into(), commands, ..Turn::default() };
        assert!(
            lines(&turn).contains(&"Open: Staging still needs a restart. — deploy it".to_owned()),
            "{:?}",
            lines(&turn)
        );
    }

    #[test]
    fn an_open_task_is_listed_once() {
        let closing = "The CSV export of invoices still needs to be done.";
        let tools = vec!["Read".to_owned()];
        let turn = |request: &str| Turn {
            request: request.into(),
            closing: closing.into(),
            tools: tools.clone(),
            ..Turn::default()
        };
        let open = "Open: The CSV export of invoices still needs to be done.";
        assert_eq!(lines(&turn("what about the csv export?")), [open]);
        assert_eq!(lines(&turn("The CSV export still needs to be done.")).len(), 1);
    }

    #[test]
    fn a_turn_that_changed_something_is_one_line() {
        let done = Turn {
            closing: "Renamed the timer.".into(),
            request: "rename it".into(),
            files: vec!["/home/anna/pump/a.rs".into()],
            ..turn()
        };
        assert_eq!(lines(&done), ["Done: Renamed the timer. (`a.rs`)"], "it says what was asked for");
        let files = (0..9).map(|number| format!("{number}.rs")).collect();
        assert_eq!(
            lines(&Turn { files, ..Turn::default() }),
            ["Done: `0.rs`, `1.rs`, `2.rs`, `3.rs`, `4.rs` and 4 more"]
        );
    }

    #[test]
    fn an_incomplete_answer_is_never_a_decision() {
        let half = Turn { end: TurnEnd::Interrupted, ..turn() };
        assert_eq!(
            lines(&half),
            [
                "Unfinished: Why does the pump stop at night? It is urgent. (interrupted; changed `src/timer.rs`, `/etc/hosts`)"
            ]
        );
        let failed =
            Turn { end: TurnEnd::Failed, files: vec![], request: "gut, wir bleiben bei Postgres".into(), ..turn() };
        let found = extract(&failed);
        assert_eq!(
            found.iter().map(|outcome| outcome.kind).collect::<Vec<_>>(),
            [OutcomeKind::Decided, OutcomeKind::Unfinished]
        );
    }

    proptest::proptest! {
        #[test]
        fn any_turn_has_few_outcomes(request in "\\PC{0,60}", answer in "([a-z.?! \n`#-]|decided|<!--|-->){0,60}", file in "\\PC{0,20}") {
            let turn = Turn { request, closing: answer.clone(), answer, files: vec![file], ..turn() };
            proptest::prop_assert!(extract(&turn).len() <= 8);
        }
    }
}
