//! Which letters people type for others, and which marks on letters they leave out.
//!
//! FTS5's `remove_diacritics` strips the marks of Latin letters that Unicode decomposes (`é`, `ü`). It treats letters
//! with a stroke and ligatures as letters of their own, but people type them without. Turkish `ı` is typed as `i` and
//! capitalized as `I`; most people write Russian `ё` as `е`. Cyrillic `й` is kept. FTS5 splits words at Thai and Lao
//! vowels above and below the line, so they are dropped.

use unicode_normalization_alignments::char::is_combining_mark;

/// Whether a character is a combining mark on the letter before it, as in decomposed text. The index ignores these.
pub fn is_diacritic(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}')
}

/// Whether a character is a mark that readers do without: accents, stress, Arabic vowel signs, Hebrew points. The scripts up to Syriac
/// write vowels as letters or not at all; from Thaana on, marks are vowels and belong to the word.
pub(super) fn is_optional_mark(character: char) -> bool {
    match character {
        '\u{300}'..='\u{77f}' | '\u{8ca}'..='\u{8ff}' => is_combining_mark(character),
        '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}' => true,
        '\u{3099}' | '\u{309a}' => true,
        _ => false,
    }
}

/// Whether a letter is Greek: all its accents are optional, so it is not composed with them.
pub(super) fn is_greek(letter: char) -> bool {
    matches!(letter, '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}')
}

/// Whether a letter belongs to a script whose marks the index keeps.
pub(super) fn keeps_its_marks(letter: char) -> bool {
    letter > '\u{36f}' && letter.is_alphabetic() && !matches!(letter, '\u{1e00}'..='\u{1eff}')
}

/// Whether a character is in its plain form already, whatever stands beside it. This covers most text; other characters are looked up.
pub(super) fn is_settled(character: char) -> bool {
    match character {
        '\0'..='\u{7f}' => true,
        '\u{a1}'..='\u{a7}' | '\u{a9}' | '\u{ab}' | '\u{ac}' | '\u{ae}' | '\u{b0}' | '\u{b1}' | '\u{b6}' | '\u{b7}' => {
            true
        }
        '\u{bb}' | '\u{bf}' => true,
        // Digraphs and a long s among the Latin letters.
        '\u{132}' | '\u{133}' | '\u{13f}' | '\u{140}' | '\u{149}' | '\u{17f}' => false,
        '\u{1c4}'..='\u{1cc}' | '\u{1f1}'..='\u{1f3}' | '\u{1e9a}' | '\u{1e9b}' => false,
        '\u{c0}'..='\u{2af}' | '\u{1e00}'..='\u{1eff}' => true,
        '\u{400}'..='\u{482}' | '\u{48a}'..='\u{52f}' | '\u{5d0}'..='\u{5ea}' => true,
        '\u{620}'..='\u{63f}' | '\u{641}'..='\u{64a}' | '\u{660}'..='\u{66f}' => true,
        // Thai and Lao; a vowel that Unicode decomposes stays one letter.
        '\u{edc}' | '\u{edd}' => false,
        '\u{e00}'..='\u{eff}' => true,
        '\u{2010}' | '\u{2012}'..='\u{2016}' | '\u{2018}'..='\u{2023}' | '\u{2027}' => true,
        '\u{3001}'..='\u{302f}' | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fe}' => true,
        '\u{3164}' => false,
        // Korean letters apart stay apart: composed they would be syllables.
        '\u{3131}'..='\u{318f}' | '\u{ffa1}'..='\u{ffdc}' => true,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => true,
        '\u{20000}'..='\u{2f7ff}' | '\u{30000}'..='\u{3ffff}' => true,
        _ => false,
    }
}

/// Returns the letters that people type for another letter.
pub(super) fn plain_letters(character: char) -> Option<&'static str> {
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
        'ς' => "σ",
        // Notes of music as programmers write them.
        '♯' => "#",
        // The stroke that lengthens Arabic words.
        '\u{640}' => "",
        // Thai and Lao marks above and below the line.
        '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}' => "",
        '\u{eb1}' | '\u{eb4}'..='\u{ebc}' | '\u{ec8}'..='\u{ece}' => "",
        _ => return None,
    })
}
