//! The excerpts of a block.

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::ContextResponse;
use crate::scores::rounded_if_any;
use tars_agent::context_block::{Budget, Piece, block};
use tars_base::domain::MemoryType;

/// The word behind a line that an agent wrote after it had read text of strangers, in parentheses.
pub(crate) const UNTRUSTED: &str = "untrusted";

/// Returns a shown line without the word behind it.
pub(super) fn unmarked(line: &str) -> &str {
    line.trim_end().strip_suffix(&format!(" ({UNTRUSTED})")).unwrap_or(line)
}

/// One excerpt of a block.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ContextPiece {
    /// Name of the collection.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// First shown line of the file.
    pub start_line: usize,
    /// Last shown line.
    pub end_line: usize,
    /// The line that answers best, if it is shown.
    pub line: Option<usize>,
    /// Its heading path.
    pub heading: Option<String>,
    /// The day of the excerpt, as the note states it.
    pub date: Option<Date>,
    /// Kind of memory.
    pub kind: MemoryType,
    /// The score of its hit; `None` for memory files that were not searched for.
    #[serde(serialize_with = "rounded_if_any")]
    pub score: Option<f64>,
    /// The excerpt as the block shows it.
    pub text: String,
    /// Its number of tokens.
    pub tokens: usize,
    /// Its lines with their numbers in the file, without the marks for omitted lines and the words for untrusted ones.
    #[serde(skip)]
    pub numbered: Vec<(usize, String)>,
}

/// An excerpt to put into a block.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chosen {
    pub(super) collection: String,
    pub(super) piece: Piece,
    pub(super) score: Option<f64>,
}

impl From<Chosen> for ContextPiece {
    fn from(Chosen { collection, piece, score }: Chosen) -> Self {
        let (start_line, end_line) = piece.lines();
        let (source, answer) = (piece.source(), piece.answer());
        Self {
            collection,
            path: source.path.clone(),
            start_line,
            end_line,
            line: answer.map(|answer| answer.line),
            heading: answer.map(|answer| answer.heading.clone()),
            date: source.date,
            kind: source.kind,
            score,
            text: piece.text(),
            tokens: piece.tokens(),
            numbered: piece.numbered().map(|(number, text)| (number, unmarked(text).to_owned())).collect(),
        }
    }
}

impl Chosen {
    /// Returns the excerpt with as many of its lines as fit; `None` if not one fits.
    pub(super) fn cut_to(&self, units: usize) -> Option<Self> {
        Some(Self { piece: self.piece.cut_to(units)?, ..self.clone() })
    }
}

impl ContextResponse {
    /// Puts these excerpts into the block; `complete` states that nothing was left out before.
    pub(super) fn put(&mut self, chosen: Vec<Chosen>, complete: bool, budget: Budget) {
        let pieces: Vec<Piece> = chosen.iter().map(|one| one.piece.clone()).collect();
        if let Some(block) = block(&pieces, complete, budget) {
            self.block = Some(block.text);
            let shown = |(index, piece): (usize, Piece)| Chosen { piece, ..chosen[index].clone() }.into();
            self.pieces = block.pieces.into_iter().map(shown).collect();
        }
    }
}

/// Returns those of the excerpts, cut if need be, that fit together.
pub(super) fn fitting(chosen: &[Chosen], units: usize) -> Vec<Chosen> {
    let mut left = units;
    let fits = |one: &Chosen| {
        let cut = one.cut_to(left)?;
        left -= cut.piece.cost().min(left);
        Some(cut)
    };
    chosen.iter().filter_map(fits).collect()
}
