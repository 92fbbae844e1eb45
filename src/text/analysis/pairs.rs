//! Adjacent words of a question, and whether they are adjacent in a text too.
//!
//! A text with `strict mode` answers a question about strict mode better than a text with the two words apart. The same holds
//! for `did Ana` and the question `What did Ana say`: stop words count next to a content word. The full-text index would have
//! to read the lists of all stop words for this, so only the few candidate texts are checked.

use super::script::is_unspaced;
use crate::languages::{fold, is_stop_word};

/// Maximum number of pairs of one question.
const MAX_PAIRS: usize = 32;
/// Minimum number of leading letters that two forms of a word share.
const STEM: usize = 4;
/// Maximum length of the different ending of either form.
const ENDING: usize = 3;

/// Two adjacent words of a question, lower-case; at least one of them is a content word.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WordPair {
    /// The first word.
    pub first: String,
    /// The second word.
    pub second: String,
}

impl WordPair {
    /// Returns the words that are no stop words.
    pub fn content_words(&self) -> impl Iterator<Item = &str> {
        [self.first.as_str(), self.second.as_str()].into_iter().filter(|word| !is_stop_word(word))
    }
}

/// Returns the distinct pairs of `query`, in order. Scripts without blanks have none, because their bigrams are pairs already.
pub fn word_pairs(query: &str) -> Vec<WordPair> {
    let query = plain(query);
    let mut pairs: Vec<WordPair> = Vec::new();
    for (left, right) in words(&query).zip(words(&query).skip(1)) {
        let (Some(first), Some(second)) = (left, right) else { continue };
        let pair = WordPair { first: first.to_owned(), second: second.to_owned() };
        if pair.content_words().next().is_some() && !pairs.contains(&pair) {
            pairs.push(pair);
        }
        if pairs.len() == MAX_PAIRS {
            break;
        }
    }
    pairs
}

/// Returns for each pair whether `text` holds its words next to each other and in order. Endings may differ (`rule` and
/// `rules`), except those of stop words.
pub fn pairs_in(text: &str, pairs: &[WordPair]) -> Vec<bool> {
    let mut held = vec![false; pairs.len()];
    if pairs.is_empty() {
        return held;
    }
    let stops: Vec<[bool; 2]> =
        pairs.iter().map(|pair| [&pair.first, &pair.second].map(|word| is_stop_word(word))).collect();
    let text = plain(text);
    let mut before = None;
    for word in words(&text) {
        if let (Some(first), Some(second)) = (before, word) {
            for ((pair, stops), held) in pairs.iter().zip(&stops).zip(&mut held) {
                *held = *held || (matches(first, &pair.first, stops[0]) && matches(second, &pair.second, stops[1]));
            }
        }
        before = word;
    }
    held
}

/// Returns `text` folded and in lower case, with the parts of `camelCase` words separated.
fn plain(text: &str) -> String {
    let text = fold(text);
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut before = ' ';
    for character in text.chars() {
        // Most characters are lower-case ASCII letters and blanks, which need no lookup in Unicode tables.
        if character.is_ascii() && !character.is_ascii_uppercase() {
            out.push(character);
        } else {
            if character.is_uppercase() && (before.is_lowercase() || before.is_numeric()) {
                out.push(' ');
            }
            out.extend(character.to_lowercase());
        }
        before = character;
    }
    out
}

/// Returns the words of a lower-case text in order; `None` separates sentences.
fn words(text: &str) -> impl Iterator<Item = Option<&str>> {
    text.split_whitespace().flat_map(|piece| {
        let parts = piece.split(|c: char| !c.is_alphanumeric() || is_unspaced(c)).filter(|part| !part.is_empty());
        let ends = piece.ends_with(['.', ',', ';', ':', '!', '?']);
        parts.map(Some).chain(ends.then_some(None))
    })
}

fn matches(word: &str, sought: &str, is_stop_word: bool) -> bool {
    word == sought || (!is_stop_word && is_form_of(word, sought))
}

/// Whether two words are forms of one. A word with a digit has one form: `blimp300` is not `blimp3000`.
pub(super) fn is_form_of(word: &str, other: &str) -> bool {
    // Most words differ in their first letter.
    if word.as_bytes().first() != other.as_bytes().first() {
        return false;
    }
    // A letter takes at most four bytes, so words of very different lengths need no counting.
    if word.len().abs_diff(other.len()) > 4 * (ENDING + word.len().min(other.len())) {
        return false;
    }
    if word.chars().chain(other.chars()).any(char::is_numeric) {
        return false;
    }
    let same = word.chars().zip(other.chars()).take_while(|(left, right)| left == right).count();
    same >= STEM && word.chars().count() - same <= ENDING && other.chars().count() - same <= ENDING
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(query: &str) -> Vec<String> {
        word_pairs(query).iter().map(|pair| format!("{} {}", pair.first, pair.second)).collect()
    }

    #[test]
    fn neighbours_are_pairs_unless_both_are_stop_words() {
        assert_eq!(
            pairs("What did Ana say about strict mode?"),
            ["did ana", "ana say", "say about", "about strict", "strict mode"]
        );
        assert!(pairs("what is it about").is_empty() && pairs("mode").is_empty());
        assert_eq!(pairs("no-unused-vars"), ["no unused", "unused vars"]);
    }

    #[test]
    fn a_sentence_ends_a_pair() {
        assert_eq!(pairs("Start here. Stop there"), ["start here", "stop there"]);
        assert_eq!(pairs_in("It was strict. Mode two.", &word_pairs("strict mode")), [false]);
    }

    #[test]
    fn texts_hold_pairs_in_other_forms_too() {
        let holds = |text: &str, pair: &str| pairs_in(text, &word_pairs(pair))[0];
        assert!(holds("All Strict **modes** of it", "strict mode"));
        assert!(holds("what did Ana do", "did Ana"));
        assert!(holds("the_scope", "the scope"));
        assert!(holds("see useTidalClock()", "tidal clock"));
        assert!(!holds("mode strict", "strict mode") && !holds("strict old mode", "strict mode"));
        assert!(
            !holds("the blimp3000 flew", "blimp300 flew") && !holds("build 10412", "build 10411"),
            "another number"
        );
        assert!(holds("un**believ**able story", "unbelievable story") && holds("eﬃcient code", "efficient code"));
        assert!(!holds("done Ana", "did Ana"), "a stop word has one form");
        assert!(!holds("strict international", "strict internet"), "too little in common");
    }

    #[test]
    fn unspaced_scripts_have_no_pairs() {
        assert!(pairs("战国无双是什么").is_empty());
    }

    proptest::proptest! {
        #[test]
        fn a_text_holds_its_own_pairs(text in "[a-zé ,.-]{0,60}") {
            let pairs = word_pairs(&text);
            let held = pairs_in(&text, &pairs);
            proptest::prop_assert!(held.iter().all(|held| *held), "{pairs:?} {held:?}");
        }
    }
}
