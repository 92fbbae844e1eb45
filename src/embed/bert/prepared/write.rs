//! Writes the file of a prepared model.

use bytemuck::{Pod, Zeroable};

use super::{ALIGNMENT, FORMAT, HEADER, Header, MAGIC};
use crate::domain::ContentHash;
use crate::embed::bert::vocabulary::Vocabulary;
use crate::embed::bert::weights::{NormWeights, Weight, Weights};
use crate::embed::bert::wordpiece::table;

/// Returns the bytes of a file, header included, that has not been compared with its original yet.
pub(in crate::embed::bert) fn write(weights: Weights, vocabulary: &Vocabulary, source: &ContentHash) -> Vec<u8> {
    let pieces = &vocabulary.pieces;
    let slots = table(pieces);
    let ends: Vec<u32> = pieces
        .iter()
        .scan(0, |end, piece| {
            *end += piece.len() as u32;
            Some(*end)
        })
        .collect();
    let text = pieces.concat();
    let Weights { head, epsilon, words, positions, norm, layers } = weights;
    let hidden = words.columns;
    let mut header = Header {
        magic: MAGIC,
        format: FORMAT,
        hidden: hidden as u32,
        head: head as u32,
        inner: layers.first().map_or(0, |layer| layer.widen.outputs) as u32,
        layers: layers.len() as u32,
        pieces: pieces.len() as u32,
        positions: (positions.len() / hidden) as u32,
        epsilon,
        slots: slots.len() as u32,
        text: text.len() as u32,
        specials: vocabulary.specials.len() as u32,
        unknown: vocabulary.unknown,
        start: vocabulary.start,
        end: vocabulary.end,
        longest_word: vocabulary.longest_word,
        source: *source.as_bytes(),
        ..Header::zeroed()
    };
    let mut file = Writer(vec![0; HEADER]);
    file.put(&slots);
    file.put(&ends);
    file.put(text.as_bytes());
    file.put(&vocabulary.specials);
    let (bytes, scales) = words.bytes(true);
    file.put(&bytes);
    file.put(&scales);
    file.put(&positions);
    file.norm(&norm);
    for layer in &layers {
        file.matrix(&Weight::beside([&layer.query, &layer.key, &layer.value]));
        file.matrix(&layer.combine);
        file.norm(&layer.attention_norm);
        file.matrix(&layer.widen);
        file.matrix(&layer.narrow);
        file.norm(&layer.norm);
    }
    let mut bytes = file.0;
    header.length = (bytes.len() - HEADER) as u64;
    header.contents = *blake3::hash(&bytes[HEADER..]).as_bytes();
    put_header(&mut bytes, header);
    bytes
}

impl Header {
    /// Returns the header with its own hash set.
    pub(super) fn sealed(mut self) -> Self {
        self.check = self.own_hash();
        self
    }
}

/// Replaces the header of a file's bytes.
pub(in crate::embed::bert) fn put_header(bytes: &mut [u8], header: Header) {
    bytes[..HEADER].copy_from_slice(bytemuck::bytes_of(&header.sealed()));
}

struct Writer(Vec<u8>);

impl Writer {
    fn put<T: Pod>(&mut self, values: &[T]) {
        self.0.resize(self.0.len().next_multiple_of(ALIGNMENT), 0);
        self.0.extend_from_slice(bytemuck::cast_slice(values));
    }

    fn norm(&mut self, norm: &NormWeights) {
        self.put(&norm.scale);
        self.put(&norm.shift);
    }

    fn matrix(&mut self, weight: &Weight) {
        self.put(&weight.packed());
        self.put(&weight.scales);
        self.put(&weight.sums());
        self.put(&weight.bias);
    }
}
