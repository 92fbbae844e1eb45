//! The words that show that a question has several parts.

/// The words of one language, in small letters with their diacritics. In scripts without blanks they are stretches of characters.
#[derive(Debug)]
pub struct PartWords {
    /// Words that join two things or two questions.
    pub conjunctions: &'static [&'static str],
    /// Words that open a question. Words that also open a relative clause are left out where the language has others.
    pub asking: &'static [&'static str],
    /// Verbs that stand before their subject in a question and may open one behind a conjunction: "and is there".
    pub inverted: &'static [&'static str],
    /// Words that may open a second request, verbs that ask for something and those for "also": "and tell me", "and also".
    pub requesting: &'static [&'static str],
    /// Words that announce two things, or stand between or after them: between, compare, both.
    pub pairing: &'static [&'static str],
    /// Words that separate the two things after such a word, besides conjunctions: with, from.
    pub separating: &'static [&'static str],
    /// Whether a noun usually stands without an article, so that nothing marks where the second of two things begins.
    pub bare_nouns: bool,
    /// Whether every noun has a capital letter.
    pub capital_nouns: bool,
}

impl PartWords {
    /// No words.
    pub const NONE: Self = Self {
        conjunctions: &[],
        asking: &[],
        inverted: &[],
        requesting: &[],
        pairing: &[],
        separating: &[],
        bare_nouns: false,
        capital_nouns: false,
    };
}
