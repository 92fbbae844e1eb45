//! The question side: the terms to search in the full-text index.

use std::borrow::Cow;
use std::collections::HashSet;

use super::function_words::unspaced_terms;
use super::index_text::{bigrams, camel_parts};
use super::marked_words::marked_words;
use super::script::is_unspaced;
use super::term::Term;
use crate::languages::{DetectedLanguages, detect_language, fold, is_diacritic, is_stop_word, normalize_word};

/// Maximum number of terms of one question. Only the first words of a pasted page are searched; more would cost time and find no more.
const MAX_TERMS: usize = 64;

/// Returns the distinct terms of `query`, in order, at most 64. Stop words of its language and of English are dropped unless
/// nothing else is left. The result is empty if the query holds no letter and no digit.
pub fn terms(query: &str) -> Vec<Term> {
    terms_of(query, detect_language(query))
}

/// Like [`terms`], but drops only English stop words, whatever the language of the text.
pub fn terms_in_any_language(text: &str) -> Vec<Term> {
    terms_of(text, None)
}

fn terms_of(query: &str, detected: Option<DetectedLanguages>) -> Vec<Term> {
    let mut found = Found { terms: Vec::new(), detected };
    for piece in fold(query).split_whitespace() {
        if found.terms.len() > 4 * MAX_TERMS {
            break;
        }
        piece_terms(piece, &mut found);
    }
    let has_content = found.terms.iter().any(|(_, is_stop_word)| !is_stop_word);
    let kept =
        found.terms.into_iter().filter(|(_, is_stop_word)| !(has_content && *is_stop_word)).map(|(term, _)| term);
    let mut seen = HashSet::new();
    kept.filter(|term| seen.insert(term.clone())).take(MAX_TERMS).collect()
}

/// The terms found so far, each with whether it is only a stop word.
struct Found {
    terms: Vec<(Term, bool)>,
    detected: Option<DetectedLanguages>,
}

impl Found {
    fn word(&mut self, word: String) {
        let is_stop_word = match self.detected {
            Some(detected) => detected.is_stop_word(&normalize_word(&word)),
            None => is_stop_word(&word),
        };
        self.terms.push((Term::Word(word), is_stop_word));
    }
}

/// Returns terms that a text must all hold to contain `text` literally: one phrase, the exact forms of words with marks, and the bigrams
/// of unspaced runs. Stop words stay, because a quotation means every word.
pub fn phrase(text: &str) -> Vec<Term> {
    let (mut words, mut exact, mut grams) = (Vec::new(), Vec::new(), Vec::new());
    for run in runs(&fold(text)) {
        match run {
            Run::Unspaced(text) if text.chars().nth(1).is_none() => grams.push(Term::Prefix(text.into())),
            Run::Unspaced(text) => grams.extend(bigrams(text).map(|gram| Term::Word(gram.into()))),
            Run::Word(text) => words.push(text.to_lowercase()),
            Run::Single(word) => words.push(word),
            Run::Marked(word) => exact.push(Term::Word(word)),
            Run::Apostrophe => {}
        }
    }
    words.truncate(MAX_TERMS);
    let whole = match words.as_slice() {
        [] => None,
        [word] => Some(Term::Word(word.clone())),
        // In a mixed phrase, bigrams separate the words: each word must occur, whatever its neighbour.
        _ if !grams.is_empty() => {
            grams.extend(words.drain(..).map(Term::Word));
            None
        }
        _ => Some(Term::Phrase(words.join(" "))),
    };
    whole.into_iter().chain(exact).chain(grams).take(MAX_TERMS).collect()
}

fn piece_terms(piece: &str, found: &mut Found) {
    let mut words = Vec::new();
    let mut joined = true;
    for run in runs(piece) {
        match run {
            Run::Unspaced(text) => found.terms.extend(unspaced_terms(text)),
            Run::Word(text) => words.push(Cow::Borrowed(text)),
            Run::Single(word) => words.push(Cow::Owned(word)),
            Run::Marked(word) => found.terms.push((Term::Word(word), false)),
            // An apostrophe joins a clitic (`don't`, `l'adresse`, `Ankara'da`), not a name, so the parts are enough.
            Run::Apostrophe => joined = false,
        }
    }
    let is_joined = joined && words.len() > 1;
    if is_joined {
        let parts: Vec<String> = words.iter().take(16).map(|word| word.to_lowercase()).collect();
        found.terms.push((Term::Phrase(parts.join(" ")), false));
    }
    for word in words {
        // A letter of `R&D` or `x-ray` is found in any text.
        if is_joined && word.chars().nth(1).is_none() && word.starts_with(char::is_alphabetic) {
            continue;
        }
        found.word(word.to_lowercase());
        for part in camel_parts(&word) {
            found.word(part.to_lowercase());
        }
    }
}

