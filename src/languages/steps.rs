//! The words by which the steps of a procedure are told.

/// The words of one language, in small letters.
#[derive(Debug)]
pub struct Steps {
    /// Words, parted by blanks, that begin what is to be done or was done. Where the verb stands last, they end it.
    pub verbs: &'static str,
    /// Whether the verb stands last.
    pub verb_is_last: bool,
    /// Words, parted by blanks, that join steps and are no part of them.
    pub joining: &'static str,
    /// What stands between two steps, beside marks, with its blanks.
    pub separators: &'static [&'static str],
    /// The same, for words that mean something else in other languages: they count in texts of this language.
    pub separators_if_spoken: &'static [&'static str],
    /// In scripts without blanks: what makes a clause that it ends say when something is done, though it begins like a step.
    pub clauses_of_time: &'static [&'static str],
}

impl Steps {
    /// No words.
    pub const NONE: Self = Self {
        verbs: "",
        verb_is_last: false,
        joining: "",
        separators: &[],
        separators_if_spoken: &[],
        clauses_of_time: &[],
    };
}
