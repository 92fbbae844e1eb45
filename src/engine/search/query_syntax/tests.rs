//! Tests of the query language.

use super::*;
use tars_base::domain::{MemoryType, Mode};

fn query(text: &str, language: QuerySyntax) -> Query {
    Query {
        text: text.into(),
        mode: Mode::Hybrid,
        limit: 10,
        filter: Filter::default(),
        min_score: 0.0,
        language,
        project: None,
        today: Date::constant(2023, 5, 10),
        explain: false,
    }
}

fn typed(text: &str) -> ParsedQuery {
    parse_query(&query(text, QuerySyntax::Query))
}

#[test]
fn plain_words_stay_as_they_are() {
    for text in ["how do we rotate keys?", "ls -l --all", "a -1 - b", "it's 5 o'clock", "note: tag : x", "5\" disk"] {
        let read = typed(text);
        assert_eq!((read.text.as_str(), &read.filter), (text, &Filter::default()), "{text}");
        assert!(read.required.is_empty() && read.excluded.is_empty() && read.remarks.is_empty(), "{text}");
    }
}

#[test]
fn phrases_are_required_among_key_words_but_not_in_sentences() {
    assert_eq!(typed("\"strict mode\" linter").required, ["strict mode"]);
    assert_eq!(typed("\"strict mode\"  linter").text, "\"strict mode\" linter");
    assert_eq!(typed("“strict mode”").required, ["strict mode"]);
    for sentence in ["what is \"strict mode\"", "\"strict mode\"?", "the \"strict mode\" option"] {
        assert!(typed(sentence).required.is_empty(), "{sentence}");
        assert_eq!(typed(sentence).optional_phrases, ["strict mode"]);
    }
    assert!(typed("\"\" \"?\" x").required.is_empty());
}

#[test]
fn a_dash_excludes_a_word_or_a_phrase() {
    let read = typed("garden -tomato -\"raised bed\" soil");
    assert_eq!(
        (read.text.as_str(), read.excluded),
        ("garden soil", vec!["tomato".to_owned(), "raised bed".to_owned()])
    );
    assert_eq!(typed("茶 -水").excluded, ["水"]);
    let asked = typed("how do I unpack with tar -xzf?");
    assert!(asked.excluded.is_empty() && asked.text.contains("-xzf"), "in a sentence it is no exclusion");
    assert_eq!(typed("what is it -\"old plan\"").excluded, ["old plan"]);
    assert_eq!(typed(&format!("x {}", "-foo ".repeat(9000))).excluded, ["foo"]);
    let many: String = (0..100).map(|number| format!("\"a b{number}\" ")).collect();
    assert_eq!((typed(&many).required.len(), typed(&many).remarks.len()), (limits::PHRASES, 1));
}

#[test]
fn filters_narrow() {
    let read = typed(
        "plan tag:work/tars -tag:old path:\"My notes/**\" -path:Archive type:daily after:2023-04 before:yesterday",
    );
    assert_eq!(read.text, "plan");
    let expected = Filter {
        paths: vec!["My notes/**".into()],
        without_paths: vec!["Archive".into()],
        tags: vec!["work/tars".into()],
        without_tags: vec!["old".into()],
        memory_types: vec![MemoryType::Daily],
        collections: Vec::new(),
        dates: Some(DateRange { first: Date::constant(2023, 4, 1), last: Date::constant(2023, 5, 8) }),
        properties: Vec::new(),
    };
    assert_eq!(read.filter, expected);
    assert_eq!(typed("x after:2022").filter.dates.unwrap().first, Date::constant(2022, 1, 1));
    assert_eq!(typed("x after:17.11.2022").filter.dates.unwrap().first, Date::constant(2022, 11, 17));
}

#[test]
fn unknown_filters_are_read_as_words_with_a_remark() {
    let read = typed("plan tags:work folder:Projects in:'My notes' -tags:old -folder:Archive");
    assert_eq!((read.text.as_str(), read.filter.tags.as_slice()), ("plan", &["work".to_owned()][..]));
    assert_eq!(read.filter.paths, ["Projects", "My notes"]);
    assert_eq!((read.filter.without_tags, read.filter.without_paths), (vec!["old".into()], vec!["Archive".into()]));
    for text in ["file:Plan.md", "title:Plan", "status:\"in progress\"", "until:yesterday"] {
        let read = typed(text);
        assert_eq!((read.text.as_str(), &read.filter), (text, &Filter::default()));
        assert_eq!(
            read.remarks,
            [format!(
                "'{text}' is read as words: filters are tag:, path:, type:, after:, before: and properties that some note has"
            )]
        );
    }
    for text in ["file:///notes", "is::alnum", "title: Plan", "subtitle:x", "std::io"] {
        assert_eq!((typed(text).text.as_str(), typed(text).remarks.len()), (text, 0), "{text}");
    }
    assert_eq!(typed("plan -status:done").excluded, ["status:done"]);
}

