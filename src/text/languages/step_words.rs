//! The words that mark the steps of a procedure.

/// The words of one language, in small letters.
#[derive(Debug)]
pub struct StepWords {
    /// Verbs, separated by blanks, that open an instruction or a report of a step. Where the verb stands last, they end
    /// it.
    pub verbs: &'static str,
    /// Whether the verb stands last.
    pub verb_is_last: bool,
    /// Words, separated by blanks, that join steps and are no part of them.
    pub joining: &'static str,
    /// Separators between two steps other than punctuation, with their blanks.
    pub separators: &'static [&'static str],
    /// The same, for words that mean something else in other languages. They count only in texts of this language.
    pub separators_if_own_language: &'static [&'static str],
    /// In scripts without blanks: endings that make a clause one of time, although it opens like a step.
    pub clauses_of_time: &'static [&'static str],
}

impl StepWords {
    /// No words.
    pub const NONE: Self = Self {
        verbs: "",
        verb_is_last: false,
        joining: "",
        separators: &[],
        separators_if_own_language: &[],
        clauses_of_time: &[],
    };
}
