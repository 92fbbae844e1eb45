//! The blind lines judge each model. The figures are those of docs/plugin.md less some room, so that a worse model does not go unnoticed.

use std::path::Path;

use serde_json::Value;

use super::*;

/// A sentence is kept if the probability that it lasts is at least this, and is a decision if that of a decision is, as in notes.
const LASTS: f32 = 0.7;
const DECIDES: f32 = 0.4;

/// The blind lines of a model.
fn blind(model: Model) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/classifier");
    let text = std::fs::read_to_string(folder.join(model.name()).join("blind.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The share of lines for which `is_right`.
fn share<'l>(lines: impl IntoIterator<Item = &'l Value>, is_right: impl Fn(&Value) -> bool) -> f64 {
    let results: Vec<bool> = lines.into_iter().map(is_right).collect();
    results.iter().filter(|right| **right).count() as f64 / results.len() as f64
}

fn kind_of(line: &Value) -> Guess<SentenceKind> {
    sentence_kind(line["text"].as_str().unwrap(), line["request"].as_str().unwrap())
}

fn lasts(line: &Value) -> bool {
    kind_of(line).any_of(&SentenceKind::LASTING) >= LASTS
}

#[test]
fn lasting_blind_sentences_are_kept_and_passing_ones_left_out() {
    let lines = blind(Model::Kinds);
    let is_lasting = |line: &&Value| SentenceKind::LASTING.iter().any(|kind| line["kind"] == kind.name());
    for (language, kept, left_out) in [(true, 0.85, 0.82), (false, 0.8, 0.75)] {
        let of_language = || lines.iter().filter(|line| (line["lang"] == "en") == language);
        let found = share(of_language().filter(is_lasting), lasts);
        assert!(found >= kept, "English {language}: {found} of what lasts is kept");
        let silent = share(of_language().filter(|line| !is_lasting(line)), |line| !lasts(line));
        assert!(silent >= left_out, "English {language}: {silent} of what passes is left out");
    }
}

#[test]
fn few_blind_chores_are_called_decisions() {
    let lines = blind(Model::Kinds);
    let of_kind = |kind: SentenceKind| lines.iter().filter(move |line| line["kind"] == kind.name());
    let is_decision = |line: &Value| {
        let (kind, probability) = kind_of(line).best();
        lasts(line) && kind == SentenceKind::Decision && probability >= DECIDES
    };
    let chores = share(of_kind(SentenceKind::Outcome), is_decision);
    assert!(chores <= 0.05, "{chores} of the chores are called decisions");
    let decisions = share(of_kind(SentenceKind::Decision), is_decision);
    assert!(decisions >= 0.5, "{decisions} of the decisions are found");
}

#[test]
fn lasting_lines_of_blind_turns_are_kept_and_half_of_the_kept_lines_last() {
    let (mut lasting, mut kept, mut right) = (0, 0, 0);
    for turn in blind(Model::Turns) {
        let said = |name: &str| -> Vec<(String, String)> { serde_json::from_value(turn[name].clone()).unwrap() };
        let (asked, closing) = (said("request"), said("closing"));
        let request = asked.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join(" ");
        let context = TurnContext::new(&request, turn["before"].as_str().unwrap(), turn["acts"].as_bool().unwrap());
        for (sentences, is_persons) in [(&asked, true), (&closing, false)] {
            for (place, (text, kind)) in sentences.iter().enumerate() {
                let sentence = TurnSentence { text, is_persons, place, count: sentences.len() };
                let is_kept = context.kind_of(sentence).any_of(&SentenceKind::LASTING) >= 0.25;
                let lasts = SentenceKind::LASTING.iter().any(|lasting| lasting.name() == kind);
                lasting += u32::from(lasts);
                kept += u32::from(is_kept);
                right += u32::from(is_kept && lasts);
            }
        }
    }
    let (found, precise) = (f64::from(right) / f64::from(lasting), f64::from(right) / f64::from(kept));
    assert!(found >= 0.75 && precise >= 0.45, "{found} of what lasts is kept, {precise} of the kept lines last");
}

#[test]
fn most_blind_messages_and_replies_are_understood() {
    let intents =
        share(&blind(Model::Intents), |line| intent(line["text"].as_str().unwrap()).best().0.name() == line["intent"]);
    assert!(intents >= 0.75, "{intents} of the intents are right");
    let replies = share(&blind(Model::Replies), |line| {
        reply(line["reply"].as_str().unwrap(), line["before"].as_str().unwrap()).best().0.name() == line["label"]
    });
    assert!(replies >= 0.7, "{replies} of the replies are right");
}

#[test]
fn the_form_of_most_blind_questions_is_known() {
    let lines = blind(Model::Shapes);
    let shape = |line: &Value| question_shape(line["text"].as_str().unwrap());
    let right = share(&lines, |line| shape(line).best().0.name() == line["shape"]);
    assert!(right >= 0.74, "{right} of the forms are right");
    let is_spread = |line: &Value| shape(line).any_of(&QuestionShape::SPREAD) >= 0.5;
    let single = || lines.iter().filter(|line| line["shape"] == "single");
    let (spread, wrong) =
        (share(lines.iter().filter(|line| line["shape"] != "single"), is_spread), share(single(), is_spread));
    assert!(
        spread >= 0.8 && wrong <= 0.3,
        "{spread} of the spread answers are known, {wrong} of the single ones called spread"
    );
}

#[test]
fn every_label_of_a_model_has_a_name() {
    assert_eq!(Guess::<SentenceKind>::of(Model::Kinds, "a", "").probabilities.len(), SentenceKind::ALL.len());
    assert_eq!(Guess::<Intent>::of(Model::Intents, "a", "").probabilities.len(), Intent::ALL.len());
    assert_eq!(Guess::<QuestionShape>::of(Model::Shapes, "a", "").probabilities.len(), QuestionShape::ALL.len());
    assert_eq!(Guess::<Reply>::of(Model::Replies, "a", "").probabilities.len(), Reply::ALL.len());
}

proptest::proptest! {
    #[test]
    fn the_probabilities_of_any_text_sum_to_one(text in "(\\PC|[a-z ?]|。){0,60}", context in "\\PC{0,60}") {
        let sum = sentence_kind(&text, &context).any_of(SentenceKind::ALL);
        proptest::prop_assert!((sum - 1.0).abs() < 1e-3);
        let features = Model::Kinds.features(&text, &context);
        proptest::prop_assert!(features.iter().all(|(index, value)| *index < 1 << BITS && value.is_finite()));
    }
}
