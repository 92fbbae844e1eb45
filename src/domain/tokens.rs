//! Counting text in the units of an embedding model.

/// Counts tokens the way an embedding model does.
pub trait CountTokens: Sync {
    /// Returns how many tokens `text` becomes, without the special ones at its ends.
    fn count(&self, text: &str) -> usize;

    /// Returns a name that changes whenever counts may: chunks made under another name are made again.
    fn name(&self) -> String;
}

/// A stand-in for a tokenizer where no model is installed: four Latin characters, or one of another script, a token.
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
