//! Fuzzes the query language.

use jiff::civil::Date;

use super::query_syntax::{ParsedQuery, parse_query};
use tars_base::domain::{DateRange, Filter, Mode, Query, QuerySyntax};
use tars_testing::fuzz::{fuzz, text};

const TODAY: Date = Date::constant(2024, 2, 29);

fn typed(text: &str) -> ParsedQuery {
    parse_query(&Query {
        text: text.into(),
        mode: Mode::Hybrid,
        limit: 10,
        filter: Filter::default(),
        min_score: 0.0,
        language: QuerySyntax::Query,
        project: None,
        today: TODAY,
        explain: false,
    })
}

/// Parsing a query only yields text of the query, each part once and within the limits. Each filter survives printing and
/// parsing again, and adds nothing else.
#[test]
fn fuzz_query() {
    fuzz("query", |bytes| {
        let text = text(bytes);
        let read = typed(&text);
        let signs = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
        assert!(signs(&read.text) + signs(&read.excluded.concat()) <= signs(&text), "{:?}", read.text);
        for list in [&read.required, &read.optional_phrases, &read.excluded] {
            assert!(list.len() <= 32 && list.iter().all(|phrase| text.contains(phrase)), "{list:?}");
        }
        assert!(read.required.is_empty() || read.optional_phrases.is_empty());
        let Filter { paths, without_paths, tags, without_tags, memory_types, collections, dates, properties } =
            &read.filter;
        assert!(
            collections.is_empty() && properties.is_empty(),
            "no operator names a collection, and no property is known"
        );
        for (key, values) in [("path:", paths), ("-path:", without_paths), ("tag:", tags), ("-tag:", without_tags)] {
            for value in values {
                assert!(text.contains(value), "{value}");
                assert_round_trip(key, value);
            }
        }
        for kind in memory_types {
            assert_eq!(typed(&format!("type:{}", kind.as_str())).filter.memory_types, [*kind]);
        }
        if let Some(DateRange { first, last }) = *dates {
            if first > Date::MIN {
                assert_eq!(dates_of(&format!("after:{first}")), Some(DateRange { first, last: Date::MAX }));
            }
            if let Ok(next) = last.tomorrow() {
                assert_eq!(dates_of(&format!("before:{next}")), Some(DateRange { first: Date::MIN, last }));
            }
        }
    });
}

fn dates_of(text: &str) -> Option<DateRange> {
    typed(text).filter.dates
}

fn assert_round_trip(key: &str, value: &str) {
    let quotes = [('"', '"'), ('\'', '\''), ('“', '”')].into_iter().find(|(_, close)| !value.contains(*close));
    let needed = value.contains(char::is_whitespace) || value.starts_with(['"', '\'', '“']);
    let printed = match (needed, quotes) {
        (true, Some((open, close))) => format!("{key}{open}{value}{close}"),
        // The value begins with one quotation mark and holds the others, so it cannot be printed.
        (true, None) => return,
        (false, _) => format!("{key}{value}"),
    };
    let filter = typed(&printed).filter;
    let found = [&filter.paths, &filter.without_paths, &filter.tags, &filter.without_tags];
    let expected = ["path:", "-path:", "tag:", "-tag:"].map(|known| match known == key {
        true => vec![value.to_owned()],
        false => Vec::new(),
    });
    assert_eq!(found, expected.each_ref(), "{printed}");
}
