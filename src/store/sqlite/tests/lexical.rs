use super::super::counts::Counts;
use super::super::lexical::{Bounds, QueryContext, rarest, search_within};
use super::super::pruning::Part;
use super::*;
use tars_text::analysis::Term;

#[test]
fn the_rarest_parts_propose_candidates_if_there_are_too_many_matches() {
    let part = |expression: &str, chunks| Part { expression: expression.into(), most: 1.0, chunks };
    let parts = [part("weather", 21), part("zebra", 1), part("gardens", 20)];
    assert_eq!(rarest(&parts, 1).unwrap(), "zebra");
    assert_eq!(rarest(&parts, 2).unwrap(), "zebra OR gardens");
    assert_eq!(rarest(&parts, 22), None, "all parts are needed");
}

/// Words of all frequencies in chunks of all lengths, from a small pseudo-random generator.
fn many(fixture: &mut Fixture) {
    let mut seed = 1u64;
    let mut next = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize
    };
    for number in 0..60 {
        let chunks: Vec<String> = (0..10)
            .map(|_| {
                let (words, others) = (4 + next() % 60, next() % 30);
                let mut word = || format!("word{} ", [2, 4, 8, 30, 200][next() % 5].min(next() % 200 + 1));
                let words: String = (0..words).map(|_| word()).collect();
                words + &"filling ".repeat(others)
            })
            .collect();
        let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
        fixture.put(&draft(&format!("{number}.md"), &chunks));
    }
}

/// Pruned chunks are never among the best: each bounded list is exactly the beginning of the full list.
#[test]
fn pruning_does_not_change_the_best_matches() {
    let mut fixture = Fixture::new();
    many(&mut fixture);
    let questions = [
        "word2 word4 word8 word17",
        "word2 word4",
        "filling word2 word8 word30 word5 word6 word7 word9 word200",
        "word3 filling word2 word4 nowhere",
        "word2",
    ];
    let mut pruned = 0;
    for question in questions {
        for required in [vec![], vec![Term::Word("word8".into())]] {
            let query = LexicalQuery { required, excluded: vec![Term::Word("word13".into())], ..words(question) };
            let counts = Counts::default();
            let asked = QueryContext { connection: &fixture.store.connection, counts: &counts, query: &query };
            let list = |all, possible, limit| {
                let bounds = Bounds { all, possible, enough: 1 };
                search_within(asked, None, limit, bounds).unwrap()
            };
            let everything = list(usize::MAX, 0, 10_000);
            for limit in [1, 3, 10, 50] {
                let first = &everything[..limit.min(everything.len())];
                assert_eq!(
                    list(usize::MAX, 0, limit),
                    first,
                    "{limit} of {question:?}, nothing pruned before it is scored"
                );
                let bounded = list(0, usize::MAX, limit);
                assert_eq!(bounded, first, "{limit} of {question:?}");
                pruned += usize::from(!bounded.is_empty());
            }
        }
    }
    assert!(pruned >= 30, "{pruned}");
}

#[test]
fn scores_equal_those_of_fts5() {
    let mut fixture = Fixture::new();
    many(&mut fixture);
    let query = words("word2 word30 word17 filling");
    let found = fixture.reader().lexical(&query, None, 1000).unwrap();
    let sql = format!(
        "SELECT -bm25(chunks_fts, 1.0, {:?}, {:?}) FROM chunks_fts WHERE chunks_fts MATCH ?1 ORDER BY 1 DESC",
        query.columns.title, query.columns.meta
    );
    let mut statement = fixture.store.connection.prepare(&sql).unwrap();
    let sought = "\"word2\" OR \"word30\" OR \"word17\" OR \"filling\"";
    let scores: Vec<f64> = statement.query_map([sought], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(found.len(), scores.len());
    for (found, score) in found.iter().zip(scores) {
        assert!((found.score - score).abs() < 1e-12, "{} {score}", found.score);
    }
}

#[test]
fn merging_the_full_text_changes_no_answer() {
    let mut fixture = Fixture::new();
    for round in 0..3 {
        for number in 0..60 {
            fixture.put(&draft(&format!("{number}.md"), &[&format!("garden number{number} round{round} zebra")]));
        }
    }
    let parts = |fixture: &Fixture| fixture.count("SELECT count(DISTINCT segid) FROM chunks_fts_idx");
    let (before, found) = (parts(&fixture), fixture.reader().lexical(&words("zebra round2"), None, 500).unwrap());
    fixture.store.merge_full_text(Duration::from_secs(60)).unwrap();
    assert!(parts(&fixture) < before, "{before} segments");
    assert_eq!(fixture.reader().lexical(&words("zebra round2"), None, 500).unwrap(), found);
    fixture.check();
}
