//! Words as people write them: invisible characters, letter forms, markup, marks and numbers.

use super::*;

fn first(fixture: &Fixture, text: &str) -> Option<String> {
    let answer = fixture.ask(&Query { mode: Mode::Keyword, ..query(text) });
    answer.hits.first().map(|hit| hit.path.clone())
}

#[test]
fn a_word_is_found_however_it_is_written() {
    let ways = [
        ("soft\u{ad}ware engineer", "software"),
        ("soft\u{200b}ware engineer", "software"),
        ("soft\u{2060}ware and soft\u{feff}ware", "software"),
        ("an eﬃcient ﬂow", "efficient"),
        ("an efficient flow", "eﬃcient"),
        ("ｶﾞﾗｽのコップ", "ガラス"),
        ("ガラスのコップ", "ｶﾞﾗｽ"),
        ("much CO₂ in the air", "co2"),
        ("much CO2 in the air", "CO₂"),
        ("drink H<sub>2</sub>O daily", "H2O"),
        ("it is un**believ**able", "unbelievable"),
        ("it is **un**believable", "unbelievable"),
        ("Herr K&ouml;nigsberger&nbsp;rief an", "Königsberger"),
        ("the R&amp;D budget", "R&D"),
        ("η Αθήνα το καλοκαίρι", "αθηνα"),
        ("η ΑΘΗΝΑ και ο ΔΡΟΜΟΣ", "δρόμος"),
        ("مُحَمَّد في البيت", "محمد"),
        ("كتـــاب جديد", "كتاب"),
        ("שָׁלוֹם לכולם", "שלום"),
        ("за\u{301}мок на холме", "замок"),
        ("Cre\u{300}me brûlée", "creme"),
    ];
    for (text, question) in ways {
        let fixture = Fixture::new(&[
            ("meant.md", &format!("# Note\n\nSome words. {text} and more.\n")),
            ("other.md", "# Other\n\nNothing of it is here.\n"),
        ]);
        assert_eq!(first(&fixture, question).as_deref(), Some("meant.md"), "{question:?} in {text:?}");
        let phrase = format!("\"{question}\"");
        assert_eq!(first(&fixture, &phrase).as_deref(), Some("meant.md"), "{phrase:?} in {text:?}");
    }
}

#[test]
fn a_phrase_reaches_over_invisible_characters_and_markup() {
    let fixture = Fixture::new(&[
        ("meant.md", "# Note\n\nAn un**believ**able soft\u{ad}ware story with C++ code.\n"),
        ("other.md", "# Other\n\nThe story of unbelievable prices and software with code.\n"),
    ]);
    for phrase in ["\"unbelievable software story\"", "\"software story with\"", "\"with C++ code\""] {
        let found = fixture.ask(&Query { mode: Mode::Keyword, ..query(phrase) });
        assert_eq!(paths(&found.hits), ["meant.md"], "{phrase}");
    }
}

#[test]
fn words_with_marks_are_words_of_their_own() {
    let fixture = Fixture::new(&[
        ("cpp.md", "# Templates\n\nWe write templates in C++ and like it.\n"),
        ("csharp.md", "# Unity\n\nThe game is written in C# with Unity.\n"),
        ("c.md", "# Kernel\n\nThe kernel is written in C, of course.\n"),
        ("vitamin.md", "# Health\n\nOranges hold vitamin c) and a) water, c.\n"),
        ("net.md", "# Services\n\nThe services run on .NET since spring.\n"),
        ("fishing.md", "# Fishing\n\nThe net was torn: a new net and another net for the net.\n"),
        ("node.md", "# Server\n\nThe server runs on node.js behind a proxy.\n"),
        ("graph.md", "# Graph\n\nEach node has edges; a js file draws one node per line.\n"),
        ("research.md", "# Budget\n\nThe R&D budget grows.\n"),
        ("letters.md", "# Letters\n\nR, then d, then r and D.\n"),
    ]);
    for (question, path) in [
        ("C++", "cpp.md"),
        ("c++", "cpp.md"),
        ("C#", "csharp.md"),
        (".NET", "net.md"),
        ("node.js", "node.md"),
        ("R&D", "research.md"),
        ("how do we write C++", "cpp.md"),
        ("services on .net", "net.md"),
    ] {
        assert_eq!(first(&fixture, question).as_deref(), Some(path), "{question}");
    }
    let found = |text: &str| -> Vec<String> {
        let answer = fixture.ask(&Query { mode: Mode::Keyword, ..query(text) });
        answer.hits.into_iter().map(|hit| hit.path).collect()
    };
    assert_eq!(found("C++"), ["cpp.md"], "no other C answers");
    assert_eq!(found("F#"), Vec::<String>::new());
    let with_c = found("C");
    assert!(with_c.contains(&"c.md".into()) && !with_c.contains(&"cpp.md".into()), "{with_c:?}");
}

#[test]
fn a_near_number_is_another_number() {
    let fixture = Fixture::new(&[
        ("a.md", "# INC-1043\n\nThe incident INC-1043 was the mail server, like INC 1043 before.\n"),
        ("b.md", "# INC-1041\n\nThe incident INC-1041 was the database.\n"),
        ("c.md", "# Blimp\n\nThe blimp3000 flew on blimp3000 day.\n"),
        ("d.md", "# Small\n\nThe small blimp300 stayed at home for the whole of the long and rainy day.\n"),
    ]);
    for mode in [Mode::Keyword, Mode::Hybrid] {
        for (question, path) in [
            ("INC-1041", "b.md"),
            ("inc 1041", "b.md"),
            ("inc1041", "b.md"),
            ("blimp300", "d.md"),
            ("blimp3000", "c.md"),
        ] {
            let answer = fixture.ask(&Query { mode, ..query(question) });
            if question == "inc1041" {
                assert!(answer.remarks.iter().all(|remark| !remark.contains("1043")), "{:?}", answer.remarks);
                continue;
            }
            assert_eq!(answer.hits[0].path, path, "{question}");
        }
    }
    let answer = fixture.ask(&Query { mode: Mode::Keyword, ..query("blimp300") });
    assert_eq!(paths(&answer.hits), ["d.md"], "no credit for another number");
}
