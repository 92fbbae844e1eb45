//! The events of clients.

/// The events that tars handles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HookEvent {
    /// A session begins or resumes.
    SessionStart,
    /// A person has sent a prompt.
    UserPromptSubmit,
    /// The agent has answered.
    Stop,
    /// The model's server failed, so there is no answer.
    StopFailure,
    /// The agent starts a helper (subagent), which does not see the conversation.
    SubagentStart,
    /// The conversation is about to be summarised.
    PreCompact,
    /// The conversation has been summarised.
    PostCompact,
    /// A session ends.
    SessionEnd,
    /// The agent has said something.
    AfterResponse,
    /// The agent has used a tool.
    AfterTool,
    /// Any other event.
    #[default]
    Other,
}

impl HookEvent {
    /// The events that tars handles, without [`Self::Other`].
    pub const ALL: [Self; 10] = [
        Self::SessionStart,
        Self::UserPromptSubmit,
        Self::Stop,
        Self::StopFailure,
        Self::SubagentStart,
        Self::PreCompact,
        Self::PostCompact,
        Self::SessionEnd,
        Self::AfterResponse,
        Self::AfterTool,
    ];

    /// Returns Claude Code's name of the event, under which files of the data directory keep it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::Stop => "Stop",
            Self::StopFailure => "StopFailure",
            Self::SubagentStart => "SubagentStart",
            Self::PreCompact => "PreCompact",
            Self::PostCompact => "PostCompact",
            Self::SessionEnd => "SessionEnd",
            Self::AfterResponse => "AfterResponse",
            Self::AfterTool => "AfterTool",
            Self::Other => "",
        }
    }

    /// Returns the name of the event on the command line, `session-start`; empty for [`Self::Other`].
    pub fn argument(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::UserPromptSubmit => "user-prompt-submit",
            Self::Stop => "stop",
            Self::StopFailure => "stop-failure",
            Self::SubagentStart => "subagent-start",
            Self::PreCompact => "pre-compact",
            Self::PostCompact => "post-compact",
            Self::SessionEnd => "session-end",
            Self::AfterResponse => "after-response",
            Self::AfterTool => "after-tool",
            Self::Other => "",
        }
    }

    /// Returns the event with the name `name` of [`Self::as_str`].
    pub fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|event| event.as_str() == name).unwrap_or(Self::Other)
    }

    /// Whether it ends a turn, answered or not.
    pub fn ends_turn(self) -> bool {
        matches!(self, Self::Stop | Self::StopFailure)
    }

    /// Whether tars makes notes about the session at this event.
    pub fn is_noted(self) -> bool {
        self.ends_turn() || matches!(self, Self::PreCompact | Self::PostCompact | Self::SessionEnd)
    }
}
