//! The words by which somebody speaks of themselves.

/// The words of one language, in small letters. Phrases are compared with the words of a text, without its marks: `j'habite` is
/// `j habite`.
#[derive(Debug)]
pub struct FirstPerson {
    /// Headings of a section about the person who keeps the notes.
    pub headings: &'static [&'static str],
    /// Phrases that a text begins with whose subject is the person.
    pub begins: &'static [&'static str],
    /// Phrases that such a text ends with, in languages whose verb stands last.
    pub ends: &'static [&'static str],
    /// Phrases that say so anywhere.
    pub anywhere: &'static [&'static str],
    /// Words of time, parted by blanks, that a sentence begins with whose subject stands later.
    pub since: &'static str,
    /// The subject: `I`. In scripts without blanks it is what the text begins with.
    pub subjects: &'static str,
    /// What stands before what is theirs: `my`.
    pub possessives: &'static str,
    /// Words that a text begins with before its subject.
    pub lead: &'static str,
    /// Articles, titles, and words for today, which say nothing of the matter.
    pub little: &'static str,
    /// Short forms without their apostrophe, and what they stand for.
    pub short: &'static [(&'static str, &'static str)],
    /// Verbs in the third person that a line about somebody begins with: `Lives in a rented flat`.
    pub verbs: &'static str,
    /// Verbs of the first person that need no subject, each with its form of the third person.
    pub own_verbs: &'static [(&'static str, &'static str)],
    /// The forms of "to be" in the first and the third person.
    pub be: &'static str,
    /// How a line begins that says the person's name.
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
        little: "",
        short: &[],
        verbs: "",
        own_verbs: &[],
        be: "",
        named: &[],
    };
}
