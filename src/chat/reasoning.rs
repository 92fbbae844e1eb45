//! Separates a model's reasoning from its answer if both arrive as one text.
//!
//! Local reasoning models write `<think>…</think>` before they answer, and not every server removes it. Only a tag at
//! the very beginning counts, so an answer that mentions the tag stays whole.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Splits a text that arrives in pieces of any size.
#[derive(Debug)]
pub(super) enum ReasoningSplitter {
    /// The text so far may still begin with the opening tag.
    Beginning(String),
    /// Inside the reasoning. Holds the last characters if they may begin the closing tag.
    Inside(String),
    /// Past the reasoning: all further text is the answer.
    Over,
}

impl ReasoningSplitter {
    pub(super) fn new() -> Self {
        Self::Beginning(String::new())
    }

    /// Whether no text has arrived.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Beginning(held) if held.is_empty())
    }

    /// Returns the reasoning and the answer text that `piece` adds.
    pub(super) fn split(&mut self, piece: &str) -> (String, String) {
        match self {
            Self::Over => (String::new(), piece.to_owned()),
            Self::Beginning(held) => {
                held.push_str(piece);
                let begun = held.trim_start();
                if let Some(inside) = begun.strip_prefix(OPEN) {
                    let inside = inside.to_owned();
                    *self = Self::Inside(String::new());
                    return self.split(&inside);
                }
                if OPEN.starts_with(begun) {
                    return Default::default();
                }
                let answer = std::mem::take(held);
                *self = Self::Over;
                (String::new(), answer)
            }
            Self::Inside(held) => {
                held.push_str(piece);
                if let Some((thought, answer)) = held.split_once(CLOSE) {
                    let parts = (thought.to_owned(), answer.to_owned());
                    *self = Self::Over;
                    return parts;
                }
                let mark = (1..CLOSE.len()).rev().find(|length| held.ends_with(&CLOSE[..*length])).unwrap_or(0);
                let rest = held.split_off(held.len() - mark);
                (std::mem::replace(held, rest), String::new())
            }
        }
    }

    /// Returns the held text at the end: reasoning and answer.
    pub(super) fn finish(self) -> (String, String) {
        match self {
            Self::Beginning(held) => (String::new(), held),
            Self::Inside(held) => (held, String::new()),
            Self::Over => Default::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(pieces: &[&str]) -> (String, String) {
        let mut reasoning = ReasoningSplitter::new();
        let mut all = (String::new(), String::new());
        for piece in pieces {
            let (thought, answer) = reasoning.split(piece);
            all.0.push_str(&thought);
            all.1.push_str(&answer);
        }
        let (thought, answer) = reasoning.finish();
        (all.0 + &thought, all.1 + &answer)
    }

    #[test]
    fn only_a_tag_at_the_beginning_opens_reasoning() {
        let split = |text: &str| parts(&[text]);
        assert_eq!(split("\n<think>a < b</think>\nYes"), ("a < b".into(), "\nYes".into()));
        assert_eq!(split("Use <think>x</think>."), (String::new(), "Use <think>x</think>.".into()));
        assert_eq!(split("<think>cut off </th"), ("cut off </th".into(), String::new()));
        assert_eq!(split("<thin"), (String::new(), "<thin".into()));
    }

    proptest::proptest! {
        #[test]
        fn splitting_the_text_does_not_change_its_parts(text in "\n?(<think>)?([a<>/é]|</think|</think>|<think>){0,8}", cuts in proptest::collection::vec(0..60usize, 0..6)) {
            let mut cuts: Vec<usize> = cuts.into_iter().filter(|at| text.is_char_boundary(*at)).collect();
            cuts.push(text.len());
            cuts.sort_unstable();
            let mut start = 0;
            let pieces: Vec<&str> = cuts.iter().map(|end| { let piece = &text[start..*end]; start = *end; piece }).collect();
            proptest::prop_assert_eq!(parts(&pieces), parts(&[&text]));
        }
    }
}
