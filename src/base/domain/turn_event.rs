//! The events of an agent session, in order, as a client's transcript records them.

use jiff::Timestamp;

use super::TurnEnd;

/// One event of a session.
#[derive(Debug, Clone)]
pub enum TurnEvent {
    /// A person asked for something: a turn begins.
    Requested(UserRequest),
    /// A person added something while the agent worked.
    Added(String),
    /// A person typed a message while the agent worked. It waits until the client delivers it, which another event may report.
    Queued(String),
    /// The person took back the messages that wait.
    Unqueued,
    /// The agent said and did this, in order, with the time if known.
    Acted(Option<Timestamp>, Vec<AgentAct>),
    /// The agent had stopped and resumes because something that it started in the background has ended. The client's
    /// message about it has an id like a request.
    Resumed(String),
    /// The turn ended before the agent was done.
    Ended(TurnEnd),
    /// The tool calls with these ids failed, or the person refused them.
    CallsFailed(Vec<String>),
}

/// A person's message.
#[derive(Debug, Clone, Default)]
pub struct UserRequest {
    /// The message's id, never empty. Messages with the same id belong to one request.
    pub id: String,
    /// The id of its entry in the transcript.
    pub entry: Option<String>,
    /// When it was sent.
    pub at: Option<Timestamp>,
    /// The session's id, if the message names it.
    pub session: Option<String>,
    /// The directory that the agent works in.
    pub directory: Option<String>,
    /// The branch that is checked out there.
    pub branch: Option<String>,
    /// The words of the person.
    pub text: String,
    /// Whether the person went back to a point before it.
    pub is_abandoned: bool,
    /// Whether it is a command of the client, which the agent may never see.
    pub is_command: bool,
}

/// A piece of an agent's answer.
#[derive(Debug, Clone)]
pub enum AgentAct {
    /// The agent said something.
    Text(String),
    /// The language model that says and does what follows.
    Model(String),
    /// The agent finished on its own instead of waiting for a tool.
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
    /// The client's id of the tool call before, by which [`TurnEvent::CallsFailed`] names it.
    CallId(String),
}
