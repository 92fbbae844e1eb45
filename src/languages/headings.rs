//! The words of headings and lines by which the core of a memory is put in order.

/// The words of one language, parted by blanks, in small letters with their diacritics. In scripts without blanks there are none.
#[derive(Debug)]
pub struct Headings {
    /// Words of headings and lines that say what holds always.
    pub lasting: &'static str,
    /// Words of headings about a person.
    pub personal: &'static str,
    /// Words of headings about work.
    pub work: &'static str,
    /// Headings that say nothing of what stands under them.
    pub plain: &'static str,
}

impl Headings {
    /// No words.
    pub const NONE: Self = Self { lasting: "", personal: "", work: "", plain: "" };

    /// Whether a heading says nothing of what stands under it: each of its words is such a word of some language.
    pub fn is_plain(heading: &str) -> bool {
        let heading = heading.to_lowercase();
        let is_plain =
            |word: &str| super::ALL.iter().any(|one| one.headings.plain.split_whitespace().any(|plain| plain == word));
        heading.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).all(is_plain)
    }
}
