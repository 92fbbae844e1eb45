//! Cuts text that has no line ends: into sentences, and into pieces of a given size.

use std::ops::Range;

use crate::abbreviations::is_abbreviated;

/// Longest part of a line that is shown as a sentence, in bytes. A transcript may have no sentences.
pub const MAX_SENTENCE: usize = 300;
/// Bytes at the end of a text that hold a whole abbreviation.
const LONGEST_ABBREVIATION: usize = 64;

/// Returns the ranges of the sentences of `text`, which together are the whole. A sentence ends after its mark and the white space behind
/// it. One of more than `most` bytes is cut between words, or between characters if it has no white space.
pub fn sentences(text: &str, most: usize) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let rest = &text[start..];
        let mut end = sentence_end(rest);
        if end > most {
            let limit = rest.floor_char_boundary(most).max(rest.ceil_char_boundary(1));
            end = word_end(rest, limit);
        }
        out.push(start..start + end);
        start += end;
    }
    out
}

/// Returns the ranges of pieces of `text`, which together are the whole, each of at most `limit` by `size`. A piece ends at the end of a
/// sentence if its second half has one, else between words, else between characters. `keep` are ranges, in order, inside of which nothing
/// is cut; one that is larger than `limit` is a piece of its own.
pub fn pieces(text: &str, limit: usize, size: &dyn Fn(&str) -> usize, keep: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let rest = &text[start..];
        let mut end = start + fitting(rest, limit, size).max(rest.ceil_char_boundary(1));
        let first = keep.partition_point(|range| range.end <= end);
        if let Some(range) = keep.get(first).filter(|range| range.start < end && end < range.end) {
            end = if range.start > start { range.start } else { range.end };
        }
        out.push(start..end);
        start = end;
    }
    out
}

/// Returns the length of the longest fitting prefix of `text` that ends well, at least one character.
fn fitting(text: &str, limit: usize, size: &dyn Fn(&str) -> usize) -> usize {
    // Most tokenizers make one token of four bytes. Text that is left out has no size, so the guess grows.
    let mut bytes = limit.max(1).saturating_mul(8);
    loop {
        let high = text.floor_char_boundary(bytes);
        if size(&text[..high]) > limit {
            return pause(text, longest(text, high, limit, size));
        }
        if high == text.len() {
            return high;
        }
        bytes = bytes.saturating_mul(4);
    }
}

/// Returns about the longest prefix that fits, given one of `high` bytes that does not.
fn longest(text: &str, mut high: usize, limit: usize, size: &dyn Fn(&str) -> usize) -> usize {
    let mut low = text.ceil_char_boundary(1);
    while high - low > 8 {
        let middle = text.floor_char_boundary(low + (high - low) / 2);
        if middle <= low {
            break;
        }
        if size(&text[..middle]) <= limit { low = middle } else { high = middle }
    }
    low
}

/// Returns the last sentence or word end of `text` at or before `end`, or `end` if the second half has none.
fn pause(text: &str, end: usize) -> usize {
    let earliest = end / 2;
    let ends = text[..end].char_indices().rev().take_while(|(at, _)| *at >= earliest);
    let is_end = |character: char, next: &str| {
        let ends_clause = character == ';' && next.chars().next().is_none_or(char::is_whitespace);
        ends_clause || ends_sentence(character, next)
    };
    let sentence = ends.clone().find(|(at, character)| is_end(*character, &text[at + character.len_utf8()..]));
    sentence.map_or_else(|| word_end(text, end), |(at, character)| at + character.len_utf8())
}

/// Returns the last word end of `text` at or before `end`, or `end` if the second half has none.
fn word_end(text: &str, end: usize) -> usize {
    let blanks = text[..end].char_indices().rev().take_while(|(at, _)| *at >= end / 2);
    let blank = blanks.into_iter().find(|(_, character)| character.is_whitespace());
    blank.map_or(end, |(at, character)| at + character.len_utf8())
}

/// Returns the end of the first sentence, with the white space behind it.
fn sentence_end(text: &str) -> usize {
    let mark = text.char_indices().find(|(at, character)| {
        let (before, next) = text.split_at(at + character.len_utf8());
        ends_sentence(*character, next) && !(*character == '.' && is_abbreviated(last_words(before), next))
    });
    mark.map_or(text.len(), |(at, character)| {
        let behind = at + character.len_utf8();
        text[behind..].find(|c: char| !c.is_whitespace()).map_or(text.len(), |blanks| behind + blanks)
    })
}

/// Returns the end of a text, because a transcript of megabytes may have no full stop but that of an abbreviation.
fn last_words(text: &str) -> &str {
    &text[text.floor_char_boundary(text.len().saturating_sub(LONGEST_ABBREVIATION))..]
}

/// Whether a sentence ends with this character, before `next`.
fn ends_sentence(character: char, next: &str) -> bool {
    match character {
        '。' | '！' | '？' | '\n' => true,
        '.' | '!' | '?' | '؟' | '۔' | '।' => next.chars().next().is_none_or(char::is_whitespace),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, ranges: Vec<Range<usize>>) -> Vec<&str> {
        ranges.into_iter().map(|range| &text[range]).collect()
    }

    fn words(text: &str) -> usize {
        text.split_whitespace().count()
    }

    #[test]
    fn sentences_end_with_their_marks() {
        let text = "One at 10.30. Two?  三つ。四つ！ five &amp; six";
        assert_eq!(
            texts(text, sentences(text, 400)),
            ["One at 10.30. ", "Two?  ", "三つ。", "四つ！ ", "five &amp; six"]
        );
        assert_eq!(
            texts("Dr. Weber came. He left.", sentences("Dr. Weber came. He left.", 400)),
            ["Dr. Weber came. ", "He left."]
        );
        assert!(sentences("", 400).is_empty());
    }

    #[test]
    fn a_transcript_without_marks_is_cut_between_words() {
        let text = "so we went to the harbour and then we saw the boat";
        assert_eq!(texts(text, sentences(text, 20)), ["so we went to the ", "harbour and then we ", "saw the boat"]);
        assert_eq!(texts("あいうえお", sentences("あいうえお", 7)), ["あい", "うえ", "お"]);
    }

    #[test]
    fn pieces_end_with_sentences_and_keep_links_whole() {
        let text = "one two three. four five six seven eight nine ten";
        assert_eq!(
            texts(text, pieces(text, 5, &words, &[])),
            ["one two three.", " four five six seven ", "eight nine ten"]
        );
        let link = text.find("five").unwrap()..text.find(" ten").unwrap();
        let whole = ["one two three.", " four ", "five six seven eight nine", " ten"];
        assert_eq!(texts(text, pieces(text, 4, &words, &[link])), whole);
    }

    proptest::proptest! {
        #[test]
        fn the_parts_are_the_whole(text in "[a-zé。. ]{0,200}", most in 1..50usize) {
            proptest::prop_assert_eq!(texts(&text, sentences(&text, most)).concat(), text.clone());
            proptest::prop_assert_eq!(texts(&text, pieces(&text, 0, &words, &[])).concat(), text.clone());
            let parts = texts(&text, pieces(&text, most, &words, &[]));
            proptest::prop_assert!(parts.iter().all(|part| !part.is_empty() && words(part) <= most));
            proptest::prop_assert_eq!(parts.concat(), text);
        }
    }
}
