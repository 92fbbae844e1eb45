//! Writes a prepared file.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

use bytemuck::{Pod, Zeroable};

use super::settings::{
    BYTE_PIECES, COMPOSED, Settings, TWO_ENDS, UNIGRAM_PIECES, WHOLE_WORDS, WITH_SETTINGS, WORD_PIECE_PIECES,
};
use super::{ALIGNMENT, FLOAT_UNIGRAM, FLOAT_WORD_PIECE, HEADER, Header, MAGIC, UNIGRAM, WORD_PIECE};
use crate::bert::unigram::{UnigramVocabulary, unknown_score};
use crate::bert::vocabulary::{ByteLevelVocabulary, Vocabulary, WordPieceVocabulary};
use crate::bert::weights::{ClassifierWeights, NormWeights, QuantizedMatrix, Weights};
use crate::bert::wordpiece::table;
use tars_base::domain::ContentHash;

/// Returns the bytes of a file, header included, that is not yet compared with its original.
pub(in crate::bert) fn write(weights: Weights<'_>, vocabulary: &Vocabulary, source: &ContentHash) -> Vec<u8> {
    let Weights { head, epsilon, words, positions, norm, layers, has_mean, classifier, modern } = weights;
    let hidden = words.columns;
    let format = match vocabulary {
        Vocabulary::ByteLevel(_) => WITH_SETTINGS,
        _ if modern.is_some() => WITH_SETTINGS,
        _ if words.packed().is_some() => UNIGRAM,
        Vocabulary::WordPiece(_) if !has_mean && classifier.is_none() => WORD_PIECE,
        Vocabulary::WordPiece(_) => FLOAT_WORD_PIECE,
        Vocabulary::Unigram(_) => FLOAT_UNIGRAM,
    };
    let mut header = Header {
        magic: MAGIC,
        format,
        hidden: hidden as u32,
        head: head as u32,
        inner: layers.first().map_or(0, |layer| layer.feed_forward_out.inputs) as u32,
        layers: layers.len() as u32,
        pieces: words.rows as u32,
        positions: modern.as_ref().map_or(positions.len() / hidden, |modern| modern.places) as u32,
        epsilon,
        source: *source.as_bytes(),
        ..Header::zeroed()
    };
    let mut file = Writer(vec![0; HEADER]);
    let mut settings = Settings {
        classes: classifier.as_ref().map_or(0, |classifier| classifier.classes_bias.len() as u32),
        reads_mean: classifier.as_ref().map_or(0, |classifier| u32::from(classifier.reads_mean)),
        pieces: vocabulary.kind(),
        ..Settings::zeroed()
    };
    if let Some(modern) = &modern {
        settings.set_modern(modern.settings);
    }
    if let Vocabulary::ByteLevel(vocabulary) = vocabulary {
        settings.merges = vocabulary.merges.len() as u32;
        settings.pattern = vocabulary.pattern.len() as u32;
        settings.flags = vocabulary.flags();
    }
    match format {
        WITH_SETTINGS => file.put(&[settings]),
        FLOAT_WORD_PIECE | FLOAT_UNIGRAM => file.put(&[settings.classes]),
        _ => {}
    }
    match vocabulary {
        Vocabulary::ByteLevel(vocabulary) => {
            file.word_pieces(&mut header, &vocabulary.pieces);
            file.put(&vocabulary.merges);
            file.put(vocabulary.pattern.as_bytes());
        }
        Vocabulary::WordPiece(vocabulary) => file.word_pieces(&mut header, vocabulary),
        Vocabulary::Unigram(vocabulary) => file.unigram(&mut header, vocabulary),
    }
    match words.packed() {
        Some(blocks) => {
            file.0.reserve_exact(blocks.len() * 2);
            file.put(blocks);
        }
        None => {
            let (bytes, scales) = words.bytes(true);
            file.0.reserve_exact(bytes.len() + bytes.len() / 2);
            file.put(&bytes);
            file.put(&scales);
        }
    }
    if format != WORD_PIECE {
        file.put(&vec![0.0f32; hidden]);
    }
    if modern.is_none() {
        file.put(&positions);
    }
    file.norm(&norm);
    for layer in &layers {
        file.matrix(&QuantizedMatrix::beside([&layer.query, &layer.key, &layer.value]));
        file.matrix(&layer.attention_output);
        file.norm(&layer.attention_norm);
        file.matrix(&layer.feed_forward_in);
        file.matrix(&layer.feed_forward_out);
        file.norm(&layer.norm);
    }
    if let Some(modern) = &modern {
        file.norm(&modern.final_norm);
    }
    if let Some(classifier) = &classifier {
        file.classifier(classifier);
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
pub(super) fn put_header(bytes: &mut [u8], header: Header) {
    bytes[..HEADER].copy_from_slice(bytemuck::bytes_of(&header.sealed()));
}

/// Writes the results of the comparison into a file: the header and, if there is one, the mean of the model's vectors with its offset.
///
/// # Errors
/// The file cannot be read or written.
pub(in crate::bert) fn finish(file: &File, mut header: Header, mean: Option<(usize, &[f32])>) -> io::Result<()> {
    if let Some((place, mean)) = mean {
        file.write_all_at(bytemuck::cast_slice(mean), place as u64)?;
        let mut contents = file;
        contents.seek(SeekFrom::Start(HEADER as u64))?;
        header.contents = *blake3::Hasher::new().update_reader(contents)?.finalize().as_bytes();
    }
    file.write_all_at(bytemuck::bytes_of(&header.sealed()), 0)
}

impl Vocabulary {
    /// Returns the kind of the pieces, see [`Settings::pieces`].
    fn kind(&self) -> u32 {
        match self {
            Self::WordPiece(_) => WORD_PIECE_PIECES,
            Self::Unigram(_) => UNIGRAM_PIECES,
            Self::ByteLevel(_) => BYTE_PIECES,
        }
    }
}

impl ByteLevelVocabulary {
    /// See [`Settings::flags`].
    fn flags(&self) -> u32 {
        let flags = [(self.whole_words, WHOLE_WORDS), (self.is_composed, COMPOSED), (self.two_ends, TWO_ENDS)];
        flags.iter().filter(|(set, _)| *set).map(|(_, flag)| flag).sum()
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn put<T: Pod>(&mut self, values: &[T]) {
        self.0.resize(self.0.len().next_multiple_of(ALIGNMENT), 0);
        self.0.extend_from_slice(bytemuck::cast_slice(values));
    }

    fn word_pieces(&mut self, header: &mut Header, vocabulary: &WordPieceVocabulary) {
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

    fn classifier(&mut self, classifier: &ClassifierWeights) {
        self.put(&classifier.second);
        self.put(&classifier.dense);
        self.put(&classifier.dense_bias);
        self.put(&classifier.classes);
        self.put(&classifier.classes_bias);
        if let Some(norm) = &classifier.norm {
            self.norm(norm);
        }
    }

    fn matrix(&mut self, weight: &QuantizedMatrix) {
        self.put(&weight.packed());
        self.put(&weight.scales);
        self.put(&weight.sums());
        self.put(&weight.bias);
    }
}
