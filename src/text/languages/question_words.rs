//! The words that show whether a prompt or a search is a question, and whether it asks about the past.

/// The words of one language. A phrase consists of whole lower-case words with plain apostrophes; in scripts without
/// blanks it is a stretch of characters. Phrases that open a sentence must not be words that can open an English or a
/// German sentence: the Italian list has `come si`, not `come`.
#[derive(Debug)]
pub struct QuestionWords {
    /// Question words that ask for a fact: who, where, when.
    pub question_words: &'static [&'static str],
    /// Words that mark a question wherever they stand. Empty where the first word marks it.
    pub markers: &'static [&'static str],
    /// Phrases that ask how something was before it changed, wherever they stand.
    pub past_phrases: &'static [&'static str],
    /// The same, but only at the end of a question. Elsewhere these words describe the order of things.
    pub past_phrases_at_end: &'static [&'static str],
    /// The same, but only next to one of `past_forms`.
    pub past_phrases_with_past_form: &'static [&'static str],
    /// Past forms for `past_phrases_with_past_form`.
    pub past_forms: &'static [&'static str],
    /// Endings of past verbs that the present form does not share, without diacritics.
    pub past_endings: &'static [&'static str],
    /// Phrases that ask for open tasks.
    pub left_open: &'static [&'static str],
    /// Phrases that ask for finished work.
    pub done: &'static [&'static str],
    /// Phrases for the current project.
    pub current_project: &'static [&'static str],
}

impl QuestionWords {
    /// No words.
    pub const NONE: Self = Self {
        question_words: &[],
        markers: &[],
        past_phrases: &[],
        past_phrases_at_end: &[],
        past_phrases_with_past_form: &[],
        past_forms: &[],
        past_endings: &[],
        left_open: &[],
        done: &[],
        current_project: &[],
    };
}
