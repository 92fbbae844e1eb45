//! Extracts the outcomes of a turn without a model: decisions, findings, changes and open tasks, in the turn's own
//! sentences.

use super::cues::{self, DIAGNOSIS, FINDING, HEDGE};
use super::outcome::{Speaker, kind_of};
use super::own_words::own_words;
use super::replies::{decisions_in_reply, presents_alternatives};
use super::sentences::sentences;
use super::short_forms::{MAX_QUOTE, changed_file, headline};
use super::small_talk::has_content;
use super::words::{repeats, same_statement, subject_words};
use tars_base::domain::{Outcome, OutcomeKind, Turn, TurnEnd};
use tars_text::cleaning::truncated;
use tars_text::languages::QUESTION_MARKS;

/// Maximum length of a request that an outcome names, in characters.
const MAX_ABOUT: usize = 80;
/// Maximum number of files, or of commands, that a line lists.
const MAX_LISTED: usize = 5;
/// Maximum number of outcomes of one kind per turn. The last ones win, because the last statement holds.
const MAX_OF_A_KIND: usize = 2;
/// Maximum number of decisions per turn.
const MAX_DECISIONS: usize = 3;
/// Minimum number of subject words for a decision to be understood on its own.
const MIN_SUBJECT_WORDS: usize = 2;
/// Minimum number of words of an answer worth a line.
const MIN_ANSWER_WORDS: usize = 3;

/// Returns the outcomes of a turn that follows an agent's closing words `before`, which may have asked the person to
/// choose. A turn that changed nothing and said nothing of substance, such as thanks, has none. The caller redacts the
/// turn first, since a private span may reach over several sentences.
pub(super) fn extract_after(turn: &Turn, before: &str) -> Vec<Outcome> {
    let about = headline(&turn.request).map(|request| truncated(&request, MAX_ABOUT));
    let outcome = |kind, text: String| Outcome { kind, text, about: None };
    // An incomplete answer settles nothing, and its beginning may be wrong.
    let closing = if turn.end == TurnEnd::Answered { sentences(&turn.closing) } else { Vec::new() };
    let mut said: Vec<Outcome> = Vec::new();
    said.extend(
        decisions_in_reply(turn, before)
            .into_iter()
            .map(|text| outcome(OutcomeKind::Decided, truncated(&text, MAX_QUOTE))),
    );
    let asked = sentences(&own_words(&turn.request)).into_iter().map(|sentence| (sentence, Speaker::Person));
    let answered = closing.iter().filter(|sentence| has_content(sentence)).cloned();
    let leaves_open = |sentence: &String| kind_of(sentence, Speaker::Agent) == Some(OutcomeKind::Open);
    let is_choice = turn.files.is_empty() && presents_alternatives(&turn.closing);
    let is_open_said = !is_choice && closing.iter().any(leaves_open);
    for (sentence, speaker) in asked.chain(answered.map(|sentence| (sentence, Speaker::Agent))) {
        if let Some(kind) = kind_of(&sentence, speaker) {
            // The agent names what a person merely postpones, and a list of alternatives leaves nothing open.
            let is_left_out = if speaker == Speaker::Person { is_open_said } else { is_choice };
            if kind == OutcomeKind::Open && is_left_out {
                continue;
            }
            if said.iter().any(|known| known.kind == kind && says_same(known, &sentence)) {
                continue;
            }
            // "Let's do it that way" says nothing by itself.
            let is_bare = kind == OutcomeKind::Decided && subject_words(&sentence).len() < MIN_SUBJECT_WORDS;
            let text = if is_bare { closing.iter().find(|other| has_content(other)).cloned() } else { Some(sentence) };
            said.extend(text.map(|text| outcome(kind, truncated(&text, MAX_QUOTE))));
        }
    }
    let last_of = |kind: OutcomeKind, limit: usize| -> Vec<Outcome> {
        let of_kind: Vec<&Outcome> = said.iter().filter(|outcome| outcome.kind == kind).collect();
        of_kind[of_kind.len().saturating_sub(limit)..].iter().map(|outcome| (*outcome).clone()).collect()
    };
    let mut found = last_of(OutcomeKind::Decided, MAX_DECISIONS);
    let files = turn.files.iter().map(|file| format!("`{}`", changed_file(file, turn.directory.as_deref()))).collect();
    let files = listed(files, ", ");
    if turn.end != TurnEnd::Answered {
        let request = about.unwrap_or_default();
        let why = if turn.end == TurnEnd::Failed { "the model's server failed" } else { "interrupted" };
        let changed = files.map(|files| format!("; changed {files}")).unwrap_or_default();
        found.push(outcome(OutcomeKind::Unfinished, format!("{request} ({why}{changed})")));
        return found;
    }
    let is_decided = !found.is_empty();
    let lead = lead_of(&closing).filter(|lead| !found.iter().any(|outcome| alike(lead, &outcome.text)));
    let kind = lead.as_ref().map(|lead| kind_of_lead(lead, turn));
    let findings = last_of(OutcomeKind::Found, MAX_OF_A_KIND);
    let mut is_changed_said = false;
    match (lead, kind) {
        (Some(lead), Some(OutcomeKind::Done)) if !is_decided && findings.is_empty() => {
            is_changed_said = true;
            let files = files.as_ref().map(|files| format!(" ({files})")).unwrap_or_default();
            found.push(outcome(OutcomeKind::Done, format!("{lead}{files}")));
        }
        (Some(lead), Some(OutcomeKind::Found)) => found.push(outcome(OutcomeKind::Found, lead)),
        (Some(lead), Some(OutcomeKind::Answered))
            if !is_decided
                && findings.is_empty()
                && !said.iter().any(|known| known.kind == OutcomeKind::Open && says_same(known, &lead))
                && lead.split_whitespace().count() >= MIN_ANSWER_WORDS
                && asks(&turn.request) =>
        {
            found.push(outcome(OutcomeKind::Answered, lead));
        }
        (None, _) if !is_decided && findings.is_empty() => {
            is_changed_said = true;
            found.extend(files.clone().map(|files| outcome(OutcomeKind::Done, files)));
        }
        _ => {}
    }
    let unsaid = findings.into_iter().filter(|one| !found.iter().any(|known| alike(&known.text, &one.text)));
    let unsaid: Vec<Outcome> = unsaid.collect();
    let of_kind = found.iter().filter(|outcome| outcome.kind == OutcomeKind::Found).count();
    found.extend(unsaid.into_iter().take(MAX_OF_A_KIND - of_kind.min(MAX_OF_A_KIND)));
    found.extend(last_of(OutcomeKind::Open, MAX_OF_A_KIND));
    if !is_changed_said {
        found.extend(files.map(|files| outcome(OutcomeKind::Changed, files)));
    }
    for (index, outcome) in found.iter_mut().enumerate() {
        // A short open task such as "Somebody should look at that" is unclear without its request.
        let needs_about = index == 0
            || (outcome.kind == OutcomeKind::Open && subject_words(&outcome.text).len() <= MIN_SUBJECT_WORDS);
        outcome.about =
            about.clone().filter(|about| needs_about && !repeats(&outcome.text, about) && !alike(&outcome.text, about));
    }
    found
}

