//! A question in other words.

/// What else can be looked for in the place of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewording {
    /// The question in other words.
    pub rewrites: Vec<String>,
    /// What a note might say that answers it; invented.
    pub answer: Option<String>,
}
