//! A text on its way into a store.

use std::sync::OnceLock;

/// A text about to be stored, and the form in which the store will keep it, once that is known.
///
/// Making that form may be slow. [`Store::preparation`](super::Store::preparation) does it ahead on any thread; a text that was
/// not prepared is brought into form when it is written. The form is one store's own: a text is prepared for and written to
/// stores of one engine alone.
#[derive(Debug)]
pub struct NewText {
    text: String,
    form: OnceLock<Option<Vec<u8>>>,
}

impl NewText {
    /// Takes a text as it is.
    pub fn new(text: String) -> Self {
        Self { text, form: OnceLock::new() }
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the form in which a store keeps the text, as `make` has made it the first time; `None` where it is kept as it is.
    pub(super) fn form(&self, make: impl FnOnce(&str) -> Option<Vec<u8>>) -> Option<&[u8]> {
        self.form.get_or_init(|| make(&self.text)).as_deref()
    }
}

impl From<&str> for NewText {
    fn from(text: &str) -> Self {
        Self::new(text.to_owned())
    }
}
