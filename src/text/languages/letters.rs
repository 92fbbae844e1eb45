//! Folds letters that the index's own tokenizer does not fold, and drops marks that it splits words at.
//!
//! FTS5's `remove_diacritics` strips the marks of Latin letters that Unicode decomposes (`é`, `ü`). It treats letters
//! with a stroke and ligatures as letters of their own, but people type them without. Turkish `ı` is typed as `i` and
//! capitalized as `I`; most people write Russian `ё` as `е`. Cyrillic `й` is kept. FTS5 splits words at Thai and Lao
//! vowels above and below the line, so they are dropped. Decomposed text (file names of macOS) is composed, and
//! full-width letters become plain ones.

use std::borrow::Cow;

use unicode_normalization_alignments::UnicodeNormalization;

/// Returns a word as the index holds it, except for stemming: lower-case, without the diacritics of Latin letters, and
/// with letters such as `ø` as plain letters.
pub fn normalize_word(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let mut plain = String::with_capacity(word.len());
    let mut base = ' ';
    for (letter, _) in fold_letters(word).to_lowercase().nfd() {
        if is_diacritic(letter) {
            if keeps_its_marks(base) {
                plain.push(letter);
            }
        } else {
            plain.push(letter);
            base = letter;
        }
    }
    if plain.is_ascii() { plain } else { plain.nfc().map(|(letter, _)| letter).collect() }
}

/// Returns `text` with letters such as `ø`, `ł`, `æ`, `ß`, `ı` and `ё` as people type them without the right keyboard,
/// and with decomposed letters composed.
pub fn fold_letters(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    if is_decomposed(text) {
        let composed: String = text.nfc().map(|(letter, _)| letter).collect();
        return Cow::Owned(plain(&composed).into_owned());
    }
    plain(text)
}

/// Whether a character is a combining mark on the letter before it, as in decomposed text. The index ignores these.
pub fn is_diacritic(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

fn plain(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| plain_letters(c).is_some() || from_full_width(c).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match (plain_letters(character), from_full_width(character)) {
            (Some(letters), _) => out.push_str(letters),
            (None, Some(letter)) => out.push(letter),
            (None, None) => out.push(character),
        }
    }
    Cow::Owned(out)
}

/// Whether a text holds decomposed letters that the index would take for other words: Korean syllables, Japanese voice
/// marks, `й`.
fn is_decomposed(text: &str) -> bool {
    let mut before = ' ';
    text.chars().any(|character| {
        let apart = matches!(character, '\u{1100}'..='\u{11ff}' | '\u{3099}' | '\u{309a}')
            || (is_diacritic(character) && keeps_its_marks(before));
        before = character;
        apart
    })
}

/// Whether a letter belongs to a script whose marks the index keeps.
fn keeps_its_marks(letter: char) -> bool {
    letter > '\u{36f}' && letter.is_alphabetic() && !matches!(letter, '\u{1e00}'..='\u{1eff}')
}

/// Returns the plain form of a full-width letter or digit.
fn from_full_width(character: char) -> Option<char> {
    matches!(character, '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ')
        .then(|| char::from_u32(u32::from(character) - 0xfee0))
        .flatten()
}

fn plain_letters(character: char) -> Option<&'static str> {
    Some(match character {
        'ø' => "o",
        'Ø' => "O",
        'ł' => "l",
        'Ł' => "L",
        'đ' | 'ð' => "d",
        'Đ' | 'Ð' => "D",
        'ħ' => "h",
        'Ħ' => "H",
        'ı' => "i",
        'ŧ' => "t",
        'Ŧ' => "T",
        'ß' => "ss",
        'ẞ' => "SS",
        'æ' => "ae",
        'Æ' => "Ae",
        'œ' => "oe",
        'Œ' => "Oe",
        'þ' => "th",
        'Þ' => "Th",
        'ё' => "е",
        'Ё' => "Е",
        // Thai and Lao marks above and below the line.
        '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}' => "",
        '\u{eb1}' | '\u{eb4}'..='\u{ebc}' | '\u{ec8}'..='\u{ece}' => "",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diacritics_and_capitals_are_folded() {
        assert_eq!(normalize_word("Käsespätzle"), "kasespatzle");
        assert_eq!(normalize_word("Cre\u{300}me"), "creme");
        assert_eq!(normalize_word("Łódź"), "lodz");
    }

    #[test]
    fn strokes_and_ligatures_are_folded() {
        assert_eq!(fold_letters("Bodø, Łódź, Straße, cœur, Ærø"), "Bodo, Lódź, Strasse, coeur, Aero");
        assert!(matches!(fold_letters("über café"), Cow::Borrowed(_)));
    }

    #[test]
    fn turkish_i_has_one_form_with_and_without_its_dot() {
        for word in ["ışık", "IŞIK", "Işık", "isik"] {
            assert_eq!(normalize_word(word), "isik", "{word}");
        }
        assert_eq!(
            (normalize_word("İstanbul"), normalize_word("istanbul"), normalize_word("ISTANBUL")),
            ("istanbul".into(), "istanbul".into(), "istanbul".into())
        );
    }

    #[test]
    fn cyrillic_short_i_is_kept() {
        assert_eq!(
            (normalize_word("Ёлка"), normalize_word("йод"), normalize_word("НОВЫЙ")),
            ("елка".into(), "йод".into(), "новый".into())
        );
        assert_eq!(normalize_word("но\u{432}ы\u{438}\u{306}"), "новый", "as macOS writes it in names of files");
        assert_eq!(fold_letters("и\u{306}од"), "йод");
    }

    #[test]
    fn east_asian_letters_are_composed_and_narrowed() {
        assert_eq!(fold_letters("\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}"), "한국");
        assert_eq!(fold_letters("カ\u{3099}ラス ＡＢＣ１２３"), "ガラス ABC123");
        assert_eq!(fold_letters("ที่นี่"), "ทน", "the index would part the word at each of these marks");
    }

    proptest::proptest! {
        #[test]
        fn folding_is_idempotent(text in "\\PC{0,40}") {
            let once = fold_letters(&text).into_owned();
            proptest::prop_assert_eq!(fold_letters(&once).into_owned(), once);
        }
    }
}
