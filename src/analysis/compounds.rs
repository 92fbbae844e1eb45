//! Words that are made of words, as German writes them: `Zahnarzttermin` is an appointment (`Termin`) with a dentist.
//!
//! The full text is sorted by how words begin. So that words are found that end in a given one, long words are indexed once
//! more, written backwards.

use std::collections::BTreeSet;

use crate::languages::bare;

/// Words of fewer letters are not made of two.
const SHORTEST: usize = 8;
/// What is longer is no word.
const LONGEST: usize = 40;

/// Returns the long words of texts backwards, each once, without diacritics and in small letters, parted by blanks.
pub fn compound_ends(texts: &[&str]) -> String {
    let words = texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphabetic()));
    let long = words.filter(|word| word.len() >= SHORTEST).map(bare);
    let ends: BTreeSet<String> =
        long.filter(|word| (SHORTEST..=LONGEST).contains(&word.chars().count())).map(|word| reversed(&word)).collect();
    ends.into_iter().collect::<Vec<_>>().join(" ")
}

/// Returns a word backwards.
pub fn reversed(word: &str) -> String {
    word.chars().rev().collect()
}

/// The ways in which a word with umlauts is written: `Käse`, `Kaese` and, where somebody lacks the keys, `Kase`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spellings {
    /// The word without its diacritics, as the index holds it.
    pub bare: String,
    /// The same with pairs such as `ae` as one letter; equal to `bare` where there are none.
    pub short: String,
    /// The other ways, as the index would hold them.
    pub others: Vec<String>,
}

impl Spellings {
    /// So many letters that may stand for an umlaut are looked at one by one.
    const LETTERS: usize = 4;
    /// In shorter words a pair such as `ue` is most often none: `guest`, `poem`.
    const SHORTEST: usize = 6;

    /// Returns the ways in which `word` may be written.
    pub fn of(word: &str) -> Self {
        let plain = bare(word);
        let composed = word.to_lowercase().replace("a\u{308}", "ä").replace("o\u{308}", "ö").replace("u\u{308}", "ü");
        let long = plain.chars().count() >= Self::SHORTEST;
        let short = if long { without_pairs(&plain) } else { plain.clone() };
        let mut others = BTreeSet::new();
        if composed.contains(['ä', 'ö', 'ü']) {
            others.insert(bare(&composed.replace('ä', "ae").replace('ö', "oe").replace('ü', "ue")));
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

/// Writes `a`, `o` and `u` in place of `ae`, `oe` and `ue`, except behind a letter with which these are something else (`queue`,
/// `neue`).
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

/// Writes an `e` behind those letters at `places` whose bits are set in `chosen`.
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
    fn long_words_are_indexed_backwards() {
        assert_eq!(
            compound_ends(&["Der Zahnarzttermin, der ZAHNARZTTERMIN", "Käsespätzle am Montag"]),
            "elztapsesak nimrettzranhaz"
        );
        assert_eq!(compound_ends(&["short words 12345678 alone", &"x".repeat(41)]), "");
    }

    #[test]
    fn umlauts_are_written_in_three_ways() {
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
