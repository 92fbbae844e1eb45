//! Required and excluded terms, vocabulary and dates.

use super::*;
use tars_text::analysis::Term;

fn word(text: &str) -> Term {
    Term::Word(text.into())
}

fn zoo(new: New) -> Fixture {
    let mut fixture = new();
    fixture.put(&draft("a.md", &["zebra crossing ahead", "crossing the zebra"]));
    fixture.put(&draft("b.md", &["zebra and giraffe", "giraffe alone"]));
    fixture
}

pub(super) fn results_satisfy_required_and_excluded_terms(new: New) {
    let fixture = zoo(new);
    let phrase = Term::Phrase("zebra crossing".into());
    let find = |query: &LexicalQuery| fixture.places(&fixture.reader().lexical(query, None, 10).unwrap());
    let demanded = LexicalQuery { required: vec![phrase.clone()], ..words("zebra giraffe") };
    assert_eq!(find(&demanded), [("a.md".to_owned(), 0)]);
    let both = LexicalQuery { required: vec![phrase.clone(), word("giraffe")], ..words("zebra") };
    assert!(find(&both).is_empty(), "all required terms must match");
    let ruled_out = LexicalQuery { excluded: vec![phrase, word("giraffe")], ..words("zebra giraffe") };
    assert_eq!(find(&ruled_out), [("a.md".to_owned(), 1)], "any excluded term rules a chunk out");

    let all: Vec<ChunkRef> =
        ["a.md", "b.md"].iter().flat_map(|path| fixture.chunks_of(path)).map(|chunk| chunk.row).collect();
    for query in [&demanded, &both, &ruled_out] {
        let admitted = fixture.reader().filter_by_terms(query, &all).unwrap();
        let found: Vec<ChunkRef> =
            fixture.reader().lexical(query, None, 10).unwrap().iter().map(|one| one.chunk).collect();
        assert_eq!(admitted, found, "{query:?}");
    }
    assert_eq!(fixture.reader().filter_by_terms(&words("zebra"), &all).unwrap(), all);
    assert!(fixture.reader().filter_by_terms(&ruled_out, &[]).unwrap().is_empty());
}

pub(super) fn weights_count_the_chunks_of_terms_and_dates(new: New) {
    let mut fixture = zoo(new);
    let day = |day| jiff::civil::date(2024, 5, day);
    fixture.put(&Draft { dates: vec![day(1)], ..draft("c.md", &["word"]) });
    fixture.put(&Draft { dates: vec![day(2)], ..draft("d.md", &["word"]) });
    let dates = vec![vec!["xd20240501".into(), "xd20240502".into()], vec!["xd20240501".into()]];
    let query = LexicalQuery { dates, ..words("zebra unicorn") };
    let weights = fixture.reader().weights(&query).unwrap();
    assert_eq!(weights.chunks, 6);
    let counts = |list: &[crate::PartWeight]| list.iter().map(|one| one.chunks).collect::<Vec<_>>();
    assert_eq!((counts(&weights.terms), counts(&weights.dates)), (vec![3, 0], vec![2, 1]));
    assert!((weights.terms[1].idf - (6.5f64 / 0.5).ln()).abs() < 1e-12);
    assert_eq!(fixture.reader().lexical(&LexicalQuery { terms: Vec::new(), ..query }, None, 10).unwrap().len(), 2);
}

pub(super) fn column_weights_change_the_ranking(new: New) {
    let mut fixture = zoo(new);
    fixture.put(&Draft { title: "Okapi".into(), ..draft("title.md", &["nothing of it here"]) });
    fixture.put(&draft("text.md", &["okapi, as it is"]));
    let first = |title| {
        let columns = ColumnWeights { title, meta: 1.0 };
        let query = LexicalQuery { columns, ..words("okapi") };
        fixture.places(&fixture.reader().lexical(&query, None, 10).unwrap())[0].0.clone()
    };
    assert_eq!((first(9.0), first(0.1)), ("title.md".to_owned(), "text.md".to_owned()));
}

