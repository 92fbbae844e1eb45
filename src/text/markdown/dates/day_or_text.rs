//! Tells whether words name a day or are a text: `tars daily yesterday`, `tars daily Met Ilse`.

use std::collections::HashSet;
use std::sync::LazyLock;

use jiff::civil::Date;

use super::named::{MAX_VALUE_BYTES, date_alone};
use super::periods::periods_with_ranges;
use super::tokens::{Kind, tokens};
use crate::languages;
use tars_base::domain::DateRange;

/// The meaning of words that may name a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayOrText {
    /// A day.
    Day(Date),
    /// Nothing, several days, a path, or words and numbers of dates that name no known day: misspelt, not in the calendar, ahead, or without
    /// a year.
    Unclear,
    /// Other words.
    Text,
}

/// Words of days ahead, which no log has, and words between those of a date, in the languages of `languages`.
#[rustfmt::skip]
const OTHERS: [&str; 43] = [
    "tomorrow", "next", "tonight", "morgen", "übermorgen", "nächste", "nächsten", "nächster", "nächstes", "kommende",
    "kommenden", "demain", "prochain", "prochaine", "mañana", "próximo", "próxima", "domani", "prossimo", "prossima",
    "amanhã", "overmorgen", "volgende", "jutro", "pojutrze", "następny", "następna", "завтра", "послезавтра",
    "следующий", "следующая", "yarın", "gelecek", "after", "the", "of", "de", "der", "des", "den", "am", "le", "el",
];
/// Tomorrow where words have no blanks between them.
const TOMORROW: [&str; 5] = ["明日", "あした", "明天", "내일", "พรุ่งนี้"];

/// All words of dates, lower-case.
static VOCABULARY: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let mut words: HashSet<&str> = OTHERS.into_iter().collect();
    for dates in languages::ALL.iter().map(|language| &language.dates) {
        let named = dates.months.iter().chain(&dates.weekdays).chain(&dates.units).chain(&dates.numbers);
        words.extend(named.flat_map(|names| names.iter().copied()));
        let counted = dates.counted.iter().chain(dates.counted_if_own_language);
        words.extend(counted.flat_map(|(phrase, ..)| phrase.split_whitespace()));
        let around = [dates.ago_before, dates.ago_after, dates.last, dates.last_after, dates.this, dates.on];
        words.extend(around.into_iter().flatten().flat_map(|phrase| phrase.split_whitespace()));
    }
    words
});

/// Returns the meaning of `value`. A date within other words makes no day of them.
pub fn day_or_text(value: &str, today: Date) -> DayOrText {
    let value = value.trim();
    if value.len() > MAX_VALUE_BYTES {
        return if is_path(value) { DayOrText::Unclear } else { DayOrText::Text };
    }
    let whole = |place: &std::ops::Range<usize>| {
        let around = [&value[..place.start], &value[place.end..]];
        !around.iter().any(|rest| rest.contains(char::is_alphanumeric))
    };
    let period =
        || periods_with_ranges(value, today).into_iter().find(|(_, place)| whole(place)).map(|(period, _)| period);
    match date_alone(value).or_else(|| period().and_then(|period| period.range())) {
        Some(DateRange { first, last }) if first == last => DayOrText::Day(first),
        Some(_) => DayOrText::Unclear,
        None if TOMORROW.contains(&value) || is_path(value) => DayOrText::Unclear,
        None if is_nearly_a_date(value) => DayOrText::Unclear,
        None => DayOrText::Text,
    }
}

/// Whether a value holds nothing but words and numbers of dates, or few others among the numbers of a date with a time, such as a
/// time zone.
fn is_nearly_a_date(value: &str) -> bool {
    let tokens = tokens(value);
    let others = tokens.iter().filter(|token| !is_of_dates(token.text, token.kind)).count();
    let numbers = tokens.iter().filter(|token| matches!(token.kind, Kind::Number { .. })).count();
    others == 0 || (others <= 2 && numbers >= 4)
}

/// Whether words that were typed one by one begin with a day other than today, or with a misspelt date in numbers, before a text: the day
/// may belong to the text or say where it goes.
pub fn begins_with_day(words: &[&str], today: Date) -> bool {
    let day = |count: &usize| match day_or_text(&words[..*count].join(" "), today) {
        DayOrText::Day(day) => day != today,
        DayOrText::Unclear => *count == 1 && is_date_in_numbers(words[0]),
        DayOrText::Text => false,
    };
    (1..words.len()).any(|count| day(&count))
}

