//! Words that stand side by side in a question, and whether a text holds them side by side too.
//!
//! A text with `strict mode` answers a question about strict mode better than one that has both words somewhere, and so does
//! one with `did Ana` for `What did Ana say`: little words count where a telling one stands beside them. The full-text index
//! could answer this for whole collections only at the price of reading the lists of all little words; it is asked of the
//! few texts that are in question anyway.

use std::collections::HashMap;

use super::script::is_unspaced;
use super::stop_words::is_stop_word;

/// The most pairs that one question asks for.
const MAX_PAIRS: usize = 32;
/// Two forms of one word begin alike in at least so many letters ...
const STEM: usize = 4;
/// ... and differ in at most so many at the end of either.
const ENDING: usize = 3;

/// Two neighbouring words of a question, lower-case; at least one of them is no stop word.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WordPair {
    /// The word that stands first.
    pub first: String,
    /// The one behind it.
    pub second: String,
}

impl WordPair {
    /// Returns those of the two that are no stop words.
    pub fn telling(&self) -> impl Iterator<Item = &str> {
        [self.first.as_str(), self.second.as_str()].into_iter().filter(|word| !is_stop_word(word))
    }
}

/// Returns the pairs of `query`, each once, in order. Scripts without blanks have none: their bigrams are pairs already.
pub fn word_pairs(query: &str) -> Vec<WordPair> {
    let words = words(query);
    let mut pairs: Vec<WordPair> = Vec::new();
    for (left, right) in words.iter().zip(words.iter().skip(1)) {
        let (Some(first), Some(second)) = (left, right) else { continue };
        let pair = WordPair { first: first.clone(), second: second.clone() };
        if pair.telling().next().is_some() && !pairs.contains(&pair) {
            pairs.push(pair);
        }
        if pairs.len() == MAX_PAIRS {
            break;
        }
    }
    pairs
}

/// The words of a text in order, to look for pairs in.
pub struct WordSequence {
    words: Vec<Option<String>>,
    /// Where words with these first letters stand.
    places: HashMap<String, Vec<usize>>,
}

impl WordSequence {
    /// Cuts `text` into words.
    pub fn new(text: &str) -> Self {
        let words = words(text);
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, word) in words.iter().enumerate() {
            if let Some(word) = word {
                places.entry(start(word)).or_default().push(place);
            }
        }
        Self { words, places }
    }

    /// Whether the two words stand side by side in this order. Endings may differ (`rule` and `rules`), except of stop words.
    pub fn holds(&self, pair: &WordPair) -> bool {
        // Looked for by the word that tells more; the other must be its neighbour.
        let by_second = is_stop_word(&pair.first);
        let (sought, other) = if by_second { (&pair.second, &pair.first) } else { (&pair.first, &pair.second) };
        self.places.get(&start(sought)).into_iter().flatten().any(|place| {
            let neighbour = if by_second { place.checked_sub(1) } else { Some(place + 1) };
            let neighbour = neighbour.and_then(|place| self.words.get(place)).and_then(Option::as_ref);
            self.words[*place].as_ref().is_some_and(|word| is_form_of(word, sought))
                && neighbour.is_some_and(
                    |word| {
                        if is_stop_word(other) { word == other } else { is_form_of(word, other) }
                    },
                )
        })
    }
}

/// Words in order, lower-case; a place without one separates sentences.
fn words(text: &str) -> Vec<Option<String>> {
    let mut out = Vec::new();
    for piece in text.split_whitespace() {
        let parts = piece.split(|c: char| !c.is_alphanumeric() || is_unspaced(c)).filter(|part| !part.is_empty());
        out.extend(parts.map(|part| Some(part.to_lowercase())));
        if piece.ends_with(['.', ',', ';', ':', '!', '?']) {
            out.push(None);
        }
    }
    out
}

fn start(word: &str) -> String {
    word.chars().take(STEM).collect()
}

fn is_form_of(word: &str, other: &str) -> bool {
    if word == other {
        return true;
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
    fn neighbours_are_pairs_unless_both_are_little_words() {
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
        assert!(!WordSequence::new("It was strict. Mode two.").holds(&word_pairs("strict mode")[0]));
    }

    #[test]
    fn texts_hold_pairs_in_other_forms_too() {
        let holds = |text: &str, pair: &str| WordSequence::new(text).holds(&word_pairs(pair)[0]);
        assert!(holds("All Strict **modes** of it", "strict mode"));
        assert!(holds("what did Ana do", "did Ana"));
        assert!(holds("the_scope", "the scope"));
        assert!(!holds("mode strict", "strict mode") && !holds("strict old mode", "strict mode"));
        assert!(!holds("done Ana", "did Ana"), "a little word has one form");
        assert!(!holds("strict international", "strict internet"), "too little in common");
    }

    #[test]
    fn unspaced_scripts_have_no_pairs() {
        assert!(pairs("战国无双是什么").is_empty());
    }

    proptest::proptest! {
        #[test]
        fn a_text_holds_its_own_pairs(text in "[a-zé ,.-]{0,60}") {
            let sequence = WordSequence::new(&text);
            for pair in word_pairs(&text) {
                proptest::prop_assert!(sequence.holds(&pair), "{pair:?}");
            }
        }
    }
}
