//! Tests of the score scale that the module docs of `store/lexical.rs` define.

use std::collections::HashMap;

use super::*;
use tars_text::analysis::Term;

fn word(text: &str) -> LexicalQuery {
    LexicalQuery { terms: vec![Term::Word(text.into())], ..LexicalQuery::default() }
}

/// Returns the score of each chunk by its file's path.
fn scores(fixture: &Fixture, query: &LexicalQuery) -> HashMap<String, f64> {
    let reader = fixture.reader();
    let list = reader.lexical(query, None, 100).unwrap();
    let rows: Vec<ChunkRef> = list.iter().map(|one| one.chunk).collect();
    let paths = reader.chunks(&rows).unwrap().into_iter().map(|chunk| chunk.path);
    paths.zip(list.iter().map(|one| one.score)).collect()
}

/// Fifteen chunks of ten words each, including titles; some contain rarer words.
fn even(new: New) -> Fixture {
    let mut fixture = new();
    for number in 0..15 {
        let mut text: Vec<&str> = vec!["plain"; 9];
        let held: &[&str] = match number {
            0 => &["zebra"],
            1 => &["zebra", "giraffe"],
            2 => &["giraffe", "giraffe", "giraffe"],
            3 => &["okapi"],
            _ => &[],
        };
        text.splice(..held.len(), held.iter().copied());
        fixture.put(&draft(&format!("{number:02}.md"), &[&text.join(" ")]));
    }
    fixture
}

pub(super) fn a_single_word_in_an_average_chunk_contributes_its_idf(new: New) {
    let fixture = even(new);
    for text in ["zebra", "okapi"] {
        let weights = fixture.reader().weights(&word(text)).unwrap();
        let (all, held) = (weights.chunks as f64, weights.terms[0].chunks as f64);
        assert!((weights.terms[0].idf - ((all - held + 0.5) / (held + 0.5)).ln()).abs() < 1e-9);
        for (path, score) in scores(&fixture, &word(text)) {
            assert!((score - weights.terms[0].idf).abs() < 1e-6, "{text} in {path}: {score} {weights:?}");
        }
    }
}

pub(super) fn contributions_of_parts_are_summed(new: New) {
    let mut fixture = even(new);
    fixture.put(&Draft {
        title: "Zebra".into(),
        ..draft("long.md", &["okapi and giraffe and many other words besides these"])
    });
    let parts = ["zebra", "giraffe", "okapi", "plain"];
    let alone: Vec<HashMap<String, f64>> = parts.iter().map(|part| scores(&fixture, &word(part))).collect();
    let together = scores(&fixture, &words(&parts.join(" ")));
    assert_eq!(together.len(), 16);
    for (path, score) in together {
        let sum: f64 = alone.iter().filter_map(|scores| scores.get(&path)).sum();
        assert!((score - sum).abs() < 1e-9, "{path}: {score} is not {sum}");
    }
}

pub(super) fn contributions_are_positive_and_bounded_by_the_ceiling(new: New) {
    let mut fixture = even(new);
    let stuffed = "zebra ".repeat(500);
    fixture.put(&Draft { title: "Zebra zebra".into(), tags: vec!["zebra".into()], ..draft("stuffed.md", &[&stuffed]) });
    fixture.put(&draft("least.md", &[&format!("{} zebra", "plain ".repeat(2000))]));
    for text in ["zebra", "plain", "giraffe"] {
        let weights = fixture.reader().weights(&word(text)).unwrap();
        assert!(weights.saturation >= 1.0 && weights.ceiling() == weights.saturation * weights.terms[0].idf);
        let scores = scores(&fixture, &word(text));
        assert_eq!(scores.len(), weights.terms[0].chunks);
        assert!(scores.values().all(|score| *score > 0.0 && *score <= weights.ceiling()), "{text}: {scores:?}");
    }
    let zebra = scores(&fixture, &word("zebra"));
    assert!(zebra["stuffed.md"] > zebra["00.md"] && zebra["00.md"] > zebra["least.md"], "often, once, once among many");
}

pub(super) fn frequent_words_and_title_words_contribute_more(new: New) {
    let mut fixture = even(new);
    let giraffe = scores(&fixture, &word("giraffe"));
    assert!(giraffe["02.md"] > giraffe["01.md"]);
    fixture.put(&Draft {
        title: "Okapi".into(),
        ..draft("title.md", &["plain plain plain plain plain plain plain plain plain"])
    });
    let okapi = scores(&fixture, &word("okapi"));
    assert!(okapi["title.md"] > okapi["03.md"], "{okapi:?}");
}

pub(super) fn a_scope_and_exclusions_change_no_score(new: New) {
    let fixture = even(new);
    let query = words("zebra giraffe");
    let all = scores(&fixture, &query);
    let reader = fixture.reader();
    let scope = reader.scope(&Filter { paths: vec!["01.md".into(), "02.md".into()], ..Filter::default() }).unwrap();
    let narrowed = reader.lexical(&query, scope.as_ref(), 100).unwrap();
    let shown: Vec<(String, f64)> =
        fixture.places(&narrowed).into_iter().map(|(path, _)| path).zip(narrowed.iter().map(|one| one.score)).collect();
    assert_eq!(shown.len(), 2);
    assert!(shown.iter().all(|(path, score)| (all[path] - score).abs() < 1e-12), "{shown:?} {all:?}");
    let without = LexicalQuery { excluded: vec![Term::Word("zebra".into())], ..query };
    let left = scores(&fixture, &without);
    assert_eq!(left.len(), 1);
    assert!((left["02.md"] - all["02.md"]).abs() < 1e-12);
}

pub(super) fn ties_are_sorted_by_collection_path_and_position(new: New) {
    let mut fixture = new();
    let other = fixture.store.ensure_collection("archive", "/archive").unwrap();
    for path in ["c.md", "a.md", "b.md"] {
        fixture.put(&draft(path, &["zebra", "zebra"]));
    }
    fixture.put_in(other, "archive", &draft("z.md", &["zebra"]));
    for number in 0..9 {
        fixture.put(&draft(&format!("filler/{number}.md"), &["plain"]));
    }
    fixture.embed();
    let expected =
        [place("z.md", 0), place("a.md", 0), place("a.md", 1), place("b.md", 0), place("b.md", 1), place("c.md", 0)];
    for limit in 1..=expected.len() {
        let reader = fixture.reader();
        let by_words = reader.lexical(&words("zebra"), None, limit).unwrap();
        assert_eq!(fixture.places(&by_words), expected[..limit], "words, {limit}");
        let by_meaning = reader.nearest(&vector("Note\nzebra"), &model(), None, limit).unwrap();
        assert_eq!(fixture.places(&by_meaning), expected[..limit], "meaning, {limit}");
    }
}