pub(super) fn chunks_with_a_word_are_sorted_by_path_instead_of_row(new: New) {
    let mut fixture = zoo(new);
    fixture.put(&draft("y.md", &["an okapi", "okapis again"]));
    fixture.put(&draft("x.md", &["no okapi"]));
    let chunks = fixture.reader().chunks_with("okapi", 2).unwrap();
    let places: Vec<(String, u32)> =
        fixture.reader().chunks(&chunks).unwrap().into_iter().map(|row| (row.path, row.sequence)).collect();
    assert_eq!(places, [("x.md".to_owned(), 0), ("y.md".to_owned(), 0)]);
}

pub(super) fn the_vocabulary_follows_the_texts(new: New) {
    let mut fixture = zoo(new);
    let mut stems = fixture.reader().vocabulary("zeb", 1..=99).unwrap();
    assert_eq!(stems, ["zebra"]);
    stems = fixture.reader().vocabulary("", 1..=99).unwrap();
    assert!(stems.contains(&"cross".to_owned()) && stems.contains(&"giraff".to_owned()), "{stems:?}");
    let chunks = fixture.reader().chunks_with("giraff", 1).unwrap();
    assert!(fixture.reader().chunks(&chunks).unwrap()[0].content.contains("giraffe"));
    assert!(fixture.reader().chunks_with("unicorn", 9).unwrap().is_empty());
    // A search holds a snapshot, and vocabulary lists must work within it.
    {
        let _snapshot = fixture.store.snapshot().unwrap();
        assert_eq!(fixture.reader().vocabulary("zeb", 1..=99).unwrap(), ["zebra"]);
    }
    let file = fixture.file("b.md").id;
    fixture.store.remove_files(&[file]).unwrap();
    assert_eq!(fixture.reader().vocabulary("", 1..=4).unwrap().iter().filter(|stem| stem.len() > 4).count(), 0);
    assert!(fixture.reader().vocabulary("giraff", 1..=99).unwrap().is_empty());
}

pub(super) fn a_file_has_its_newest_day(new: New) {
    let mut fixture = new();
    let day = |month| jiff::civil::date(2024, month, 1);
    fixture.put(&Draft { dates: vec![day(9), day(5)], ..draft("dated.md", &["word"]) });
    fixture.put(&draft("undated.md", &["word"]));
    let files = [fixture.file("dated.md").id, fixture.file("undated.md").id];
    let days = fixture.reader().days(&files).unwrap();
    assert_eq!(days[0], (files[0], day(9)));
    assert_eq!((days[1].0, days[1].1.year()), (files[1], 2020), "the day it was modified on");
    assert!(fixture.reader().days(&[]).unwrap().is_empty());
}

pub(super) fn filters_can_exclude_paths_and_tags(new: New) {
    let mut fixture = new();
    fixture.put(&Draft { tags: vec!["old/plan".into()], ..draft("work/a.md", &["word"]) });
    fixture.put(&draft("work/b.md", &["word"]));
    fixture.put(&draft("home/c.md", &["word"]));
    let paths = |filter: &Filter| {
        let scope = fixture.reader().scope(filter).unwrap();
        let mut found = fixture.places(&fixture.reader().lexical(&words("word"), scope.as_ref(), 9).unwrap());
        found.sort();
        found.into_iter().map(|(path, _)| path).collect::<Vec<_>>()
    };
    assert_eq!(paths(&Filter { without_tags: vec!["#Old".into()], ..Filter::default() }), ["home/c.md", "work/b.md"]);
    assert_eq!(paths(&Filter { without_paths: vec!["work".into()], ..Filter::default() }), ["home/c.md"]);
    let both = Filter { paths: vec!["work".into()], without_paths: vec!["work/a*".into()], ..Filter::default() };
    assert_eq!(paths(&both), ["work/b.md"]);
}
