//! Scripts without blanks between words.

/// Whether `character` belongs to a script without blanks between words; runs of them are indexed as character bigrams. This
/// includes Hangul: Korean particles attach to their words, and bigrams find the stem.
pub fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{0e00}'..='\u{0eff}'      // Thai, Lao
        | '\u{1000}'..='\u{109f}'    // Myanmar
        | '\u{1100}'..='\u{11ff}'    // Hangul Jamo
        | '\u{1780}'..='\u{17ff}'    // Khmer
        | '\u{2e80}'..='\u{2fdf}'    // CJK radicals
        | '\u{3005}'..='\u{3007}'    // iteration mark, closing mark, zero
        | '\u{3040}'..='\u{30fa}'    // Hiragana, Katakana
        | '\u{30fc}'..='\u{312f}'    // prolonged sound mark, Bopomofo
        | '\u{3130}'..='\u{318f}'    // Hangul compatibility Jamo
        | '\u{31a0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'    // CJK extension A
        | '\u{4e00}'..='\u{9fff}'    // CJK unified ideographs
        | '\u{ac00}'..='\u{d7ff}'    // Hangul syllables
        | '\u{f900}'..='\u{faff}'    // CJK compatibility ideographs
        | '\u{ff66}'..='\u{ff9f}'    // half-width Katakana
        | '\u{20000}'..='\u{3ffff}'  // CJK extensions B and later
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_distinguished_from_punctuation() {
        for character in "战国カナひら한글ไทย々".chars() {
            assert!(is_unspaced(character), "{character}");
        }
        for character in "aé9,。、！？・「」　（）".chars() {
            assert!(!is_unspaced(character), "{character}");
        }
    }
}
