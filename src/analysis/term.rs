//! One thing that a question looks for.

/// One thing to look for. The text holds letters, digits and blanks alone, so that it can be quoted safely.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Term {
    /// A word, or one bigram of an unspaced script.
    Word(String),
    /// Any word that begins so: a single character of an unspaced script.
    Prefix(String),
    /// Any word that begins so, as it was typed with a star. The index holds stems, some of them shorter than the beginning
    /// that is sought: `others` are such words of the notes.
    Beginning {
        /// What they begin with.
        start: String,
        /// Words that begin so while their stems do not.
        others: Vec<String>,
    },
    /// Words in sequence: the parts of `joined-words`, which makes them findable whole.
    Phrase(String),
}

impl Term {
    /// Returns the text without saying how it is to be matched.
    pub fn text(&self) -> &str {
        match self {
            Self::Word(text) | Self::Prefix(text) | Self::Phrase(text) | Self::Beginning { start: text, .. } => text,
        }
    }
}
