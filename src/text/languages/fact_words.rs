//! The words that separate a fact's subject from its value.

/// The words of one language, lower-case and with diacritics. The lists of all languages apply to every fact, so no
/// entry is a content word of another language. Empty where the value stands before its verb, and in scripts without
/// blanks.
#[derive(Debug)]
pub struct FactWords {
    /// Words directly before a fact's value.
    pub before_value: &'static [&'static str],
    /// Words between a subject and the statement about it.
    pub copulas: &'static [&'static str],
}

impl FactWords {
    /// No words.
    pub const NONE: Self = Self { before_value: &[], copulas: &[] };
}
