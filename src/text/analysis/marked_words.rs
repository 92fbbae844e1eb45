//! Words with marks: `C++`, `C#`, `.NET`, `R&D`, `AT&T`, `Notepad++`.
//!
//! FTS5 splits words at marks, so `C++` would be any `c`. The form of the index keeps the marks as private-use characters, which FTS5
//! takes for letters. A rule over the shape decides, not a list: plus and number signs right after a word, a dot right before one, and an
//! ampersand between two short ones. The word without its marks is searched too, unless it is a single letter.

use std::ops::Range;

use super::script::is_unspaced;
use crate::languages::is_diacritic;

/// The marks, and the private-use characters that stand for them.
const MARKS: [(char, char); 4] = [('+', '\u{e12b}'), ('#', '\u{e123}'), ('&', '\u{e126}'), ('.', '\u{e12e}')];
/// Most marks after a word.
const MAX_MARKS: usize = 3;
/// Most letters of a word with marks, and of a word before or after an ampersand: longer ones are parts of addresses.
const MAX_LETTERS: usize = 24;
const MAX_JOINED_LETTERS: usize = 7;

/// A word with marks.
#[derive(Debug, PartialEq, Eq)]
pub struct MarkedWord {
    /// Its bytes in the text.
    pub place: Range<usize>,
    /// Its form in the index.
    pub word: String,
    /// Whether it is a single letter with marks: the letter alone is another word.
    pub is_single: bool,
}

/// Whether a character stands for a mark in a word of the index.
pub fn is_attached_mark(character: char) -> bool {
    MARKS.iter().any(|(_, stands)| *stands == character)
}

/// Returns a word of the index as people write it.
pub fn shown(word: &str) -> String {
    let show = |c: char| MARKS.iter().find(|(_, stands)| *stands == c).map_or(c, |(mark, _)| *mark);
    word.chars().map(show).collect()
}

/// Returns the words with marks of a folded text, in order.
pub fn marked_words(text: &str) -> Vec<MarkedWord> {
    let bytes = text.as_bytes();
    let mut found: Vec<MarkedWord> = Vec::new();
    let mut free = 0;
    for (at, byte) in bytes.iter().enumerate() {
        if at < free || !matches!(byte, b'+' | b'#' | b'&' | b'.') {
            continue;
        }
        let word = match byte {
            b'.' => after_dot(text, at),
            b'&' => around_ampersand(text, at),
            _ => before_marks(text, at),
        };
        if let Some(word) = word.filter(|word| word.place.start >= free) {
            free = word.place.end;
            found.push(word);
        }
    }
    found
}

/// Returns the word with the plus or number signs that begin at `at`.
fn before_marks(text: &str, at: usize) -> Option<MarkedWord> {
    // In markdown, a mark may be escaped: `C\#`.
    let word_end = text[..at].strip_suffix('\\').map_or(at, str::len);
    let word = word_before(text, word_end)?;
    let letters = &text[word.clone()];
    let is_single = letters.chars().nth(1).is_none();
    if !letters.starts_with(char::is_alphabetic) || letters.chars().nth(MAX_LETTERS).is_some() {
        return None;
    }
    let (mut end, mut marks) = (at, String::new());
    loop {
        let rest = &text[end..];
        let rest = if marks.is_empty() { rest } else { rest.strip_prefix('\\').unwrap_or(rest) };
        let Some(mark) = rest.chars().next().filter(|c| matches!(c, '+' | '#')) else { break };
        marks.push(mark);
        end = text.len() - rest.len() + 1;
    }
    // `a+b` is a sum, `page#part` an address; but `C++17` is C++.
    let next = text[end..].chars().next();
    let ends = match next {
        Some(next) if next.is_ascii_digit() => is_single,
        next => next.is_none_or(|next| !is_part(next) || is_unspaced(next)),
    };
    (ends && marks.len() <= MAX_MARKS).then(|| MarkedWord {
        word: form(&format!("{letters}{marks}")),
        place: word.start..end,
        is_single,
    })
}

