//! How a question and a text share a reranker's window.

use super::EmbedError;

/// A question leaves so many tokens of the window for the text, at the least; with fewer there is nothing to judge.
const LEAST_TEXT: usize = 16;

/// Tokens that a question and a text share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Room {
    model: String,
    tokens: usize,
}

impl Room {
    /// Returns the room of a model that reads `window` tokens, of which `special` go around and between the texts.
    pub(super) fn new(model: &str, window: usize, special: usize) -> Self {
        Self { model: model.into(), tokens: window.saturating_sub(special) }
    }

    /// Returns how many tokens of a text are read beside a question of so many.
    ///
    /// # Errors
    /// [`EmbedError::QuestionTooLong`] if too few are left.
    pub(super) fn beside(&self, question: usize) -> Result<usize, EmbedError> {
        let most = self.tokens.saturating_sub(LEAST_TEXT);
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
        let room = Room::new("tiny", 32, 3);
        assert_eq!((room.beside(0).unwrap(), room.beside(13).unwrap()), (29, 16));
        assert!(matches!(room.beside(14), Err(EmbedError::QuestionTooLong { tokens: 14, most: 13, .. })));
        assert!(Room::new("tiny", 8, 30).beside(1).is_err());
    }
}
