//! The cues that classify sentences without a model: decisions, causes, open tasks.

/// The cues of one language. A cue is a phrase of whole lower-case words with plain apostrophes; in scripts without
/// blanks it is a stretch of characters. The cues of all languages apply to every sentence: people mix languages, and a
/// cue of one language is rarely a word of another.
#[derive(Debug)]
pub struct Cues {
    /// Phrases that refute an earlier statement.
    pub refutation: &'static [&'static str],
    /// Phrases with which a person takes back what was just settled or done.
    pub retraction: &'static [&'static str],
    /// Phrases that say what something is not. They refute an earlier finding and are no finding themselves.
    pub denial: &'static [&'static str],
    /// Polite openings, which are dropped from the statement.
    pub polite: &'static [&'static str],
    /// Clauses that ask to remember something, apart from it: `remember: …`, `…, keep that in mind`.
    pub reminders: &'static [&'static str],
    /// Such clauses up to the word that joins the statement to them, without the comma before that word.
    pub reminders_that: &'static [&'static str],
    /// Negations, also without their apostrophe. Empty where the language negates inside its words.
    pub negations: &'static [&'static str],
}

impl Cues {
    /// No cues.
    pub const NONE: Self = Self {
        refutation: &[],
        retraction: &[],
        denial: &[],
        polite: &[],
        reminders: &[],
        reminders_that: &[],
        negations: &[],
    };
}
