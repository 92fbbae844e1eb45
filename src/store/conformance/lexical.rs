use super::*;
use tars_text::analysis::Term;

fn found(fixture: &Fixture, terms: &[Term]) -> Vec<(String, u32)> {
    let query = LexicalQuery { terms: terms.to_vec(), ..LexicalQuery::default() };
    fixture.places(&fixture.reader().lexical(&query, None, 100).unwrap())
}

pub(super) fn title_words_outweigh_text_words(new: New) {
    let mut fixture = new();
    fill(&mut fixture);
    fixture.put(&Draft { title: "Cooking".into(), ..draft("body.md", &["the zebra crosses the road"]) });
    fixture.put(&Draft { title: "Zebra".into(), ..draft("title.md", &["the cook crosses the road"]) });
    assert_eq!(fixture.find("zebra"), [place("title.md", 0), place("body.md", 0)]);
}

pub(super) fn chunks_with_more_of_the_words_rank_higher(new: New) {
    let mut fixture = new();
    fill(&mut fixture);
    fixture.put(&draft("one.md", &["zebra and nothing else of note here"]));
    fixture.put(&draft("both.md", &["zebra meets giraffe and nothing here"]));
    let list = fixture.reader().lexical(&words("zebra giraffe"), None, 10).unwrap();
    let ceiling = fixture.reader().weights(&words("zebra giraffe")).unwrap().ceiling();
    assert_eq!(fixture.places(&list), [place("both.md", 0), place("one.md", 0)]);
    assert!(list.windows(2).all(|pair| pair[0].score >= pair[1].score));
    assert!(list.iter().all(|one| one.score > 0.0 && one.score <= ceiling));
}

pub(super) fn a_phrase_matches_only_in_sequence(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["no-unused-vars is a rule", "vars that are unused, no?"]));
    assert_eq!(found(&fixture, &[Term::Phrase("no unused vars".into())]), [place("a.md", 0)]);
    assert_eq!(fixture.find("no-unused-vars")[0], place("a.md", 0));
}

pub(super) fn a_prefix_matches_the_beginning_of_words(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["水曜日に会う", "香水", "kein Wasser"]));
    assert_eq!(found(&fixture, &[Term::Prefix("水".into())]).len(), 2);
    assert_eq!(fixture.find("水曜"), [place("a.md", 0)]);
    assert_eq!(found(&fixture, &[Term::Prefix("wass".into())]), [place("a.md", 2)]);
    assert!(found(&fixture, &[Term::Prefix("asser".into())]).is_empty());
}

pub(super) fn words_are_folded_and_stemmed(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["Running cafés", "getUserName()"]));
    assert_eq!(fixture.find("run CAFE"), [place("a.md", 0)]);
    assert_eq!(fixture.find("username user"), [place("a.md", 1)]);
}

pub(super) fn dates_match_only_dates(new: New) {
    let mut fixture = new();
    let mut dated = draft("dated.md", &["an entry"]);
    dated.dates = vec![jiff::civil::date(2023, 5, 8)];
    fixture.put(&dated);
    fixture.put(&draft("prose.md", &["xd20230508 xm202305 stand here as words"]));
    for token in ["xd20230508", "xm202305", "xn05", "xy2023"] {
        let query = LexicalQuery { dates: vec![vec![token.into()]], ..LexicalQuery::default() };
        let list = fixture.reader().lexical(&query, None, 10).unwrap();
        assert_eq!(fixture.places(&list), [place("dated.md", 0)], "{token}");
    }
}

pub(super) fn a_scope_narrows_before_the_limit(new: New) {
    let mut fixture = new();
    for number in 0..30 {
        fixture.put(&draft(&format!("many/{number}.md"), &["zebra zebra zebra"]));
    }
    fixture.put(&draft("one/a.md", &["one zebra in a long sentence about other animals of the plains"]));
    let scope = fixture.reader().scope(&Filter { paths: vec!["one".into()], ..Filter::default() }).unwrap();
    let list = fixture.reader().lexical(&words("zebra"), scope.as_ref(), 1).unwrap();
    assert_eq!(fixture.places(&list), [place("one/a.md", 0)]);
}

pub(super) fn an_empty_query_finds_nothing(new: New) {
    let mut fixture = new();
    let nothing = LexicalQuery::default();
    assert_eq!(fixture.reader().lexical(&words("zebra"), None, 10).unwrap(), []);
    fixture.put(&draft("a.md", &["zebra"]));
    assert_eq!(fixture.reader().lexical(&nothing, None, 10).unwrap(), []);
    assert_eq!(fixture.reader().weights(&nothing).unwrap().ceiling(), 0.0);
    assert_eq!(fixture.reader().lexical(&words("zebra"), None, 0).unwrap(), []);
}

pub(super) fn no_text_scores_above_the_ceiling(new: New) {
    let mut fixture = new();
    fill(&mut fixture);
    let stuffed = "zebra giraffe ".repeat(300);
    fixture.put(&Draft { title: "Zebra giraffe zebra".into(), ..draft("stuffed.md", &[&stuffed, "zebra"]) });
    for question in ["zebra", "zebra giraffe", "filler text", "zebra missing", "zebra-giraffe"] {
        let list = fixture.reader().lexical(&words(question), None, 100).unwrap();
        let ceiling = fixture.reader().weights(&words(question)).unwrap().ceiling();
        assert!(ceiling > 0.0 && !list.is_empty());
        assert!(list.iter().all(|one| one.score > 0.0 && one.score <= ceiling), "{question}: {list:?} {ceiling}");
    }
    let with_missing = fixture.reader().weights(&words("zebra missing")).unwrap().ceiling();
    let without = fixture.reader().weights(&words("zebra")).unwrap().ceiling();
    assert!(with_missing > without, "a missing term counts too");
}

pub(super) fn hostile_questions_are_treated_as_words(new: New) {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["near and or not title body"]));
    for question in [
        "\"unbalanced",
        "AND OR NOT",
        "NEAR(a b, 2)",
        "title:zebra",
        "{title body}: x",
        "a* b^ ^c",
        "-minus +plus",
        "(((",
        "'; DROP TABLE files; --",
        "\u{0} a\u{0}b",
        "²³ ① Ⅷ ½",
        "𞤀𞤣𞤤𞤢𞤥 𐐀𐐁 𠮷野",
        "\u{301}\u{301} e\u{301}",
        "ﬁ ǅ ß ſ",
        "👩‍👧 🎉",
        "a\u{200b}b \u{202e}c",
        "ー 々 〇",
        &"word ".repeat(5000),
        &"a-".repeat(5000),
        &"水".repeat(5000),
    ] {
        let query = words(question);
        let result = fixture.reader().lexical(&query, None, 10);
        assert!(result.is_ok(), "{question}: {query:?} {result:?}");
    }
    assert_eq!(fixture.find("NOT near(").len(), 1);
}