#[test]
fn text_that_only_looks_like_a_filter_gets_a_remark() {
    for text in ["-type:note", "-after:2023", "path:[", "path:one\\"] {
        assert_eq!((typed(text).text.as_str(), typed(text).remarks.len()), (text, 1), "{text}");
    }
    assert_eq!(typed("x path:'My notes' tag:ops/").filter.paths, ["My notes"]);
    assert_eq!(typed("x tag:ops/").filter.tags, ["ops"]);
    for nothing in ["x tag:/", "x tag:\" /\"", "x -tag://"] {
        let read = typed(nothing);
        assert!(read.filter == Filter::default() && read.remarks.len() == 1, "{nothing}: {:?}", read.remarks);
    }
    let read = typed("type:module after:lunch");
    assert_eq!((read.text.as_str(), &read.filter), ("type:module after:lunch", &Filter::default()));
    assert_eq!(read.remarks.len(), 2);
    assert!(read.remarks[0].contains("'type:module'"), "{:?}", read.remarks);
}

#[test]
fn a_star_after_a_word_makes_a_prefix() {
    let read = typed("tag:work sourd* Käse* recipe");
    assert_eq!((read.text.as_str(), read.prefixes), ("sourd* Käse* recipe", vec!["sourd".into(), "Käse".into()]));
    for text in ["so*", "*", "**bold*", "a*b", "src/*", "\"sourd*\"", "-sourd*", "sourd**", "水水水*", "path:sourd*"]
    {
        assert!(typed(text).prefixes.is_empty(), "{text}");
    }
    assert_eq!(typed(&"sourd* ".repeat(99)).prefixes.len(), limits::PREFIXES);
    assert!(super::parse_query(&query("sourd*", QuerySyntax::Prose)).prefixes.is_empty());
}

#[test]
fn a_tag_as_notes_write_it_is_a_filter() {
    let read = typed("#chores the gutters #home/garden, -#done");
    assert_eq!(
        (read.text.as_str(), &read.filter.tags[..]),
        ("the gutters", &["chores".into(), "home/garden".into()][..])
    );
    assert_eq!((&read.filter.without_tags[..], read.excluded.len()), (&["done".into()][..], 0));
    assert_eq!(typed("#chores").filter, typed("tag:chores").filter);
    for text in ["C# and F#", "issue #1041", "\"#chores\"", "# chores", "a#b", "see #a,#b"] {
        assert!(typed(text).filter.is_empty(), "{text}");
    }
    let unknown = parse(
        &query("#include stdio -#done", QuerySyntax::Query),
        &KnownNames { is_tag: &|_| false, is_name: &|_| false, is_property: &|_| false },
    );
    assert_eq!((unknown.text.as_str(), &unknown.filter.tags[..]), ("#include stdio", &[][..]));
    assert_eq!(unknown.filter.without_tags, ["done"], "nothing has it, so nothing is left out");
    assert_eq!(unknown.remarks, ["'#include' is read as words: no note has this tag"]);
}

#[test]
fn a_property_that_some_note_has_is_a_filter() {
    let known = KnownNames {
        is_tag: &|_| false,
        is_name: &|_| false,
        is_property: &|name| ["status", "rating", "type", "author", "tag"].contains(&name),
    };
    let read = |text: &str| parse(&query(text, QuerySyntax::Query), &known);
    let conditions = |text: &str| {
        let said = |condition: &PropertyCondition| {
            let PropertyCondition { name, test, is_excluded } = condition;
            let test = test.as_ref().map(|test| format!("{:?} {}", test.comparison, test.text));
            format!("{}{name} {}", if *is_excluded { "-" } else { "" }, test.unwrap_or_default())
        };
        read(text).filter.properties.iter().map(said).collect::<Vec<_>>()
    };
    let text =
        "plan status:open rating:>=3 -status:done rating:none -rating:none author:\"Anna Berg\" type:book -type:film";
    assert_eq!(read(text).text, "plan");
    assert_eq!(
        conditions(text),
        [
            "status Equal open",
            "rating AtLeast 3",
            "-status Equal done",
            "-rating ",
            "rating ",
            "author Equal Anna Berg",
            "type Equal book",
            "-type Equal film"
        ]
    );
    let days = read("status:<2023-05").filter.properties[0].test.as_ref().and_then(|test| test.days).unwrap();
    assert_eq!(days.first, Date::constant(2023, 5, 1));
    for other in ["due:today", "status: open", "status::x", "std::status:x", "tag:x", "status", "http://status:80"] {
        assert!(conditions(other).is_empty(), "{other}");
    }
    assert_eq!((read("status:>").remarks.len(), read("status:>").text.as_str()), (1, "status:>"));
    let many = "status:a ".repeat(99);
    assert_eq!(conditions(&many).len(), limits::FILTERS);
}

#[test]
fn prose_holds_no_operators() {
    let text = "fix \"strict mode\" -draft tag:work #work";
    let read = parse_query(&query(text, QuerySyntax::Prose));
    assert_eq!(read, ParsedQuery { text: text.into(), ..ParsedQuery::default() });
}

proptest::proptest! {
    #[test]
    fn any_text_can_be_read(text in "[-\"“”a-z: ]{0,40}|\\PC{0,60}") {
        let signs = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
        let read = typed(&text);
        proptest::prop_assert!(signs(&read.text) + signs(&read.excluded.concat()) <= signs(&text));
    }
}