/// Returns the word with the dot at `at` before it.
fn after_dot(text: &str, at: usize) -> Option<MarkedWord> {
    let before = text[..at].chars().next_back();
    let opens = before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | '{' | '"' | '\'' | '`' | '*' | '“'));
    if !opens {
        return None;
    }
    let word = at + 1..word_end(text, at + 1);
    let letters = &text[word.clone()];
    let fits = letters.chars().nth(1).is_some() && letters.chars().nth(MAX_LETTERS).is_none();
    let place = at..word.end;
    (fits && letters.starts_with(char::is_alphabetic)).then(|| MarkedWord {
        word: form(&text[place.clone()]),
        place,
        is_single: false,
    })
}

/// Returns the words around the ampersand at `at`.
fn around_ampersand(text: &str, at: usize) -> Option<MarkedWord> {
    let before = word_before(text, at)?;
    let place = before.start..word_end(text, at + 1);
    let fits = |part: &str| !part.is_empty() && part.chars().all(char::is_alphabetic);
    let is_short = |part: &str| part.chars().nth(MAX_JOINED_LETTERS).is_none();
    let (left, right) = (&text[before], &text[at + 1..place.end]);
    // Parameters of an address, an entity, and the operators of a program.
    let is_address = text[..place.start].ends_with(['=', '?', '&', '/', '%']);
    let goes_on = text[place.end..].starts_with(['=', ';', '&', '(', '%']);
    (fits(left) && fits(right) && is_short(left) && is_short(right) && !is_address && !goes_on).then(|| MarkedWord {
        word: form(&text[place.clone()]),
        place,
        is_single: false,
    })
}

/// Returns the word that ends at `end`.
fn word_before(text: &str, end: usize) -> Option<Range<usize>> {
    let letters = text[..end].chars().rev().take_while(|c| is_part(*c) && !is_unspaced(*c));
    let start = end - letters.map(char::len_utf8).sum::<usize>();
    (start < end).then_some(start..end)
}

fn word_end(text: &str, start: usize) -> usize {
    text[start..].find(|c: char| !is_part(c) || is_unspaced(c)).map_or(text.len(), |length| start + length)
}

fn is_part(character: char) -> bool {
    character.is_alphanumeric() || is_diacritic(character)
}

fn form(text: &str) -> String {
    let stands = |c: char| MARKS.iter().find(|(mark, _)| *mark == c).map_or(c, |(_, stands)| *stands);
    text.to_lowercase().chars().map(stands).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        marked_words(text).iter().map(|word| shown(&word.word)).collect()
    }

    #[test]
    fn words_with_marks_are_recognised_by_their_shape() {
        for (text, found) in [
            ("We write C++, C# and F#.", &["c++", "c#", "f#"][..]),
            ("C\\# and C\\+\\+ escaped", &["c#", "c++"]),
            ("since C++17 and C#12", &["c++", "c#"]),
            ("(.NET) or .env, `.gitignore`", &[".net", ".env", ".gitignore"]),
            ("R&D at AT&T, Q&A", &["r&d", "at&t", "q&a"]),
            ("Notepad++ and **Google+**", &["notepad++", "google+"]),
            ("C++", &["c++"]),
            ("C/C++", &["c++"]),
            ("C++を書く", &["c++"]),
        ] {
            assert_eq!(words(text), found, "{text}");
        }
    }

    #[test]
    fn other_marks_belong_to_no_word() {
        for text in [
            "a+b=c and 1+1, +1, 50+ people",
            "page#part issue#12 PR#7 # Heading ##",
            "end.Next and ...so, node.js, 3.14 .5",
            "https://a.b/?x=1&y=2&z",
            "a && b, &amp; and a&b;",
            "x ++++ y, a++++",
            "#tag and ## C",
        ] {
            assert!(words(text).is_empty(), "{text}: {:?}", words(text));
        }
    }

    #[test]
    fn a_single_letter_differs_from_the_word_with_marks() {
        let single = |text: &str| marked_words(text)[0].is_single;
        assert!(single("C++") && single("F#") && !single("Notepad++") && !single(".NET") && !single("R&D"));
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_words_in_order(text in "([a-cA-C+#&.\\\\ é水]|\\PC){0,40}") {
            let mut end = 0;
            for word in marked_words(&text) {
                proptest::prop_assert!(word.place.start >= end && word.place.end > word.place.start);
                proptest::prop_assert!(text.get(word.place.clone()).is_some());
                end = word.place.end;
            }
        }
    }
}
