//! The maximum length of a block.

/// A limit on both tokens and characters, in quarters of a token.
///
/// Latin characters and line breaks cost one unit, all others four, which is how
/// [`ApproximateTokens`](tars_base::domain::ApproximateTokens) counts. No character costs less than its number of UTF-16
/// units, which clients written in JavaScript count, so a text within `Budget::of_characters(n)` has at most `n` of
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Budget(usize);

impl Budget {
    /// Returns a budget in tokens.
    pub fn of_tokens(tokens: usize) -> Self {
        Self(tokens.saturating_mul(4))
    }

    /// Returns a budget in characters.
    pub fn of_characters(characters: usize) -> Self {
        Self(characters)
    }

    /// Returns the budget in quarters of a token, the unit of all costs.
    pub fn units(self) -> usize {
        self.0
    }
}

/// Returns the cost of a text. The cost of two joined texts is the sum of their costs.
pub(super) fn cost(text: &str) -> usize {
    text.chars().map(|character| if character <= '\u{24f}' || character.is_whitespace() { 1 } else { 4 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_base::domain::{ApproximateTokens, CountTokens};

    proptest::proptest! {
        #[test]
        fn a_cost_covers_tokens_and_utf16_units(text in "\\PC{0,40}[ \n\u{3000}中😀]{0,9}") {
            proptest::prop_assert!(cost(&text) >= text.encode_utf16().count());
            proptest::prop_assert!(cost(&text).div_ceil(4) >= ApproximateTokens.count(&text));
        }
    }
}
