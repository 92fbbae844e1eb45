//! `tars chat`, `tars conversations`

/// `tars chat`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Chat {
    /// What to say; standard input goes with it. Without a message, a conversation begins.
    #[arg(value_name = "MESSAGE", trailing_var_arg = true)]
    pub(in crate::cli) message: Vec<String>,
    /// Who answers: ollama, openai, openrouter, anthropic or command.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) provider: Option<String>,
    /// The model, instead of the configured one.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) model: Option<String>,
    /// Go on with the conversation of this id, or begin one of that id.
    #[arg(long, value_name = "ID", conflicts_with = "continue", add = super::completing::conversations())]
    pub(in crate::cli) conversation: Option<String>,
    /// Go on with the last conversation.
    #[arg(long)]
    pub(in crate::cli) r#continue: bool,
    /// Give the model no tools.
    #[arg(long)]
    pub(in crate::cli) no_tools: bool,
    /// Print answers as the model writes them, without colours and wrapping.
    #[arg(long)]
    pub(in crate::cli) plain: bool,
    /// Say after each answer how many tokens it took.
    #[arg(long)]
    pub(in crate::cli) tokens: bool,
    /// Move context/ and timelines/ into the archive, and end.
    #[arg(long, conflicts_with_all = ["message", "reset_soul"])]
    pub(in crate::cli) reset_memory: bool,
    /// Give the assistant its first soul back, and end.
    #[arg(long, conflicts_with = "message")]
    pub(in crate::cli) reset_soul: bool,
}

/// `tars conversations`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Conversations {
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
