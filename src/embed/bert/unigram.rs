//! Unigram segmentation (Kudo 2018) as SentencePiece does it for XLM-R's vocabulary. It turns text into token numbers,
//! with tables that are used directly from a mapped file and need no parsing.
//!
//! A letter and the marks after it are composed as far as Unicode has a single character for them; marks keep their order, as in
//! SentencePiece. Then each character is replaced by the vocabulary's own table (compatibility forms by plain ones, every kind of blank by
//! a space, control characters by nothing). The text is split at spaces, and each word starts with the mark `▁`. A word becomes the
//! sequence of pieces with the highest sum of scores, which are logarithms of probabilities (Viterbi 1967). A character that starts no
//! piece is unknown; several unknown ones in a row are one unknown token. Text that spells a special token (`</s>`) is ordinary text.
//!
//! The work is linear in the length of the text: at each character at most [`MAX_PIECE_BYTES`] bytes are examined.

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;
mod trie;

use unicode_normalization_alignments::char::compose;

pub(super) use trie::{Unit, trie};

/// Maximum length of a piece, in bytes.
pub(super) const MAX_PIECE_BYTES: usize = 128;

/// Only characters from here on compose with the previous one.
const FIRST_MARK: char = '\u{300}';

/// Start of a word: SentencePiece's sign for a space.
const MARK: char = '\u{2581}';

/// Difference between the lowest score of all pieces and the score of an unknown character, as in SentencePiece.
const UNKNOWN_PENALTY: f32 = 10.0;

/// A vocabulary before it is written to a file.
#[derive(Debug)]
pub(super) struct UnigramVocabulary {
    pub(super) trie: Vec<Unit>,
    /// Score of each piece, by its number.
    pub(super) scores: Vec<f32>,
    /// Replaced characters, sorted.
    pub(super) from: Vec<u32>,
    /// End of each replacement.
    pub(super) ends: Vec<u32>,
    /// The replacements.
    pub(super) text: String,
    /// Token for unknown characters.
    pub(super) unknown: u32,
    /// Token before a text.
    pub(super) start: u32,
    /// Token after a text.
    pub(super) end: u32,
}

/// A vocabulary that is searched directly in the mapped file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unigram<'a> {
    /// The spellings of all pieces, see [`trie()`].
    pub(super) trie: &'a [Unit],
    /// Logarithm of each piece's probability, by its number.
    pub(super) scores: &'a [f32],
    /// Score of an unknown character.
    pub(super) unknown_score: f32,
    /// Token for unknown characters.
    pub(super) unknown: u32,
    /// Replacements of characters.
    pub(super) folds: ReplacementTable<'a>,
}

/// A table of characters and their replacements.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReplacementTable<'a> {
    /// The replaced characters, sorted.
    pub(super) from: &'a [u32],
    /// End of each replacement in `text`; it starts at the end of the previous one.
    pub(super) ends: &'a [u32],
    /// All replacements, concatenated, in UTF-8.
    pub(super) text: &'a [u8],
}

/// The last step of the best segmentation up to a position in a word.
#[derive(Debug, Clone, Copy)]
struct Step {
    score: f32,
    /// Start of the last piece.
    from: u32,
    /// Number of that piece.
    piece: u32,
}

/// No piece ends at this position yet.
const UNREACHED: Step = Step { score: f32::NEG_INFINITY, from: 0, piece: 0 };

#[cfg(test)]
impl UnigramVocabulary {
    /// Returns the vocabulary in its searchable form.
    pub(super) fn unigram(&self) -> Unigram<'_> {
        Unigram {
            trie: &self.trie,
            scores: &self.scores,
            unknown_score: unknown_score(&self.scores),
            unknown: self.unknown,
            folds: ReplacementTable { from: &self.from, ends: &self.ends, text: self.text.as_bytes() },
        }
    }
}

/// Returns the score of an unknown character, given the scores of all pieces.
pub(super) fn unknown_score(scores: &[f32]) -> f32 {
    scores.iter().copied().fold(0.0, f32::min) - UNKNOWN_PENALTY
}

