//! The words by which a fact is taken apart into its subject and its value.

/// The words of one language, in small letters with their diacritics. A fact is not asked which language it is in, so none of them is
/// a content word of another. Where the value stands before its verb, and in scripts without blanks, there are none.
#[derive(Debug)]
pub struct Facts {
    /// Words after which a fact's value stands.
    pub before_value: &'static [&'static str],
    /// Words between a subject and what is said of it.
    pub copulas: &'static [&'static str],
}

impl Facts {
    /// No words.
    pub const NONE: Self = Self { before_value: &[], copulas: &[] };
}
