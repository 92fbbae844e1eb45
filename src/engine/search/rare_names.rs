//! Words that name one thing: a code such as E18, a product, a rare term.
//!
//! "How do I get rid of the E18 error" asks for the note with E18, although no note may hold "rid" or "error". In a small
//! vault, most words of a question are in no note. Each of them would weigh more than the name, and the right note would seem
//! to lack most of the question. So common words that no text holds do not count against a text if the question has a name
//! that a few texts hold. A name that no text holds still counts: E19 is not E18.

use tars_base::embedding::Embedder;
use tars_store::{LexicalQuery, QueryWeights};
use tars_text::analysis::{Term, is_stop_word};

/// A name is in at most this number of texts, or in at most this share of them.
const MAX_NAME_CHUNKS: usize = 3;
const MAX_NAME_SHARE: f64 = 0.01;

/// Returns the bm25 weight of a question's common words that no text holds, if the question has a name that a few texts hold;
/// else 0. The vocabulary of the model decides which words are common.
pub(super) fn missing_terms(lexical: &LexicalQuery, weights: &QueryWeights, model: Option<&dyn Embedder>) -> f64 {
    missing_terms_by(lexical, weights, |word| model.and_then(|model| model.has_word(word)))
}

fn missing_terms_by(lexical: &LexicalQuery, weights: &QueryWeights, knows: impl Fn(&str) -> Option<bool>) -> f64 {
    let few = MAX_NAME_CHUNKS.max((MAX_NAME_SHARE * weights.chunks as f64) as usize);
    let terms = || lexical.terms.iter().zip(&weights.terms);
    if !terms().any(|(term, weight)| (1..=few).contains(&weight.chunks) && is_name(term, &knows)) {
        return 0.0;
    }
    // The ceiling already leaves out stop words that no text holds.
    let common = |term: &Term| !is_stop_word(term.text()) && !is_name(term, &knows);
    let missing_terms = terms().filter(|(term, weight)| weight.chunks == 0 && common(term));
    missing_terms.map(|(_, weight)| weight.idf * weights.saturation).sum()
}

/// Whether a word is a name: it mixes letters and digits, or the model knows it to be uncommon.
fn is_name(term: &Term, knows: &impl Fn(&str) -> Option<bool>) -> bool {
    let Term::Word(word) = term else { return false };
    let mixed = word.contains(|c: char| c.is_ascii_digit()) && word.contains(char::is_alphabetic);
    mixed || knows(word) == Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_store::PartWeight;

    fn of(words: &[(&str, usize)], known: Option<&[&str]>) -> f64 {
        let terms = words.iter().map(|(word, _)| Term::Word((*word).into())).collect();
        let lexical = LexicalQuery { terms, ..LexicalQuery::default() };
        let weight = |(_, chunks): &(&str, usize)| PartWeight { chunks: *chunks, idf: 3.0 };
        let terms = words.iter().map(weight).collect();
        let weights = QueryWeights { chunks: 9, terms, saturation: 2.0, ..QueryWeights::default() };
        missing_terms_by(&lexical, &weights, |word| known.map(|known| known.contains(&word)))
    }

    #[test]
    fn common_words_that_no_note_holds_do_not_hide_the_note_with_the_name() {
        assert_eq!(of(&[("rid", 0), ("e18", 1), ("error", 0), ("pump", 2)], None), 12.0);
        assert_eq!(of(&[("rid", 0), ("e19", 0), ("error", 0)], None), 0.0, "the named thing is missing");
        assert_eq!(of(&[("rid", 0), ("e18", 1), ("e19", 0)], None), 6.0, "a second name is missing");
        assert_eq!(of(&[("rid", 0), ("e18", 8)], None), 0.0, "most notes hold it");
    }

    #[test]
    fn a_word_that_the_model_does_not_know_is_a_name() {
        let known: &[&str] = &["repair", "roof"];
        assert_eq!(of(&[("repair", 0), ("flusensieb", 1)], Some(known)), 6.0);
        assert_eq!(of(&[("repair", 0), ("roof", 1)], Some(known)), 0.0);
        assert_eq!(of(&[("repair", 0), ("flusensieb", 1)], None), 0.0, "without a model, no word is known");
    }
}
