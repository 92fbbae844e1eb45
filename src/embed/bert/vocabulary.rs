//! Reads `tokenizer.json` if the kernel supports its tokenizer: that of BERT's uncased models, of XLM-R, or a byte-level one.
//!
//! The file is untrusted: any unexpected part is refused with a reason.

pub(super) mod byte_level;
mod charsmap;
mod special_tokens;
#[cfg(test)]
pub(super) mod table;
#[cfg(test)]
mod tests;
mod unigram;
mod word_piece;

use serde_json::Value;

pub(super) use byte_level::ByteLevelVocabulary;
pub(super) use word_piece::WordPieceVocabulary;

use super::unigram::UnigramVocabulary;

/// Upper limit for the number of pieces, beyond any vocabulary of these families.
pub(super) const MAX_PIECES: usize = 1 << 20;

/// Parsed contents of a tokenizer file.
#[derive(Debug)]
pub(super) struct TokenizerFile {
    /// Its pieces and settings.
    pub(super) vocabulary: Vocabulary,
    /// Kind of sentence of the second text's tokens, 0 or 1; `None` if pairs are joined in a way that the kernel does not support.
    pub(super) second_kind: Option<usize>,
}

/// A vocabulary before it is written to a file.
#[derive(Debug)]
pub(super) enum Vocabulary {
    /// The vocabulary of BERT's uncased models.
    WordPiece(WordPieceVocabulary),
    /// The vocabulary of XLM-R.
    Unigram(UnigramVocabulary),
    /// The vocabulary of RoBERTa, ModernBERT and others.
    ByteLevel(ByteLevelVocabulary),
}

impl Vocabulary {
    pub(super) fn pieces(&self) -> usize {
        match self {
            Self::WordPiece(vocabulary) => vocabulary.pieces.len(),
            Self::Unigram(vocabulary) => vocabulary.scores.len(),
            Self::ByteLevel(vocabulary) => vocabulary.pieces.pieces.len(),
        }
    }
}

/// Parses the file.
///
/// # Errors
/// A short description of the first unsupported part.
pub(super) fn read(bytes: &[u8]) -> Result<TokenizerFile, String> {
    let file: Value = serde_json::from_slice(bytes).map_err(|error| format!("its tokenizer is not JSON: {error}"))?;
    match file["model"]["type"].as_str() {
        Some("WordPiece") => word_piece::read(&file),
        Some("Unigram") => unigram::read(&file),
        Some("BPE") => byte_level::read(&file),
        _ => Err("its tokenizer's model is not WordPiece, Unigram or BPE".into()),
    }
}
