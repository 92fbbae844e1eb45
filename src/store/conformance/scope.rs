use super::*;
use tars_base::domain::{Comparison, DateRange, Property, PropertyCondition, PropertyTest};

/// Returns the paths that a filter admits.
fn admitted(fixture: &Fixture, filter: &Filter) -> Vec<String> {
    let scope = fixture.reader().scope(filter).unwrap();
    let list = fixture.reader().lexical(&words("word"), scope.as_ref(), 100).unwrap();
    let mut paths: Vec<String> = fixture.places(&list).into_iter().map(|(path, _)| path).collect();
    paths.sort();
    paths
}

fn paths(patterns: &[&str]) -> Filter {
    Filter { paths: patterns.iter().map(|pattern| (*pattern).to_owned()).collect(), ..Filter::default() }
}

fn with_files(new: New, files: &[&str]) -> Fixture {
    let mut fixture = new();
    for path in files {
        fixture.put(&draft(path, &["word"]));
    }
    fixture
}

pub(super) fn an_empty_filter_gives_no_scope(new: New) {
    let fixture = with_files(new, &["a.md"]);
    assert_eq!(fixture.reader().scope(&Filter::default()).unwrap(), None);
}

pub(super) fn paths_are_matched_like_shell_globs(new: New) {
    let fixture = with_files(new, &["a.md", "b.txt", "work/a.md", "work/deep/b.md", "workshop/c.md", "[x]/d.md"]);
    let matched = |patterns: &[&str]| admitted(&fixture, &paths(patterns));
    assert_eq!(matched(&["*.md"]), ["a.md"], "a star stays within a folder");
    assert_eq!(matched(&["**/*.md"]), ["[x]/d.md", "a.md", "work/a.md", "work/deep/b.md", "workshop/c.md"]);
    for folder in ["work", "work/", "./work", "work/**"] {
        assert_eq!(matched(&[folder]), ["work/a.md", "work/deep/b.md"], "{folder}");
    }
    assert_eq!(matched(&["work/*.md"]), ["work/a.md"]);
    assert!(matched(&["work*"]).is_empty(), "a pattern does not include what lies below its matches");
    assert_eq!(matched(&["work*/**"]), ["work/a.md", "work/deep/b.md", "workshop/c.md"]);
    assert_eq!(matched(&["a.md", "*/deep"]), ["a.md", "work/deep/b.md"]);
    assert_eq!(matched(&["{a.md,b.txt}"]), ["a.md", "b.txt"]);
    assert_eq!(matched(&["[[]x]/*"]), ["[x]/d.md"]);
    assert!(matched(&["none"]).is_empty());
}

pub(super) fn the_error_names_an_invalid_pattern(new: New) {
    let fixture = with_files(new, &["a.md"]);
    match fixture.reader().scope(&paths(&["ok", "a[b"])) {
        Err(StoreError::Glob { glob, detail }) => assert!(glob == "a[b" && !detail.is_empty()),
        other => panic!("{other:?}"),
    }
}

pub(super) fn a_tag_covers_its_nested_tags(new: New) {
    let mut fixture = new();
    for (path, tags) in
        [("a.md", vec!["area"]), ("b.md", vec!["area/topic", "x_y"]), ("c.md", vec!["areas"]), ("d.md", vec!["xzy"])]
    {
        let tags = tags.into_iter().map(str::to_owned).collect();
        fixture.put(&Draft { tags, ..draft(path, &["word"]) });
    }
    let tagged = |tags: &[&str]| {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        admitted(&fixture, &Filter { tags, ..Filter::default() })
    };
    assert_eq!(tagged(&["area"]), ["a.md", "b.md"]);
    assert_eq!(tagged(&["#Area"]), ["a.md", "b.md"], "as written in a note");
    assert_eq!(tagged(&["area/topic"]), ["b.md"]);
    assert_eq!(tagged(&["area", "x_y"]), ["b.md"], "all of them");
    assert_eq!(tagged(&["x_y"]), ["b.md"], "an underscore is no wildcard");
    assert!(tagged(&["topic"]).is_empty() && tagged(&["%"]).is_empty() && tagged(&["are"]).is_empty());
}