/// Returns the kind of an answer's first sentences: a finding if the person asked what is wrong or the sentences name a
/// cause and are no guess, otherwise something done, or an answer.
fn kind_of_lead(lead: &str, turn: &Turn) -> OutcomeKind {
    let plain = cues::plain(lead);
    let is_guess = cues::holds(&plain, HEDGE) || lead.ends_with(QUESTION_MARKS);
    let finds = cues::holds(&cues::plain(&own_words(&turn.request)), DIAGNOSIS) || cues::holds(&plain, FINDING);
    match (finds && !is_guess, turn.files.is_empty()) {
        (true, _) => OutcomeKind::Found,
        (false, false) => OutcomeKind::Done,
        (false, true) => OutcomeKind::Answered,
    }
}

/// Whether a request asks for something, unlike thanks and a word of agreement. A turn with an unknown request counts
/// as asking, because its answer is all there is.
fn asks(request: &str) -> bool {
    request.trim().is_empty() || request.split_whitespace().count() > 2 || request.contains(QUESTION_MARKS)
}

/// Whether a sentence repeats a known outcome. Person and agent often both name an open task, each in their own words.
fn says_same(known: &Outcome, sentence: &str) -> bool {
    alike(&known.text, sentence) || (known.kind == OutcomeKind::Open && same_statement(&known.text, sentence))
}

