//! Passwords further on in a sentence: "the new password of the printer is now tiger2000", "das Kennwort (gilt ab Mai): …".
//!
//! Between the word for a password and its value stand a few other words; `assignment` decides about a value right behind the word. Something has to announce the value: a sign, a verb, a quotation
//! mark or a bracket right before it, or a line of its own below; or the value has the form of nothing else.

use std::ops::Range;

use super::{password_words, value};

/// Most words between the word for a password and its value.
const MAX_WORDS: usize = 12;
/// Most bytes of them, and of a value in quotes.
const MAX_BYTES: usize = 200;
const MAX_QUOTED: usize = 64;
/// Signs that announce a value; a hyphen does only between blanks.
const SIGNS: [&str; 9] = ["=>", "->", "→", ":", "：", "=", "—", "–", "- "];
/// Opening quotation marks and brackets, each with what closes it.
const PAIRS: [(char, &str); 15] = [
    ('"', "\""),
    ('\'', "'"),
    ('`', "`"),
    ('„', "“”"),
    ('“', "”"),
    ('«', "»"),
    ('»', "«"),
    ('‚', "‘"),
    ('‘', "’"),
    ('「', "」"),
    ('『', "』"),
    ('【', "】"),
    ('(', ")"),
    ('（', "）"),
    ('[', "]"),
];

/// Returns the password in the sentence that goes on at `from`, behind the word for one.
pub(super) fn find(text: &[u8], from: usize) -> Option<Range<usize>> {
    let bytes = &text[from..text.len().min(from + MAX_BYTES)];
    let rest = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let (mut at, mut words) = (0, 0);
    let mut is_announced = false;
    for _ in 0..2 * MAX_WORDS {
        at += rest[at..].len() - rest[at..].trim_start_matches([' ', '\t', '\u{a0}', '\u{3000}']).len();
        let here = &rest[at..];
        let first = here.chars().next()?;
        if matches!(first, '\n' | '\r') {
            return alone(rest, at).filter(|_| words > 0).map(|span| from + span.start..from + span.end);
        }
        let is_mark = !first.is_alphanumeric();
        if let Some(sign) = SIGNS.iter().find(|sign| is_mark && here.starts_with(**sign)) {
            (at, is_announced) = (at + sign.len(), true);
            continue;
        }
        if let Some(inside) = quoted(here, first).filter(|_| is_mark) {
            let said = &here[inside.clone()];
            if (words > 0 || !matches!(first, '"' | '\'' | '`')) && is_quoted_password(said, is_announced) {
                return Some(from + at + inside.start..from + at + inside.end);
            }
            (at, is_announced) = (at + inside.end + 1, false);
            // Behind the closing mark.
            while !rest.is_char_boundary(at) {
                at += 1;
            }
            continue;
        }
        // A sentence of a script without blanks ends.
        if matches!(first, '。' | '！' | '？') && !here[first.len_utf8()..].starts_with(['\r', '\n']) {
            return None;
        }
        let word = word(here);
        if word.is_empty() {
            at += here.strip_prefix("&nbsp;").map_or(first.len_utf8(), |rest| here.len() - rest.len());
            continue;
        }
        // The search goes on from there by itself.
        if password_words::length(here.as_bytes()).is_some() {
            return None;
        }
        let plain = word.trim_end_matches(['.', '!', '?', ':']);
        let is_named = is_announced && words > 0 && is_password(plain);
        if is_named || words > 0 && value::is_unlike_name(plain.as_bytes()) && stands(plain) {
            return Some(from + at..from + at + plain.len());
        }
        is_announced = password_words::announces(plain);
        words += 1;
        at += if word.ends_with(':') { plain.len() } else { word.len() };
        if word.ends_with(['.', '!', '?']) && !rest[at..].trim_start_matches([' ', '\t']).starts_with(['\r', '\n']) {
            return None;
        }
    }
    None
}

/// Whether a script puts no blanks between words.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// Returns the next word: up to a blank or a mark, and to where letters of ASCII meet a script without blanks.
fn word(here: &str) -> &str {
    let is_mark = |c: char| PAIRS.iter().any(|(open, close)| *open == c || close.contains(c));
    let is_end = |c: char| !c.is_alphanumeric() && (c.is_whitespace() || ",;、。，；！？|<".contains(c) || is_mark(c));
    let whole = &here[..here.find(is_end).unwrap_or(here.len())];
    let whole = whole.split_once("&nbsp").map_or(whole, |(word, _)| word);
    let begins_unspaced = whole.starts_with(is_unspaced);
    let meets = |c: char| if begins_unspaced { c.is_ascii_alphanumeric() } else { is_unspaced(c) };
    &whole[..whole.find(meets).unwrap_or(whole.len())]
}

/// Returns the range between an opening mark and the one that closes it on the same line.
fn quoted(here: &str, first: char) -> Option<Range<usize>> {
    let (open, close) = PAIRS.iter().find(|(open, _)| *open == first)?;
    let inside = &here[open.len_utf8()..];
    let length = inside.find(|c: char| close.contains(c) || c == '\n')?;
    let is_closed = !inside[length..].starts_with('\n') && (1..=MAX_QUOTED).contains(&length);
    is_closed.then(|| open.len_utf8()..open.len_utf8() + length)
}

/// Returns the only word of the next line.
fn alone(rest: &str, at: usize) -> Option<Range<usize>> {
    let below = rest[at..].trim_start_matches(['\r', '\n']);
    let start = rest.len() - below.len();
    let line = below.lines().next()?;
    // The line may be cut where the reading ends.
    let is_whole = start + line.len() < rest.len() || rest.len() < MAX_BYTES - 4;
    let said = line.trim();
    let start = start + line.len() - line.trim_start().len();
    (is_whole && !said.contains(char::is_whitespace) && is_password(said)).then(|| start..start + said.len())
}

/// Whether a word that something announces is a password.
fn is_password(word: &str) -> bool {
    let bytes = word.as_bytes();
    value::has_digit(bytes)
        && bytes.iter().any(u8::is_ascii_alphabetic)
        && value::looks_like_password(bytes)
        && value::is_unlike_word(bytes)
        && stands(word)
}

/// Whether a text in quotes or brackets is a password: a word with digits or several symbols, or words with a number.
fn is_quoted_password(said: &str, is_announced: bool) -> bool {
    let bytes = said.as_bytes();
    let symbols = said.trim().chars().filter(|c| "-_.+#!@$%&*=~".contains(*c)).count();
    let is_word = !said.contains(char::is_whitespace);
    let has_letter = said.chars().any(char::is_alphabetic);
    let is_strong = symbols > 0 || value::mixes_digits(bytes);
    let mixes = has_letter && value::has_digit(bytes) && said.len() >= 6 && !value::holds_term(bytes);
    let is_phrase = is_announced && has_letter && value::has_digit(bytes) && said.split_whitespace().count() <= 6;
    let is_chain = is_announced && is_word && has_letter && symbols >= 2 && said.len() >= 8;
    (is_word && mixes && (is_announced || is_strong) || is_chain || !is_word && is_phrase) && stands(said)
}

/// Whether a text is itself, and nothing that stands for a password or points elsewhere.
fn stands(said: &str) -> bool {
    let bytes = said.as_bytes();
    !value::is_placeholder(bytes) && !value::is_reference(bytes) && !value::looks_like_code(bytes, true)
}
