//! Words that name one thing: a code such as E18, a product, a rare term.
//!
//! Who asks "how do I get rid of the E18 error" means the note with E18, although no note holds "rid" or "error". Where notes are few, most
//! words of a question are in none of them, and each would weigh more than the name: the right note would seem to lack most of what was
//! asked. So words in common use that no text holds do not count against a text where the question names something that a few texts
//! hold. A name that no text holds counts as ever: E19 is not E18.

use crate::analysis::{Term, is_stop_word};
use crate::embed::Embedder;
use crate::store::{LexicalQuery, Weights};

/// A name stands in so many texts at most, or in this share of all of them.
const FEW: usize = 3;
const SHARE: f64 = 0.01;

/// Returns what the words of a question weigh, in the unit of bm25, that are in common use and in no text, where it names something that
/// a few texts hold; else 0. The model's vocabulary tells which words are in common use.
pub(super) fn unsaid(lexical: &LexicalQuery, weights: &Weights, model: Option<&dyn Embedder>) -> f64 {
    unsaid_by(lexical, weights, |word| model.and_then(|model| model.knows(word)))
}

fn unsaid_by(lexical: &LexicalQuery, weights: &Weights, knows: impl Fn(&str) -> Option<bool>) -> f64 {
    let few = FEW.max((SHARE * weights.chunks as f64) as usize);
    let terms = || lexical.terms.iter().zip(&weights.terms);
    if !terms().any(|(term, weight)| (1..=few).contains(&weight.chunks) && is_name(term, &knows)) {
        return 0.0;
    }
    // Stop words that no text holds are left out of the ceiling already.
    let common = |term: &Term| !is_stop_word(term.text()) && !is_name(term, &knows);
    let unsaid = terms().filter(|(term, weight)| weight.chunks == 0 && common(term));
    unsaid.map(|(_, weight)| weight.idf * weights.saturation).sum()
}

/// Whether a word names something: it mixes letters and digits, or is known not to be in common use.
fn is_name(term: &Term, knows: &impl Fn(&str) -> Option<bool>) -> bool {
    let Term::Word(word) = term else { return false };
    let mixed = word.contains(|c: char| c.is_ascii_digit()) && word.contains(char::is_alphabetic);
    mixed || knows(word) == Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Weight;

    fn of(words: &[(&str, usize)], known: Option<&[&str]>) -> f64 {
        let terms = words.iter().map(|(word, _)| Term::Word((*word).into())).collect();
        let lexical = LexicalQuery { terms, ..LexicalQuery::default() };
        let weight = |(_, chunks): &(&str, usize)| Weight { chunks: *chunks, idf: 3.0 };
        let terms = words.iter().map(weight).collect();
        let weights = Weights { chunks: 9, terms, saturation: 2.0, ..Weights::default() };
        unsaid_by(&lexical, &weights, |word| known.map(|known| known.contains(&word)))
    }

    #[test]
    fn common_words_that_no_note_holds_do_not_hide_the_note_with_the_name() {
        assert_eq!(of(&[("rid", 0), ("e18", 1), ("error", 0), ("pump", 2)], None), 12.0);
        assert_eq!(of(&[("rid", 0), ("e19", 0), ("error", 0)], None), 0.0, "what is named is not there");
        assert_eq!(of(&[("rid", 0), ("e18", 1), ("e19", 0)], None), 6.0, "a second name is missing");
        assert_eq!(of(&[("rid", 0), ("e18", 8)], None), 0.0, "most notes hold it");
    }

    #[test]
    fn a_word_in_no_common_use_is_a_name() {
        let known: &[&str] = &["repair", "roof"];
        assert_eq!(of(&[("repair", 0), ("flusensieb", 1)], Some(known)), 6.0);
        assert_eq!(of(&[("repair", 0), ("roof", 1)], Some(known)), 0.0);
        assert_eq!(of(&[("repair", 0), ("flusensieb", 1)], None), 0.0, "without a model nothing is known of words");
    }
}
