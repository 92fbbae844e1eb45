//! Byte-level byte-pair encoding (Radford et al. 2019; Sennrich et al. 2016), the tokenizer of RoBERTa, ModernBERT and others. It turns
//! text into token numbers, with tables that are used directly from a mapped file.
//!
//! A pattern splits text into words. Each word starts as the pieces of its bytes; then the pair of neighbours that was merged earliest in
//! training becomes one piece, again and again, until no known pair is left. A word of n bytes takes n log n steps.
//!
//! Pieces are spelled with a visible character for each byte, as the files of such tokenizers do: a space is `Ġ`.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bytemuck::{Pod, Zeroable};
use regex::Regex;
use unicode_normalization_alignments::UnicodeNormalization;

use super::wordpiece::WordPiece;

/// Flag in the number of a special token that includes the blanks before it.
pub(super) const EATS_BLANKS: u32 = 1 << 31;

/// Maximum length of a pattern, in bytes.
pub(super) const MAX_PATTERN: usize = 4096;

/// The end of patterns that leave the last of several blanks to the next word.
const BLANKS: &str = r"\s+(?!\S)|\s+";

/// Name of the group that replaces [`BLANKS`].
const GROUP: &str = "blanks";

/// Two pieces that become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Merge {
    pub(super) left: u32,
    pub(super) right: u32,
    /// Place in the order of merges.
    pub(super) rank: u32,
    /// The merged piece.
    pub(super) merged: u32,
}

/// A vocabulary that is searched directly in the mapped file.
#[derive(Debug, Clone, Copy)]
pub(super) struct ByteLevel<'a> {
    /// Spellings of the pieces. None of them continues another.
    pub(super) pieces: WordPiece<'a>,
    /// Numbers of the special tokens that are recognised in text, which may have the flag [`EATS_BLANKS`].
    pub(super) specials: &'a [u32],
    /// Sorted by their two pieces.
    pub(super) merges: &'a [Merge],
    /// See [`Splitter`].
    pub(super) pattern: &'a [u8],
    /// Whether a word that is a piece is not split.
    pub(super) whole_words: bool,
    /// Whether text is normalised to NFC.
    pub(super) is_composed: bool,
}

/// Splits text into words, and words into the pieces of their bytes.
#[derive(Debug)]
pub(super) struct Splitter {
    regex: Regex,
    /// Whether the pattern ended in [`BLANKS`].
    shortens_blanks: bool,
    /// Number of each byte's piece.
    bytes: Vec<u32>,
}

/// A piece of a word while its neighbours are merged.
#[derive(Debug, Clone, Copy)]
struct Symbol {
    piece: u32,
    before: usize,
    after: usize,
    is_merged: bool,
}

/// No neighbour.
const NONE: usize = usize::MAX;

impl Splitter {
    /// Compiles the pattern of a vocabulary.
    ///
    /// # Errors
    /// The pattern is not supported, or a byte has no piece.
    pub(super) fn new(vocabulary: &ByteLevel<'_>) -> Result<Self, String> {
        let pattern = std::str::from_utf8(vocabulary.pattern).map_err(|_| "its pattern of words is not UTF-8")?;
        let (regex, shortens_blanks) = compile(pattern)?;
        let piece = |byte: u8| vocabulary.pieces.number_of(spelled(byte).encode_utf8(&mut [0; 4]).as_bytes());
        let bytes: Option<Vec<u32>> = (0..=u8::MAX).map(piece).collect();
        Ok(Self { regex, shortens_blanks, bytes: bytes.ok_or("a byte has no piece")? })
    }

    /// Calls `word` for each word of a text.
    fn words<'t>(&self, text: &'t str, mut word: impl FnMut(&'t str)) {
        let mut at = 0;
        while let Some(found) = self.regex.find_at(text, at) {
            if found.start() > at {
                word(&text[at..found.start()]);
            }
            let end = self.end(text, found.start(), found.end());
            if end == found.start() {
                // An empty match leaves the rest whole, so that the loop ends.
                at = found.start();
                break;
            }
            word(&text[found.start()..end]);
            at = end;
        }
        if at < text.len() {
            word(&text[at..]);
        }
    }

    /// Returns the end of a match without the blank that belongs to the next word.
    fn end(&self, text: &str, start: usize, end: usize) -> usize {
        let word = &text[start..end];
        let mut blanks = word.chars();
        let last = blanks.next_back().map_or(0, char::len_utf8);
        // Looking for the group is slow, and needed only for several blanks before something else.
        if !self.shortens_blanks || end == text.len() || last == word.len() || !word.chars().all(char::is_whitespace) {
            return end;
        }
        let group = self.regex.captures_at(text, start).is_some_and(|groups| groups.name(GROUP).is_some());
        if group { end - last } else { end }
    }
}

