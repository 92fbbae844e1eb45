//! `tars chat`, `tars conversations`

/// `tars chat`
#[derive(Debug, clap::Args)]
pub(crate) struct Chat {
    /// The message; piped standard input is appended to it. Without a message, a conversation begins.
    #[arg(value_name = "MESSAGE", trailing_var_arg = true)]
    pub(crate) message: Vec<String>,
    /// The provider: ollama, openai, openrouter, anthropic or command.
    #[arg(long, value_name = "NAME")]
    pub(crate) provider: Option<String>,
    /// The model, instead of the configured one.
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Continue the conversation with this id, or begin one with it.
    #[arg(long, value_name = "ID", conflicts_with = "continue", add = super::completions::conversations())]
    pub(crate) conversation: Option<String>,
    /// Continue the last conversation.
    #[arg(long)]
    pub(crate) r#continue: bool,
    /// Give the model no tools.
    #[arg(long)]
    pub(crate) no_tools: bool,
    /// Print answers as the model writes them, without colours and wrapping.
    #[arg(long)]
    pub(crate) plain: bool,
    /// Print the token counts after each answer.
    #[arg(long)]
    pub(crate) tokens: bool,
    /// Move context/ and timelines/ into the archive, and exit.
    #[arg(long, conflicts_with_all = ["message", "reset_soul"])]
    pub(crate) reset_memory: bool,
    /// Restore the assistant's first soul, and exit.
    #[arg(long, conflicts_with = "message")]
    pub(crate) reset_soul: bool,
}

/// `tars conversations`
#[derive(Debug, clap::Args)]
pub(crate) struct Conversations {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
