//! Relative dates: `yesterday`, `3 days ago`, `last week`, in every language of `languages`.
//!
//! The words of one relative date must all be of one language.

use std::collections::HashMap;
use std::sync::LazyLock;

use jiff::civil::{Date, Weekday};

use super::tokens::{Kind, Token, tokens};
use super::unit::{DateUnit, one_day};
use crate::languages::{self, DateWords, DetectedLanguages, Language};
use tars_base::domain::DateRange;

/// The tokens, and the day that they are relative to.
pub(super) struct RelativeContext<'a> {
    pub(super) tokens: &'a [Token<'a>],
    pub(super) today: Date,
    /// Returns the language of the text.
    pub(super) detected: &'a dyn Fn() -> Option<DetectedLanguages>,
}

/// The period, if it exists in the calendar, and the token after it.
type Found = (Option<DateRange>, usize);

/// Returns the relative period at a token.
pub(super) fn relative_period(from: &RelativeContext<'_>, at: usize) -> Option<Found> {
    let in_language = |language: &&Language| {
        let words = Words { words: &language.dates, from };
        words.ago(at).or_else(|| words.last_unit(at)).or_else(|| words.unit_last(at))
    };
    fixed(from, at).or_else(|| languages::ALL.iter().find_map(in_language))
}

/// A fixed phrase: its tokens after the first, and its meaning.
struct Phrase {
    rest: Vec<String>,
    unit: DateUnit,
    back: i64,
    /// The only language in which the phrase counts, if any.
    only_in: Option<&'static Language>,
}

/// The phrases by first token, longest first.
static PHRASES: LazyLock<HashMap<String, Vec<Phrase>>> = LazyLock::new(|| {
    let mut phrases: HashMap<String, Vec<Phrase>> = HashMap::new();
    for language in languages::ALL {
        let anywhere = language.dates.counted.iter().map(|phrase| (phrase, None));
        let in_own_language = language.dates.counted_if_own_language.iter().map(|phrase| (phrase, Some(language)));
        for ((text, unit, back), only_in) in anywhere.chain(in_own_language) {
            let mut words = tokens(text).into_iter().map(|token| token.text.to_owned());
            let Some(first) = words.next() else { continue };
            let phrase = Phrase { rest: words.collect(), unit: *unit, back: *back, only_in };
            phrases.entry(first).or_default().push(phrase);
        }
    }
    for list in phrases.values_mut() {
        list.sort_by_key(|phrase| std::cmp::Reverse(phrase.rest.len()));
    }
    phrases
});

/// `yesterday`, `la semana pasada`, `先週`.
fn fixed(from: &RelativeContext<'_>, at: usize) -> Option<Found> {
    let first = PHRASES.get(from.tokens.get(at)?.text.to_lowercase().as_str())?;
    let stands = |phrase: &&Phrase| {
        let rest =
            phrase.rest.iter().zip(at + 1..).all(|(word, at)| from.tokens.get(at).is_some_and(|one| is(one, word)));
        let is_meant = |language| (from.detected)() == Some(DetectedLanguages::of(language));
        rest && phrase.only_in.is_none_or(is_meant)
    };
    let phrase = first.iter().find(stands)?;
    let day = from.today.checked_sub(phrase.unit.span(phrase.back)).ok();
    Some((day.and_then(|day| phrase.unit.around(day)), at + 1 + phrase.rest.len()))
}

/// Whether a token equals the lower-case `word`.
fn is(token: &Token<'_>, word: &str) -> bool {
    match token.kind {
        Kind::Word => token.is_word(&[word]),
        Kind::Mark('\u{2019}') => word == "'",
        Kind::Mark(_) | Kind::Number { .. } => token.text == word,
    }
}

/// The date words of one language.
struct Words<'a> {
    words: &'a DateWords,
    from: &'a RelativeContext<'a>,
}

