//! Letters that the index's own tokenizer does not fold.
//!
//! FTS5's `remove_diacritics` takes marks off letters that Unicode takes apart (`é`, `ü`); letters with a stroke and ligatures
//! are letters of their own to it. People type them without.

use std::borrow::Cow;

use unicode_normalization_alignments::UnicodeNormalization;

/// Returns a word as the index holds it, but for its ending: in small letters, without diacritics, `ø` and its like as plain
/// letters.
pub fn bare(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let plain: String = fold(word).nfd().map(|(letter, _)| letter).filter(|letter| !is_diacritic(*letter)).collect();
    plain.to_lowercase()
}

/// Returns `text` with `ø`, `ł`, `æ`, `ß` and their like as people type them without the right keyboard.
pub(super) fn fold(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| plain(c).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match plain(character) {
            Some(letters) => out.push_str(letters),
            None => out.push(character),
        }
    }
    Cow::Owned(out)
}

/// Whether a character is a mark upon the letter before it, as in decomposed text; the index reads over these.
pub(super) fn is_diacritic(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

fn plain(character: char) -> Option<&'static str> {
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
}
