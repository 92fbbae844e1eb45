//! The interface between a turn and the front end of the person.

use serde::Serialize;

/// Where a line was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// By a program, a schedule or a single command call: nobody continues the conversation.
    Program,
    /// In an interactive conversation, for example on a web page.
    Interactive,
    /// At a terminal.
    Terminal,
}

/// A step of a turn.
#[derive(Debug, Clone, Copy)]
pub enum TurnEvent<'s> {
    /// The next piece of the answer: untrusted text.
    Text(&'s str),
    /// The text since the last tool, or since the beginning of the answer, was reasoning of the model, which no front end keeps.
    Withdrawn,
    /// A tool is called.
    Tool {
        /// Its name.
        name: &'s str,
        /// A summary of its arguments, in one clean line.
        about: &'s str,
    },
    /// A tool returned.
    ToolDone {
        /// Its name.
        name: &'s str,
        /// A summary of its result, in one clean line.
        result: &'s str,
        /// Whether it failed.
        failed: bool,
    },
    /// A notice for the person, in one clean line.
    Notice(&'s str),
}

/// A request for permission: an action of the model that the person decides on.
#[derive(Debug, Clone, Copy)]
pub struct PermissionRequest<'q> {
    /// The tool.
    pub tool: &'q str,
    /// Its arguments, in clean lines, each after a line break.
    pub what: &'q str,
}

/// The person's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Allowed.
    Yes,
    /// Denied.
    No,
    /// Nobody can be asked.
    Unavailable,
}

/// The front end that a person uses.
pub trait ChatFrontend {
    /// Shows a step of the turn.
    fn show(&mut self, event: TurnEvent<'_>);

    /// Asks whether an action is allowed.
    fn request_permission(&mut self, request: PermissionRequest<'_>) -> Decision;
}
