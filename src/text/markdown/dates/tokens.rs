//! Splits text into the numbers, words and marks that form dates.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::languages;

/// A token of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// The text as written.
    pub(super) text: &'a str,
    pub(super) kind: Kind,
    /// Whether white space precedes it.
    pub(super) spaced: bool,
}

/// Kinds of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A run of ASCII digits. With more than four digits, the value is 0.
    Number {
        /// Its value.
        value: u32,
        /// Number of digits.
        digits: usize,
    },
    /// A run of letters of an alphabet.
    Word,
    /// Any other character, and each ideograph, Hangul syllable and Thai letter.
    Mark(char),
}

impl Token<'_> {
    /// Whether it is one of the lower-case `words`.
    pub(super) fn is_word(&self, words: &[&str]) -> bool {
        self.kind == Kind::Word && words.iter().any(|word| is_lower_case_of(word, self.text))
    }

    /// Returns its month by the English name, 1 to 12.
    pub(super) fn month(&self) -> Option<u8> {
        self.named_month().filter(|(_, is_english)| *is_english).map(|(month, _)| month)
    }

    /// Returns its month by the name in another language, 1 to 12.
    pub(super) fn other_month(&self) -> Option<u8> {
        self.named_month().filter(|(_, is_english)| !*is_english).map(|(month, _)| month)
    }

    /// Returns its month in any language, and whether the name is English.
    fn named_month(&self) -> Option<(u8, bool)> {
        const MAX_BYTES: usize = 32;
        let may_be = self.kind == Kind::Word && self.text.len() <= MAX_BYTES;
        may_be.then(|| MONTHS.get(self.text.to_lowercase().as_str()).copied()).flatten()
    }
}

/// The month names, each with its number and whether it is English.
static MONTHS: LazyLock<HashMap<&'static str, (u8, bool)>> = LazyLock::new(|| {
    let mut months = HashMap::new();
    for (place, language) in languages::ALL.iter().enumerate() {
        for (names, month) in language.dates.months.iter().zip(1..) {
            for name in *names {
                months.entry(*name).or_insert((month, place == 0));
            }
        }
    }
    months
});

/// Whether `text` equals the lower-case word `lower`, ignoring case.
fn is_lower_case_of(lower: &str, text: &str) -> bool {
    if text.is_ascii() {
        return text.eq_ignore_ascii_case(lower);
    }
    text.chars().flat_map(char::to_lowercase).eq(lower.chars())
}

/// Returns the tokens of `text`, in order, without white space.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start();
        let spaced = trimmed.len() < rest.len();
        rest = trimmed;
        let Some(first) = rest.chars().next() else { return tokens };
        let length_of = |member: fn(char) -> bool| rest.find(|c| !member(c)).unwrap_or(rest.len());
        let (length, kind) = if first.is_ascii_digit() {
            let digits = length_of(|c| c.is_ascii_digit());
            let value = if digits <= 4 { rest[..digits].parse().unwrap_or(0) } else { 0 };
            (digits, Kind::Number { value, digits })
        } else if is_letter(first) {
            (length_of(is_letter), Kind::Word)
        } else {
            (first.len_utf8(), Kind::Mark(first))
        };
        tokens.push(Token { text: &rest[..length], kind, spaced });
        rest = &rest[length..];
    }
}

/// Whether `character` is a letter of a script with blanks between words. Characters from U+2E80 on are East Asian; Thai has
/// no blanks either.
fn is_letter(character: char) -> bool {
    character.is_alphabetic() && character < '\u{2e80}' && !matches!(character, '\u{e00}'..='\u{e7f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_into_numbers_words_and_marks() {
        let texts = |text| tokens(text).iter().map(|token| token.text).collect::<Vec<_>>();
        assert_eq!(texts(" 8th  of Mai, 在2023年é "), ["8", "th", "of", "Mai", ",", "在", "2023", "年", "é"]);
        assert!(texts(" \n").is_empty());
    }

    #[test]
    fn months_are_named_in_full_or_in_short() {
        let month = |text| tokens(text)[0].month();
        assert_eq!((month("MAY"), month("sept"), month("Dec"), month("mayor")), (Some(5), Some(9), Some(12), None));
        let other = |text| tokens(text)[0].other_month();
        assert_eq!((other("März"), other("août"), other("MAYO"), other("may")), (Some(3), Some(8), Some(5), None));
        assert_eq!(
            (other("МАЯ"), other("Şubat"), other("grudnia"), other("Settembre")),
            (Some(5), Some(2), Some(12), Some(9))
        );
    }
}