/// Whether two texts are the same, or one is part of the other.
fn alike(one: &str, other: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().trim_end_matches(['.', '!', '?', '…']).to_owned();
    let (one, other) = (plain(one), plain(other));
    one.contains(&other) || other.contains(&one)
}

/// Returns the first sentences that say something, or `None`.
fn lead_of(closing: &[String]) -> Option<String> {
    let first = closing.iter().position(|sentence| has_content(sentence))?;
    let mut found = closing.get(first)?.clone();
    // An open task has a line of its own.
    let says_more = |next: &&String| has_content(next) && kind_of(next, Speaker::Agent) != Some(OutcomeKind::Open);
    if let Some(next) = closing.get(first + 1).filter(says_more)
        && found.chars().count() + next.chars().count() < MAX_QUOTE
    {
        // List items have no final mark.
        found.push_str(if found.ends_with(|c: char| c.is_alphanumeric() || "`)".contains(c)) { "; " } else { " " });
        found.push_str(next);
    }
    Some(truncated(&found, MAX_QUOTE))
}

fn listed(entries: Vec<String>, between: &str) -> Option<String> {
    let more = entries.len().saturating_sub(MAX_LISTED);
    let named = entries[..entries.len() - more].join(between);
    match (entries.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(named),
        (false, more) => Some(format!("{named} and {more} more")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_requests_ask_with_a_question_mark_of_any_script() {
        assert!(asks("why?") && asks("なぜ？") && asks("لماذا؟") && !asks("なるほど"));
    }

    fn extract(turn: &Turn) -> Vec<Outcome> {
        extract_after(turn, "")
    }

    fn turn() -> Turn {
        Turn {
            directory: Some("/home/anna/pump".into()),
            request: "Why does the pump stop at night? It is urgent.\n```\npanic at 12\n```".into(),
            answer: "Let me look.\n\nGreat news! The timer overflowed at midnight, which was the cause. I chose minutes because seconds \
                     overflow. It counts minutes now. The shed still runs the old build."
                .into(),
            closing: "Great news! The timer overflowed at midnight, which was the root cause. I chose minutes because seconds overflow. \
                      It counts minutes now. The shed still needs the new build."
                .into(),
            files: vec!["/home/anna/pump/src/timer.rs".into(), "/etc/hosts".into()],
            commands: vec!["cargo test timer\necho done".into()],
            ..Turn::default()
        }
    }

    fn lines(turn: &Turn) -> Vec<String> {
        extract(turn).iter().map(Outcome::line).collect()
    }

    #[test]
    fn a_turn_becomes_a_few_lines_with_the_outcome_first() {
        assert_eq!(
            lines(&turn()),
            [
                "Decided: I chose minutes because seconds overflow. — Why does the pump stop at night? It is urgent.",
                "Found: The timer overflowed at midnight, which was the root cause.",
                "Open: The shed still needs the new build.",
                "Changed: `src/timer.rs`, `/etc/hosts`",
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
        assert_eq!(
            said("how many pumps are there?", "There are three pumps in the shed."),
            ["Answered: There are three pumps in the shed. — how many pumps are there?"]
        );
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
            "Sicher bin ich noch nicht.",
            "Relanzada: 96 muestras, todo bien.",
            "moka remains for availability only, as it was.",
            "Bleibt beim Aufteilen ein Cent übrig, trägt ihn die erste Karte.",
            "Le cron reste à 4 h 10.",
        ] {
            assert!(!open("and now", closing), "{closing}");
        }
        assert!(!open("Next: the endpoint opens a connection on every request.", "There is one connection now."));
        assert!(open("do it another day", "Fine, and good night to you."));
    }

    #[test]
    fn a_short_open_task_names_the_request() {
        let closing = "The music is Ogg at 96 kbit now. Wim should check that.";
        let turn = Turn { request: "convert the music to ogg".into(), closing: closing.into(), ..Turn::default() };
        assert_eq!(lines(&turn).last().unwrap(), "Open: Wim should check that. — convert the music to ogg");
    }

    #[test]
    fn an_open_task_is_listed_once() {
        let closing = "The CSV export of invoices remains to be done.";
        let turn = |request: &str| Turn { request: request.into(), closing: closing.into(), ..Turn::default() };
        let open = "Open: The CSV export of invoices remains to be done.";
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
        let failed = Turn { end: TurnEnd::Failed, files: vec![], request: "wir nehmen die zweite".into(), ..turn() };
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