pub(super) fn properties_are_compared_by_any_of_their_values(new: New) {
    let mut fixture = new();
    for (path, properties) in [
        ("a.md", vec![("Status", "Open"), ("rating", "4.5")]),
        ("b.md", vec![("status", "done"), ("status", "urgent"), ("rating", "3")]),
        ("c.md", vec![("other", "open")]),
    ] {
        let property = |(name, value): (&str, &str)| Property { name: name.into(), value: value.into() };
        let properties = properties.into_iter().map(property).collect();
        fixture.put(&Draft { properties, ..draft(path, &["word"]) });
    }
    let having = |fixture: &Fixture, name: &str, test: Option<(Comparison, &str)>, is_excluded| {
        let test = test.map(|(comparison, text)| PropertyTest {
            comparison,
            text: text.into(),
            number: text.parse().ok(),
            days: None,
        });
        let properties = vec![PropertyCondition { name: name.into(), test, is_excluded }];
        admitted(fixture, &Filter { properties, ..Filter::default() })
    };
    let is = |text| Some((Comparison::Equal, text));
    assert_eq!(having(&fixture, "STATUS", is("open"), false), ["a.md"]);
    assert_eq!(having(&fixture, "status", is("urgent"), false), ["b.md"], "any element of a list");
    assert_eq!(having(&fixture, "status", is("urgent"), true), ["a.md", "c.md"], "also those without the property");
    assert_eq!(having(&fixture, "rating", Some((Comparison::Greater, "3")), false), ["a.md"]);
    assert_eq!(having(&fixture, "rating", None, false), ["a.md", "b.md"]);
    assert_eq!(having(&fixture, "rating", None, true), ["c.md"]);
    assert!(having(&fixture, "nothing", is("x"), false).is_empty());
    let values = fixture.reader().properties(&[fixture.file("b.md").id], &["Status".into()]).unwrap();
    let values: Vec<&str> = values.iter().map(|(_, property)| property.value.as_str()).collect();
    assert_eq!(values, ["done", "urgent"]);
    fixture.put(&draft("b.md", &["word"]));
    assert_eq!(having(&fixture, "rating", None, false), ["a.md"], "a changed note has its new properties");
}

pub(super) fn memory_types_are_distinguished(new: New) {
    let mut fixture = new();
    for kind in MemoryType::ALL {
        fixture.put(&Draft { memory_type: kind, ..draft(&format!("{kind}.md"), &["word"]) });
    }
    let filter = Filter { memory_types: vec![MemoryType::Daily, MemoryType::Semantic], ..Filter::default() };
    assert_eq!(admitted(&fixture, &filter), ["daily.md", "semantic.md"]);
    assert_eq!(fixture.chunks_of("episodic.md")[0].memory_type, MemoryType::Episodic);
}

pub(super) fn a_note_without_dates_has_the_date_of_its_file(new: New) {
    let mut fixture = new();
    let day = |month, day| jiff::civil::date(2024, month, day);
    fixture.put(&Draft { dates: vec![day(5, 1), day(9, 30)], ..draft("dated.md", &["word"]) });
    fixture.put(&draft("undated.md", &["word"]));
    let range = |first, last| Filter { dates: Some(DateRange { first, last }), ..Filter::default() };
    assert_eq!(admitted(&fixture, &range(day(5, 1), day(5, 1))), ["dated.md"], "both ends are included");
    assert_eq!(admitted(&fixture, &range(day(9, 1), day(12, 31))), ["dated.md"], "any of its dates");
    assert!(admitted(&fixture, &range(day(5, 2), day(9, 29))).is_empty());
    // Two days on either side, so that the machine's time zone does not matter.
    let around = range(jiff::civil::date(2020, 1, 7), jiff::civil::date(2020, 1, 11));
    assert_eq!(admitted(&fixture, &around), ["undated.md"], "a note's own date replaces the file's");
}

pub(super) fn collections_narrow_and_the_error_names_an_unknown_one(new: New) {
    let mut fixture = with_files(new, &["a.md"]);
    let work = fixture.store.ensure_collection("work", "/work").unwrap();
    fixture.put_in(work, "work", &draft("w.md", &["word"]));
    let of = |names: &[&str]| Filter {
        collections: names.iter().map(|name| (*name).to_owned()).collect(),
        ..Filter::default()
    };
    assert_eq!(admitted(&fixture, &of(&["work"])), ["w.md"]);
    assert_eq!(admitted(&fixture, &of(&["work", "vault"])), ["a.md", "w.md"]);
    match fixture.reader().scope(&of(&["work", "wrok"])) {
        Err(StoreError::UnknownCollection { name, known }) => {
            assert_eq!((name.as_str(), known.as_str()), ("wrok", "vault, work"));
        }
        other => panic!("{other:?}"),
    }
}

pub(super) fn all_conditions_must_hold(new: New) {
    let mut fixture = new();
    fixture.put(&Draft { tags: vec!["x".into()], ..draft("work/a.md", &["word"]) });
    fixture.put(&Draft { tags: vec!["x".into()], ..draft("home/b.md", &["word"]) });
    fixture.put(&draft("work/c.md", &["word"]));
    let filter = Filter { tags: vec!["x".into()], ..paths(&["work"]) };
    assert_eq!(admitted(&fixture, &filter), ["work/a.md"]);
    assert!(admitted(&fixture, &Filter { memory_types: vec![MemoryType::Daily], ..filter }).is_empty());
}
