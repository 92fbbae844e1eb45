//! Cuts text into the numbers, words and marks of which dates are made.

/// Names of the months and their abbreviations.
const MONTHS: [(&str, &[&str]); 12] = [
    ("january", &["jan"]),
    ("february", &["feb"]),
    ("march", &["mar"]),
    ("april", &["apr"]),
    ("may", &[]),
    ("june", &["jun"]),
    ("july", &["jul"]),
    ("august", &["aug"]),
    ("september", &["sep", "sept"]),
    ("october", &["oct"]),
    ("november", &["nov"]),
    ("december", &["dec"]),
];

/// Names of the months in German, French and Spanish that English does not have, also as they are typed without diacritics.
const OTHER_MONTHS: [&[&str]; 12] = [
    &["januar", "jänner", "janvier", "enero"],
    &["februar", "février", "fevrier", "febrero"],
    &["märz", "maerz", "mars", "marzo"],
    &["avril", "abril"],
    &["mai", "mayo"],
    &["juni", "juin", "junio"],
    &["juli", "juillet", "julio"],
    &["août", "aout", "agosto"],
    &["septembre", "septiembre", "setiembre"],
    &["oktober", "okt", "octobre", "octubre"],
    &["novembre", "noviembre"],
    &["dezember", "dez", "décembre", "decembre", "diciembre"],
];

/// A piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// As it was written.
    pub(super) text: &'a str,
    pub(super) kind: Kind,
    /// Whether white space stands before it.
    pub(super) spaced: bool,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A run of ASCII digits; the value is 0 where there are more than four.
    Number {
        /// Its value.
        value: u32,
        /// How many digits it has.
        digits: usize,
    },
    /// A run of letters of an alphabet.
    Word,
    /// Any other character, and each ideograph and Hangul syllable.
    Mark(char),
}

impl Token<'_> {
    /// Whether it is one of `words`, which are lower-case.
    pub(super) fn is_word(&self, words: &[&str]) -> bool {
        self.kind == Kind::Word && words.iter().any(|word| self.text.eq_ignore_ascii_case(word))
    }

    /// Returns the month that it names, 1 to 12.
    pub(super) fn month(&self) -> Option<u8> {
        let names = |(name, short): &(&str, &[&str])| self.is_word(&[name]) || self.is_word(short);
        let index = MONTHS.iter().position(names)?;
        u8::try_from(index + 1).ok()
    }

    /// Returns the month that it names in another language than English, 1 to 12.
    pub(super) fn other_month(&self) -> Option<u8> {
        let index = OTHER_MONTHS.iter().position(|names| self.is_word(names))?;
        u8::try_from(index + 1).ok()
    }
}

/// Returns the tokens of `text`, in order; white space separates them.
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

/// Whether `character` is a letter of a script that writes words apart; those from U+2E80 on are East Asian.
fn is_letter(character: char) -> bool {
    character.is_alphabetic() && character < '\u{2e80}'
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
    }
}
