//! Hostile front matter and hostile dates.

use jiff::civil::Date;

use super::front_matter::{self, FrontMatter};
use super::yaml::{Entry, Value};
use super::*;
use crate::fuzz::{fuzz, text};

/// The body that stands behind front matter made of an input.
const BODY: &str = "Last line of the body.\n";

#[test]
fn fuzz_front_matter() {
    fuzz("front_matter", |bytes| {
        let text = text(bytes);
        keeps_the_body(&text);
        // Most inputs are no front matter by themselves.
        keeps_the_body(&format!("---\n{text}\n---\n{BODY}"));
    });
}

/// What stands behind the front matter is the body, from the start of a line to the end of the file; what was read stands in
/// lines of the front matter; aliases do not multiply it.
fn keeps_the_body(source: &str) {
    let document = parse("a.md", source);
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    assert_eq!(document.source, source);
    let body = document.lines(document.body_line, document.line_count());
    match front_matter::read(source) {
        FrontMatter::Present { entries, body_start, body_line } => {
            let (front, rest) = source.split_at(body_start);
            assert_eq!(body_line, document.body_line);
            assert_eq!(front.split_inclusive('\n').count() + 1, body_line);
            assert!(rest.is_empty() || front.ends_with('\n'), "the body begins within a line");
            let rest = rest.strip_suffix('\n').unwrap_or(rest);
            assert_eq!(body, rest.strip_suffix('\r').unwrap_or(rest));
            let mut values = 0;
            entries.iter().for_each(|(_, entry)| check(entry, body_line, &mut values));
            assert!(values <= 20_000, "{values} values");
            assert!(body.ends_with(BODY.trim_end()) || !source.ends_with(BODY), "the body was taken for front matter");
        }
        FrontMatter::Broken { message, .. } => {
            assert!(!message.is_empty() && !message.contains(['\n', '\r']), "{message:?}");
            assert_eq!((document.body_line, document.front_matter_error.as_ref()), (1, Some(&message)));
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

/// A date that was read exists, and is read again as the same date from what is printed of it. A period
/// does not end before it begins. Nothing is found more often than the text has characters.
#[test]
fn fuzz_dates() {
    fuzz("dates", |bytes| {
        let text = text(bytes);
        let mentions = dates_in_text(&text);
        assert!(mentions.len() <= text.len());
        for mention in mentions {
            reads_again(mention);
        }
        for today in [Date::constant(2024, 2, 29), Date::MIN, Date::MAX] {
            let periods = periods_in_text(&text, today);
            assert!(periods.len() <= text.len());
            for period in periods {
                match period {
                    Period::Date(mention) => reads_again(mention),
                    Period::Range(range) | Period::Relative(range) => {
                        assert!(range.first <= range.last, "{range:?}");
                    }
                }
            }
        }
    });
}

fn reads_again(mention: DateMention) {
    assert!(mention.or_year(2000).range().is_some(), "{mention:?} does not exist");
    let printed = match mention {
        DateMention::Day { year: Some(year), month, day } => format!("{year:04}-{month:02}-{day:02}"),
        DateMention::Day { year: None, month, day } => format!("{month}月{day}日"),
        // With the year first only those of our time are read, since other numbers look the same.
        DateMention::Month { year: Some(year), month } => {
            format!("{} {year:04}", Date::constant(2000, month as i8, 1).strftime("%B"))
        }
        DateMention::Month { year: None, month } => format!("{month}月"),
        DateMention::Year(year) => format!("in {year:04}"),
    };
    assert_eq!(dates_in_text(&printed), [mention], "{printed}");
}
