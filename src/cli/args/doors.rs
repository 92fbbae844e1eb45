//! `tars ask`, `tars mcp` and `tars hook`: the doors of programs and of agents; `tars pause` and `tars resume`: when those of agents are shut.

use std::time::Duration;

use super::values::{duration, mcp_client};
use crate::client::McpClient;

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

/// `tars mcp`
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(in crate::cli) struct Mcp {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<McpCommand>,
    #[command(flatten)]
    pub(in crate::cli) offer: McpOffer,
}

/// What an agent is offered.
#[derive(Debug, Clone, Default, clap::Args)]
pub(in crate::cli) struct McpOffer {
    /// Offer nothing that writes.
    #[arg(long)]
    pub(in crate::cli) read_only: bool,
    /// Only these collections; without the vault, its memory is not offered either. Default: all of them.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', add = super::completing::collections())]
    pub(in crate::cli) collections: Vec<String>,
    /// Tokens of one answer at most, 200 to 100000. Default: the setting mcp.budget_tokens.
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(200..=100_000))]
    pub(in crate::cli) budget: Option<u32>,
}

/// `tars mcp …`
#[derive(Debug, clap::Subcommand)]
pub(in crate::cli) enum McpCommand {
    /// Write tars into the configuration of an agent's client; without a name, show which clients are on this machine.
    Install {
        /// The client.
        #[arg(value_name = "CLIENT", value_parser = mcp_client)]
        client: Option<McpClient>,
        /// Print what would be written, and write nothing.
        #[arg(long)]
        print: bool,
        /// Take tars out of the configuration again.
        #[arg(long, conflicts_with = "print")]
        remove: bool,
        #[command(flatten)]
        offer: McpOffer,
    },
    /// The servers whose tools tars chat may use: those of [mcp.servers.NAME] in the configuration.
    #[command(subcommand)]
    Servers(McpServers),
}

/// `tars mcp servers …`
#[derive(Debug, clap::Subcommand)]
pub(in crate::cli) enum McpServers {
    /// List them; none is started.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Start a server, or each, and show its tools and who may use them.
    Test {
        /// The server. Default: all that are switched on.
        #[arg(value_name = "NAME", add = super::completing::mcp_servers())]
        server: Option<String>,
    },
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

/// `tars pause`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Pause {
    /// The session's id. Default: the session that this command runs in; outside of one, all sessions.
    #[arg(long, value_name = "ID", conflicts_with = "all")]
    pub(in crate::cli) session: Option<String>,
    /// All sessions, also those that begin later.
    #[arg(long)]
    pub(in crate::cli) all: bool,
    /// For so long (90s, 30m, 2h). Default: until `tars resume`.
    #[arg(long = "for", value_name = "DURATION", value_parser = duration)]
    pub(in crate::cli) length: Option<Duration>,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// `tars resume`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Resume {
    /// The session's id, or how it begins. Default: the session that this command runs in; outside of one, the pause of all
    /// sessions.
    #[arg(long, value_name = "ID", conflicts_with = "all")]
    pub(in crate::cli) session: Option<String>,
    /// The pause of all sessions.
    #[arg(long)]
    pub(in crate::cli) all: bool,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
