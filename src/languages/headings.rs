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
}
