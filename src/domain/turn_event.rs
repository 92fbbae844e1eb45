//! What happens in a session with an agent, one event after the other, as a client's transcript tells it.

use jiff::Timestamp;

use super::TurnEnd;

/// One event of a session.
#[derive(Debug, Clone)]
pub enum TurnEvent {
    /// A person asked for something: a turn begins.
    Requested(UserRequest),
    /// A person added something while the agent worked.
    Added(String),
    /// The agent said and did this, in order; when, if it is known.
    Acted(Option<Timestamp>, Vec<AgentAct>),
    /// The agent, which had stopped, goes on because something ended that it had started in the background. The client gives the
    /// message about it an id like that of a request.
    Resumed(String),
    /// The turn ended before the agent was done.
    BrokenOff(TurnEnd),
}

/// A person's message.
#[derive(Debug, Clone, Default)]
pub struct UserRequest {
    /// The message's id, never empty. Messages with the same id belong to one request.
    pub id: String,
    /// When it was sent.
    pub at: Option<Timestamp>,
    /// The session's id, if the message names it.
    pub session: Option<String>,
    /// The directory that the agent works in.
    pub directory: Option<String>,
    /// The branch that is checked out there.
    pub branch: Option<String>,
    /// What the person said.
    pub text: String,
    /// Whether it is a command of the client, of which the agent may never hear.
    pub is_command: bool,
}

/// A piece of an agent's answer.
#[derive(Debug, Clone)]
pub enum AgentAct {
    /// The agent said something.
    Text(String),
    /// The agent came to an end of its own, rather than to wait for a tool.
    Ended,
    /// The agent used a tool.
    Tool {
        /// The tool's name.
        name: String,
        /// The file that the tool wrote, if it writes files.
        file: Option<String>,
        /// The command line, if the tool is a shell.
        command: Option<String>,
    },
}