/// Whether a word has the form of a date: three numbers with the same marks between.
fn is_date_in_numbers(word: &str) -> bool {
    ['-', '.', '/'].iter().any(|mark| {
        let mut numbers = word.split(*mark);
        let is_number = |part: &str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        numbers.clone().count() == 3 && numbers.all(is_number)
    })
}

/// Whether a value is the path of a file: `../Memory`.
fn is_path(value: &str) -> bool {
    value.starts_with(['.', '/', '~']) && value.contains('/') && !value.contains(char::is_whitespace)
}

/// Whether a token may be a part of a date, perhaps misspelt.
fn is_of_dates(text: &str, kind: Kind) -> bool {
    match kind {
        Kind::Number { .. } => true,
        Kind::Mark(mark) => "-./,:'’".contains(mark),
        Kind::Word => {
            let word = text.to_lowercase();
            let most = match word.chars().count() {
                0..5 => 0,
                5..8 => 1,
                _ => 2,
            };
            // Two letters of a short word may be in the wrong order.
            let is_anagram = |known: &str| known.len() == word.len() && letters(known) == letters(&word);
            let is_near = |known: &&str| match most {
                0 => word.chars().count() == 4 && is_anagram(known),
                most => strsim::osa_distance(known, &word) <= most,
            };
            VOCABULARY.contains(word.as_str()) || VOCABULARY.iter().any(is_near)
        }
    }
}

/// Returns the letters of a word, sorted.
fn letters(word: &str) -> Vec<char> {
    let mut letters: Vec<char> = word.chars().collect();
    letters.sort_unstable();
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Wednesday.
    const TODAY: Date = Date::constant(2023, 5, 10);

    #[track_caller]
    fn check(meaning: impl Fn(DayOrText) -> bool, values: &[&str]) {
        for value in values {
            let read = day_or_text(value, TODAY);
            assert!(meaning(read), "{value}: {read:?}");
        }
    }

    #[test]
    fn days_are_distinguished_from_texts() {
        check(
            |read| matches!(read, DayOrText::Day(_)),
            &[
                "2023-05-08",
                "8.5.2023",
                "yesterday",
                "Yesterday.",
                "gestern",
                "3 days ago",
                "vor 3 Tagen",
                "last Monday",
                "8 May 2023",
                "昨天",
            ],
        );
        check(
            |read| read == DayOrText::Text,
            &[
                "Met Ilse",
                "Met Ilse yesterday",
                "yesterday Met Ilse",
                "2023-05-08 Met Ilse",
                "Groceries",
                "3 eggs",
                "fixed #12",
                "Call 555-1234-99 back",
                "- [ ] call Mara",
                "See [[2023-05-08]] and act",
                "Monday was long",
                "v2.3.1 is out",
                "番茄炒蛋",
                "weekend",
            ],
        );
    }

    #[test]
    fn misspelt_and_impossible_dates_are_unclear() {
        check(
            |read| read == DayOrText::Unclear,
            &[
                "2024-13-01",
                "2023-02-30",
                "31.4.2023",
                "13/25/2023",
                "11/17/2023",
                "17.11.",
                "99",
                "20231301",
                "yesterdy",
                "Yesteday",
                "gestren",
                "todya",
                "Wendsday",
                "Monday",
                "32 May 2023",
                "May",
                "17 Novembr 2023",
                "3 dyas ago",
                "tomorrow",
                "next Tuesday",
                "morgen",
                "day after tomorrow",
                "明天",
                "last week",
                "letzte Woche",
                "2023-05",
                "2023",
                "last 3 days",
                "../Memory",
                "Wed May 10 12:00:00 UTC 2023",
                "",
            ],
        );
    }

    #[test]
    fn a_day_before_a_text_is_noticed() {
        let begins = |text: &str| begins_with_day(&text.split(' ').collect::<Vec<_>>(), TODAY);
        for text in [
            "yesterday met Ilse",
            "2023-05-08 met Ilse",
            "3 days ago met Ilse",
            "2024-13-01 met Ilse",
            "gestern Ilse getroffen",
        ] {
            assert!(begins(text), "{text}");
        }
        for text in [
            "today met Ilse",
            "met Ilse yesterday",
            "3 eggs",
            "3.5 km run",
            "10/12 done",
            "Monday was long",
            "yesterday",
        ] {
            assert!(!begins(text), "{text}");
        }
    }
}
