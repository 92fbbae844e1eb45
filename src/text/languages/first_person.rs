//! The words with which people speak about themselves.

/// The words of one language, lower-case. Phrases are compared with the words of a text without its punctuation:
/// `j'habite` is `j habite`.
#[derive(Debug)]
pub struct FirstPerson {
    /// Headings of a section about the person who keeps the notes.
    pub headings: &'static [&'static str],
    /// Phrases that open a text whose subject is the person.
    pub begins: &'static [&'static str],
    /// Phrases that end such a text, in languages whose verb stands last.
    pub ends: &'static [&'static str],
    /// Phrases that mark such a text anywhere.
    pub anywhere: &'static [&'static str],
    /// Time words, separated by blanks, that open a sentence whose subject comes later.
    pub since: &'static str,
    /// The subject: `I`. In scripts without blanks it stands at the start of the text.
    pub subjects: &'static str,
    /// Possessives: `my`.
    pub possessives: &'static str,
    /// Words that may stand before the subject at the start of a text.
    pub lead: &'static str,
    /// Articles, titles, and words for today, which say nothing about the subject.
    pub fillers: &'static str,
    /// Contractions without their apostrophe, and their long forms.
    pub contractions: &'static [(&'static str, &'static str)],
    /// Third-person verbs that open a line about somebody: `Lives in a rented flat`.
    pub verbs: &'static str,
    /// First-person verbs that need no subject, each with its third-person form.
    pub own_verbs: &'static [(&'static str, &'static str)],
    /// The first-person and third-person forms of "to be".
    pub be: &'static str,
    /// Phrases that open a line with the person's name.
    pub named: &'static [&'static str],
}

impl FirstPerson {
    /// No words.
    pub const NONE: Self = Self {
        headings: &[],
        begins: &[],
        ends: &[],
        anywhere: &[],
        since: "",
        subjects: "",
        possessives: "",
        lead: "",
        fillers: "",
        contractions: &[],
        verbs: "",
        own_verbs: &[],
        be: "",
        named: &[],
    };
}
