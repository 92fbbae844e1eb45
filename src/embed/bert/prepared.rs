//! `kernel.bin` in a model's folder: its weights and vocabulary in the kernel's form, to be mapped into memory.
//!
//! Numbers are little-endian; every section starts at a multiple of 64 bytes. The file starts with its [`Header`].
//! Format 1, for models with a WordPiece vocabulary, continues with:
//!
//! | section | type | length |
//! |---|---|---|
//! | hash table of the pieces | u32 | `slots`, see [`WordPiece::slots`](super::wordpiece::WordPiece::slots) |
//! | ends of the pieces | u32 | `pieces` |
//! | spelling of the pieces | u8 | `text` |
//! | token numbers of the special tokens | u32 | `specials` |
//! | word vectors | i8 | `pieces * hidden` |
//! | scale of each word vector | f32 | `pieces` |
//!
//! Format 2, for models with a unigram vocabulary, has these sections instead:
//!
//! | section | type | length |
//! |---|---|---|
//! | trie of the pieces | 2 u32 | `slots`, see [`Unigram::trie`](super::unigram::Unigram::trie) |
//! | scores of the pieces | f32 | `pieces` |
//! | replaced characters | u32 | `specials` |
//! | ends of their replacements | u32 | `specials` |
//! | the replacements | u8 | `text` |
//! | word vectors, packed | u8 | `pieces * hidden / 32 * 18`, see [`WordEmbeddings::Packed`] |
//! | mean of the model's vectors; zeros if none is subtracted | f32 | `hidden` |
//!
//! Formats 3 and 4, for models whose weights were floats, start with an additional section:
//!
//! | section | type | length |
//! |---|---|---|
//! | number of classes of the classifier: 1 or 2; 0 without a classifier | u32 | 1 |
//!
//! Format 3 continues with the sections of format 1, format 4 with those of format 2 but with the word vectors of
//! format 1 (i8 and f32). Both have the mean of format 2.
//!
//! Format 5, for byte-level vocabularies and for ModernBERT, starts with its [`Settings`]. They name the vocabulary: the sections of
//! format 1 or 2, or of format 1 followed by
//!
//! | section | type | length |
//! |---|---|---|
//! | merges, sorted by the two pieces | 4 u32 | `merges`, see [`Merge`](super::byte_level::Merge) |
//! | pattern that splits text into words | u8 | `pattern` |
//!
//! A special token may have a flag in its highest bit, see [`EATS_BLANKS`]. Then come word vectors as in
//! format 1, and the mean.
//!
//! All formats continue with
//!
//! | section | type | length |
//! |---|---|---|
//! | position vectors, except in a ModernBERT | f32 | `positions * hidden` |
//! | normalisation of the sum of word and position | f32 | scale `hidden`, shift `hidden` |
//!
//! and for each layer the matrices `hidden * 3 hidden` and `hidden * hidden`, a normalisation, the matrices `hidden *
//! inner` and `inner * hidden`, and a normalisation. A matrix is four sections: weights i8, scales f32, sums i32 and
//! bias f32, see [`Matrix`](super::matrix::Matrix). In a ModernBERT the first of the last two matrices is `hidden * 2 inner`, and one more
//! normalisation follows all layers. Formats 3 to 5 end with the [`Classifier`], if there is one, all
//! f32: `hidden`, `hidden * hidden`, `hidden`, `classes * hidden`, `classes`, and in a ModernBERT a normalisation.
//!
//! A file is written completely and then renamed into place, so its header, its length and the hash of its source model
//! show whether it is usable. [`Prepared::verify`] compares the hash of its contents.

#[cfg(test)]
#[cfg(feature = "onnx")]
mod fuzz;
mod pieces;
mod sections;
mod settings;
mod write;

use std::io::ErrorKind;
use std::path::Path;

use bytemuck::{Pod, Zeroable};

