//! The notations of dates, each tried at the tokens that may start it.

use super::DateMention;
use super::tokens::{Kind, Token};
use crate::languages;

/// Plausible years of a number without separators, after "in", and in `2023-05`.
pub(in crate::markdown) const PLAUSIBLE_YEARS: std::ops::RangeInclusive<i16> = 1900..=2100;

/// Words before which a month or year alone is a date. Those of other languages are in `languages`.
const PREPOSITIONS: [&str; 4] = ["in", "of", "during", "since"];

/// Month names of other languages that are also English words. They only count as months after a preposition, even with a year.
const AMBIGUOUS_MONTHS: [&str; 5] = ["mars", "mayo", "mart", "maja", "marca"];

/// Words between a day, its month and its year: "8 of May", "8 de mayo del 2023".
const OF: [&str; 3] = ["of", "de", "del"];

/// Years that the Thai calendar is ahead.
const BUDDHIST_ERA: i16 = 543;

/// Words that may stand between a preposition and the month or year.
const FILLERS: [&str; 5] = ["the", "year", "early", "mid", "late"];

/// A mention, and the index of the token after it.
pub(super) type Found = (DateMention, usize);

/// Parses the notations at given tokens.
pub(super) struct Reader<'a> {
    tokens: &'a [Token<'a>],
}

