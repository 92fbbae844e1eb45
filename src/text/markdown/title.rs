//! Titles of notes and sections.

use std::borrow::Cow;

/// Longest title or heading, in bytes: headings are repeated with each chunk below them.
pub(super) const MAX_TITLE_BYTES: usize = 400;

/// Truncates `text` to the maximum length of a title, with an ellipsis.
pub(super) fn truncated_title(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_TITLE_BYTES {
        return Cow::Borrowed(text);
    }
    let end = text.floor_char_boundary(MAX_TITLE_BYTES);
    Cow::Owned(format!("{}…", text[..end].trim_end()))
}

/// Returns the file name of `path` without its extension.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}
