//! Finds the periods in a question: dates, ranges of dates, and relative dates.
//!
//! Besides single dates, it reads `2023-05-01..2023-05-10`, `2023-05 to 2023-07`, `between 8 May and 3 June 2023`, `from May
//! to July 2023`, `2023-W19`, `Q2 2023`; `yesterday`, `3 days ago`, `last week`, `past 2 months`, `this year`, `last Monday`,
//! and their equivalents in the languages of `languages`. Weeks begin on Monday.

use std::cell::LazyCell;
use std::ops::Range;

use jiff::ToSpan;
use jiff::civil::{Date, ISOWeekDate, Weekday};

use super::DateMention;
use super::patterns::{PLAUSIBLE_YEARS, Reader};
use super::relative::{RelativeContext, relative_period};
use super::tokens::{Kind, Token, tokens};
use super::unit::days;
use crate::languages::{DetectedLanguages, detect_language};
use tars_base::domain::DateRange;

/// A period in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// A single date with its own precision, with or without a year.
    Date(DateMention),
    /// A range with two explicit ends.
    Range(DateRange),
    /// A period relative to today.
    Relative(DateRange),
}

impl Period {
    /// Returns the days it covers; `None` without a year.
    pub fn range(self) -> Option<DateRange> {
        match self {
            Self::Date(mention) => mention.range(),
            Self::Range(range) | Self::Relative(range) => Some(range),
        }
    }
}

/// Returns the periods in `text`, in order. Relative words count from `today`.
pub fn periods_in_text(text: &str, today: Date) -> Vec<Period> {
    periods_with_ranges(text, today).into_iter().map(|(period, _)| period).collect()
}

/// Like [`periods_in_text`], with the byte range of each period.
pub fn periods_with_ranges(text: &str, today: Date) -> Vec<(Period, Range<usize>)> {
    let tokens = tokens(text);
    // Tokens are slices of the text.
    let place = |token: &Token<'_>| token.text.as_ptr() as usize - text.as_ptr() as usize;
    let once: LazyCell<Option<DetectedLanguages>, _> = LazyCell::new(|| detect_language(text));
    let finder = Finder { reader: Reader::new(&tokens), tokens: &tokens, today, detected: &|| *once };
    let mut periods = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match finder.period(at) {
            Some((period, end)) => {
                let last = &tokens[end - 1];
                periods.extend(period.map(|period| (period, place(&tokens[at])..place(last) + last.text.len())));
                at = end;
            }
            None => at += 1,
        }
    }
    periods
}

struct Finder<'a> {
    reader: Reader<'a>,
    tokens: &'a [Token<'a>],
    today: Date,
    /// The language of the text.
    detected: &'a dyn Fn() -> Option<DetectedLanguages>,
}

/// The period, if it exists in the calendar, and the token after it.
type Found = (Option<Period>, usize);

impl Finder<'_> {
    fn period(&self, at: usize) -> Option<Found> {
        let relative = || self.relative(at).map(|(range, end)| (range.map(Period::Relative), end));
        self.week_or_quarter(at).or_else(|| self.dates(at)).or_else(relative)
    }

    /// One date, or two that a word or mark joins into a range.
    fn dates(&self, at: usize) -> Option<Found> {
        let (first, end) = self.end_of_range(at)?;
        let first_alone = Some(Period::Date(first)).filter(|_| first.exists());
        let Some(next) = self.connector(at, end) else { return Some((first_alone, end)) };
        let Some((second, next)) = self.end_of_range(next) else { return Some((first_alone, end)) };
        // "from May to July 2023" gives the year only once.
        let first = second.range().map_or(first, |range| first.with_default_year(range.first.year()));
        let range = first.range().zip(second.range()).map(|(left, right)| (left.first, right.last));
        match range {
            Some((first, last)) if first <= last => Some((Some(Period::Range(DateRange { first, last })), next)),
            _ => Some((first_alone, end)),
        }
    }

    /// A date. In a range, a month needs no preposition.
    fn end_of_range(&self, at: usize) -> Option<(DateMention, usize)> {
        if at >= self.tokens.len() {
            return None;
        }
        let bare_month = || {
            let month = self.tokens[at].month()?;
            let ranged =
                self.connector(at, at + 1).is_some() || (at > 0 && self.is_word(at - 1, &["to", "and", "until"]));
            ranged.then_some((DateMention::Month { year: None, month }, at + 1))
        };
        self.reader.mention(at).or_else(bare_month)
    }

    /// Returns the token after the connector of two dates. `start` is the first token of the first date.
    fn connector(&self, start: usize, at: usize) -> Option<usize> {
        let mark = |at: usize, marks: &[char]| {
            self.tokens.get(at).is_some_and(|token| matches!(token.kind, Kind::Mark(mark) if marks.contains(&mark)))
        };
        if mark(at, &['.']) && mark(at + 1, &['.']) {
            return Some(at + if mark(at + 2, &['.']) { 3 } else { 2 });
        }
        if mark(at, &['–', '—', '~', '～', '至', '到']) || (mark(at, &['-']) && self.tokens[at].spaced) {
            return Some(at + 1);
        }
        let between = start.checked_sub(1).is_some_and(|before| self.is_word(before, &["between"]));
        let joins =
            self.is_word(at, &["to", "until", "till", "through", "bis"]) || (between && self.is_word(at, &["and"]));
        joins.then_some(at + 1)
    }

    /// `2023-W19`, `Q2 2023`, `2023 Q2`, `2023-Q2`.
    fn week_or_quarter(&self, at: usize) -> Option<Found> {
        let number = |at: usize, most: usize| match self.tokens.get(at)?.kind {
            Kind::Number { value, digits } if digits <= most => Some(value),
            _ => None,
        };
        let year = |at: usize| i16::try_from(number(at, 4)?).ok().filter(|year| PLAUSIBLE_YEARS.contains(year));
        let dash = |at: usize| matches!(self.tokens.get(at).map(|token| token.kind), Some(Kind::Mark('-')));
        let quarter_at = |at: usize| self.is_word(at, &["q"]).then(|| number(at + 1, 1)).flatten();
        if let Some(quarter) = quarter_at(at) {
            return Some((quarter_of(year(at + 2)?, quarter), at + 3));
        }
        let year = year(at)?;
        let rest = if dash(at + 1) { at + 2 } else { at + 1 };
        if let Some(quarter) = quarter_at(rest) {
            return Some((quarter_of(year, quarter), rest + 2));
        }
        if dash(at + 1) && self.is_word(rest, &["w"]) {
            let week = i8::try_from(number(rest + 1, 2)?).ok()?;
            let monday = ISOWeekDate::new(year, week, Weekday::Monday).ok().map(|day| day.date());
            let range = monday.and_then(|first| days(first, 7.days())).map(Period::Range);
            return Some((range, rest + 2));
        }
        None
    }

    fn relative(&self, at: usize) -> Option<(Option<DateRange>, usize)> {
        relative_period(&RelativeContext { tokens: self.tokens, today: self.today, detected: self.detected }, at)
    }

    fn is_word(&self, at: usize, words: &[&str]) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is_word(words))
    }
}

