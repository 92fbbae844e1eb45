use serde::Deserialize;

use super::*;

/// A question of `tests/classifier/parts`: the words that mark each part, or none if it has one part.
#[derive(Deserialize)]
struct Labelled {
    text: String,
    parts: Vec<String>,
    lang: String,
}

fn labelled() -> Vec<Labelled> {
    let lines = include_str!("../../../tests/classifier/parts/own.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Whether the parts are the expected ones: each holds its words, and its own words hold none of another part.
fn is_right(found: &[QuestionPart], expected: &[String]) -> bool {
    let holds = |text: &str, words: &str| words.split(' ').all(|word| text.contains(word));
    let of_another = |at: usize, own: &str| {
        let mut others = expected.iter().enumerate().filter(|(other, _)| *other != at);
        others.any(|(_, words)| {
            let alone = words.split(' ').filter(|word| !expected[at].split(' ').any(|own| own == *word));
            alone.into_iter().any(|word| own.split(' ').any(|own| own == word))
        })
    };
    found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .enumerate()
            .all(|(at, (part, words))| holds(&part.text, words) && !of_another(at, &part.own))
}

fn texts(question: &str) -> Vec<String> {
    question_parts(question).into_iter().map(|part| part.text).collect()
}

#[test]
fn most_labelled_questions_fall_into_their_parts() {
    let (mut compound, mut single, mut wrong) = ((0, 0), (0, 0), Vec::new());
    for Labelled { text, parts, lang } in labelled() {
        let found = question_parts(&text);
        let (count, is_right) = match parts.is_empty() {
            true => (&mut single, found.is_empty()),
            false => (&mut compound, is_right(&found, &parts)),
        };
        count.0 += usize::from(is_right);
        count.1 += 1;
        if !is_right {
            wrong.push(format!("{lang} {text}: {found:?}"));
        }
    }
    println!("compound {compound:?}, single {single:?}, wrong:\n{}", wrong.join("\n"));
    assert!(compound >= (88, 92) && single >= (96, 101), "{wrong:#?}");
}

/// A question of another author: how many parts it has, 0 for a single one.
#[derive(Deserialize)]
struct Counted {
    text: String,
    count: usize,
}

#[test]
fn questions_of_a_second_author_are_parted() {
    let (mut compound, mut single) = ((0, 0), (0, 0));
    for line in include_str!("../../../tests/classifier/parts/second.jsonl").lines() {
        let Counted { text, count } = serde_json::from_str(line).unwrap();
        let known = if count == 0 { &mut single } else { &mut compound };
        known.0 += usize::from((question_parts(&text).len() > 1) == (count > 0));
        known.1 += 1;
    }
    println!("compound {compound:?}, single {single:?}");
    assert!(compound >= (82, 110) && single >= (97, 110), "{compound:?} {single:?}");
}

#[test]
fn each_part_keeps_the_words_that_the_parts_share() {
    assert_eq!(
        texts("What is the number of the plumber and the electrician?"),
        ["What is the number of the plumber", "What is the number of the electrician"]
    );
    assert_eq!(texts("Where is the salt and pepper mill?"), [""; 0]);
}

#[test]
fn the_form_tells_one_thing_from_two() {
    for single in [
        "Tom and Jerry notes",
        "What did Mel and her kids make?",
        "What does \"Harry Potter and the Philosopher's Stone\" mean to Tim?",
        "How many days are there between May and July?",
        "I plan a login and a report. Which library fits?",
        "when and where",
        "and",
        "? and ?",
        "",
    ] {
        assert_eq!(texts(single), [""; 0], "{single}");
    }
    assert_eq!(
        texts("How many days are there between when I ordered the desk and the chair, and when they came?").len(),
        2,
        "the words that open both halves decide"
    );
    assert_eq!(
        texts("compare my talk with Ada about the roof with the letter of the roofer"),
        ["compare my talk", "compare Ada about the roof with the letter of the roofer"],
        "after a verb, the first word that separates decides"
    );
    let list = "Where are the hammer, the saw, the drill, the file, the rasp and the plane?";
    assert_eq!(texts(list).len(), MAX_PARTS);
    assert_eq!(texts(&format!("{list} {}", "x ".repeat(MAX_QUESTION))), [""; 0], "a paste");
}

proptest::proptest! {
    #[test]
    fn any_text_has_no_part_or_a_few(text in "(and |und |between |with |Anna |the |what |, |\\? |'s |- |和|と|的|하고 |과 |และ|\\PC){0,40}") {
        let parts = question_parts(&text);
        proptest::prop_assert!(parts.is_empty() || (2..=MAX_PARTS).contains(&parts.len()));
        proptest::prop_assert!(parts.iter().all(|part| !part.own.is_empty() && part.text.len() <= 2 * text.len()));
    }
}