use super::arithmetic::BLOCK;
use super::byte_level::EATS_BLANKS;
use super::classifier::Classifier;
use super::encoder::{Encoder, Layer, Network};
use super::map::FileMap;
use super::word_embeddings::{BLOCK_BYTES, BLOCK_WEIGHTS, WordEmbeddings};
pub(super) use pieces::Pieces;
use sections::Sections;
use settings::{Settings, TWO_ENDS, UNIGRAM_PIECES, WITH_SETTINGS};
use tars_base::domain::ContentHash;
pub(super) use write::{finish, write};

/// Format of a file with a WordPiece vocabulary and 8-bit word vectors.
const WORD_PIECE: u32 = 1;

/// Format of a file with a unigram vocabulary and packed word vectors.
const UNIGRAM: u32 = 2;

/// Formats of files with either vocabulary, 8-bit word vectors, a mean and optionally a classifier.
const FLOAT_WORD_PIECE: u32 = 3;
const FLOAT_UNIGRAM: u32 = 4;

const MAGIC: [u8; 8] = *b"tarsbert";

/// Alignment of sections.
const ALIGNMENT: usize = 64;

/// The start of the file.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Header {
    magic: [u8; 8],
    format: u32,
    /// Length of a token's vector.
    pub(super) hidden: u32,
    /// Length of a head's part of the vector.
    head: u32,
    /// Length of the inner vector of a layer.
    inner: u32,
    layers: u32,
    /// Number of pieces in the vocabulary.
    pub(super) pieces: u32,
    /// Number of positions.
    pub(super) positions: u32,
    /// Epsilon of the normalisations.
    epsilon: f32,
    /// Number of slots of the hash table, or of units of the trie.
    slots: u32,
    /// Bytes of the pieces' spelling, or of the replacements.
    text: u32,
    /// Number of special tokens that are recognised in text, or of replaced characters.
    specials: u32,
    /// Token for unknown words or characters.
    unknown: u32,
    /// Token before a text.
    pub(super) start: u32,
    /// Token after a text.
    pub(super) end: u32,
    /// Maximum number of characters of a word; longer words are unknown. 0 with a unigram vocabulary.
    longest_word: u32,
    /// Mean cosine with the original's vectors on the reference texts.
    pub(super) mean_cosine: f32,
    /// Lowest cosine.
    pub(super) least_cosine: f32,
    /// Score of an unknown character; 0 with a WordPiece vocabulary.
    unknown_score: f32,
    /// Hash of the hashes of the source files.
    source: [u8; 32],
    /// Number of bytes after the header.
    length: u64,
    /// BLAKE3 hash of these bytes.
    contents: [u8; 32],
    /// BLAKE3 hash of all fields above.
    check: [u8; 32],
}

const HEADER: usize = size_of::<Header>();

/// Why reading the sections of an open file cannot fail.
const CHECKED: &str = "the sections were checked when the file was opened";

/// A prepared model, mapped into memory.
#[derive(Debug)]
pub(super) struct Prepared {
    map: FileMap,
    /// The file's header.
    pub(super) header: Header,
    settings: Settings,
}

impl Header {
    /// Whether the kernel supports these sizes, and the tokens that it adds itself exist.
    fn is_consistent(&self) -> bool {
        let vectors = [self.hidden, self.inner].map(|width| width as usize);
        vectors.iter().all(|width| *width > 0 && width.is_multiple_of(BLOCK))
            && matches!(self.head, 32 | 64)
            && (self.format != UNIGRAM || vectors[0].is_multiple_of(BLOCK_WEIGHTS))
            && [self.unknown, self.start, self.end].iter().all(|token| *token < self.pieces)
    }

    /// Whether the file has a mean.
    fn has_mean(&self) -> bool {
        self.format != WORD_PIECE
    }

    fn own_hash(&self) -> [u8; 32] {
        *blake3::hash(&bytemuck::bytes_of(self)[..HEADER - 32]).as_bytes()
    }
}

