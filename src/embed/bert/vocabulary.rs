//! Reads `tokenizer.json`, as far as it describes a tokenizer that the kernel has: that of BERT's uncased models, or XLM-R's.
//!
//! The file is untrusted: whatever is not exactly as expected is refused with a reason.

mod charsmap;
mod frame;
#[cfg(test)]
pub(super) mod table;
#[cfg(test)]
mod tests;
mod unigram;
mod word_piece;

use serde_json::Value;

pub(super) use word_piece::WordPieceVocabulary;

use super::unigram::UnigramVocabulary;

/// More pieces than any vocabulary of these families has.
pub(super) const MOST_PIECES: usize = 1 << 20;

/// What a tokenizer's file says.
#[derive(Debug)]
pub(super) struct TokenizerFile {
    /// Its pieces and how text is cut into them.
    pub(super) vocabulary: Vocabulary,
    /// Kind of sentence that a second text's tokens are, 0 or 1; `None` where two texts are not put together as the kernel does.
    pub(super) second_kind: Option<usize>,
}

/// A vocabulary that is still to be laid out in a file.
#[derive(Debug)]
pub(super) enum Vocabulary {
    /// Of BERT's uncased models.
    WordPiece(WordPieceVocabulary),
    /// Of XLM-R.
    Unigram(UnigramVocabulary),
}

impl Vocabulary {
    /// Returns how many pieces it has.
    pub(super) fn pieces(&self) -> usize {
        match self {
            Self::WordPiece(vocabulary) => vocabulary.pieces.len(),
            Self::Unigram(vocabulary) => vocabulary.scores.len(),
        }
    }
}

/// Reads the file's bytes.
///
/// # Errors
/// In a few words, what the kernel's tokenizers do otherwise.
pub(super) fn read(bytes: &[u8]) -> Result<TokenizerFile, String> {
    let file: Value = serde_json::from_slice(bytes).map_err(|error| format!("its tokenizer is no JSON: {error}"))?;
    match file["model"]["type"].as_str() {
        Some("WordPiece") => word_piece::read(&file),
        Some("Unigram") => unigram::read(&file),
        _ => Err("its tokenizer's model is neither WordPiece nor Unigram".into()),
    }
}
