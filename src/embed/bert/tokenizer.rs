//! Tokenizes and counts with a prepared file's vocabulary.

use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};

use super::byte_level::{EATS_BLANKS, Splitter};
use super::prepared::{Pieces, Prepared};
use tars_base::domain::CountTokens;

/// Number of tokens added around a text.
pub(super) const SPECIAL_TOKENS: usize = 2;

/// The tokenizer of a prepared model.
pub(super) struct Tokenizer {
    prepared: Arc<Prepared>,
    specials: AhoCorasick,
    /// Token numbers of the patterns of `specials`, which may have the flag [`EATS_BLANKS`].
    numbers: Vec<u32>,
    /// Splits text into words if the vocabulary is a byte-level one.
    splitter: Option<Splitter>,
    name: String,
}

/// Two texts that are read together.
#[derive(Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) tokens: Vec<u32>,
    /// Index of the second text's first token.
    pub(super) second: usize,
}

impl Tokenizer {
    pub(super) fn new(prepared: Arc<Prepared>, name: String) -> Result<Self, String> {
        let (numbers, spellings): (Vec<u32>, Vec<&[u8]>) = prepared.specials().into_iter().unzip();
        let specials = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(spellings);
        let specials = specials.map_err(|error| error.to_string())?;
        let splitter = match prepared.vocabulary() {
            Pieces::ByteLevel(vocabulary) => Some(Splitter::new(&vocabulary)?),
            Pieces::WordPiece { .. } | Pieces::Unigram(_) => None,
        };
        Ok(Self { numbers, specials, splitter, name, prepared })
    }

    /// Returns the size of the vocabulary.
    pub(super) fn pieces(&self) -> usize {
        self.prepared.header.pieces as usize
    }

    /// Returns the tokens of a text with the special tokens around it.
    pub(super) fn encode_with_special(&self, text: &str) -> Vec<u32> {
        let header = &self.prepared.header;
        let mut tokens = vec![header.start];
        self.append(text, &mut tokens);
        tokens.push(header.end);
        tokens
    }

    /// Returns the tokens of a text without special tokens around it.
    pub(super) fn encode(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        self.append(text, &mut tokens);
        tokens
    }

    /// Joins the tokens of two texts.
    pub(super) fn pair(&self, first: &[u32], second: &[u32]) -> Pair {
        let header = &self.prepared.header;
        let between = vec![header.end; self.prepared.ends_between()];
        let begin = 1 + first.len() + between.len();
        Pair { tokens: [&[header.start], first, &between, second, &[header.end]].concat(), second: begin }
    }

    /// Returns the number of special tokens around and between two texts.
    pub(super) fn special_of_pair(&self) -> usize {
        SPECIAL_TOKENS + self.prepared.ends_between()
    }

    /// Appends the tokens of a text. Text that spells a special token becomes one, as in the crate `tokenizers`.
    fn append(&self, text: &str, tokens: &mut Vec<u32>) {
        let pieces = self.prepared.vocabulary();
        let normalized = match &pieces {
            Pieces::ByteLevel(pieces) => pieces.normalized(text),
            Pieces::WordPiece { .. } | Pieces::Unigram(_) => text.into(),
        };
        let mut rest = 0;
        for found in self.specials.find_iter(&*normalized) {
            let (number, before) = (self.numbers[found.pattern().as_usize()], &normalized[rest..found.start()]);
            let before = if number & EATS_BLANKS == 0 { before } else { before.trim_end() };
            self.append_plain(pieces, before, tokens);
            tokens.push(number & !EATS_BLANKS);
            rest = found.end();
        }
        self.append_plain(pieces, &normalized[rest..], tokens);
    }

    /// Appends the tokens of a text without special tokens.
    fn append_plain(&self, pieces: Pieces<'_>, text: &str, tokens: &mut Vec<u32>) {
        match (pieces, &self.splitter) {
            (Pieces::WordPiece { pieces, .. }, _) => pieces.encode(text, tokens),
            (Pieces::Unigram(unigram), _) => unigram.encode(text, tokens),
            (Pieces::ByteLevel(vocabulary), Some(splitter)) => vocabulary.encode(text, splitter, tokens),
            (Pieces::ByteLevel(_), None) => {}
        }
    }
}

impl CountTokens for Tokenizer {
    fn count(&self, text: &str) -> usize {
        self.encode(text).len()
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}