enum Run<'a> {
    Unspaced(&'a str),
    Word(&'a str),
    /// The index form of a single letter with marks.
    Single(String),
    /// The index form of a longer word with marks, which follows as words of its own.
    Marked(String),
    Apostrophe,
}

fn runs(piece: &str) -> Vec<Run<'_>> {
    let mut out = Vec::new();
    let mut marked = marked_words(piece).into_iter().peekable();
    let mut rest = piece;
    while let Some(first) = rest.chars().next() {
        let at = piece.len() - rest.len();
        if let Some(word) = marked.next_if(|word| word.place.start == at) {
            if word.is_single {
                out.push(Run::Single(word.word));
                rest = &piece[word.place.end..];
                continue;
            }
            out.push(Run::Marked(word.word));
        }
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
    use super::super::marked_words::shown;
    use super::*;

    fn word(text: &str) -> Term {
        Term::Word(text.into())
    }

    #[test]
    fn stop_words_are_dropped_unless_nothing_is_left() {
        assert_eq!(terms("What is the vault?"), [word("vault")]);
        assert_eq!(terms("to be or not to be"), [word("to"), word("be"), word("or"), word("not")]);
        assert_eq!(terms("don't panic"), [word("panic")]);
    }

    #[test]
    fn stop_words_of_the_language_are_dropped_too() {
        assert_eq!(terms("Wann ist der Termin beim Zahnarzt?"), [word("termin"), word("zahnarzt")]);
        assert_eq!(terms("l'adresse du plombier"), [word("adresse"), word("plombier")]);
        assert_eq!(terms("où est l'école ?"), [word("école")]);
        assert_eq!(terms("¿Dónde está la llave?"), [word("llave")]);
        assert_eq!(terms("Ayşe'nin doğum günü ne zaman"), [word("ayşe"), word("doğum"), word("günü")]);
        assert_eq!(terms("Quel est le but du projet ?"), [word("but"), word("projet")], "English drops `but`");
        assert_eq!(terms("die hard"), [word("die"), word("hard")], "nothing shows that this is German");
        assert_eq!(terms("wann war das"), [word("wann"), word("war"), word("das")]);
    }

    #[test]
    fn questions_in_unspaced_scripts_lose_their_function_words() {
        assert_eq!(terms("会議はいつですか"), [word("会議")]);
        assert_eq!(terms("회의는 언제인가요"), [word("회의")]);
        assert_eq!(terms("会议什么时候开始"), [word("会议"), word("开始")]);
        assert_eq!(terms("いつですか"), [word("いつ"), word("つで"), word("です"), word("すか")]);
    }

    #[test]
    fn joined_words_are_searched_whole_and_in_parts() {
        assert_eq!(terms("no-unused-vars"), [Term::Phrase("no unused vars".into()), word("unused"), word("vars")]);
        assert_eq!(terms("src/main.rs"), [Term::Phrase("src main rs".into()), word("src"), word("main"), word("rs")]);
        assert_eq!(terms("getUserName"), [word("getusername"), word("get"), word("user"), word("name")]);
    }

    #[test]
    fn words_with_marks_are_searched_as_they_are() {
        let shown = |text: &str| terms(text).iter().map(|term| shown(term.text())).collect::<Vec<_>>();
        assert_eq!((shown("C++"), shown("c#"), shown("C")), (vec!["c++".into()], vec!["c#".into()], vec!["c".into()]));
        assert_eq!(shown(".NET"), [".net", "net"]);
        assert_eq!(shown("R&D"), ["r&d", "r d"]);
        assert_eq!(shown("node.js"), ["node js", "node", "js"]);
        assert_eq!(shown("C++17"), ["c++ 17", "c++", "17"]);
        assert_eq!(phrase("modern C++ code").len(), 1);
        assert_eq!(phrase("the Notepad++ editor").len(), 2);
        assert_eq!(terms("x-ray"), [Term::Phrase("x ray".into()), word("ray")]);
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
    fn unspaced_scripts_are_searched_by_bigrams() {
        assert_eq!(terms("战国无双3"), [word("战国"), word("国无"), word("无双"), word("3")]);
        assert_eq!(terms("水"), [Term::Prefix("水".into())]);
    }

    #[test]
    fn decomposed_letters_stay_in_their_word() {
        assert_eq!(terms("cre\u{300}me"), [word("crème")]);
    }

    #[test]
    fn text_without_words_has_no_terms() {
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