impl Prepared {
    /// Maps a file that was prepared from `source` and checks that it is intact; otherwise vectors of a damaged file would be
    /// stored as the model's. Only if `hashed` is set, the whole file is read for that, which takes some milliseconds for 24 MB.
    ///
    /// # Errors
    /// A short reason why the file is unusable.
    pub(super) fn open(path: &Path, source: &ContentHash, hashed: bool) -> Result<Self, String> {
        let map = FileMap::open(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => "it does not exist".into(),
            _ => error.to_string(),
        })?;
        let header: Header = *map.get(..HEADER).map(bytemuck::from_bytes).ok_or("it is cut off")?;
        if header.magic != MAGIC || header.check != header.own_hash() {
            return Err("it is damaged or another kind of file".into());
        }
        if !matches!(header.format, WORD_PIECE..=WITH_SETTINGS) {
            return Err(format!("it is of format {}, not {WORD_PIECE} to {WITH_SETTINGS}", header.format));
        }
        if header.source != *source.as_bytes() {
            return Err("it was made from other files".into());
        }
        if header.length != (map.len() - HEADER) as u64 {
            return Err("it is cut off".into());
        }
        if !header.is_consistent() {
            return Err("its sizes are inconsistent".into());
        }
        let mut sections = Sections { bytes: &map, at: HEADER };
        let settings = Settings::read(header.format, &mut sections).ok_or("it is cut off")?;
        if settings.classes > 2 {
            return Err(format!("its classifier distinguishes {} classes", settings.classes));
        }
        let is_searchable = settings.pieces == UNIGRAM_PIECES || header.slots.is_power_of_two();
        if !settings.is_known() || !is_searchable {
            return Err("its sizes are inconsistent".into());
        }
        let prepared = Self { map, header, settings };
        // This is the only check that the sections fill the file; later reads rely on it.
        let mut sections = prepared.sections();
        let vocabulary = prepared.read_vocabulary(&mut sections).ok_or("it is cut off")?;
        prepared.read_encoder(&mut sections).ok_or("it is cut off")?;
        prepared.read_classifier(&mut sections).ok_or("it is cut off")?;
        if let Some((pieces, specials)) = vocabulary.specials() {
            // Special tokens are searched for by their spelling, so it must be valid text.
            let is_spelled =
                |number: u32| std::str::from_utf8(pieces.piece(number)).is_ok_and(|piece| !piece.is_empty());
            let mut numbers = specials.iter().map(|special| special & !EATS_BLANKS);
            if !numbers.all(|number| number < header.pieces && is_spelled(number)) {
                return Err("its special tokens are damaged".into());
            }
        }
        if sections.at != prepared.map.len() {
            return Err("it holds more than it should".into());
        }
        if hashed {
            prepared.verify()?;
        }
        Ok(prepared)
    }

    /// Hashes the contents and compares the hash with the header.
    ///
    /// # Errors
    /// The contents have changed.
    fn verify(&self) -> Result<(), String> {
        match *blake3::hash(&self.map[HEADER..]).as_bytes() == self.header.contents {
            true => Ok(()),
            false => Err("its contents are damaged".into()),
        }
    }

    /// Returns the vocabulary.
    pub(super) fn vocabulary(&self) -> Pieces<'_> {
        self.read_vocabulary(&mut self.sections()).expect(CHECKED)
    }

    /// Returns the numbers and spellings of the special tokens that are recognised in text. A number may have the flag [`EATS_BLANKS`].
    pub(super) fn specials(&self) -> Vec<(u32, &[u8])> {
        let Some((pieces, specials)) = self.vocabulary().specials() else { return Vec::new() };
        specials.iter().map(|special| (*special, pieces.piece(special & !EATS_BLANKS))).collect()
    }

    /// Returns the vector to subtract from each vector of length 1; `None` if the file's format has none.
    pub(super) fn mean(&self) -> Option<&[f32]> {
        let mut sections = self.sections();
        self.read_vocabulary(&mut sections)?;
        self.read_words(&mut sections)?.1
    }

    /// Returns the weights.
    pub(super) fn encoder(&self) -> Encoder<'_> {
        let mut sections = self.sections();
        self.read_vocabulary(&mut sections).and_then(|_| self.read_encoder(&mut sections)).expect(CHECKED)
    }

    /// Returns the classifier of a cross-encoder; `None` for an embedding model.
    pub(super) fn classifier(&self) -> Option<Classifier<'_>> {
        let mut sections = self.sections();
        self.read_vocabulary(&mut sections)?;
        self.read_encoder(&mut sections)?;
        self.read_classifier(&mut sections)?
    }

    /// Returns the number of tokens between two texts: with the vocabularies of RoBERTa and XLM-R, two end tokens.
    pub(super) fn ends_between(&self) -> usize {
        let is_two = self.settings.pieces == UNIGRAM_PIECES || self.settings.flags & TWO_ENDS != 0;
        if is_two { 2 } else { 1 }
    }

    /// Returns the offset of [`Prepared::mean`] in the file.
    pub(super) fn mean_offset(&self) -> Option<usize> {
        let mean = self.mean()?;
        Some(mean.as_ptr() as usize - self.map.as_ptr() as usize)
    }

    /// Returns the sections after the settings.
    fn sections(&self) -> Sections<'_> {
        let mut sections = Sections { bytes: &self.map, at: HEADER };
        Settings::read(self.header.format, &mut sections).expect(CHECKED);
        sections
    }

    /// Returns the word vectors and, except for format 1, the mean of the model's vectors.
    fn read_words<'a>(&self, sections: &mut Sections<'a>) -> Option<(WordEmbeddings<'a>, Option<&'a [f32]>)> {
        let [hidden, pieces] = [self.header.hidden, self.header.pieces].map(|number| number as usize);
        if self.header.format == UNIGRAM {
            let words = WordEmbeddings::Packed(
                sections.take(pieces.checked_mul(hidden / BLOCK_WEIGHTS)?.checked_mul(BLOCK_BYTES)?)?,
            );
            return Some((words, Some(sections.take(hidden)?)));
        }
        let values = sections.take(pieces.checked_mul(hidden)?)?;
        let words = WordEmbeddings::Bytes { values, scales: sections.take(pieces)? };
        let mean = if self.header.has_mean() { Some(sections.take(hidden)?) } else { None };
        Some((words, mean))
    }

    /// Returns the classifier, if there is one. The outer `None` means that the file is cut off.
    fn read_classifier<'a>(&self, sections: &mut Sections<'a>) -> Option<Option<Classifier<'a>>> {
        let (hidden, classes) = (self.header.hidden as usize, self.settings.classes as usize);
        if classes == 0 {
            return Some(None);
        }
        Some(Some(Classifier {
            second: sections.take(hidden)?,
            dense: sections.take(hidden.checked_mul(hidden)?)?,
            dense_bias: sections.take(hidden)?,
            classes: sections.take(classes.checked_mul(hidden)?)?,
            classes_bias: sections.take(classes)?,
            norm: match self.settings.modern() {
                Some(_) => Some(sections.norm(hidden, self.header.epsilon)?),
                None => None,
            },
            reads_mean: self.settings.reads_mean != 0,
        }))
    }

    fn read_encoder<'a>(&self, sections: &mut Sections<'a>) -> Option<Encoder<'a>> {
        let header = &self.header;
        let [hidden, inner] = [header.hidden, header.inner].map(|number| number as usize);
        let epsilon = header.epsilon;
        let modern = self.settings.modern();
        let parts = if modern.is_some() { 2 } else { 1 };
        let words = self.read_words(sections)?.0;
        let positions = match modern {
            Some(_) => &[][..],
            None => sections.take((header.positions as usize).checked_mul(hidden)?)?,
        };
        let norm = sections.norm(hidden, epsilon)?;
        let layer = |_| {
            Some(Layer {
                project: sections.matrix(hidden, hidden.checked_mul(3)?)?,
                attention_output: sections.matrix(hidden, hidden)?,
                attention_norm: sections.norm(hidden, epsilon)?,
                feed_forward_in: sections.matrix(hidden, inner.checked_mul(parts)?)?,
                feed_forward_out: sections.matrix(inner, hidden)?,
                norm: sections.norm(hidden, epsilon)?,
            })
        };
        let layers = (0..header.layers).map(layer).collect::<Option<_>>()?;
        let network = match modern {
            Some(settings) => Network::Modern(settings, sections.norm(hidden, epsilon)?),
            None => Network::Bert(positions),
        };
        Some(Encoder { hidden, head: header.head as usize, words, network, norm, layers })
    }
}
