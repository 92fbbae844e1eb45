//! How long a block may be.

use crate::domain::CountTokens;

/// A length that holds for tokens and for characters at once, in quarters of a token.
///
/// A character of a Latin script costs one quarter, a line break too, any other four, which is how
/// [`ApproximateTokens`](crate::domain::ApproximateTokens) counts. No character costs less than the UTF-16 units that
/// clients written in JavaScript count, so that a text within `Budget::of_characters(n)` has at most `n` of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Budget(usize);

impl Budget {
    /// Returns the budget of so many tokens.
    pub fn of_tokens(tokens: usize) -> Self {
        Self(tokens.saturating_mul(4))
    }

    /// Returns the budget of so many characters.
    pub fn of_characters(characters: usize) -> Self {
        Self(characters)
    }

    /// Returns the budget in quarters of a token, the unit of every cost here.
    pub fn units(self) -> usize {
        self.0
    }
}

/// Returns what a text costs; the cost of two texts is the sum of their costs.
pub(super) fn cost(text: &str) -> usize {
    text.chars().map(|character| if character <= '\u{24f}' || character.is_whitespace() { 1 } else { 4 }).sum()
}

/// Returns the tokens of a text, as they are shown to people.
pub(super) fn tokens(text: &str) -> usize {
    crate::domain::ApproximateTokens.count(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_cost_covers_tokens_and_utf16_units(text in "\\PC{0,40}[ \n\u{3000}中😀]{0,9}") {
            proptest::prop_assert!(cost(&text) >= text.encode_utf16().count());
            proptest::prop_assert!(cost(&text).div_ceil(4) >= tokens(&text));
        }
    }
}
