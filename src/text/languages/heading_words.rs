//! The words of headings and lines that sort the core of a memory.

/// The words of one language, separated by blanks, lower-case and with diacritics. Empty in scripts without blanks.
#[derive(Debug)]
pub struct HeadingWords {
    /// Words of headings and lines about what always holds.
    pub lasting: &'static str,
    /// Words of headings about a person.
    pub personal: &'static str,
    /// Words of headings about work.
    pub work: &'static str,
    /// Words of generic headings, which say nothing about their content.
    pub plain: &'static str,
}

impl HeadingWords {
    /// No words.
    pub const NONE: Self = Self { lasting: "", personal: "", work: "", plain: "" };

    /// Whether a heading says nothing about its content: each of its words is generic in some language.
    pub fn is_plain(heading: &str) -> bool {
        let heading = heading.to_lowercase();
        words(&heading).all(|word| is_one_of(word, |headings| headings.plain))
    }

    /// Whether a text holds an entry of the chosen list in any language.
    pub fn any(text: &str, of: fn(&Self) -> &'static str) -> bool {
        let text = text.to_lowercase();
        words(&text).any(|word| is_one_of(word, of))
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

fn is_one_of(word: &str, of: fn(&HeadingWords) -> &'static str) -> bool {
    super::ALL.iter().any(|one| of(&one.headings).split_whitespace().any(|known| known == word))
}
