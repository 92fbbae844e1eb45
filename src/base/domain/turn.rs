//! One turn of an agent session.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A person's request and the agent's work on it until the person's next message. Missing fields are empty after
/// deserialization.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Turn {
    /// The session's id.
    pub session: String,
    /// The id of the person's message, never empty in a turn read from a transcript.
    pub id: String,
    /// When the person sent the request.
    pub at: Option<Timestamp>,
    /// When the agent last said or did something.
    pub ended: Option<Timestamp>,
    /// The agent's working directory.
    pub directory: Option<String>,
    /// The branch checked out there.
    pub branch: Option<String>,
    /// The person's text, without wrappers that programs add.
    pub request: String,
    /// Everything that the agent said, with blank lines between its texts. Only the end of a very long turn.
    pub answer: String,
    /// The end of the answer: the text after the last tool call, or the last text if the turn ends with a tool. If the
    /// agent stopped several times, the end at each stop, with blank lines between.
    pub closing: String,
    /// Names of the tools used, without duplicates, in order of first use.
    pub tools: Vec<String>,
    /// Files written, without duplicates, in order of first change, as the agent named them.
    pub files: Vec<String>,
    /// Shell commands run, in order.
    pub commands: Vec<String>,
    /// The commands whose last run failed or was refused by the person, in order, as far as the transcript says so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
    /// How it ended.
    #[serde(skip_serializing_if = "TurnEnd::is_answered")]
    pub end: TurnEnd,
    /// Whether the transcript says that the agent finished on its own. Older clients do not record it.
    #[serde(skip)]
    pub is_complete: bool,
    /// Whether the person went back to a point before the request, so that the conversation goes on without this turn.
    #[serde(skip)]
    pub is_abandoned: bool,
    /// Earlier stops, after which the agent resumed by itself.
    #[serde(skip)]
    pub earlier_stops: EarlierStops,
    /// The language model that answered last, as the client names it.
    #[serde(skip)]
    pub model: Option<String>,
    /// The origin of the text that the agent had read by the end of the turn, in this turn or before.
    #[serde(skip)]
    pub reading: Reading,
}

/// The origin of the text that an agent had read when it said something. It decides how far its words can be trusted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reading {
    /// The person's words and local files alone.
    #[default]
    Local,
    /// Nobody knows.
    Unknown,
    /// Also the network, or the results of a tool that tars does not know.
    Foreign,
}

/// Stops of an agent after which it resumed without a person, because something in the background had ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EarlierStops {
    /// Ids of the messages that resumed it.
    pub resumed_by: Vec<String>,
    /// The end of the answer at these stops.
    pub closing: String,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TurnEnd {
    /// The agent answered, or is still working.
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
    /// Appends the agent's last message, from a source that has it before the transcript does. Nothing changes if the
    /// answer already ends with it.
    pub fn append_closing(&mut self, last: &str) {
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
    pub fn has_id(&self, id: &str) -> bool {
        self.id == id || self.earlier_stops.resumed_by.iter().any(|known| known == id)
    }

    /// Whether the agent reacted to the request.
    pub fn is_answered(&self) -> bool {
        !self.answer.is_empty() || !self.tools.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concluding_twice_appends_once() {
        let mut turn = Turn { answer: "Looking.\n\nDone.".into(), closing: "Done.".into(), ..Turn::default() };
        turn.append_closing("Done.\n");
        assert_eq!(turn.answer, "Looking.\n\nDone.");
        turn.append_closing("All tests pass.");
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
        turn.append_closing("It has failed.");
        assert_eq!(turn.closing, "It runs now.\n\nIt has failed.");
    }

    #[test]
    fn missing_fields_are_empty() {
        let turn: Turn = serde_json::from_str(r#"{"session":"s","unknown":1}"#).unwrap();
        assert_eq!(turn, Turn { session: "s".into(), ..Turn::default() });
    }
}
