//! A question in other words.

/// Alternatives to search for besides the question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewording {
    /// Rewrites of the question.
    pub rewrites: Vec<String>,
    /// A hypothetical answer, as a note might state it.
    pub answer: Option<String>,
}
