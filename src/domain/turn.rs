//! One turn of a session with an agent.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a person asked, and what an agent did about it until the person spoke again. Fields that are missing when it is
/// read back are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Turn {
    /// The session's id.
    pub session: String,
    /// The id of the person's message; never empty in a turn that was read from a transcript.
    pub id: String,
    /// When the person spoke.
    pub at: Option<Timestamp>,
    /// When the agent last said or did something.
    pub ended: Option<Timestamp>,
    /// The directory that the agent worked in.
    pub directory: Option<String>,
    /// The branch that was checked out there.
    pub branch: Option<String>,
    /// What the person said, without what programs put around it.
    pub request: String,
    /// Everything that the agent said, blank lines between its texts; of a very long turn the end.
    pub answer: String,
    /// The end of the answer: what was said after the last tool was used, or the last text if the turn ends with a tool. Where
    /// the agent stopped several times, that of each stop, blank lines between.
    pub closing: String,
    /// Names of the tools that were used, each once, in the order of their first use.
    pub tools: Vec<String>,
    /// Files that were written, each once, in the order of their first change, as the agent named them.
    pub files: Vec<String>,
    /// Shell commands that were run, in order.
    pub commands: Vec<String>,
    /// How it ended.
    #[serde(skip_serializing_if = "TurnEnd::is_answered")]
    pub end: TurnEnd,
    /// Whether the transcript says that the agent came to an end of its own. Older clients write no word about it.
    #[serde(skip)]
    pub is_complete: bool,
    /// The times that the agent stopped before it went on by itself.
    #[serde(skip)]
    pub earlier_stops: EarlierStops,
}

/// The times that an agent stopped, and went on without a person when something in the background had ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EarlierStops {
    /// Ids of the messages that made it go on.
    pub resumed_by: Vec<String>,
    /// The end of the answer at these stops.
    pub closing: String,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TurnEnd {
    /// The agent has answered, or is still at it.
    #[default]
    Answered,
    /// The person interrupted it.
    Interrupted,
    /// The model's server failed.
    Failed,
}

impl TurnEnd {
    fn is_answered(&self) -> bool {
        *self == Self::Answered
    }
}

impl Turn {
    /// Takes over the last thing the agent said, from a source that has it before the transcript does. Nothing changes
    /// if the answer ends with it already.
    pub fn conclude(&mut self, last: &str) {
        let last = last.trim();
        if last.is_empty() || self.answer.trim_end().ends_with(last) {
            return;
        }
        if !self.answer.is_empty() {
            self.answer.push_str("\n\n");
        }
        self.answer.push_str(last);
        let earlier = self.earlier_stops.closing.as_str();
        self.closing = if earlier.is_empty() { last.to_owned() } else { format!("{earlier}\n\n{last}") };
    }

    /// Whether the client knows the turn, or a part of it, by this id.
    pub fn is_named(&self, id: &str) -> bool {
        self.id == id || self.earlier_stops.resumed_by.iter().any(|known| known == id)
    }

    /// Whether the agent did anything about the request.
    pub fn is_answered(&self) -> bool {
        !self.answer.is_empty() || !self.tools.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_concluded_once() {
        let mut turn = Turn { answer: "Looking.\n\nDone.".into(), closing: "Done.".into(), ..Turn::default() };
        turn.conclude("Done.\n");
        assert_eq!(turn.answer, "Looking.\n\nDone.");
        turn.conclude("All tests pass.");
        assert_eq!(
            (turn.answer.as_str(), turn.closing.as_str()),
            ("Looking.\n\nDone.\n\nAll tests pass.", "All tests pass.")
        );
    }

    #[test]
    fn a_later_stop_keeps_the_closing_of_the_earlier_ones() {
        let earlier_stops = EarlierStops { resumed_by: vec!["n-1".into()], closing: "It runs now.".into() };
        let mut turn =
            Turn { answer: "It runs now.".into(), closing: "It runs now.".into(), earlier_stops, ..Turn::default() };
        turn.conclude("It has failed.");
        assert_eq!(turn.closing, "It runs now.\n\nIt has failed.");
    }

    #[test]
    fn what_is_missing_is_empty() {
        let turn: Turn = serde_json::from_str(r#"{"session":"s","unknown":1}"#).unwrap();
        assert_eq!(turn, Turn { session: "s".into(), ..Turn::default() });
    }
}
