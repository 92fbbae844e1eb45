//! Letters that the index's own tokenizer does not fold, and those that it does not keep.
//!
//! FTS5's `remove_diacritics` takes marks off Latin letters that Unicode takes apart (`é`, `ü`). Letters with a stroke and ligatures
//! are letters of their own to it, and people type them without; Turkish `ı` is typed as `i` and shouted as `I`; Russian `ё` is
//! written as `е` by most. Cyrillic `й` stays what it is. Thai and Lao vowels above and below the line end a word for it, so they are
//! left out. Text that was taken apart (file names of macOS) is put together again, and letters of full width become plain ones.

use std::borrow::Cow;

use unicode_normalization_alignments::UnicodeNormalization;

/// Returns a word as the index holds it, but for its ending: in small letters, without the diacritics of Latin letters, `ø` and its
/// like as plain letters.
pub fn bare(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let mut plain = String::with_capacity(word.len());
    let mut base = ' ';
    for (letter, _) in fold(word).to_lowercase().nfd() {
        if is_diacritic(letter) {
            if is_of_other_script(base) {
                plain.push(letter);
            }
        } else {
            plain.push(letter);
            base = letter;
        }
    }
    if plain.is_ascii() { plain } else { plain.nfc().map(|(letter, _)| letter).collect() }
}

/// Returns `text` with `ø`, `ł`, `æ`, `ß`, `ı`, `ё` and their like as people type them without the right keyboard, composed where it
/// was taken apart.
pub fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    if is_taken_apart(text) {
        let composed: String = text.nfc().map(|(letter, _)| letter).collect();
        return Cow::Owned(plain(&composed).into_owned());
    }
    plain(text)
}

/// Whether a character is a mark upon the letter before it, as in decomposed text; the index reads over these.
pub fn is_diacritic(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

fn plain(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| plain_letters(c).is_some() || wide(c).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match (plain_letters(character), wide(character)) {
            (Some(letters), _) => out.push_str(letters),
            (None, Some(letter)) => out.push(letter),
            (None, None) => out.push(character),
        }
    }
    Cow::Owned(out)
}

/// Whether letters stand in parts whose whole the index knows as another word: Korean syllables, Japanese voice marks, `й`.
fn is_taken_apart(text: &str) -> bool {
    let mut before = ' ';
    text.chars().any(|character| {
        let apart = matches!(character, '\u{1100}'..='\u{11ff}' | '\u{3099}' | '\u{309a}')
            || (is_diacritic(character) && is_of_other_script(before));
        before = character;
        apart
    })
}

/// Whether a letter is of a script whose marks the index keeps.
fn is_of_other_script(letter: char) -> bool {
    letter > '\u{36f}' && letter.is_alphabetic() && !matches!(letter, '\u{1e00}'..='\u{1eff}')
}

/// The plain form of letters and digits of full width.
fn wide(character: char) -> Option<char> {
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
    fn diacritics_and_capitals_go() {
        assert_eq!(bare("Käsespätzle"), "kasespatzle");
        assert_eq!(bare("Cre\u{300}me"), "creme");
        assert_eq!(bare("Łódź"), "lodz");
    }

    #[test]
    fn strokes_and_ligatures_go() {
        assert_eq!(fold("Bodø, Łódź, Straße, cœur, Ærø"), "Bodo, Lódź, Strasse, coeur, Aero");
        assert!(matches!(fold("über café"), Cow::Borrowed(_)));
    }

    #[test]
    fn turkish_i_has_one_form_with_and_without_its_dot() {
        for word in ["ışık", "IŞIK", "Işık", "isik"] {
            assert_eq!(bare(word), "isik", "{word}");
        }
        assert_eq!(
            (bare("İstanbul"), bare("istanbul"), bare("ISTANBUL")),
            ("istanbul".into(), "istanbul".into(), "istanbul".into())
        );
    }

    #[test]
    fn cyrillic_keeps_the_letters_that_are_no_marks() {
        assert_eq!((bare("Ёлка"), bare("йод"), bare("НОВЫЙ")), ("елка".into(), "йод".into(), "новый".into()));
        assert_eq!(bare("но\u{432}ы\u{438}\u{306}"), "новый", "as macOS writes it in names of files");
        assert_eq!(fold("и\u{306}од"), "йод");
    }

    #[test]
    fn letters_of_the_east_are_composed_and_of_one_width() {
        assert_eq!(fold("\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}"), "한국");
        assert_eq!(fold("カ\u{3099}ラス ＡＢＣ１２３"), "ガラス ABC123");
        assert_eq!(fold("ที่นี่"), "ทน", "the index would part the word at each of these marks");
    }

    proptest::proptest! {
        #[test]
        fn folding_twice_is_folding_once(text in "\\PC{0,40}") {
            let once = fold(&text).into_owned();
            proptest::prop_assert_eq!(fold(&once).into_owned(), once);
        }
    }
}
