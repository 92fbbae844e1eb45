//! The words by which a prompt or a search is told: whether it asks, and whether it speaks of what was before.

/// The words of one language. A phrase is made of whole words in small letters with plain apostrophes; in scripts without blanks it
/// is a stretch of characters. What begins a sentence is no word of another language that an English or a German sentence may
/// begin with: `come si` stands here for Italian, and `come` does not.
#[derive(Debug)]
pub struct Asking {
    /// Words that a question begins with which asks for a fact: who, where, when.
    pub question_words: &'static [&'static str],
    /// Other words that a question begins with.
    pub openers: &'static [&'static str],
    /// What makes a question of a sentence wherever it stands; empty where a language asks by its first word.
    pub markers: &'static [&'static str],
    /// How somebody speaks of what was said, done or settled before.
    pub recall: &'static [&'static str],
    /// How somebody speaks of what is theirs; with a question it asks for what only their notes know.
    pub ours: &'static [&'static str],
    /// How somebody asks for a look at the code.
    pub code: &'static [&'static str],
    /// How a question speaks of what was so before it changed, wherever the phrase stands.
    pub former: &'static [&'static str],
    /// The same, at the end of a question. Elsewhere these words speak of the order of things.
    pub former_at_end: &'static [&'static str],
    /// The same, beside a form of the past.
    pub former_with_past: &'static [&'static str],
    /// Those forms of the past.
    pub past_forms: &'static [&'static str],
    /// Endings of verbs in the past that their present form does not begin with, without diacritics.
    pub past_endings: &'static [&'static str],
    /// How somebody asks for what is left open.
    pub left_open: &'static [&'static str],
    /// How somebody asks for what was done.
    pub done: &'static [&'static str],
    /// How somebody speaks of the project that they are in.
    pub here: &'static [&'static str],
}

impl Asking {
    /// No words.
    pub const NONE: Self = Self {
        question_words: &[],
        openers: &[],
        markers: &[],
        recall: &[],
        ours: &[],
        code: &[],
        former: &[],
        former_at_end: &[],
        former_with_past: &[],
        past_forms: &[],
        past_endings: &[],
        left_open: &[],
        done: &[],
        here: &[],
    };
}
