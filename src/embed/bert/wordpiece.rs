//! WordPiece (Wu et al. 2016) as in BERT's uncased models. It turns text into token numbers, with a table that needs no parsing.
//!
//! The result equals that of the crate `tokenizers`, token by token, because the same versions of the same Unicode tables are
//! used in the same order. Control characters are removed, letters are lower-cased and lose their accents, and the text is
//! split at blanks and around punctuation and Chinese characters. Each word is then split from its front into the longest
//! pieces in the vocabulary. A word that cannot be split this way, or is too long, becomes the unknown token.

use unicode_categories::UnicodeCategories;
use unicode_normalization_alignments::UnicodeNormalization;

/// Value of an empty slot of the table.
const EMPTY: u32 = u32::MAX;

/// Prefix of a piece that continues a word, as spelled in the vocabulary.
const CONTINUING: &[u8] = b"##";

/// Maximum length of a piece, in bytes.
pub(super) const MAX_PIECE_BYTES: usize = 128;

/// A vocabulary that is searched directly in the mapped file.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordPiece<'a> {
    /// Hash table with open addressing, whose size is a power of two. A slot holds twice a piece's number, plus 1 if
    /// the piece continues a word, or [`EMPTY`].
    pub(super) slots: &'a [u32],
    /// End of each piece in `text`; it starts at the end of the previous one.
    pub(super) ends: &'a [u32],
    /// All pieces, concatenated.
    pub(super) text: &'a [u8],
    /// Token for unknown words.
    pub(super) unknown: u32,
    /// Maximum number of characters of a word; longer words are unknown.
    pub(super) longest_word: usize,
}

impl<'a> WordPiece<'a> {
    /// Returns the spelling of a piece; empty if it does not exist, which happens only in a damaged file.
    pub(super) fn piece(&self, number: u32) -> &'a [u8] {
        let number = number as usize;
        let end = |number: usize| self.ends.get(number).map_or(0, |end| *end as usize);
        let start = number.checked_sub(1).map_or(0, end);
        self.text.get(start..end(number)).unwrap_or_default()
    }

    /// Returns the number of the piece with a spelling.
    pub(super) fn number_of(&self, spelling: &[u8]) -> Option<u32> {
        self.find(spelling, false, spelling.iter().fold(seed(false), |hash, byte| step(hash, *byte)))
    }

    /// Appends the tokens of `text`, without special tokens.
    pub(super) fn encode(&self, text: &str, tokens: &mut Vec<u32>) {
        let mut cutter = Cutter { pieces: self, word: String::new(), tokens };
        if text.is_ascii() {
            text.chars().filter(|c| !c.is_ascii_control() || is_blank(*c)).for_each(|c| cutter.push_ascii(c));
        } else {
            let kept = text.chars().filter(|c| !is_dropped(*c)).map(|c| if c.is_whitespace() { ' ' } else { c });
            let parted = kept.flat_map(|c| {
                let blank = is_chinese(c).then_some(' ');
                [blank, Some(c), blank].into_iter().flatten()
            });
            let plain = parted.nfd().map(|(c, _)| c).filter(|c| !c.is_mark_nonspacing());
            plain.flat_map(char::to_lowercase).for_each(|c| cutter.push(c));
        }
        cutter.end_word();
    }

    /// Appends the pieces of one word.
    fn cut(&self, word: &str, tokens: &mut Vec<u32>) {
        let before = tokens.len();
        let mut rest = word.as_bytes();
        // Characters are counted only if the number of bytes is over the limit.
        if word.len() > self.longest_word && word.chars().count() > self.longest_word {
            tokens.push(self.unknown);
            return;
        }
        while !rest.is_empty() {
            let Some((number, length)) = self.longest(rest, rest.len() < word.len()) else {
                tokens.truncate(before);
                tokens.push(self.unknown);
                return;
            };
            tokens.push(number);
            rest = &rest[length..];
        }
    }

    /// Returns the longest piece at the start of `rest`, and its length in bytes. All pieces end between two characters.
    fn longest(&self, rest: &[u8], continuing: bool) -> Option<(u32, usize)> {
        let rest = &rest[..rest.len().min(MAX_PIECE_BYTES)];
        let mut hashes = [0u64; MAX_PIECE_BYTES];
        let mut hash = seed(continuing);
        for (byte, place) in rest.iter().zip(&mut hashes) {
            hash = step(hash, *byte);
            *place = hash;
        }
        (1..=rest.len()).rev().find_map(|length| {
            let number = self.find(&rest[..length], continuing, hashes[length - 1])?;
            Some((number, length))
        })
    }

    fn find(&self, spelling: &[u8], continuing: bool, hash: u64) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let first = place(hash, mask);
        // The number of steps is limited, so the search also ends in a table without an empty slot.
        let slots = (0..self.slots.len()).map(|step| self.slots[(first + step) & mask]);
        let mut candidates = slots.take_while(|slot| *slot != EMPTY);
        let found = candidates.find(|slot| {
            (slot & 1 == 1) == continuing && spelled(self.piece(slot >> 1), continuing) == Some(spelling)
        })?;
        Some(found >> 1)
    }
}

