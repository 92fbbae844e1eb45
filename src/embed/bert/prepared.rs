//! `kernel.bin` in a model's folder: its weights and its vocabulary as they are computed with, to be mapped into memory.
//!
//! Numbers are little-endian; every section begins at a multiple of 64 bytes. The file begins with its [`Header`], then:
//!
//! | section | type | length |
//! |---|---|---|
//! | hash table of the pieces | u32 | `slots`, see [`WordPiece::slots`] |
//! | ends of the pieces | u32 | `pieces` |
//! | spelling of the pieces | u8 | `text` |
//! | numbers of the special tokens | u32 | `specials` |
//! | vectors of the words | i8 | `pieces * hidden` |
//! | what a byte of a word is worth | f32 | `pieces` |
//! | vectors of the places | f32 | `positions * hidden` |
//! | normalisation of their sum | f32 | scale `hidden`, shift `hidden` |
//!
//! and for each layer the matrices `hidden * 3 hidden` and `hidden * hidden`, a normalisation, the matrices
//! `hidden * inner` and `inner * hidden`, and a normalisation. A matrix is four sections: weights i8, scales f32, sums i32
//! and bias f32, see [`Matrix`].
//!
//! A file is written whole and renamed into place, so its header, its length and the hash of the model that it was made
//! from tell whether it can be used; the hash of its contents is compared by [`Prepared::verify`].

#[cfg(test)]
#[cfg(feature = "onnx")]
mod fuzz;
#[cfg(feature = "onnx")]
mod write;

use std::io::ErrorKind;
use std::path::Path;

use bytemuck::{Pod, Zeroable};

use super::arithmetic::BLOCK;
use super::encoder::{Encoder, Layer};
use super::map::FileMap;
use super::matrix::{Matrix, Norm};
use super::wordpiece::WordPiece;
use crate::domain::ContentHash;
#[cfg(feature = "onnx")]
pub(super) use write::{put_header, write};

/// Version of this format.
const FORMAT: u32 = 1;

const MAGIC: [u8; 8] = *b"tarsbert";

/// Where sections may begin.
const ALIGNMENT: usize = 64;

/// What a file begins with.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Header {
    magic: [u8; 8],
    format: u32,
    /// Length of a token's vector.
    pub(super) hidden: u32,
    /// Length of a head's part.
    head: u32,
    /// Length of the wide vector within a layer.
    inner: u32,
    layers: u32,
    /// Pieces of the vocabulary.
    pieces: u32,
    /// Places that a token can have.
    pub(super) positions: u32,
    /// Of the normalisations.
    epsilon: f32,
    /// Slots of the hash table.
    slots: u32,
    /// Bytes of the pieces' spelling.
    text: u32,
    /// Special tokens, which are found in a text as they are spelled.
    specials: u32,
    /// Token for what cannot be cut.
    unknown: u32,
    /// Token put before a text.
    pub(super) start: u32,
    /// Token put behind it.
    pub(super) end: u32,
    /// Characters from which on a word is not cut.
    longest_word: u32,
    /// Mean cosine with the original's vectors of the reference texts.
    pub(super) mean_cosine: f32,
    /// Least of them.
    pub(super) least_cosine: f32,
    reserved: u32,
    /// Hash of the hashes of the files that it was made from.
    source: [u8; 32],
    /// Bytes behind the header.
    length: u64,
    /// BLAKE3 of them.
    contents: [u8; 32],
    /// BLAKE3 of everything above.
    check: [u8; 32],
}

const HEADER: usize = size_of::<Header>();

/// A prepared model, mapped into memory.
#[derive(Debug)]
pub(super) struct Prepared {
    map: FileMap,
    /// What the file says of itself.
    pub(super) header: Header,
}

impl Header {
    /// Whether the kernel can compute with such sizes, and the tokens that it puts in by itself are there.
    fn is_consistent(&self) -> bool {
        let vectors = [self.hidden, self.inner].map(|width| width as usize);
        vectors.iter().all(|width| *width > 0 && width.is_multiple_of(BLOCK))
            && matches!(self.head, 32 | 64)
            && self.slots.is_power_of_two()
            && [self.unknown, self.start, self.end].iter().all(|token| *token < self.pieces)
    }

    fn own_hash(&self) -> [u8; 32] {
        *blake3::hash(&bytemuck::bytes_of(self)[..HEADER - 32]).as_bytes()
    }
}

