//! The vocabulary of a prepared file.

use super::Prepared;
use super::sections::Sections;
use super::settings::{BYTE_PIECES, COMPOSED, UNIGRAM_PIECES, WHOLE_WORDS};
use crate::bert::byte_level::{ByteLevel, Merge};
use crate::bert::unigram::{ReplacementTable, Unigram, Unit};
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

impl Prepared {
    /// Reads the vocabulary, which comes after the settings.
    pub(super) fn read_vocabulary<'a>(&self, sections: &mut Sections<'a>) -> Option<Pieces<'a>> {
        let header = &self.header;
        if self.settings.pieces == UNIGRAM_PIECES {
            return Some(Pieces::Unigram(Unigram {
                trie: sections.take::<Unit>(header.slots as usize)?,
                scores: sections.take(header.pieces as usize)?,
                unknown_score: header.unknown_score,
                unknown: header.unknown,
                folds: ReplacementTable {
                    from: sections.take(header.specials as usize)?,
                    ends: sections.take(header.specials as usize)?,
                    text: sections.take(header.text as usize)?,
                },
            }));
        }
        let pieces = WordPiece {
            slots: sections.take(header.slots as usize)?,
            ends: sections.take(header.pieces as usize)?,
            text: sections.take(header.text as usize)?,
            unknown: header.unknown,
            longest_word: header.longest_word as usize,
        };
        let specials = sections.take(header.specials as usize)?;
        if self.settings.pieces != BYTE_PIECES {
            return Some(Pieces::WordPiece { pieces, specials });
        }
        Some(Pieces::ByteLevel(ByteLevel {
            pieces,
            specials,
            merges: sections.take::<Merge>(self.settings.merges as usize)?,
            pattern: sections.take(self.settings.pattern as usize)?,
            whole_words: self.settings.flags & WHOLE_WORDS != 0,
            is_composed: self.settings.flags & COMPOSED != 0,
        }))
    }
}
