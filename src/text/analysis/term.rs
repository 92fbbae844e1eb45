//! A term of a question.

/// A term to search for. The text holds only letters, digits and blanks, so it can be quoted safely.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Term {
    /// A word, or one bigram of an unspaced script.
    Word(String),
    /// Any word with this prefix: a single character of an unspaced script.
    Prefix(String),
    /// Any word with a prefix that was typed with a star. The index holds stems, which may be shorter than the prefix:
    /// `others` are the words of the notes with such stems.
    TypedPrefix {
        /// The prefix.
        start: String,
        /// Words with the prefix whose stems are shorter.
        others: Vec<String>,
    },
    /// Words in sequence: the parts of `joined-words`, which makes them findable whole.
    Phrase(String),
}

impl Term {
    /// Returns the text, whatever the kind of match.
    pub fn text(&self) -> &str {
        match self {
            Self::Word(text) | Self::Prefix(text) | Self::Phrase(text) | Self::TypedPrefix { start: text, .. } => text,
        }
    }
}
