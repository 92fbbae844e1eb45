//! What is known before the lists are fused: of each candidate, and of the question.

use super::scale::ModelScale;

/// What the retrievers brought about one chunk.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Evidence {
    /// The chunk, as a number that the caller knows it by.
    pub chunk: i64,
    /// Its file, as a number that grows with collection and path: ties stand in that order.
    pub file: i64,
    /// Its place in the file.
    pub sequence: u32,
    /// bm25, positive; `None` if no word matched.
    pub lexical: Option<f64>,
    /// Cosine similarity of its best passage; `None` if it has no vector.
    pub similarity: Option<f64>,
    /// Of a chunk of facts, the similarity of the next one: facts of one chunk are rivals as notes are.
    pub next: Option<f64>,
    /// Whether passages of it still lack their vectors.
    pub awaits_vectors: bool,
    /// What words of the question that stand side by side in it too are worth, in the unit of bm25.
    pub pairs: f64,
    /// Whether the note of the best hit links to its file.
    pub linked: bool,
    /// Share by which its score is raised, or lowered where negative; -1 to 1.
    pub favour: f64,
    /// The chunk that it changes places with where it stands before it, since that one holds what it is about.
    pub yields_to: Option<i64>,
    /// The chunk of a summary that rests on it, as [`Evidence::chunk`] names it: it comes after that one where both answer.
    pub summary: Option<i64>,
}

impl Evidence {
    /// Returns what words say for it, in the unit of bm25.
    pub(super) fn words(&self) -> Option<f64> {
        self.lexical.map(|score| score + self.pairs)
    }
}

/// What is known of the question.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Signals {
    /// How many words are sought, stop words left out.
    pub words: usize,
    /// Whether it names things (identifiers, paths, quotes) rather than asking about them.
    pub names_things: bool,
    /// Whether it is nothing but one name.
    pub one_name: bool,
    /// Share of its letters that belong to scripts the embedding model hardly knows, 0 to 1.
    pub foreign: f64,
    /// Whether it names a date.
    pub dated: bool,
    /// The highest bm25 that any text could have.
    pub lexical_ceiling: f64,
    /// How much its words tell together: 1 is what it takes to single out one text.
    pub information: f64,
    /// What the words weigh that no text holds and for which others are sought: a guess is less sure.
    pub misspelt: f64,
    /// What those words weigh that no text holds and that are just how somebody asks for what a text names, in the unit of bm25: no text
    /// is to be doubted for lacking them.
    pub unsaid: f64,
    /// How many texts the words were weighed in.
    pub texts: usize,
    /// Share of the passages whose vectors are still to be made, 0 to 1.
    pub unembedded: f64,
    /// How much the similarities say.
    pub scale: ModelScale,
}
