//! Finds the periods that a question names: dates, ranges of dates, and words that count from today.
//!
//! Notations, besides those of single dates: `2023-05-01..2023-05-10`, `2023-05 to 2023-07`, `between 8 May and 3 June 2023`,
//! `from May to July 2023`, `2023-W19`, `Q2 2023`; `yesterday`, `3 days ago`, `last week`, `past 2 months`, `this year`,
//! `last Monday`, and the common ones of German, Chinese and Japanese. Weeks begin on Monday.

use jiff::ToSpan;
use jiff::civil::{Date, ISOWeekDate, Weekday};

use super::DateMention;
use super::patterns::Reader;
use super::tokens::{Kind, Token, tokens};
use super::unit::{Unit, days, one_day};
use crate::domain::DateRange;

/// A stretch of time that a text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Period {
    /// A single date in its own precision, perhaps without a year.
    Date(DateMention),
    /// A stretch with two ends that were said.
    Range(DateRange),
    /// A stretch that was counted from today.
    Relative(DateRange),
}

impl Period {
    /// Returns the days it covers; `None` where no year was said.
    pub fn range(self) -> Option<DateRange> {
        match self {
            Self::Date(mention) => mention.range(),
            Self::Range(range) | Self::Relative(range) => Some(range),
        }
    }
}

