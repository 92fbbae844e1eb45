//! How a question and a text share a reranker's window.

use super::EmbedError;

/// Minimum number of tokens left for the text; fewer are not worth judging.
const MIN_TEXT_TOKENS: usize = 16;

/// Number of tokens that a question and a text share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PairWindow {
    model: String,
    tokens: usize,
}

impl PairWindow {
    /// Returns the window of a model that reads `window` tokens, including `special` tokens around and between the texts.
    pub(super) fn new(model: &str, window: usize, special: usize) -> Self {
        Self { model: model.into(), tokens: window.saturating_sub(special) }
    }

    /// Returns how many tokens of a text fit after a question of `question` tokens.
    ///
    /// # Errors
    /// [`EmbedError::QuestionTooLong`] if fewer than the minimum are left.
    pub(super) fn text_tokens(&self, question: usize) -> Result<usize, EmbedError> {
        let most = self.tokens.saturating_sub(MIN_TEXT_TOKENS);
        match question <= most {
            true => Ok(self.tokens - question),
            false => Err(EmbedError::QuestionTooLong { model: self.model.clone(), tokens: question, most }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_leaves_room_for_a_text() {
        let window = PairWindow::new("tiny", 32, 3);
        assert_eq!((window.text_tokens(0).unwrap(), window.text_tokens(13).unwrap()), (29, 16));
        assert!(matches!(window.text_tokens(14), Err(EmbedError::QuestionTooLong { tokens: 14, most: 13, .. })));
        assert!(PairWindow::new("tiny", 8, 30).text_tokens(1).is_err());
    }
}
