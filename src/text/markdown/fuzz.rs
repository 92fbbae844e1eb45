//! Fuzzes front matter and dates.

use jiff::civil::Date;

use super::front_matter::{self, FrontMatter};
use super::yaml::{Entry, Value};
use super::*;
use tars_testing::fuzz::{fuzz, text};

/// The body after front matter made of an input.
const BODY: &str = "Last line of the body.\n";

#[test]
fn fuzz_front_matter() {
    fuzz("front_matter", |bytes| {
        let text = text(bytes);
        assert_body_is_kept(&text);
        // Most inputs are no front matter by themselves.
        assert_body_is_kept(&format!("---\n{text}\n---\n{BODY}"));
    });
}

/// Checks that the body starts at the beginning of a line and reaches to the end of the file, that all values are in lines of
/// the front matter, and that aliases do not multiply them.
fn assert_body_is_kept(source: &str) {
    let document = parse("a.md", source);
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    assert_eq!(document.source, source);
    let body = document.lines(document.body_line, document.line_count());
    let found = front_matter::read(source);
    if let FrontMatter::Broken { message, .. } = &found {
        assert!(!message.is_empty() && !message.contains(['\n', '\r']), "{message:?}");
        assert_eq!(document.front_matter_error.as_ref(), Some(message));
    }
    match found {
        FrontMatter::Present { entries, body: start } | FrontMatter::Broken { entries, body: start, .. } => {
            let (front, rest) = source.split_at(start.byte);
            assert_eq!(start.line, document.body_line);
            assert_eq!(front.split_inclusive('\n').count() + 1, start.line);
            assert!(rest.is_empty() || front.is_empty() || front.ends_with('\n'), "the body begins within a line");
            let rest = rest.strip_suffix('\n').unwrap_or(rest);
            assert_eq!(body, rest.strip_suffix('\r').unwrap_or(rest));
            let mut values = 0;
            entries.iter().for_each(|(_, entry)| check(entry, start.line, &mut values));
            assert!(values <= 20_000, "{values} values");
            assert!(body.ends_with(BODY.trim_end()) || !source.ends_with(BODY), "the body was parsed as front matter");
        }
        FrontMatter::Absent { .. } => assert_eq!(document.body_line, 1),
    }
}

fn check(entry: &Entry, body_line: usize, values: &mut usize) {
    *values += 1;
    assert!((1..body_line).contains(&entry.line), "line {} of a front matter before {body_line}", entry.line);
    match &entry.value {
        Value::Null | Value::Scalar(_) => {}
        Value::Sequence(entries) => entries.iter().for_each(|entry| check(entry, body_line, values)),
        Value::Mapping(entries) => entries.iter().for_each(|(_, entry)| check(entry, body_line, values)),
    }
}

/// Every date exists, and survives printing and parsing again. A period does not end before it begins. There are no more
/// dates or periods than characters.
#[test]
fn fuzz_dates() {
    fuzz("dates", |bytes| {
        let text = text(bytes);
        let mentions = dates_in_text(&text);
        assert!(mentions.len() <= text.len());
        for mention in mentions {
            assert_round_trip(mention);
        }
        for today in [Date::constant(2024, 2, 29), Date::MIN, Date::MAX] {
            let periods = periods_in_text(&text, today);
            assert!(periods.len() <= text.len());
            for period in periods {
                match period {
                    Period::Date(mention) => assert_round_trip(mention),
                    Period::Range(range) | Period::Relative(range) => {
                        assert!(range.first <= range.last, "{range:?}");
                    }
                }
            }
        }
    });
}

fn assert_round_trip(mention: DateMention) {
    assert!(mention.with_default_year(2000).range().is_some(), "{mention:?} does not exist");
    let printed = match mention {
        DateMention::Day { year: Some(year), month, day } => format!("{year:04}-{month:02}-{day:02}"),
        DateMention::Day { year: None, month, day } => format!("{month}月{day}日"),
        // With the year first, only years of our time are read, because other numbers look the same.
        DateMention::Month { year: Some(year), month } => {
            format!("{} {year:04}", Date::constant(2000, month as i8, 1).strftime("%B"))
        }
        DateMention::Month { year: None, month } => format!("{month}月"),
        DateMention::Year(year) => format!("in {year:04}"),
    };
    assert_eq!(dates_in_text(&printed), [mention], "{printed}");
}
