//! What a door is told of a turn, and asked.

use serde::Serialize;

/// Where a line was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// By a program, a schedule or one call of a command: nobody goes on with it.
    Program,
    /// Where a person goes on with the conversation, on a page for example.
    Interactive,
    /// At a terminal.
    Terminal,
}

/// A step of a turn.
#[derive(Debug, Clone, Copy)]
pub enum Step<'s> {
    /// The next piece of the answer: foreign text.
    Text(&'s str),
    /// A tool is used.
    Tool {
        /// Its name.
        name: &'s str,
        /// What for, in one clean line.
        about: &'s str,
    },
    /// It gave a result.
    ToolDone {
        /// Its name.
        name: &'s str,
        /// What came of it, in one clean line.
        result: &'s str,
        /// Whether it failed.
        failed: bool,
    },
    /// Something that the person should know, in one clean line.
    Notice(&'s str),
}

/// Something that the model wants to do and that a person decides.
#[derive(Debug, Clone, Copy)]
pub struct Question<'q> {
    /// The tool.
    pub tool: &'q str,
    /// What it would do: what it was called with, in clean lines, each after a line break.
    pub what: &'q str,
}

/// The person's word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It may be done.
    Yes,
    /// It may not.
    No,
    /// Nobody can be asked.
    Nobody,
}

/// Where a person is.
pub trait Door {
    /// Shows a step.
    fn step(&mut self, step: Step<'_>);

    /// Asks whether something may be done.
    fn ask(&mut self, question: Question<'_>) -> Answer;
}
