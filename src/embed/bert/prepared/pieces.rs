//! The vocabulary of a prepared file.

use crate::bert::byte_level::ByteLevel;
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
    /// The vocabulary of RoBERTa, ModernBERT and others.
    ByteLevel(ByteLevel<'a>),
}

impl<'a> Pieces<'a> {
    /// Returns the special tokens that are recognised in text, with the pieces that spell them.
    pub(in crate::bert) fn specials(&self) -> Option<(WordPiece<'a>, &'a [u32])> {
        match *self {
            Self::WordPiece { pieces, specials } | Self::ByteLevel(ByteLevel { pieces, specials, .. }) => {
                Some((pieces, specials))
            }
            Self::Unigram(_) => None,
        }
    }
}
