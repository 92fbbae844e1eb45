//! A text to be stored.

use std::sync::OnceLock;

/// A text to be stored, with a cache of its stored form.
///
/// Creating that form may be slow. [`Store::text_preparer`](super::Store::text_preparer) does it in advance on any thread; otherwise it
/// happens during the write. The form is specific to one engine: a text is prepared for and written to stores of one engine only.
#[derive(Debug)]
pub struct NewText {
    text: String,
    stored_form: OnceLock<Option<Vec<u8>>>,
}

impl NewText {
    /// Wraps a text.
    pub fn new(text: String) -> Self {
        Self { text, stored_form: OnceLock::new() }
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the stored form of the text, created by `make` on the first call; `None` if the text is stored unchanged.
    pub(super) fn stored_form(&self, make: impl FnOnce(&str) -> Option<Vec<u8>>) -> Option<&[u8]> {
        self.stored_form.get_or_init(|| make(&self.text)).as_deref()
    }
}

impl From<&str> for NewText {
    fn from(text: &str) -> Self {
        Self::new(text.to_owned())
    }
}