impl Words<'_> {
    /// `3 days ago`, `a week ago`, `vor 3 Tagen`, `3日前`.
    fn ago(&self, at: usize) -> Option<Found> {
        let before = self.any(at, self.words.ago_before);
        let (count, end) = self.count(before.unwrap_or(at))?;
        let (unit, end) = self.unit(end)?;
        let end = match before {
            Some(_) => end,
            None => self.any(end, self.words.ago_after)?,
        };
        let day = self.from.today.checked_sub(unit.span(count)).ok();
        let range = day.and_then(|day| match unit {
            DateUnit::Day => one_day(day, 0),
            unit => unit.around(day),
        });
        Some((range, end))
    }

    /// `last week`, `this month`, `last 3 days`, `past two weeks`, `last Monday`, `letzte Woche`.
    fn last_unit(&self, at: usize) -> Option<Found> {
        let today = self.from.today;
        let Some(next) = self.any(at, self.words.last) else {
            let (unit, end) = self.unit(self.any(at, self.words.this)?)?;
            return Some((unit.around(today), end));
        };
        if let Some((unit, end)) = self.unit(next) {
            let day = today.checked_sub(unit.span(1)).ok();
            return Some((day.and_then(|day| unit.around(day)), end));
        }
        if let Some((count, end)) = self.count(next)
            && let Some((unit, end)) = self.unit(end)
        {
            return Some((self.since(unit, count), end));
        }
        let (weekday, end) = self.weekday(next)?;
        Some((self.last_weekday(weekday), end))
    }

    /// `lunes pasado`, `3 derniers jours`.
    fn unit_last(&self, at: usize) -> Option<Found> {
        if self.words.last_after.is_empty() {
            return None;
        }
        if let Some((weekday, end)) = self.weekday(at) {
            let end = self.any(end, self.words.last_after)?;
            return Some((self.last_weekday(weekday), end));
        }
        let (count, end) = self.count(at)?;
        let (unit, end) = self.unit(self.any(end, self.words.last)?)?;
        Some((self.since(unit, count), end))
    }

    fn since(&self, unit: DateUnit, count: i64) -> Option<DateRange> {
        let first = self.from.today.checked_sub(unit.span(count)).ok()?;
        Some(DateRange { first, last: self.from.today })
    }

    fn last_weekday(&self, weekday: Weekday) -> Option<DateRange> {
        self.from.today.nth_weekday(-1, weekday).ok().and_then(|day| one_day(day, 0))
    }

    fn count(&self, at: usize) -> Option<(i64, usize)> {
        if let Kind::Number { value, digits: ..=3 } = self.from.tokens.get(at)?.kind {
            return Some((i64::from(value), at + 1));
        }
        let numbers = self.words.numbers.iter().zip(1..);
        numbers.into_iter().find_map(|(names, count)| Some((count, self.any(at, names)?)))
    }

    fn unit(&self, at: usize) -> Option<(DateUnit, usize)> {
        let units = [DateUnit::Day, DateUnit::Week, DateUnit::Month, DateUnit::Year].into_iter().zip(&self.words.units);
        units.into_iter().find_map(|(unit, names)| Some((unit, self.any(at, names)?)))
    }

    fn weekday(&self, at: usize) -> Option<(Weekday, usize)> {
        let mut days = self.words.weekdays.iter().zip(0..);
        let (index, end) = days.find_map(|(names, index)| Some((index, self.any(at, names)?)))?;
        Some((Weekday::from_monday_zero_offset(index).ok()?, end))
    }

    /// Returns the token after one of `phrases`, if one is here.
    fn any(&self, at: usize, phrases: &[&str]) -> Option<usize> {
        phrases.iter().find_map(|phrase| self.phrase(at, phrase))
    }

    fn phrase(&self, at: usize, phrase: &str) -> Option<usize> {
        let mut end = at;
        for piece in phrase.split(' ') {
            let token = self.from.tokens.get(end)?;
            match token.kind {
                Kind::Word if token.is_word(&[piece]) => end += 1,
                Kind::Mark(_) => {
                    for letter in piece.chars() {
                        matches!(self.from.tokens.get(end)?.kind, Kind::Mark(mark) if mark == letter).then_some(())?;
                        end += 1;
                    }
                }
                _ => return None,
            }
        }
        Some(end)
    }
}

