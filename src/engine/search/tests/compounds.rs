//! Compounds and words with umlauts.

use super::*;

fn keyword(text: &str) -> Query {
    Query { mode: Mode::Keyword, ..query(text) }
}

/// Asks in both modes that search words, and returns the paths that words found, best first.
fn found(fixture: &Fixture, text: &str) -> Vec<String> {
    let by_words = |mode| {
        let answer = fixture.ask(&Query { mode, explain: true, ..query(text) });
        let hits = answer.hits.into_iter().filter(|hit| hit.explanation.as_ref().unwrap().lexical_rank.is_some());
        hits.map(|hit| hit.path).collect::<Vec<_>>()
    };
    let (mut both, words) = (by_words(Mode::Hybrid), by_words(Mode::Keyword));
    both.sort_by_key(|path| words.iter().position(|other| other == path));
    assert_eq!(both, words, "{text}");
    words
}

const OTHERS: [(&str, &str); 4] = [
    ("x1.md", "The carpet of the car is clean, and the pet is well.\n"),
    ("x2.md", "Generations of people wrote configurations.\n"),
    ("x3.md", "Nothing about any of it.\n"),
    ("x4.md", "Ein Brief an die Versicherung.\n"),
];

fn with(notes: &[(&str, &str)]) -> Fixture {
    let notes: Vec<(&str, &str)> = OTHERS.iter().chain(notes).copied().collect();
    Fixture::new(&notes)
}

#[test]
fn a_compound_finds_its_parts() {
    let fixture = with(&[
        ("a.md", "Zahnarzt: Termin am Montag um zehn.\n"),
        ("b.md", "Die Wartung der Heizungsanlage kostet Geld.\n"),
        ("c.md", "Spätzle mit viel Käse.\n"),
    ]);
    assert_eq!(found(&fixture, "Zahnarzttermin"), ["a.md"]);
    assert_eq!(found(&fixture, "wann ist der Zahnarzttermin")[0], "a.md", "the stop words occur elsewhere too");
    assert_eq!(found(&fixture, "Heizungsanlagenwartung"), ["b.md"]);
    assert_eq!(found(&fixture, "Käsespätzle"), ["c.md"]);
    assert_eq!(found(&fixture, "Kaesespaetzle"), ["c.md"]);
    let answer = fixture.ask(&keyword("Zahnarzttermin"));
    assert_eq!(answer.remarks, ["no note holds 'zahnarzttermin': looked for 'zahnarzt' and 'termin'"]);
}

#[test]
fn a_part_finds_its_compounds() {
    let fixture = with(&[
        ("a.md", "Zahnarzttermin um zehn.\n"),
        ("b.md", "Die Heizungsanlagenwartung kostet Geld.\n"),
        ("c.md", "Heute gibt es Käsespätzle.\n"),
    ]);
    for (text, path) in [
        ("Zahnarzt Termin", "a.md"),
        ("Zahnarzt", "a.md"),
        ("Termin", "a.md"),
        ("Wartung der Heizungsanlage", "b.md"),
        ("Wartung", "b.md"),
        ("Heizungsanlage", "b.md"),
        ("Spätzle mit Käse", "c.md"),
        ("Spätzle", "c.md"),
        ("Spaetzle", "c.md"),
    ] {
        assert_eq!(found(&fixture, text), [path], "{text}");
    }
    assert!(fixture.ask(&keyword("Termin")).remarks[0].contains("'zahnarzttermin'"));
}

#[test]
fn the_word_itself_ranks_above_its_compounds() {
    let fixture = with(&[
        ("a.md", "Der Termin ist am Montag, beim Zahnarzt.\n"),
        ("b.md", "Der Zahnarzttermin ist am Montag.\n"),
        ("c.md", "Der Zahnarzt ist nett.\n"),
    ]);
    assert_eq!(found(&fixture, "Termin"), ["a.md", "b.md"]);
    assert_eq!(found(&fixture, "Zahnarzttermin")[..2], ["b.md", "a.md"]);
    assert!(fixture.ask(&keyword("Termin")).remarks.is_empty());
}

#[test]
fn an_english_question_finds_its_words_and_no_compounds_with_them() {
    let fixture = with(&[
        ("a.md", "A table of the market.\n"),
        ("b.md", "The timetable of the place, at the marketplace, in time.\n"),
    ]);
    assert_eq!(found(&fixture, "where is the market table kept"), ["a.md"]);
    assert_eq!(found(&fixture, "market"), ["a.md", "b.md"]);
}

#[test]
fn umlauts_in_two_letters_match_umlauts() {
    for written in ["Käsespätzle", "Kaesespaetzle", "Kasespatzle", "Ka\u{308}sespa\u{308}tzle"] {
        let fixture = with(&[("a.md", &format!("Heute gibt es {written}.\n"))]);
        for asked in ["Käsespätzle", "Kaesespaetzle", "Kasespatzle", "Ka\u{308}sespa\u{308}tzle", "KÄSESPÄTZLE"] {
            assert_eq!(found(&fixture, asked), ["a.md"], "{asked} for {written}");
            assert!(fixture.ask(&keyword(asked)).remarks.is_empty(), "{asked} for {written}");
        }
    }
}

#[test]
fn english_words_are_not_cut() {
    let fixture =
        with(&[("a.md", "The car drives on.\n"), ("b.md", "Data is the base of it.\n"), ("c.md", "A gene.\n")]);
    assert_eq!(found(&fixture, "carpet"), ["x1.md"]);
    assert!(found(&fixture, "ration").is_empty(), "generations and configurations are no compounds of ration");
    assert!(found(&fixture, "carpets") == ["x1.md"]);
    for text in ["understand", "something", "whenever"] {
        assert!(found(&fixture, text).is_empty(), "{text}");
    }
}

#[test]
fn excluded_and_filtered_words_are_no_alternatives() {
    let fixture = with(&[("a.md", "Zahnarzttermin um zehn.\n"), ("sub/b.md", "Zahnarzttermin um elf.\n")]);
    assert_eq!(found(&fixture, "Termin -elf"), ["a.md"]);
    assert_eq!(found(&fixture, "Termin path:sub"), ["sub/b.md"]);
}
