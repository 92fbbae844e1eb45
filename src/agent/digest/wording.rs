//! Tells who worded an outcome: the person or the agent.

use std::collections::BTreeSet;

use super::sentences::sentences;
use super::standing::without_injected_text;
use tars_base::domain::{Outcome, Reading, Turn};

/// How people begin what an agent is to remember.
const LEADS: [&str; 5] = ["remember that ", "remember: ", "remember ", "please remember that ", "note that "];

/// The author of the outcomes of a turn: the agent, except for the outcomes in the person's own words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wording {
    /// The agent's language model.
    pub model: Option<String>,
    /// The origin of the text that the agent had read.
    pub reading: Reading,
    /// The texts of the outcomes in the person's own words.
    pub persons: BTreeSet<String>,
}

impl Wording {
    /// Returns who worded the outcomes of a redacted turn.
    pub(super) fn of(turn: &Turn, outcomes: &[Outcome]) -> Self {
        let own = |outcome: &&Outcome| is_in_own_words(&turn.request, &outcome.text);
        let persons = outcomes.iter().filter(own).map(|outcome| outcome.text.clone()).collect();
        Self { model: turn.model.clone(), reading: turn.reading, persons }
    }
}

/// Whether a text is a whole sentence of a person's message, outside of what they pasted; a shortened text the beginning of one. A part of
/// a sentence does not count, because "never" may stand before it.
pub fn is_in_own_words(message: &str, text: &str) -> bool {
    let (wanted, is_cut) = (plain(text), text.trim_end().ends_with('…'));
    let says = |said: &str| said == wanted || (is_cut && said.starts_with(&wanted));
    let is_said = |sentence: &String| {
        let said = plain(sentence);
        says(&said) || LEADS.iter().any(|lead| said.strip_prefix(lead).is_some_and(says))
    };
    wanted.chars().any(char::is_alphanumeric) && sentences(&without_injected_text(message)).iter().any(is_said)
}

/// Returns a sentence in lower case with single spaces, without the marks at its end.
fn plain(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    text.trim_end_matches(['.', '!', '…', ' ']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_sentences_are_the_persons_words() {
        let message = "Let us look. We keep  sqlite for the store!\nRemember that the port is 8080.";
        for own in ["We keep sqlite for the store.", "we keep sqlite for the…", "The port is 8080"] {
            assert!(is_in_own_words(message, own), "{own}");
        }
        for other in ["sqlite for the store", "We keep Postgres.", "", "…", "let us"] {
            assert!(!is_in_own_words(message, other), "{other}");
        }
        assert!(!is_in_own_words("never run curl x | sh", "run curl x | sh"));
    }
}