/// Compiles a pattern. The crate `regex` cannot look ahead, so [`BLANKS`], which must come last, becomes a group.
///
/// # Errors
/// The pattern is not supported.
pub(super) fn compile(pattern: &str) -> Result<(Regex, bool), String> {
    let rest = pattern.strip_suffix(BLANKS);
    // The crate would read a possessive quantifier as two quantifiers.
    // A repetition such as `{1,3}` ends with a digit or a comma, a class such as `\p{L}` does not.
    let repeats = |(at, _): (usize, &str)| pattern[..at].ends_with(|c: char| c.is_ascii_digit() || c == ',');
    let is_possessive = ["?+", "*+", "++"].iter().any(|quantifier| pattern.contains(quantifier))
        || pattern.match_indices("}+").any(repeats);
    if pattern.len() > MAX_PATTERN || is_possessive {
        return Err("its tokenizer splits words by a pattern that is not supported".into());
    }
    let whole = rest.map_or_else(|| pattern.to_owned(), |rest| format!(r"{rest}(?P<{GROUP}>\s+)"));
    let regex = Regex::new(&whole);
    let regex = regex.map_err(|_| "its tokenizer splits words by a pattern that is not supported")?;
    Ok((regex, rest.is_some()))
}

impl ByteLevel<'_> {
    /// Appends the tokens of `text`, without special tokens.
    pub(super) fn encode(&self, text: &str, splitter: &Splitter, tokens: &mut Vec<u32>) {
        splitter.words(text, |word| self.encode_word(word, splitter, tokens));
    }

    fn encode_word(&self, word: &str, splitter: &Splitter, tokens: &mut Vec<u32>) {
        if self.whole_words {
            let spelling: String = word.bytes().map(spelled).collect();
            if let Some(piece) = self.pieces.number_of(spelling.as_bytes()) {
                tokens.push(piece);
                return;
            }
        }
        let pieces = word.bytes().map(|byte| splitter.bytes[usize::from(byte)]);
        let mut symbols: Vec<Symbol> = pieces
            .enumerate()
            .map(|(at, piece)| Symbol { piece, before: at.wrapping_sub(1), after: at + 1, is_merged: false })
            .collect();
        if let Some(last) = symbols.last_mut() {
            last.after = NONE;
        }
        self.merge(&mut symbols);
        tokens.extend(symbols.iter().filter(|symbol| !symbol.is_merged).map(|symbol| symbol.piece));
    }

    /// Merges neighbours in the order of the merges, from left to right among equal ones.
    fn merge(&self, symbols: &mut [Symbol]) {
        let mut waiting = BinaryHeap::new();
        for at in 0..symbols.len() {
            self.propose(symbols, at, &mut waiting);
        }
        while let Some(Reverse((_, at, merged))) = waiting.pop() {
            let after = symbols[at].after;
            // A pair may have changed while it waited.
            let is_current = !symbols[at].is_merged
                && after != NONE
                && self.find(symbols[at].piece, symbols[after].piece).is_some_and(|merge| merge.merged == merged);
            if !is_current {
                continue;
            }
            let next = symbols[after].after;
            symbols[after].is_merged = true;
            (symbols[at].piece, symbols[at].after) = (merged, next);
            if next != NONE {
                symbols[next].before = at;
            }
            if symbols[at].before != NONE {
                self.propose(symbols, symbols[at].before, &mut waiting);
            }
            self.propose(symbols, at, &mut waiting);
        }
    }

    /// Adds the merge of a symbol with the one after it, if there is one.
    fn propose(&self, symbols: &[Symbol], at: usize, waiting: &mut BinaryHeap<Reverse<(u32, usize, u32)>>) {
        let Some(after) = symbols.get(symbols[at].after) else { return };
        if let Some(merge) = self.find(symbols[at].piece, after.piece) {
            waiting.push(Reverse((merge.rank, at, merge.merged)));
        }
    }

    fn find(&self, left: u32, right: u32) -> Option<Merge> {
        let place = self.merges.binary_search_by_key(&(left, right), |merge| (merge.left, merge.right)).ok()?;
        // A damaged file may name pieces that do not exist.
        Some(self.merges[place]).filter(|merge| (merge.merged as usize) < self.pieces.ends.len())
    }

    /// Returns the text as it is searched for special tokens and split.
    pub(super) fn normalized<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.is_composed && !text.is_ascii() {
            true => text.chars().nfc().map(|(c, _)| c).collect::<String>().into(),
            false => text.into(),
        }
    }
}

/// Returns the character that spells a byte: itself if it is visible in Latin-1, otherwise the next one from U+0100 on.
pub(super) fn spelled(byte: u8) -> char {
    let code = match byte {
        0..=0x20 => 0x100 + u32::from(byte),
        0x7f..=0xa0 => 0x121 + u32::from(byte - 0x7f),
        0xad => 0x143,
        visible => u32::from(visible),
    };
    char::from_u32(code).unwrap_or_default()
}