impl ReplacementTable<'_> {
    /// Returns the replacement of a character, if there is one.
    fn get(&self, c: char) -> Option<&str> {
        let place = self.from.binary_search(&u32::from(c)).ok()?;
        let end = |place: usize| self.ends.get(place).map_or(0, |end| *end as usize);
        let start = place.checked_sub(1).map_or(0, end);
        // In a damaged table, the replacement is empty.
        Some(self.text.get(start..end(place)).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default())
    }
}

impl Unigram<'_> {
    /// Appends the tokens of `text`, without special tokens.
    pub(super) fn encode(&self, text: &str, tokens: &mut Vec<u32>) {
        let mut cutter = Cutter { unigram: self, word: String::new(), steps: Vec::new(), tokens };
        let mut last = None;
        for c in text.chars() {
            match last.filter(|_| c >= FIRST_MARK).and_then(|last| compose(last, c)) {
                Some(both) => last = Some(both),
                None => last.replace(c).into_iter().for_each(|c| cutter.push(c)),
            }
        }
        last.into_iter().for_each(|c| cutter.push(c));
        cutter.end_word();
    }
}

/// Collects characters into words.
struct Cutter<'a> {
    unigram: &'a Unigram<'a>,
    /// The current word, with [`MARK`] at the start; empty between words.
    word: String,
    /// Best step up to each position in the word.
    steps: Vec<Step>,
    tokens: &'a mut Vec<u32>,
}

impl Cutter<'_> {
    fn push(&mut self, c: char) {
        // Printable ASCII characters are unchanged in every such table.
        if c.is_ascii_graphic() {
            return self.add(c);
        }
        match self.unigram.folds.get(c) {
            Some(replacement) => replacement.chars().for_each(|c| self.add(c)),
            None => self.add(c),
        }
    }

    fn add(&mut self, c: char) {
        if c == ' ' {
            return self.end_word();
        }
        if self.word.is_empty() {
            self.word.push(MARK);
        }
        self.word.push(c);
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        self.steps.clear();
        self.steps.resize(self.word.len() + 1, UNREACHED);
        self.steps[0].score = 0.0;
        let mut at = 0;
        while let Some(c) = self.word[at..].chars().next() {
            self.extend(at, c.len_utf8());
            at += c.len_utf8();
        }
        let before = self.tokens.len();
        let mut at = self.word.len();
        while at > 0 {
            let Step { from, piece, .. } = self.steps[at];
            let follows_unknown = piece == self.unigram.unknown && self.tokens[before..].last() == Some(&piece);
            if !follows_unknown {
                self.tokens.push(piece);
            }
            at = from as usize;
        }
        self.tokens[before..].reverse();
        self.word.clear();
    }

    /// Tries every piece that starts at `at`, where there is a character of `length` bytes.
    fn extend(&mut self, at: usize, length: usize) {
        let score = self.steps[at].score;
        let rest = &self.word.as_bytes()[at..];
        let mut state = 0;
        let mut is_known = false;
        for (count, byte) in (1..).zip(&rest[..rest.len().min(MAX_PIECE_BYTES)]) {
            let Some(next) = trie::child(self.unigram.trie, state, *byte) else { break };
            state = next;
            let Some(piece) = trie::value(self.unigram.trie, state) else { continue };
            // A damaged file may have pieces that end inside a character or have no score.
            let (Some(own), true) = (self.unigram.scores.get(piece as usize), self.word.is_char_boundary(at + count))
            else {
                continue;
            };
            is_known |= count == length;
            improve(&mut self.steps[at + count], Step { score: score + own, from: at as u32, piece });
        }
        if !is_known {
            let unknown =
                Step { score: score + self.unigram.unknown_score, from: at as u32, piece: self.unigram.unknown };
            improve(&mut self.steps[at + length], unknown);
        }
    }
}

fn improve(known: &mut Step, other: Step) {
    // The first step is always accepted, so that a damaged score (NaN) leaves no position unreached.
    if known.score == f32::NEG_INFINITY || other.score > known.score {
        *known = other;
    }
}
