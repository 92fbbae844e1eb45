//! Compound words as in German: `Zahnarzttermin` is an appointment (`Termin`) with a dentist.
//!
//! The full text is sorted by the beginnings of words. Long words are also indexed reversed, so that words can be found by their end.

use std::collections::BTreeSet;

use crate::languages::normalize_word;

/// Minimum number of letters of a compound.
const MIN_LETTERS: usize = 8;
/// Longer strings are no words.
const MAX_LETTERS: usize = 40;

/// Returns the distinct long words of texts reversed, lower-case and without diacritics, separated by blanks.
pub fn reversed_words(texts: &[&str]) -> String {
    let words = texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphabetic()));
    let long = words.filter(|word| word.len() >= MIN_LETTERS).map(normalize_word);
    let ends: BTreeSet<String> = long
        .filter(|word| (MIN_LETTERS..=MAX_LETTERS).contains(&word.chars().count()))
        .map(|word| reversed(&word))
        .collect();
    ends.into_iter().collect::<Vec<_>>().join(" ")
}

/// Returns a word reversed.
pub fn reversed(word: &str) -> String {
    word.chars().rev().collect()
}

/// The spellings of a word with umlauts: `Käse`, `Kaese` and, without the right keys, `Kase`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spellings {
    /// The word without its diacritics, as the index holds it.
    pub bare: String,
    /// The same with pairs such as `ae` as one letter; equal to `bare` if there are none.
    pub short: String,
    /// The other spellings, in the form of the index.
    pub others: Vec<String>,
}

impl Spellings {
    /// Maximum number of letters that may stand for an umlaut and are varied one by one.
    const LETTERS: usize = 4;
    /// In shorter words, a pair such as `ue` is usually no umlaut: `guest`, `poem`.
    const MIN_LETTERS: usize = 6;

    /// Returns the spellings of `word`.
    pub fn of(word: &str) -> Self {
        let plain = normalize_word(word);
        let composed = word.to_lowercase().replace("a\u{308}", "ä").replace("o\u{308}", "ö").replace("u\u{308}", "ü");
        let long = plain.chars().count() >= Self::MIN_LETTERS;
        let short = if long { without_pairs(&plain) } else { plain.clone() };
        let mut others = BTreeSet::new();
        if composed.contains(['ä', 'ö', 'ü']) {
            others.insert(normalize_word(&composed.replace('ä', "ae").replace('ö', "oe").replace('ü', "ue")));
        } else if long {
            others.insert(short.clone());
            let places: Vec<usize> = plain
                .char_indices()
                .filter(|(_, letter)| matches!(letter, 'a' | 'o' | 'u'))
                .map(|(at, _)| at)
                .collect();
            if places.len() <= Self::LETTERS {
                others.extend((1..1usize << places.len()).map(|chosen| with_pairs(&plain, &places, chosen)));
            }
        }
        others.remove(&plain);
        Self { bare: plain, short, others: others.into_iter().collect() }
    }
}

/// Replaces `ae`, `oe` and `ue` by their first letter, except after a letter that gives the pair another meaning (`queue`, `neue`).
fn without_pairs(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut letters = word.chars().peekable();
    while let Some(letter) = letters.next() {
        let free = !out.ends_with(['a', 'e', 'q']);
        out.push(letter);
        if free && matches!(letter, 'a' | 'o' | 'u') {
            letters.next_if_eq(&'e');
        }
    }
    out
}

/// Inserts an `e` after the letters at `places` whose bits are set in `chosen`.
fn with_pairs(word: &str, places: &[usize], chosen: usize) -> String {
    let is_chosen = |at: usize| places.iter().position(|place| *place == at).is_some_and(|bit| chosen >> bit & 1 == 1);
    let mut out = String::with_capacity(word.len() + places.len());
    for (at, letter) in word.char_indices() {
        out.push(letter);
        if is_chosen(at) {
            out.push('e');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_indexed_reversed() {
        assert_eq!(
            reversed_words(&["Der Zahnarzttermin, der ZAHNARZTTERMIN", "Käsespätzle am Montag"]),
            "elztapsesak nimrettzranhaz"
        );
        assert_eq!(reversed_words(&["short words 12345678 alone", &"x".repeat(41)]), "");
    }

    #[test]
    fn umlauts_have_three_spellings() {
        let all = |word: &str| Spellings::of(word);
        let typed = all("Käsespätzle");
        assert_eq!((typed.bare, typed.others), ("kasespatzle".into(), vec!["kaesespaetzle".into()]));
        let typed = all("Kaesespaetzle");
        assert!(typed.short == "kasespatzle" && typed.others.contains(&typed.short));
        assert!(all("Kasespatzle").others.contains(&"kaesespaetzle".into()));
        assert_eq!(all("Ka\u{308}se").others, ["kaese"]);
        assert!(all("guest").others.is_empty() && all("poem").others.is_empty(), "short words");
        assert_eq!(without_pairs("queueing"), "queueing");
        assert!(all(&"au".repeat(50)).others.is_empty());
    }
}
