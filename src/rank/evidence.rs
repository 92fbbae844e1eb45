//! Input of the fusion: the candidates and the question.

use tars_base::embedding::ModelScale;

/// Measurements of one chunk by the retrievers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Evidence {
    /// The caller's id of the chunk.
    pub chunk: i64,
    /// The file, numbered in the order of collection and path, which orders ties.
    pub file: i64,
    /// Position of the chunk in the file.
    pub sequence: u32,
    /// bm25, positive; `None` if no word matched.
    pub lexical: Option<f64>,
    /// Cosine similarity of its best passage; `None` if it has no vector.
    pub similarity: Option<f64>,
    /// For a chunk of facts, the similarity of its second-best fact: facts of one chunk are rivals like notes.
    pub second_similarity: Option<f64>,
    /// Whether some of its passages lack vectors.
    pub awaits_vectors: bool,
    /// Value of the question's adjacent words that are adjacent in the chunk too, in units of bm25.
    pub pairs: f64,
    /// Share of the weight of the question's words that its note's name and its headings hold, 0 to 1.
    pub named: f64,
    /// Whether the note of the best hit links to its file.
    pub linked: bool,
    /// Share by which its score is raised, or lowered if negative; -1 to 1.
    pub boost: f64,
    /// A chunk that holds the outcome of this one. They swap places if this one ranks higher.
    pub demoted_below: Option<i64>,
    /// The chunk (as in [`Evidence::chunk`]) of a summary of this one. If both answer, this one ranks after it.
    pub summary: Option<i64>,
}

impl Evidence {
    /// Returns the score by words, in units of bm25.
    pub(super) fn words(&self) -> Option<f64> {
        self.lexical.map(|score| score + self.pairs)
    }
}

/// Properties of the question.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Signals {
    /// Number of words, without stop words.
    pub words: usize,
    /// Whether it names things (identifiers, paths, quotes) instead of asking about them.
    pub names_things: bool,
    /// Whether it is a single name.
    pub is_single_name: bool,
    /// Share of its letters in scripts that the embedding model hardly knows, 0 to 1.
    pub unsupported_script_share: f64,
    /// Whether it names a date.
    pub has_date: bool,
    /// The highest possible bm25.
    pub lexical_ceiling: f64,
    /// Information of its words together: 1 is enough to single out one text.
    pub information: f64,
    /// Weight of the words that no text holds and that have alternatives. It lowers the confidence, because the alternatives are guesses.
    pub guessed_weight: f64,
    /// Weight, in units of bm25, of common words that no text holds, in a question with a rare name. It does not lower the
    /// confidence in a text that lacks them.
    pub missing_common_weight: f64,
    /// Share of the weight of its words that no text holds, 0 to 1.
    pub unknown_share: f64,
    /// Number of texts that the words were weighed in.
    pub text_count: usize,
    /// Share of the passages without vectors, 0 to 1.
    pub unembedded_share: f64,
    /// Calibration of the similarities.
    pub scale: ModelScale,
}
