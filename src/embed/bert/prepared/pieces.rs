//! The vocabulary of a prepared file.

use crate::bert::unigram::Unigram;
use crate::bert::wordpiece::WordPiece;

/// The vocabulary of a file.
#[derive(Debug, Clone, Copy)]
pub(in crate::bert) enum Pieces<'a> {
    /// The vocabulary of BERT's uncased models.
    WordPiece {
        /// The pieces.
        pieces: WordPiece<'a>,
        /// Numbers of the special tokens that are recognised in text.
        specials: &'a [u32],
    },
    /// The vocabulary of XLM-R.
    Unigram(Unigram<'a>),
}

impl Pieces<'_> {
    /// Appends the tokens of `text`, without special tokens.
    pub(in crate::bert) fn encode(&self, text: &str, tokens: &mut Vec<u32>) {
        match self {
            Self::WordPiece { pieces, .. } => pieces.encode(text, tokens),
            Self::Unigram(unigram) => unigram.encode(text, tokens),
        }
    }
}
