//! The question side: what to ask the full-text index for.

use std::collections::HashSet;

use super::fold::{fold, is_diacritic};
use super::index_text::{bigrams, camel_parts};
use super::script::is_unspaced;
use super::stop_words::is_stop_word;

/// The most terms one question asks for. A pasted page asks for its first words; more would cost time and find no more.
const MAX_TERMS: usize = 64;

/// One thing to look for. The text holds letters, digits and blanks alone, so that it can be quoted safely.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Term {
    /// A word, or one bigram of an unspaced script.
    Word(String),
    /// Any word that begins so: a single character of an unspaced script.
    Prefix(String),
    /// Any word that begins so, as it was typed with a star. The index holds stems, some of them shorter than the beginning
    /// that is sought: `others` are such words of the notes.
    Beginning {
        /// What they begin with.
        start: String,
        /// Words that begin so while their stems do not.
        others: Vec<String>,
    },
    /// Words in sequence: the parts of `joined-words`, which makes them findable whole.
    Phrase(String),
}

impl Term {
    /// Returns the text without saying how it is to be matched.
    pub fn text(&self) -> &str {
        match self {
            Self::Word(text) | Self::Prefix(text) | Self::Phrase(text) | Self::Beginning { start: text, .. } => text,
        }
    }
}

/// Returns what `query` asks for, each thing once, in order, at most 64. Stop words are dropped unless nothing
/// would be left; an empty answer means that the query holds no letter and no digit.
pub fn terms(query: &str) -> Vec<Term> {
    let mut found = Vec::new();
    for piece in fold(query).split_whitespace() {
        if found.len() > 4 * MAX_TERMS {
            break;
        }
        piece_terms(piece, &mut found);
    }
    let content: Vec<Term> =
        found.iter().filter(|term| !matches!(term, Term::Word(word) if is_stop_word(word))).cloned().collect();
    let kept = if content.is_empty() { found } else { content };
    let mut seen = HashSet::new();
    kept.into_iter().filter(|term| seen.insert(term.clone())).take(MAX_TERMS).collect()
}

/// Returns the terms that all stand in a text which holds `text` word for word: one phrase, and the bigrams of unspaced runs.
/// Stop words stay: a person who quotes means each word.
pub fn phrase(text: &str) -> Vec<Term> {
    let mut words = Vec::new();
    let mut grams = Vec::new();
    for run in runs(&fold(text)) {
        match run {
            Run::Unspaced(text) if text.chars().nth(1).is_none() => grams.push(Term::Prefix(text.into())),
            Run::Unspaced(text) => grams.extend(bigrams(text).map(|gram| Term::Word(gram.into()))),
            Run::Word(text) => words.push(text.to_lowercase()),
            Run::Apostrophe => {}
        }
    }
    words.truncate(MAX_TERMS);
    let whole = match words.as_slice() {
        [] => None,
        [word] => Some(Term::Word(word.clone())),
        // Between the words of a mixed phrase stand bigrams: each word must be there, whatever its neighbour.
        _ if !grams.is_empty() => {
            grams.extend(words.drain(..).map(Term::Word));
            None
        }
        _ => Some(Term::Phrase(words.join(" "))),
    };
    whole.into_iter().chain(grams.into_iter().take(MAX_TERMS)).collect()
}

fn piece_terms(piece: &str, found: &mut Vec<Term>) {
    let mut words = Vec::new();
    let mut joined = true;
    for run in runs(piece) {
        match run {
            Run::Unspaced(text) if text.chars().nth(1).is_none() => found.push(Term::Prefix(text.into())),
            Run::Unspaced(text) => found.extend(bigrams(text).map(|gram| Term::Word(gram.into()))),
            Run::Word(text) => words.push(text),
            // An apostrophe joins a clitic (`don't`), not a name: the parts say it all.
            Run::Apostrophe => joined = false,
        }
    }
    if joined && words.len() > 1 {
        let parts: Vec<String> = words.iter().take(16).map(|word| word.to_lowercase()).collect();
        found.push(Term::Phrase(parts.join(" ")));
    }
    for word in words {
        found.push(Term::Word(word.to_lowercase()));
        found.extend(camel_parts(word).into_iter().map(|part| Term::Word(part.to_lowercase())));
    }
}

enum Run<'a> {
    Unspaced(&'a str),
    Word(&'a str),
    Apostrophe,
}

fn runs(piece: &str) -> Vec<Run<'_>> {
    let mut out = Vec::new();
    let mut rest = piece;
    while let Some(first) = rest.chars().next() {
        if is_unspaced(first) {
            let end = rest.find(|c| !is_unspaced(c)).unwrap_or(rest.len());
            out.push(Run::Unspaced(&rest[..end]));
            rest = &rest[end..];
        } else if first.is_alphanumeric() && !is_diacritic(first) {
            let part = |c: char| (c.is_alphanumeric() && !is_unspaced(c)) || is_diacritic(c);
            let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
            out.push(Run::Word(&rest[..end]));
            rest = &rest[end..];
        } else {
            if matches!(first, '\'' | '’') {
                out.push(Run::Apostrophe);
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Term {
        Term::Word(text.into())
    }

    #[test]
    fn stop_words_go_unless_nothing_is_left() {
        assert_eq!(terms("What is the vault?"), [word("vault")]);
        assert_eq!(terms("to be or not to be"), [word("to"), word("be"), word("or"), word("not")]);
        assert_eq!(terms("don't panic"), [word("panic")]);
    }

    #[test]
    fn joined_words_are_sought_whole_and_in_parts() {
        assert_eq!(terms("no-unused-vars"), [Term::Phrase("no unused vars".into()), word("unused"), word("vars")]);
        assert_eq!(terms("src/main.rs"), [Term::Phrase("src main rs".into()), word("src"), word("main"), word("rs")]);
        assert_eq!(terms("getUserName"), [word("getusername"), word("get"), word("user"), word("name")]);
    }

    #[test]
    fn a_quoted_phrase_keeps_every_word() {
        assert_eq!(phrase("to be or not"), [Term::Phrase("to be or not".into())]);
        assert_eq!(phrase("Vault"), [word("vault")]);
        assert_eq!(phrase("战国无双"), [word("战国"), word("国无"), word("无双")]);
        assert_eq!(phrase("use 水 here"), [Term::Prefix("水".into()), word("use"), word("here")]);
        assert!(phrase("?!").is_empty());
    }

    #[test]
    fn unspaced_scripts_are_sought_by_bigrams() {
        assert_eq!(terms("战国无双3"), [word("战国"), word("国无"), word("无双"), word("3")]);
        assert_eq!(terms("水"), [Term::Prefix("水".into())]);
    }

    #[test]
    fn decomposed_letters_stay_in_their_word() {
        assert_eq!(terms("cre\u{300}me"), [word("cre\u{300}me")]);
    }

    #[test]
    fn nothing_to_seek_is_an_empty_answer() {
        assert!(terms("").is_empty() && terms("?! -- \"\" ()").is_empty() && terms("🎉").is_empty());
    }

    #[test]
    fn a_pasted_page_stays_bounded() {
        let page: String = (0..20_000).map(|n| format!("word{n} ")).collect();
        assert_eq!(terms(&page).len(), MAX_TERMS);
    }

    proptest::proptest! {
        #[test]
        fn terms_hold_nothing_that_needs_escaping(query in "\\PC{0,80}") {
            for term in terms(&query) {
                let text = term.text();
                proptest::prop_assert!(!text.is_empty());
                proptest::prop_assert!(!text.contains(['"', '*', '^', ':', '(', ')', '-', '\0']));
            }
        }
    }
}
