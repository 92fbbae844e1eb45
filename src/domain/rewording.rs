//! A question in other words.

/// Alternatives to search for besides the question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewording {
    /// Rewrites of the question.
    pub rewrites: Vec<String>,
    /// An invented note that would answer the question (HyDE).
    pub answer: Option<String>,
}