#[cfg(test)]
mod tests {
    use super::super::periods_in_text;
    use super::*;

    /// A Wednesday.
    const TODAY: Date = Date::constant(2023, 5, 10);

    fn range(text: &str) -> String {
        let found = periods_in_text(text, TODAY);
        let ranges = found.iter().filter_map(|period| period.range());
        ranges.map(|range| format!("{}..{}", range.first, range.last)).collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn all_mean(expected: &str, texts: &[&str]) {
        for text in texts {
            assert_eq!(range(text), expected, "{text}");
        }
    }

    #[test]
    fn yesterday_is_understood_in_each_language() {
        all_mean(
            "2023-05-09..2023-05-09",
            &[
                "What did we do yesterday?",
                "Was haben wir gestern gemacht?",
                "Qu'avons-nous fait hier ?",
                "¿Qué hicimos ayer?",
                "Che cosa abbiamo fatto ieri?",
                "O que fizemos ontem?",
                "Wat hebben we gisteren gedaan?",
                "Co robiliśmy wczoraj?",
                "Что мы делали вчера?",
                "Вчера",
                "Dün ne yaptık?",
                "昨日何をしましたか",
                "昨天做了什么",
                "어제 무엇을 했나요?",
                "เมื่อวานทำอะไร",
            ],
        );
    }

    #[test]
    fn last_week_is_understood_in_each_language() {
        all_mean(
            "2023-05-01..2023-05-07",
            &[
                "last week",
                "letzte Woche",
                "la semaine dernière",
                "la semana pasada",
                "la settimana scorsa",
                "na semana passada",
                "vorige week",
                "w zeszłym tygodniu",
                "на прошлой неделе",
                "geçen hafta",
                "先週の会議",
                "上周的会议",
                "지난주 회의",
                "지난 주 회의",
                "สัปดาห์ที่แล้ว",
            ],
        );
    }

    #[test]
    fn three_days_ago_is_understood_in_each_language() {
        all_mean(
            "2023-05-07..2023-05-07",
            &[
                "3 days ago",
                "vor drei Tagen",
                "il y a 3 jours",
                "hace tres días",
                "tre giorni fa",
                "há 3 dias",
                "3 dias atrás",
                "drie dagen geleden",
                "3 dni temu",
                "3 дня назад",
                "üç gün önce",
                "3日前",
                "3天前",
                "3일 전",
                "3 วันก่อน",
            ],
        );
    }

    #[test]
    fn last_monday_is_understood_in_many_languages() {
        all_mean(
            "2023-05-08..2023-05-08",
            &[
                "last Monday",
                "letzten Montag",
                "lundi dernier",
                "el lunes pasado",
                "lunedì scorso",
                "na segunda passada",
                "afgelopen maandag",
                "w zeszły poniedziałek",
                "в прошлый понедельник",
                "geçen pazartesi",
                "지난 월요일",
            ],
        );
    }

    #[test]
    fn the_last_days_end_today() {
        all_mean(
            "2023-05-07..2023-05-10",
            &[
                "the last 3 days",
                "in den letzten drei Tagen",
                "les 3 derniers jours",
                "los últimos 3 días",
                "gli ultimi tre giorni",
                "os últimos 3 dias",
                "de afgelopen 3 dagen",
                "ostatnie 3 dni",
                "последние 3 дня",
                "son üç gün",
                "過去3日",
                "最近3天",
            ],
        );
    }

    #[test]
    fn an_ambiguous_word_counts_only_in_its_language() {
        all_mean("", &["Was ist hier noch offen?", "hier", "Wat is hier gebeurd?", "the last one", "an or a", "mes"]);
        all_mean("2023-05-09..2023-05-09", &["Qu'est-ce que nous avons décidé hier ?"]);
    }
}