impl Prepared {
    /// Maps a file that was made from `source` and checks that it is what was written: vectors of a damaged one would be
    /// kept as if they were the model's. Only `hashed` files are read as a whole for that, which takes 24 MB some
    /// milliseconds.
    ///
    /// # Errors
    /// Why it cannot be used, in a few words.
    pub(super) fn open(path: &Path, source: &ContentHash, hashed: bool) -> Result<Self, String> {
        let map = FileMap::open(path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => "it does not exist".into(),
            _ => error.to_string(),
        })?;
        let header: Header = *map.get(..HEADER).map(bytemuck::from_bytes).ok_or("it is cut off")?;
        if header.magic != MAGIC || header.check != header.own_hash() {
            return Err("it is damaged or another kind of file".into());
        }
        if header.format != FORMAT {
            return Err(format!("it is of format {}, not {FORMAT}", header.format));
        }
        if header.source != *source.as_bytes() {
            return Err("it was made from other files".into());
        }
        if header.length != (map.len() - HEADER) as u64 {
            return Err("it is cut off".into());
        }
        if !header.is_consistent() {
            return Err("its sizes do not go together".into());
        }
        let prepared = Self { map, header };
        // That the sections fill the file is checked once; from now on they are taken without a doubt.
        let mut sections = prepared.sections();
        let (pieces, specials) = prepared.read_vocabulary(&mut sections).ok_or("it is cut off")?;
        prepared.read_encoder(&mut sections).ok_or("it is cut off")?;
        // They are sought in texts as they are spelled: between two characters.
        let is_spelled = |number: &u32| std::str::from_utf8(pieces.piece(*number)).is_ok_and(|piece| !piece.is_empty());
        if !specials.iter().all(|number| *number < header.pieces && is_spelled(number)) {
            return Err("its special tokens are damaged".into());
        }
        if sections.at != prepared.map.len() {
            return Err("it holds more than it should".into());
        }
        if hashed {
            prepared.verify()?;
        }
        Ok(prepared)
    }

    /// Hashes the contents.
    ///
    /// # Errors
    /// They are not what was written.
    fn verify(&self) -> Result<(), String> {
        match *blake3::hash(&self.map[HEADER..]).as_bytes() == self.header.contents {
            true => Ok(()),
            false => Err("its contents are damaged".into()),
        }
    }

    /// Returns the vocabulary.
    pub(super) fn vocabulary(&self) -> WordPiece<'_> {
        self.read_vocabulary(&mut self.sections()).expect("the sections were checked when the file was opened").0
    }

    /// Returns the numbers of the special tokens with their spelling.
    pub(super) fn specials(&self) -> Vec<(u32, &[u8])> {
        let (pieces, specials) =
            self.read_vocabulary(&mut self.sections()).expect("the sections were checked when the file was opened");
        specials.iter().map(|number| (*number, pieces.piece(*number))).collect()
    }

    /// Returns the weights.
    pub(super) fn encoder(&self) -> Encoder<'_> {
        let mut sections = self.sections();
        self.read_vocabulary(&mut sections)
            .and_then(|_| self.read_encoder(&mut sections))
            .expect("the sections were checked when the file was opened")
    }

    fn sections(&self) -> Sections<'_> {
        Sections { bytes: &self.map, at: HEADER }
    }

    fn read_vocabulary<'a>(&self, sections: &mut Sections<'a>) -> Option<(WordPiece<'a>, &'a [u32])> {
        let header = &self.header;
        let pieces = WordPiece {
            slots: sections.take(header.slots as usize)?,
            ends: sections.take(header.pieces as usize)?,
            text: sections.take(header.text as usize)?,
            unknown: header.unknown,
            longest_word: header.longest_word as usize,
        };
        Some((pieces, sections.take(header.specials as usize)?))
    }

    fn read_encoder<'a>(&self, sections: &mut Sections<'a>) -> Option<Encoder<'a>> {
        let header = &self.header;
        let [hidden, inner, pieces] = [header.hidden, header.inner, header.pieces].map(|number| number as usize);
        let epsilon = header.epsilon;
        Some(Encoder {
            hidden,
            head: header.head as usize,
            words: sections.take(pieces.checked_mul(hidden)?)?,
            word_scales: sections.take(pieces)?,
            positions: sections.take((header.positions as usize).checked_mul(hidden)?)?,
            norm: sections.norm(hidden, epsilon)?,
            layers: (0..header.layers)
                .map(|_| {
                    Some(Layer {
                        project: sections.matrix(hidden, hidden.checked_mul(3)?)?,
                        combine: sections.matrix(hidden, hidden)?,
                        attention_norm: sections.norm(hidden, epsilon)?,
                        widen: sections.matrix(hidden, inner)?,
                        narrow: sections.matrix(inner, hidden)?,
                        norm: sections.norm(hidden, epsilon)?,
                    })
                })
                .collect::<Option<_>>()?,
        })
    }
}

/// The sections of a file, one after the other.
struct Sections<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Sections<'a> {
    /// Returns the next section, or nothing if the file ends before it does.
    fn take<T: Pod>(&mut self, count: usize) -> Option<&'a [T]> {
        let start = self.at.next_multiple_of(ALIGNMENT);
        let end = start.checked_add(count.checked_mul(size_of::<T>())?)?;
        self.at = end;
        bytemuck::try_cast_slice(self.bytes.get(start..end)?).ok()
    }

    fn norm(&mut self, width: usize, epsilon: f32) -> Option<Norm<'a>> {
        Some(Norm { scale: self.take(width)?, shift: self.take(width)?, epsilon })
    }

    fn matrix(&mut self, inputs: usize, outputs: usize) -> Option<Matrix<'a>> {
        Some(Matrix {
            inputs,
            outputs,
            weights: self.take(inputs.checked_mul(outputs)?)?,
            scales: self.take(outputs)?,
            sums: self.take(outputs)?,
            bias: self.take(outputs)?,
        })
    }
}
