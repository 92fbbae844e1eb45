//! How fully a text holds the terms of a question, without the full-text index.
//!
//! The index knows which chunks hold a term; this module finds the lines that do, from the text alone. It only approximates
//! the index's stemmer: two words are forms of one if they begin alike and differ in a short ending.

use super::index_text::index_text;
use super::marked_words::is_attached_mark;
use super::pairs::is_form_of;
use super::script::is_unspaced;
use super::term::Term;
use crate::languages::{is_diacritic, normalize_word};

/// Value of a term in another form: an exact match is better.
const OTHER_FORM: f64 = 0.8;

/// Returns for each of `terms` how fully `text` holds it: 1 exactly, less in another form, 0 not at all.
pub fn term_presence(text: &str, terms: &[Term]) -> Vec<f64> {
    let text = plain(&index_text(text));
    let words: Vec<&str> = words(&text).collect();
    let held = |term: &Term| {
        let sought = plain(term.text());
        let sought: Vec<&str> = self::words(&sought).collect();
        let likeness = |place: &[&str]| match term {
            Term::Prefix(_) | Term::TypedPrefix { .. } => f64::from(u8::from(place[0].starts_with(sought[0]))),
            Term::Word(_) | Term::Phrase(_) => {
                place.iter().zip(&sought).map(|(word, sought)| likeness(word, sought)).fold(1.0, f64::min)
            }
        };
        match sought.len() {
            0 => 0.0,
            length => words.windows(length).map(likeness).fold(0.0, f64::max),
        }
    };
    terms.iter().map(held).collect()
}

fn likeness(word: &str, sought: &str) -> f64 {
    if word == sought {
        1.0
    } else if is_form_of(word, sought) {
        OTHER_FORM
    } else {
        0.0
    }
}

/// Returns `text` as [`normalize_word`] gives it, with blanks where a question is cut. They stop the canonical ordering of `normalize_word` from
/// moving combining marks from one word to another.
fn plain(text: &str) -> String {
    if text.is_ascii() {
        return normalize_word(text);
    }
    let belongs = |c: char| is_part(c) || is_diacritic(c);
    normalize_word(&text.chars().map(|c| if belongs(c) { c } else { ' ' }).collect::<String>())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_part(c)).filter(|word| !word.is_empty())
}

fn is_part(character: char) -> bool {
    character.is_alphanumeric() || is_unspaced(character) || is_attached_mark(character)
}

#[cfg(test)]
mod tests {
    use super::super::terms::terms;
    use super::*;

    fn held(text: &str, query: &str) -> Vec<f64> {
        term_presence(text, &terms(query))
    }

    #[test]
    fn words_are_found_as_they_are_and_in_other_forms() {
        assert_eq!(held("Rules of the **garden**.", "garden rule storm"), [1.0, OTHER_FORM, 0.0]);
        assert_eq!(held("Ein Café in Bodø", "cafe bodo"), [1.0, 1.0]);
        assert_eq!(held("Ein Cafe in Bodo", "Café Bodø"), [1.0, 1.0]);
        assert_eq!(held("year 20231", "20232"), [0.0], "numbers have no forms");
        assert_eq!(held("the blimp3000 and INC-10413", "blimp300 blimp 10411"), [0.0; 3]);
        assert_eq!(held("un**believ**able H<sub>2</sub>O", "unbelievable h₂o"), [1.0, 1.0]);
        assert_eq!(held("We write C++ here", "c++ c c#"), [1.0, 0.0, 0.0]);
    }

    #[test]
    fn prefixes_are_found_in_longer_words() {
        let beginning = Term::TypedPrefix { start: "sourd".into(), others: Vec::new() };
        assert_eq!(term_presence("Feed the Sourdough", std::slice::from_ref(&beginning)), [1.0]);
        assert_eq!(term_presence("a sour dough", &[beginning]), [0.0]);
    }

    #[test]
    fn joined_words_are_found_whole_and_names_in_parts() {
        assert_eq!(held("set no-unused-vars to 2", "no-unused-vars"), [1.0, 1.0, 1.0]);
        assert_eq!(held("vars unused", "no-unused-vars"), [0.0, 1.0, 1.0]);
        assert_eq!(held("call getUserName()", "user name"), [1.0, 1.0]);
    }

    #[test]
    fn scripts_without_blanks_are_found_by_pairs_and_by_one_character() {
        assert_eq!(held("《战国无双3》是游戏", "战国模式"), [1.0, 0.0, 0.0]);
        assert_eq!(held("喝水", "水"), [1.0]);
        assert_eq!(held("水喝", "水"), [1.0]);
    }

    #[test]
    fn reordered_marks_do_not_join_separate_words() {
        let text = "\u{5c4}\u{fe27}\u{1e030}";
        assert_eq!(held(text, text), vec![1.0; terms(text).len()]);
        assert_eq!(held("Cre\u{300}me, ein Café", "crème cafe\u{301}"), [1.0, 1.0]);
        assert_eq!(held("a\u{300}AAb", "a\u{300}AAb"), [1.0, 1.0]);
    }

    proptest::proptest! {
        #[test]
        fn a_text_holds_its_own_terms(text in "[a-zA-Zé水喝 ,.-]{0,40}|\\PC{0,30}") {
            for (term, held) in terms(&text).iter().zip(held(&text, &text)) {
                // A phrase does not match if bigrams separate its words in the text, as in the index.
                proptest::prop_assert!(held > 0.0 || matches!(term, Term::Phrase(_)), "{term:?}");
            }
        }
    }
}