fn quarter_of(year: i16, quarter: u32) -> Option<Period> {
    let month = i8::try_from(quarter.checked_sub(1)? * 3 + 1).ok().filter(|month| *month <= 10)?;
    let first = Date::new(year, month, 1).ok()?;
    let last = first.checked_add(2.months()).ok()?.last_of_month();
    Some(Period::Range(DateRange { first, last }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Wednesday.
    const TODAY: Date = Date::constant(2023, 5, 10);

    fn range(text: &str) -> String {
        let found = periods_in_text(text, TODAY);
        let shown = found.iter().map(|period| match period.range() {
            Some(range) if range.first == range.last => range.first.to_string(),
            Some(range) => format!("{}..{}", range.first, range.last),
            None => format!("{period:?}"),
        });
        shown.collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn check(cases: &[(&str, &str)]) {
        for (text, expected) in cases {
            assert_eq!(range(text), *expected, "{text}");
        }
    }

    #[test]
    fn single_dates_keep_their_precision() {
        check(&[("on 2023-05-08", "2023-05-08"), ("in April 2023", "2023-04-01..2023-04-30"), ("what may happen", "")]);
        let may = Period::Date(DateMention::Month { year: None, month: 5 });
        assert_eq!(periods_in_text("in May", TODAY), [may]);
    }

    #[test]
    fn two_dates_with_a_connector_are_a_range() {
        check(&[
            ("2023-05-01..2023-05-10", "2023-05-01..2023-05-10"),
            ("from 2023-05-01 to 2023-05-10 please", "2023-05-01..2023-05-10"),
            ("2023-04 – 2023-06", "2023-04-01..2023-06-30"),
            ("between 8 May and 3 June 2023", "2023-05-08..2023-06-03"),
            ("from May to July 2023", "2023-05-01..2023-07-31"),
            ("8 May 2023 and 9 May 2023", "2023-05-08 2023-05-09"),
            ("2023-06-01 to 2023-05-01", "2023-06-01 2023-05-01"),
            ("2023-05-01 to nowhere", "2023-05-01"),
        ]);
    }

    #[test]
    fn weeks_and_quarters_have_numbers() {
        check(&[
            ("2023-W19", "2023-05-08..2023-05-14"),
            ("Q2 2023", "2023-04-01..2023-06-30"),
            ("2023-Q4 plans", "2023-10-01..2023-12-31"),
            ("Q9 2023", ""),
            ("2023-W60", ""),
        ]);
    }

    #[test]
    fn relative_dates_count_from_today() {
        check(&[
            ("what did we do yesterday?", "2023-05-09"),
            ("the day before yesterday", "2023-05-08"),
            ("today", "2023-05-10"),
            ("3 days ago", "2023-05-07"),
            ("a week ago", "2023-05-01..2023-05-07"),
            ("two months ago", "2023-03-01..2023-03-31"),
            ("last week", "2023-05-01..2023-05-07"),
            ("this week", "2023-05-08..2023-05-14"),
            ("last month", "2023-04-01..2023-04-30"),
            ("last year", "2022-01-01..2022-12-31"),
            ("in the last 3 days", "2023-05-07..2023-05-10"),
            ("past two weeks", "2023-04-26..2023-05-10"),
            ("last Monday", "2023-05-08"),
            ("last Wednesday", "2023-05-03"),
            ("letzte Woche, gestern", "2023-05-01..2023-05-07 2023-05-09"),
            ("昨天的会议", "2023-05-09"),
            ("先週の会議", "2023-05-01..2023-05-07"),
            ("the last one, three apples, this thing", ""),
        ]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(text in "\\PC{0,60}") {
            for period in periods_in_text(&text, TODAY) {
                if let Some(range) = period.range() {
                    proptest::prop_assert!(range.first <= range.last);
                }
            }
        }
    }
}
