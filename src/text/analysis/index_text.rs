//! The index side: prepares text for FTS5.

use std::borrow::Cow;

use super::marked_words::marked_words;
use super::script::is_unspaced;
use crate::languages::{fold, is_diacritic};

/// Returns `text` folded, with runs of unspaced scripts as character bigrams, with the parts of `camelCase` words after the words
/// themselves, and with the exact forms of words with marks. Borrows the text if nothing changes.
///
/// A run `abc` of unspaced characters becomes `ab bc c`: its last character is also a token, so that a question of one
/// character finds it as a prefix. The exact form of a single letter with marks replaces it; those of longer words follow the text, so
/// that the words of a phrase stay adjacent.
pub fn index_text(text: &str) -> Cow<'_, str> {
    match fold(text) {
        Cow::Borrowed(text) => cut(text),
        Cow::Owned(text) => Cow::Owned(cut(&text).into_owned()),
    }
}

fn cut(text: &str) -> Cow<'_, str> {
    let marked = marked_words(text);
    if marked.is_empty() && !text.chars().any(is_unspaced) && !has_camel_case(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() * 2);
    let mut single = marked.iter().filter(|word| word.is_single).peekable();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let at = text.len() - rest.len();
        if let Some(word) = single.next_if(|word| word.place.start == at) {
            out.push_str(&word.word);
            // Digits may follow, as in C++17.
            out.push(' ');
            rest = &text[word.place.end..];
        } else if is_unspaced(first) {
            let end = rest.find(|c| !is_unspaced(c)).unwrap_or(rest.len());
            out.push(' ');
            for gram in bigrams(&rest[..end]) {
                out.push_str(gram);
                out.push(' ');
            }
            if let Some(last) = rest[..end].chars().next_back().filter(|last| last.len_utf8() < end) {
                out.push(last);
                out.push(' ');
            }
            rest = &rest[end..];
        } else if first.is_alphanumeric() && !is_diacritic(first) {
            let part = |c: char| (c.is_alphanumeric() && !is_unspaced(c)) || is_diacritic(c);
            let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
            let word = &rest[..end];
            out.push_str(word);
            for part in camel_parts(word) {
                out.push(' ');
                out.push_str(part);
            }
            rest = &rest[end..];
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    for word in marked.iter().filter(|word| !word.is_single) {
        out.push('\n');
        out.push_str(&word.word);
    }
    Cow::Owned(out)
}

/// Returns the overlapping pairs of characters of `run`, or its only character.
pub(super) fn bigrams(run: &str) -> impl Iterator<Item = &str> {
    let single = run.chars().nth(1).is_none();
    let starts = run.char_indices().map(|(at, _)| at);
    let ends = run.char_indices().map(|(at, c)| at + c.len_utf8()).skip(usize::from(!single));
    starts.zip(ends).map(|(start, end)| &run[start..end])
}

/// Returns the parts of a word, cut where an upper-case letter follows a lower-case letter or digit, and where an acronym
/// meets a word (`parseHTTPHeader` gives `parse`, `HTTP`, `Header`); none for other words.
pub(super) fn camel_parts(word: &str) -> Vec<&str> {
    let characters: Vec<(usize, char)> = word.char_indices().collect();
    let mut cuts = vec![0];
    for (index, window) in characters.windows(2).enumerate() {
        let [(_, left), (at, right)] = [window[0], window[1]];
        let humps = (left.is_lowercase() || left.is_numeric()) && right.is_uppercase();
        let acronym_ends = left.is_uppercase()
            && right.is_uppercase()
            && characters.get(index + 2).is_some_and(|(_, next)| next.is_lowercase());
        if humps || acronym_ends {
            cuts.push(at);
        }
    }
    if cuts.len() == 1 {
        return Vec::new();
    }
    cuts.push(word.len());
    cuts.windows(2).map(|cut| &word[cut[0]..cut[1]]).filter(|part| part.chars().nth(1).is_some()).collect()
}

fn has_camel_case(text: &str) -> bool {
    let mut previous = ' ';
    text.chars().any(|character| {
        let hump = character.is_uppercase() && previous.is_alphanumeric();
        previous = character;
        hump
    })
}

#[cfg(test)]
mod tests {
    use super::super::marked_words::shown;
    use super::*;

    #[test]
    fn plain_text_is_borrowed() {
        assert!(matches!(index_text("Just some words, nothing-else."), Cow::Borrowed(_)));
    }

    #[test]
    fn unspaced_runs_become_bigrams_with_their_last_character() {
        assert_eq!(
            index_text("《战国无双3》").split_whitespace().collect::<Vec<_>>(),
            ["《", "战国", "国无", "无双", "双", "3》"]
        );
        assert_eq!(index_text("水").trim(), "水");
        assert_eq!(index_text("use水now").split_whitespace().collect::<Vec<_>>(), ["use", "水", "now"]);
    }

    #[test]
    fn camel_case_is_found_in_parts() {
        assert_eq!(index_text("see getUserName()"), "see getUserName get User Name()");
        assert_eq!(index_text("e\u{301}tatHTTPRéseau"), "étatHTTPRéseau état HTTP Réseau");
        assert_eq!(camel_parts("parseHTTPHeader"), ["parse", "HTTP", "Header"]);
        assert_eq!(camel_parts("iPhone"), ["Phone"]);
        assert!(camel_parts("HTTP").is_empty() && camel_parts("word").is_empty());
    }

    #[test]
    fn words_with_marks_are_indexed_as_they_are() {
        let tokens = |text: &str| index_text(text).split_whitespace().map(shown).collect::<Vec<_>>().join(" ");
        assert_eq!(tokens("Learn C++17 and .NET now"), "Learn c++ 17 and .NET now .net");
        assert_eq!(tokens("Notepad++ by R&D."), "Notepad++ by R&D. notepad++ r&d");
    }

    proptest::proptest! {
        #[test]
        fn no_letter_is_lost(text in "\\PC{0,60}") {
            let indexed = index_text(&text).to_lowercase();
            for character in fold(&text).to_lowercase().chars().filter(|c| c.is_alphanumeric()) {
                proptest::prop_assert!(indexed.contains(character));
            }
        }
    }
}
