//! Arguments of the commands that read transcripts.

use std::path::PathBuf;

use clap::Subcommand;

/// `tars transcript`
#[derive(Debug, clap::Args)]
pub(crate) struct Transcript {
    /// A session: its id (or the start of it, as in a note's comment), or its file, SESSION.jsonl.
    pub(crate) file: PathBuf,
    /// Show this whole turn: its id, or the first four or more of its characters. Default: list the turns.
    #[arg(long, value_name = "ID")]
    pub(crate) turn: Option<String>,
    /// With --turn: also this many turns before and after it.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "turn", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) context: u32,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars import`
#[derive(Debug, Subcommand)]
pub(crate) enum Import {
    /// Make session logs from Claude Code's transcripts, by default those in ~/.claude/projects.
    ClaudeCode(ImportSessions),
    /// Make session logs from Codex's transcripts, by default those in ~/.codex/sessions.
    Codex(ImportSessions),
    /// Make session logs from opencode's database, by default ~/.local/share/opencode/opencode.db, or from what `opencode export` wrote.
    #[command(name = "opencode")]
    OpenCode(ImportSessions),
    /// Make session logs from Gemini CLI's transcripts, by default those in ~/.gemini/tmp.
    Gemini(ImportSessions),
    /// Make notes from the chats of an account with ChatGPT.
    ///
    /// ChatGPT sends the export by mail: Settings, Data controls, Export data.
    #[command(name = "chatgpt")]
    ChatGpt(ImportChats),
    /// Make notes from the chats of an account with Claude.
    ///
    /// Claude sends the export by mail: Settings, Privacy, Export data.
    Claude(ImportChats),
}

/// `tars import claude-code` and the same with other clients.
#[derive(Debug, clap::Args)]
pub(crate) struct ImportSessions {
    /// A folder of transcripts, or one transcript. Default: the client's own folder.
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Show the logs without writing them.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars import chatgpt`, `tars import claude`
#[derive(Debug, clap::Args)]
pub(crate) struct ImportChats {
    /// The export: its zip file, the unpacked folder, or conversations.json.
    #[arg(value_name = "FILE")]
    pub(crate) export: PathBuf,
    /// Show the notes and the proposals without writing them.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Propose at most N of your standing instructions and preferences, from all chats of the export. Default: 40, from the chats that
    /// are new to your vault.
    #[arg(long, value_name = "N")]
    pub(crate) proposals: Option<usize>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
