//! `tars chat`, `tars conversations`

/// `tars chat`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Chat {
    /// The message; piped standard input is appended to it. Without a message, a conversation begins.
    #[arg(value_name = "MESSAGE", trailing_var_arg = true)]
    pub(in crate::cli) message: Vec<String>,
    /// The provider: ollama, openai, openrouter, anthropic or command.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) provider: Option<String>,
    /// The model, instead of the configured one.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) model: Option<String>,
    /// Continue the conversation with this id, or begin one with it.
    #[arg(long, value_name = "ID", conflicts_with = "continue", add = super::completions::conversations())]
    pub(in crate::cli) conversation: Option<String>,
    /// Continue the last conversation.
    #[arg(long)]
    pub(in crate::cli) r#continue: bool,
    /// Give the model no tools.
    #[arg(long)]
    pub(in crate::cli) no_tools: bool,
    /// Print answers as the model writes them, without colours and wrapping.
    #[arg(long)]
    pub(in crate::cli) plain: bool,
    /// Print the token counts after each answer.
    #[arg(long)]
    pub(in crate::cli) tokens: bool,
    /// Move context/ and timelines/ into the archive, and exit.
    #[arg(long, conflicts_with_all = ["message", "reset_soul"])]
    pub(in crate::cli) reset_memory: bool,
    /// Restore the assistant's first soul, and exit.
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
