//! Counts text in tokens of an embedding model.

/// Counts tokens the way an embedding model does.
pub trait CountTokens: Sync {
    /// Returns the number of tokens in `text`, without the special ones at its ends.
    fn count(&self, text: &str) -> usize;

    /// Returns a name that changes whenever counts may change. Chunks made under another name are made again.
    fn name(&self) -> String;
}

/// Approximates a tokenizer if no model is installed: a token per four Latin characters, or per character of another
/// script.
#[derive(Debug, Clone, Copy, Default)]
pub struct ApproximateTokens;

impl CountTokens for ApproximateTokens {
    fn count(&self, text: &str) -> usize {
        let (mut narrow, mut wide) = (0usize, 0usize);
        for character in text.chars() {
            match character {
                ' '..='\u{24f}' => narrow += 1,
                _ if character.is_whitespace() => {}
                _ => wide += 1,
            }
        }
        narrow.div_ceil(4) + wide
    }

    fn name(&self) -> String {
        "approximate".into()
    }
}
