//! Writes the file of a prepared model.

use bytemuck::{Pod, Zeroable};

#[cfg(feature = "onnx")]
use super::WORD_PIECE;
use super::{ALIGNMENT, HEADER, Header, MAGIC, UNIGRAM};
use crate::domain::ContentHash;
use crate::embed::bert::unigram::{UnigramVocabulary, unknown_score};
#[cfg(feature = "onnx")]
use crate::embed::bert::vocabulary::Vocabulary;
use crate::embed::bert::weights::{NormWeights, Weight, Weights};
#[cfg(feature = "onnx")]
use crate::embed::bert::wordpiece::table;

/// A vocabulary that goes with the weights.
pub(in crate::embed::bert) enum Tables<'a> {
    /// Of BERT's uncased models.
    #[cfg(feature = "onnx")]
    WordPiece(&'a Vocabulary),
    /// Of XLM-R.
    Unigram(&'a UnigramVocabulary),
}

/// Returns the bytes of a file, header included, that has not been compared with its original yet. Words that go with a
/// unigram vocabulary are packed.
pub(in crate::embed::bert) fn write(weights: Weights<'_>, tables: &Tables<'_>, source: &ContentHash) -> Vec<u8> {
    let Weights { head, epsilon, words, positions, norm, layers } = weights;
    let hidden = words.columns;
    let mut header = Header {
        magic: MAGIC,
        hidden: hidden as u32,
        head: head as u32,
        inner: layers.first().map_or(0, |layer| layer.widen.outputs) as u32,
        layers: layers.len() as u32,
        pieces: words.rows as u32,
        positions: (positions.len() / hidden) as u32,
        epsilon,
        source: *source.as_bytes(),
        ..Header::zeroed()
    };
    let mut file = Writer(vec![0; HEADER]);
    match tables {
        #[cfg(feature = "onnx")]
        Tables::WordPiece(vocabulary) => {
            file.word_pieces(&mut header, vocabulary);
            let (bytes, scales) = words.bytes(true);
            file.put(&bytes);
            file.put(&scales);
        }
        Tables::Unigram(vocabulary) => {
            let blocks = words.packed().unwrap_or_default();
            file.0.reserve_exact(blocks.len() * 2);
            file.unigram(&mut header, vocabulary);
            file.put(blocks);
            file.put(&vec![0.0f32; hidden]);
        }
    }
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

/// Replaces the mean that lies at `place` in a file's bytes, and says so in the header, which is still to be put.
pub(in crate::embed::bert) fn put_mean(bytes: &mut [u8], place: usize, mean: &[f32], header: &mut Header) {
    let mean: &[u8] = bytemuck::cast_slice(mean);
    bytes[place..place + mean.len()].copy_from_slice(mean);
    header.contents = *blake3::hash(&bytes[HEADER..]).as_bytes();
}

struct Writer(Vec<u8>);

impl Writer {
    fn put<T: Pod>(&mut self, values: &[T]) {
        self.0.resize(self.0.len().next_multiple_of(ALIGNMENT), 0);
        self.0.extend_from_slice(bytemuck::cast_slice(values));
    }

    #[cfg(feature = "onnx")]
    fn word_pieces(&mut self, header: &mut Header, vocabulary: &Vocabulary) {
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
        header.format = WORD_PIECE;
        (header.slots, header.text) = (slots.len() as u32, text.len() as u32);
        header.specials = vocabulary.specials.len() as u32;
        (header.unknown, header.start, header.end) = (vocabulary.unknown, vocabulary.start, vocabulary.end);
        header.longest_word = vocabulary.longest_word;
        self.put(&slots);
        self.put(&ends);
        self.put(text.as_bytes());
        self.put(&vocabulary.specials);
    }

    fn unigram(&mut self, header: &mut Header, vocabulary: &UnigramVocabulary) {
        header.format = UNIGRAM;
        (header.slots, header.text) = (vocabulary.trie.len() as u32, vocabulary.text.len() as u32);
        header.specials = vocabulary.from.len() as u32;
        (header.unknown, header.start, header.end) = (vocabulary.unknown, vocabulary.start, vocabulary.end);
        header.unknown_score = unknown_score(&vocabulary.scores);
        self.put(&vocabulary.trie);
        self.put(&vocabulary.scores);
        self.put(&vocabulary.from);
        self.put(&vocabulary.ends);
        self.put(vocabulary.text.as_bytes());
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