/// Returns the periods named in `text`, in order; `today` is what relative words count from.
pub fn periods_in_text(text: &str, today: Date) -> Vec<Period> {
    let tokens = tokens(text);
    let finder = Finder { reader: Reader::new(&tokens), tokens: &tokens, today };
    let mut periods = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match finder.period(at) {
            Some((period, end)) => {
                periods.extend(period);
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
}

/// What was found, if it exists in the calendar, and the token after it.
type Found = (Option<Period>, usize);

impl Finder<'_> {
    fn period(&self, at: usize) -> Option<Found> {
        let relative = || self.relative(at).map(|(range, end)| (range.map(Period::Relative), end));
        self.week_or_quarter(at).or_else(|| self.dates(at)).or_else(relative)
    }

    /// One date, or two with a word or mark between them that makes a range of them.
    fn dates(&self, at: usize) -> Option<Found> {
        let (first, end) = self.end_of_range(at)?;
        let first_alone = Some(Period::Date(first)).filter(|_| first.exists());
        let Some(next) = self.connector(at, end) else { return Some((first_alone, end)) };
        let Some((second, next)) = self.end_of_range(next) else { return Some((first_alone, end)) };
        // "from May to July 2023": the year is said once.
        let first = second.range().map_or(first, |range| first.or_year(range.first.year()));
        let range = first.range().zip(second.range()).map(|(left, right)| (left.first, right.last));
        match range {
            Some((first, last)) if first <= last => Some((Some(Period::Range(DateRange { first, last })), next)),
            _ => Some((first_alone, end)),
        }
    }

    /// A date, also a month without the word before it that a single one needs: what stands beside it tells enough.
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

    /// Returns the token after what joins two dates; `start` is where the first of them stands.
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
        let year = |at: usize| number(at, 4).filter(|year| (1900..=2100).contains(year)).map(|year| year as i16);
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
        self.one_word(at).or_else(|| self.ago(at)).or_else(|| self.last_unit(at)).or_else(|| self.ideographs(at))
    }

    fn one_word(&self, at: usize) -> Option<(Option<DateRange>, usize)> {
        let back = |days: i64, end: usize| Some((one_day(self.today, -days), end));
        if self.is_word(at, &["day"]) && self.is_word(at + 1, &["before"]) && self.is_word(at + 2, &["yesterday"]) {
            return back(2, at + 3);
        }
        match () {
            () if self.is_word(at, &["yesterday", "gestern"]) => back(1, at + 1),
            () if self.is_word(at, &["vorgestern"]) => back(2, at + 1),
            () if self.is_word(at, &["today", "heute"]) => back(0, at + 1),
            () => None,
        }
    }

    /// `3 days ago`, `a week ago`, `vor 3 Tagen`.
    fn ago(&self, at: usize) -> Option<(Option<DateRange>, usize)> {
        let german = self.is_word(at, &["vor"]);
        let at = if german { at + 1 } else { at };
        let count = self.count(at)?;
        let unit = self.unit(at + 1)?;
        (german || self.is_word(at + 2, &["ago"])).then_some(())?;
        let end = if german { at + 2 } else { at + 3 };
        let day = self.today.checked_sub(unit.span(count)).ok();
        let range = day.and_then(|day| match unit {
            Unit::Day => one_day(day, 0),
            unit => unit.around(day),
        });
        Some((range, end))
    }

    /// `last week`, `this month`, `last 3 days`, `past two weeks`, `last Monday`, `letzte Woche`.
    fn last_unit(&self, at: usize) -> Option<(Option<DateRange>, usize)> {
        const LAST: [&str; 11] = [
            "last", "past", "previous", "letzte", "letzten", "letzter", "letztes", "vorige", "vorigen", "voriger",
            "voriges",
        ];
        let last = self.is_word(at, &LAST);
        let this = self.is_word(at, &["this", "diese", "dieser", "dieses", "diesen"]);
        if !last && !this {
            return None;
        }
        if let Some(unit) = self.unit(at + 1) {
            let day = if last { self.today.checked_sub(unit.span(1)).ok() } else { Some(self.today) };
            return Some((day.and_then(|day| unit.around(day)), at + 2));
        }
        if last && let (Some(count), Some(unit)) = (self.count(at + 1), self.unit(at + 2)) {
            let first = self.today.checked_sub(unit.span(count)).ok();
            return Some((first.map(|first| DateRange { first, last: self.today }), at + 3));
        }
        let weekday = self.weekday(at + 1)?;
        let day = self.today.nth_weekday(-1, weekday).ok().and_then(|day| one_day(day, 0));
        last.then_some((day, at + 2))
    }

    /// Chinese and Japanese, whose characters are tokens of their own.
    fn ideographs(&self, at: usize) -> Option<(Option<DateRange>, usize)> {
        const WORDS: [(&str, Unit, i64); 16] = [
            ("前天", Unit::Day, 2),
            ("昨天", Unit::Day, 1),
            ("昨日", Unit::Day, 1),
            ("今天", Unit::Day, 0),
            ("今日", Unit::Day, 0),
            ("上个星期", Unit::Week, 1),
            ("上周", Unit::Week, 1),
            ("上週", Unit::Week, 1),
            ("先週", Unit::Week, 1),
            ("本周", Unit::Week, 0),
            ("今週", Unit::Week, 0),
            ("上个月", Unit::Month, 1),
            ("先月", Unit::Month, 1),
            ("今月", Unit::Month, 0),
            ("去年", Unit::Year, 1),
            ("今年", Unit::Year, 0),
        ];
        let stands = |word: &str| {
            word.chars().enumerate().all(|(index, character)| {
                self.tokens.get(at + index).is_some_and(|token| token.kind == Kind::Mark(character))
            })
        };
        let (word, unit, back) = WORDS.iter().find(|(word, ..)| stands(word))?;
        let day = self.today.checked_sub(unit.span(*back)).ok();
        Some((day.and_then(|day| unit.around(day)), at + word.chars().count()))
    }

    fn count(&self, at: usize) -> Option<i64> {
        const WORDS: [&str; 7] = ["a", "two", "three", "four", "five", "six", "seven"];
        const GERMAN: [&str; 7] = ["ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben"];
        let token = self.tokens.get(at)?;
        match token.kind {
            Kind::Number { value, digits } if digits <= 3 => Some(i64::from(value)),
            Kind::Word if self.is_word(at, &["one", "einem", "einer"]) => Some(1),
            Kind::Word => {
                let mut words = WORDS.iter().zip(GERMAN);
                words.position(|(word, german)| token.is_word(&[word, german])).map(|index| index as i64 + 1)
            }
            _ => None,
        }
    }

    fn unit(&self, at: usize) -> Option<Unit> {
        let units: [(Unit, &[&str]); 4] = [
            (Unit::Day, &["day", "days", "tag", "tage", "tagen"]),
            (Unit::Week, &["week", "weeks", "woche", "wochen"]),
            (Unit::Month, &["month", "months", "monat", "monate", "monaten"]),
            (Unit::Year, &["year", "years", "jahr", "jahre", "jahren"]),
        ];
        units.into_iter().find(|(_, words)| self.is_word(at, words)).map(|(unit, _)| unit)
    }

    fn weekday(&self, at: usize) -> Option<Weekday> {
        const NAMES: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
        const GERMAN: [&str; 7] = ["montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"];
        let index = NAMES.iter().zip(GERMAN).position(|(name, german)| self.is_word(at, &[name, german]))?;
        Weekday::from_monday_zero_offset(index as i8).ok()
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
    fn single_dates_stay_what_they_are() {
        check(&[("on 2023-05-08", "2023-05-08"), ("in April 2023", "2023-04-01..2023-04-30"), ("what may happen", "")]);
        let may = Period::Date(DateMention::Month { year: None, month: 5 });
        assert_eq!(periods_in_text("in May", TODAY), [may]);
    }

    #[test]
    fn two_dates_with_a_word_between_them_are_a_range() {
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
    fn words_count_from_today() {
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