/// Builds the hash table of a vocabulary, where `pieces[number]` is the spelling of a piece.
pub(super) fn table(pieces: &[String]) -> Vec<u32> {
    let mut slots = vec![EMPTY; (pieces.len() * 4).next_power_of_two()];
    let mask = slots.len() - 1;
    for (number, piece) in (0u32..).zip(pieces) {
        for continuing in [false, true] {
            let Some(spelling) = spelled(piece.as_bytes(), continuing) else { continue };
            let hash = spelling.iter().fold(seed(continuing), |hash, byte| step(hash, *byte));
            let mut slot = place(hash, mask);
            while slots[slot] != EMPTY {
                slot = (slot + 1) & mask;
            }
            slots[slot] = number << 1 | u32::from(continuing);
        }
    }
    slots
}

/// Returns the spelling of a piece within a word: unchanged at the start of a word; inside a word without the prefix, which it must have.
fn spelled(piece: &[u8], continuing: bool) -> Option<&[u8]> {
    if continuing { piece.strip_prefix(CONTINUING) } else { Some(piece) }
}

/// FNV-1a, 64 bits. It is computed byte by byte, so that all prefixes of a word are hashed in one pass. The seed
/// distinguishes the two kinds of pieces.
fn seed(continuing: bool) -> u64 {
    0xcbf2_9ce4_8422_2325 ^ u64::from(continuing)
}

fn step(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

fn place(hash: u64, mask: usize) -> usize {
    (hash ^ hash >> 32) as usize & mask
}

/// Collects characters into words.
struct Cutter<'a> {
    pieces: &'a WordPiece<'a>,
    word: String,
    tokens: &'a mut Vec<u32>,
}

impl Cutter<'_> {
    fn push_ascii(&mut self, c: char) {
        if is_blank(c) {
            self.end_word();
        } else if c.is_ascii_punctuation() {
            self.push_alone(c);
        } else {
            self.word.push(c.to_ascii_lowercase());
        }
    }

    fn push(&mut self, c: char) {
        if c.is_whitespace() {
            self.end_word();
        } else if c.is_ascii_punctuation() || c.is_punctuation() {
            self.push_alone(c);
        } else {
            self.word.push(c);
        }
    }

    fn push_alone(&mut self, c: char) {
        self.end_word();
        self.word.push(c);
        self.end_word();
    }

    fn end_word(&mut self) {
        if !self.word.is_empty() {
            self.pieces.cut(&self.word, self.tokens);
            self.word.clear();
        }
    }
}

/// Whether an ASCII character separates words. Vertical tab and form feed are control characters and are removed.
fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

fn is_dropped(c: char) -> bool {
    matches!(c, '\0' | '\u{fffd}') || !matches!(c, '\t' | '\n' | '\r') && c.is_other()
}

/// Whether a character is an ideograph by BERT's definition, which makes it a word of its own. Kana and hangul are not.
fn is_chinese(c: char) -> bool {
    matches!(u32::from(c),
        0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x2a6df | 0x2a700..=0x2b73f
        | 0x2b740..=0x2b81f | 0x2b920..=0x2ceaf | 0x2f800..=0x2fa1f)
}

#[cfg(test)]
#[cfg(feature = "onnx")]
mod tests;
