//! `tars ask` and `tars hook`: the doors of programs and of agents.

/// `tars ask`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Ask {
    /// Read requests from standard input, an object of JSON a line, until it ends.
    #[arg(long, required = true)]
    pub(in crate::cli) json_lines: bool,
    /// Where questions are answered: by the watcher if one runs and else in this process, in this process, or by the watcher.
    #[arg(long, value_enum, default_value_t = Where::Fallback, value_name = "WHERE")]
    pub(in crate::cli) reach: Where,
}

/// Where questions are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum Where {
    /// By the watcher if one runs, else in this process.
    Fallback,
    /// In this process.
    Local,
    /// By the watcher alone.
    Daemon,
}

/// `tars hook`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Hook {
    /// What has happened, where the input does not say it.
    #[arg(value_name = "EVENT")]
    pub(in crate::cli) event: HookName,
}

/// An event of an agent's client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum HookName {
    /// A session starts or goes on.
    SessionStart,
    /// The person has sent a prompt.
    UserPromptSubmit,
    /// The agent has answered.
    Stop,
    /// The model's server failed, so the agent has not answered.
    StopFailure,
    /// The agent starts a helper of its own.
    SubagentStart,
    /// The client is about to shorten the session.
    PreCompact,
    /// The client has shortened the session.
    PostCompact,
    /// A session ends.
    SessionEnd,
}