impl<'a> Reader<'a> {
    pub(super) fn new(tokens: &'a [Token<'a>]) -> Self {
        Self { tokens }
    }

    /// Returns the mention that starts at token `at`. Its day may not exist.
    pub(super) fn mention(&self, at: usize) -> Option<Found> {
        match self.tokens[at].kind {
            Kind::Number { .. } if self.is_part_of_word_or_number(at) => None,
            Kind::Number { .. } => {
                self.iso(at).or_else(|| self.cjk(at)).or_else(|| self.day_month(at)).or_else(|| self.bare_year(at))
            }
            Kind::Word => self.month_first(at),
            Kind::Mark(_) => {
                let (month, end) = self.thai_month(at)?;
                let (year, end) = self.thai_year(end);
                Some((DateMention::Month { year, month }, end))
            }
        }
    }

    /// `2023-05-08`, `2023-05`.
    fn iso(&self, at: usize) -> Option<Found> {
        let year = self.year(at)?;
        let separator = self.adjacent_mark(at + 1, &['-', '/', '.', '_'])?;
        let month = self.adjacent_number(at + 2)?;
        if self.adjacent_mark(at + 3, &[separator]).is_some()
            && let Some(day) = self.adjacent_number(at + 4)
        {
            return Some((DateMention::Day { year: Some(year), month, day }, at + 5));
        }
        let is_month = matches!(separator, '-' | '/') && self.digits(at + 2) == 2 && (1..=12).contains(&month);
        let ends = !self.continues(at + 3) && PLAUSIBLE_YEARS.contains(&year);
        (is_month && ends).then_some((DateMention::Month { year: Some(year), month }, at + 3))
    }

    /// `2023年5月8日`, `2023年5月`, `2023年`, `5月8日`, `5月`.
    fn cjk(&self, at: usize) -> Option<Found> {
        let month_at = |at| self.small_number(at).filter(|_| self.mark(at + 1, &['月', '월']).is_some());
        let day_at = |at| self.small_number(at).filter(|_| self.mark(at + 1, &['日', '号', '號', '일']).is_some());
        let from_month = |year, at| {
            let month = month_at(at)?;
            match day_at(at + 2) {
                Some(day) => Some((DateMention::Day { year, month, day }, at + 4)),
                None => Some((DateMention::Month { year, month }, at + 2)),
            }
        };
        match self.year(at).filter(|_| self.mark(at + 1, &['年', '년']).is_some()) {
            Some(year) => from_month(Some(year), at + 2)
                .or_else(|| PLAUSIBLE_YEARS.contains(&year).then_some((DateMention::Year(year), at + 2))),
            None => from_month(None, at),
        }
    }

    /// `8 May 2023`, `8th of May`, `8-May-2023`, `8. Mai 2023`, `8 mai 2023`, `8 de mayo de 2023`.
    fn day_month(&self, at: usize) -> Option<Found> {
        let (day, mut at) = self.day(at)?;
        if self.is_word(at, &OF) || self.mark(at, &['-']).is_some() {
            at += 1;
        } else if self.mark(at, &['.']).is_some() && !self.is_word(at + 1, &["may", "march"]) {
            // German writes ordinals with a dot. In "We had 8. May I…", the dot ends a sentence.
            at += 1;
        }
        if let Some((month, end)) = self.thai_month(at) {
            let (year, end) = self.thai_year(end);
            return Some((DateMention::Day { year, month, day }, end));
        }
        let month = self.month(at).or_else(|| self.other_month(at))?;
        let (year, end) = self.following_year(at + 1);
        Some((DateMention::Day { year, month, day }, end))
    }

    /// `May 8, 2023`, `May 8th`, `May 2023`, and `May` after a preposition.
    fn month_first(&self, at: usize) -> Option<Found> {
        let Some(month) = self.month(at) else { return self.other_month_first(at) };
        let after = if self.mark(at + 1, &['.']).is_some() { at + 2 } else { at + 1 };
        let number = if self.is_word(after, &["the"]) { after + 1 } else { after };
        if let Some((day, end)) = self.day(number) {
            let (year, end) = self.following_year(self.after_range(end));
            return Some((DateMention::Day { year, month, day }, end));
        }
        match self.following_year(after) {
            (Some(year), end) => Some((DateMention::Month { year: Some(year), month }, end)),
            (None, _) => self.follows_preposition(at).then_some((DateMention::Month { year: None, month }, at + 1)),
        }
    }

    /// `März 2023`, `marzo de 2023`, and `März` after a preposition.
    fn other_month_first(&self, at: usize) -> Option<Found> {
        let month = self.other_month(at)?;
        let follows = self.follows_preposition(at);
        match self.following_year(at + 1) {
            (year @ Some(_), end) if follows || !self.is_word(at, &AMBIGUOUS_MONTHS) => {
                Some((DateMention::Month { year, month }, end))
            }
            _ => follows.then_some((DateMention::Month { year: None, month }, at + 1)),
        }
    }

    /// `พฤษภาคม`, where each letter is a token.
    fn thai_month(&self, at: usize) -> Option<(u8, usize)> {
        matches!(self.tokens.get(at)?.kind, Kind::Mark('\u{e00}'..='\u{e7f}')).then_some(())?;
        let months = languages::by_code("th")?.dates.months.iter().zip(1..);
        months.flat_map(|(names, month)| names.iter().map(move |name| (*name, month))).find_map(|(name, month)| {
            let end = at + name.chars().count();
            let stands = name.chars().zip(at..).all(|(letter, at)| self.mark(at, &[letter]).is_some());
            stands.then_some((month, end))
        })
    }

    /// The year after a Thai month, of either calendar.
    fn thai_year(&self, at: usize) -> (Option<i16>, usize) {
        let (year, end) = self.following_year(at);
        (year.map(|year| if PLAUSIBLE_YEARS.contains(&year) { year } else { year - BUDDHIST_ERA }), end)
    }

    fn bare_year(&self, at: usize) -> Option<Found> {
        let year = self.year(at).filter(|year| PLAUSIBLE_YEARS.contains(year))?;
        let is_year = self.follows_preposition(at) && !self.continues(at + 1);
        is_year.then_some((DateMention::Year(year), at + 1))
    }

    /// Returns the year after a day or a month and the token after it, or `at` if there is none.
    fn following_year(&self, at: usize) -> (Option<i16>, usize) {
        let number = if self.mark(at, &[',', '.', '-']).is_some() || self.is_word(at, &OF) { at + 1 } else { at };
        match self.year(number).filter(|_| !self.continues(number + 1)) {
            Some(year) => (Some(year), number + 1),
            None => (None, at),
        }
    }

    /// A day of the month, perhaps as an ordinal, and the token after it.
    fn day(&self, at: usize) -> Option<(u8, usize)> {
        let day = self.small_number(at)?;
        let is_ordinal = self.is_word(at + 1, &["st", "nd", "rd", "th", "er"]) && !self.tokens[at + 1].spaced;
        let end = if is_ordinal { at + 2 } else { at + 1 };
        let is_quantity = self.continues(end) && self.adjacent_mark(end, &['-']).is_none() && self.month(end).is_none();
        (!is_quantity).then_some((day, end))
    }

    /// Returns the token after the rest of a range of days (`-10` of `8-10`), or `at` if there is none.
    fn after_range(&self, at: usize) -> usize {
        let last = self.adjacent_mark(at, &['-', '–']).and_then(|_| self.day(at + 1));
        last.map_or(at, |(_, end)| end)
    }

    fn follows_preposition(&self, at: usize) -> bool {
        let mut before = self.tokens[..at].iter().rev();
        let is_preposition = |token: &Token<'_>| {
            token.is_word(&PREPOSITIONS) || languages::ALL.iter().any(|one| token.is_word(one.dates.prepositions))
        };
        before.find(|token| !token.is_word(&FILLERS)).is_some_and(is_preposition)
            || (self.tokens[..at].last().is_some_and(|token| token.is_word(&["year"])))
    }

    /// Whether the number at `at` belongs to something longer: `v2`, `3.5`, `10:30`.
    fn is_part_of_word_or_number(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).map(|before| &self.tokens[before]) else { return false };
        let number_before =
            at.checked_sub(2).is_some_and(|number| matches!(self.tokens[number].kind, Kind::Number { .. }));
        !self.tokens[at].spaced
            && (before.kind == Kind::Word
                || (!before.spaced && number_before && matches!(before.kind, Kind::Mark('.' | ':' | ','))))
    }

    /// Whether the number before `at` continues: `2023-24`, `8:30`, `1990s`, `8%`.
    fn continues(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at).filter(|token| !token.spaced) else { return false };
        match token.kind {
            Kind::Word => true,
            Kind::Mark('%') => true,
            Kind::Mark('.' | ':' | '-' | '/' | ',') => self.adjacent_number(at + 1).is_some(),
            Kind::Mark(_) | Kind::Number { .. } => false,
        }
    }

    fn year(&self, at: usize) -> Option<i16> {
        match self.tokens.get(at)?.kind {
            Kind::Number { value, digits: 4 } if value >= 1000 => i16::try_from(value).ok(),
            _ => None,
        }
    }

    fn digits(&self, at: usize) -> usize {
        match self.tokens.get(at).map(|token| token.kind) {
            Some(Kind::Number { digits, .. }) => digits,
            _ => 0,
        }
    }

    fn small_number(&self, at: usize) -> Option<u8> {
        match self.tokens.get(at)?.kind {
            Kind::Number { value, digits: 1..=2 } => u8::try_from(value).ok(),
            _ => None,
        }
    }

    fn adjacent_number(&self, at: usize) -> Option<u8> {
        self.small_number(at).filter(|_| !self.tokens[at].spaced)
    }

    fn mark(&self, at: usize, marks: &[char]) -> Option<char> {
        match self.tokens.get(at)?.kind {
            Kind::Mark(mark) => marks.contains(&mark).then_some(mark),
            _ => None,
        }
    }

    fn adjacent_mark(&self, at: usize, marks: &[char]) -> Option<char> {
        self.mark(at, marks).filter(|_| !self.tokens[at].spaced)
    }

    fn is_word(&self, at: usize, words: &[&str]) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is_word(words))
    }

    fn month(&self, at: usize) -> Option<u8> {
        self.tokens.get(at)?.month()
    }

    fn other_month(&self, at: usize) -> Option<u8> {
        self.tokens.get(at)?.other_month()
    }
}
