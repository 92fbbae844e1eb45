//! Unigram segmentation (Kudo 2018) as SentencePiece does it for XLM-R's vocabulary: text to the numbers of pieces, by tables
//! that lie in a mapped file and need no parsing.
//!
//! A letter and the marks behind it are composed as far as Unicode has one character for them, marks staying in their order as
//! they do for SentencePiece; then each character is replaced as the vocabulary's own table says (compatibility forms to plain
//! ones, every kind of blank to a space, control characters to nothing), and parted at spaces; each word begins with the mark
//! `▁`. A word becomes the pieces whose scores, logarithms of probabilities, have the greatest sum (Viterbi 1967). A character
//! that no piece begins with is unknown; several in a row are one unknown token. What is spelled like a special token (`</s>`)
//! is ordinary text.
//!
//! The work grows with the length of the text alone: at each character at most [`LONGEST_PIECE`] bytes are looked at.

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;
mod trie;

use unicode_normalization_alignments::char::compose;

pub(super) use trie::{Unit, trie};

/// Longest piece that can be found, in bytes.
pub(super) const LONGEST_PIECE: usize = 128;

/// No character before it composes with the one before it.
const FIRST_MARK: char = '\u{300}';

/// What a word begins with: SentencePiece's sign for a space.
const MARK: char = '\u{2581}';

/// How far the score of an unknown character lies below the least of all pieces, as SentencePiece has it.
const UNKNOWN_PENALTY: f32 = 10.0;

/// A vocabulary that is still to be laid out in a file.
#[derive(Debug)]
pub(super) struct UnigramVocabulary {
    pub(super) trie: Vec<Unit>,
    /// By the number of the piece.
    pub(super) scores: Vec<f32>,
    /// Characters that are replaced, sorted.
    pub(super) from: Vec<u32>,
    /// Where the replacement of each ends.
    pub(super) ends: Vec<u32>,
    /// The replacements.
    pub(super) text: String,
    /// Stands for unknown characters.
    pub(super) unknown: u32,
    /// Token put before a text.
    pub(super) start: u32,
    /// Token put behind it.
    pub(super) end: u32,
}

/// A vocabulary laid out to be searched where it lies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unigram<'a> {
    /// The spellings of all pieces, see [`trie()`].
    pub(super) trie: &'a [Unit],
    /// Logarithm of each piece's probability, by its number.
    pub(super) scores: &'a [f32],
    /// Score of an unknown character.
    pub(super) unknown_score: f32,
    /// Stands for unknown characters.
    pub(super) unknown: u32,
    /// What characters are replaced by.
    pub(super) folds: Folds<'a>,
}

/// A table of characters and what replaces them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Folds<'a> {
    /// The characters that are replaced, sorted.
    pub(super) from: &'a [u32],
    /// Where the replacement of each ends in `text`; it begins where the one before ends.
    pub(super) ends: &'a [u32],
    /// All replacements behind one another, UTF-8.
    pub(super) text: &'a [u8],
}

/// The best segmentation of a word up to some place.
#[derive(Debug, Clone, Copy)]
struct Step {
    score: f32,
    /// Where its last piece begins.
    from: u32,
    /// The number of that piece.
    piece: u32,
}

/// Nothing ends at a place yet.
const UNREACHED: Step = Step { score: f32::NEG_INFINITY, from: 0, piece: 0 };

#[cfg(test)]
impl UnigramVocabulary {
    /// Returns the vocabulary as texts are cut by it.
    pub(super) fn unigram(&self) -> Unigram<'_> {
        Unigram {
            trie: &self.trie,
            scores: &self.scores,
            unknown_score: unknown_score(&self.scores),
            unknown: self.unknown,
            folds: Folds { from: &self.from, ends: &self.ends, text: self.text.as_bytes() },
        }
    }
}

/// Returns the score of an unknown character beside pieces of these scores.
pub(super) fn unknown_score(scores: &[f32]) -> f32 {
    scores.iter().copied().fold(0.0, f32::min) - UNKNOWN_PENALTY
}

impl Folds<'_> {
    /// Returns what replaces a character, if something does.
    fn get(&self, c: char) -> Option<&str> {
        let place = self.from.binary_search(&u32::from(c)).ok()?;
        let end = |place: usize| self.ends.get(place).map_or(0, |end| *end as usize);
        let start = place.checked_sub(1).map_or(0, end);
        // A damaged table replaces by nothing.
        Some(self.text.get(start..end(place)).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default())
    }
}

impl Unigram<'_> {
    /// Appends the tokens of `text`, without special ones.
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

/// Gathers characters to words.
struct Cutter<'a> {
    unigram: &'a Unigram<'a>,
    /// Begins with [`MARK`] where it is not empty.
    word: String,
    /// By the place in the word.
    steps: Vec<Step>,
    tokens: &'a mut Vec<u32>,
}

impl Cutter<'_> {
    fn push(&mut self, c: char) {
        // What most texts are made of stands for itself in every such table.
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

    /// Tries every piece that begins at the character of `length` bytes at `at`.
    fn extend(&mut self, at: usize, length: usize) {
        let score = self.steps[at].score;
        let rest = &self.word.as_bytes()[at..];
        let mut state = 0;
        let mut is_known = false;
        for (count, byte) in (1..).zip(&rest[..rest.len().min(LONGEST_PIECE)]) {
            let Some(next) = trie::child(self.unigram.trie, state, *byte) else { break };
            state = next;
            let Some(piece) = trie::value(self.unigram.trie, state) else { continue };
            // A damaged file may hold pieces that end within a character, or have no score.
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
    // Whatever comes first is taken where nothing was, so that a damaged score (NaN) leaves no place unreached.
    if known.score == f32::NEG_INFINITY || other.score > known.score {
        *known = other;
    }
}
