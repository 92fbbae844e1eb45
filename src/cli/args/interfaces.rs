//! `tars ask`, `tars mcp` and `tars hook`: the interfaces for programs and agents; `tars pause` and `tars resume`: switching those for
//! agents off and on.

use std::time::Duration;

use super::Search;
use super::values::{agent_client, duration, hook_event, mcp_client};
use tars_agent::client::{AgentClient, HookEvent, McpClient};

/// Heading of the options of `tars ask` for programs.
const PROGRAMS: &str = "For programs";

/// `tars ask`
#[derive(Debug, clap::Args)]
pub(crate) struct Ask {
    #[command(flatten)]
    pub(crate) search: Search,
    /// Instead of a question, read requests from standard input, one JSON object per line, until it ends.
    #[arg(long, conflicts_with = "Search", help_heading = PROGRAMS)]
    pub(crate) json_lines: bool,
    /// The process that answers requests: the watcher if one runs, else this process; this process; or the watcher only.
    #[arg(long, value_enum, default_value_t = ReachArg::Fallback, value_name = "WHERE", requires = "json_lines", help_heading = PROGRAMS)]
    pub(crate) reach: ReachArg,
}

/// The process that answers requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ReachArg {
    /// The watcher if one runs, else this process.
    Fallback,
    /// This process.
    Local,
    /// The watcher only.
    Daemon,
}

/// `tars mcp`
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Mcp {
    #[command(subcommand)]
    pub(crate) command: Option<McpCommand>,
    #[command(flatten)]
    pub(crate) offer: McpServerArgs,
}

/// The options of an MCP server.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct McpServerArgs {
    /// Offer no tools that write.
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Only these collections; if `vault` is not among them, the memory is hidden too. Default: all of them.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', add = super::completions::collections())]
    pub(crate) collections: Vec<String>,
    /// Most tokens of one answer, 200 to 100000. Default: the setting mcp.budget_tokens.
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(200..=100_000))]
    pub(crate) budget: Option<u32>,
}

/// `tars mcp …`
#[derive(Debug, clap::Subcommand)]
pub(crate) enum McpCommand {
    /// Add tars to the configuration of an agent's client; without a name, show the clients on this machine.
    Install {
        /// The client.
        #[arg(value_name = "CLIENT", value_parser = mcp_client)]
        client: Option<McpClient>,
        /// Print the configuration without writing it.
        #[arg(long)]
        print: bool,
        /// Remove tars from the configuration again.
        #[arg(long, conflicts_with = "print")]
        remove: bool,
        #[command(flatten)]
        offer: McpServerArgs,
    },
    /// The servers whose tools tars chat may use: those of [mcp.servers.NAME] in the configuration.
    #[command(subcommand)]
    Servers(McpServers),
}

/// `tars mcp servers …`
#[derive(Debug, clap::Subcommand)]
pub(crate) enum McpServers {
    /// List the servers without starting them.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Add a server to your configuration, after showing what will run.
    Add(AddMcpServer),
    /// Remove a server from your configuration.
    Remove {
        /// The server.
        #[arg(value_name = "NAME", add = super::completions::mcp_servers())]
        server: String,
    },
    /// Start a server, or all of them, and show its tools and their permissions.
    Test {
        /// The server. Default: all enabled servers.
        #[arg(value_name = "NAME", add = super::completions::mcp_servers())]
        server: Option<String>,
    },
}

/// `tars mcp servers add`
#[derive(Debug, clap::Args)]
pub(crate) struct AddMcpServer {
    /// Its name: up to 32 ASCII letters, digits, '-' and '_'.
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Its program and the arguments; options of tars come before it.
    #[arg(value_name = "COMMAND", trailing_var_arg = true, required_unless_present = "url")]
    pub(crate) command: Vec<String>,
    /// The address of a server that runs elsewhere, instead of a program.
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    pub(crate) url: Option<String>,
    /// The variable that holds the token for the address.
    #[arg(long, value_name = "VARIABLE", requires = "url")]
    pub(crate) token_env: Option<String>,
    /// Pass this variable of your environment to the program; repeatable.
    #[arg(long, value_name = "VARIABLE", conflicts_with = "url")]
    pub(crate) env: Vec<String>,
    /// Add it without asking.
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// `tars hook`
#[derive(Debug, clap::Args)]
pub(crate) struct Hook {
    /// The event, if the input does not name it.
    #[arg(value_name = "EVENT", value_parser = hook_event())]
    pub(crate) event: HookEvent,
    /// The client that calls.
    #[arg(long, value_name = "CLIENT", default_value = "claude-code", value_parser = agent_client)]
    pub(crate) client: AgentClient,
}

/// `tars pause`
#[derive(Debug, clap::Args)]
pub(crate) struct Pause {
    /// The session's id. Default: the session that this command runs in; outside of one, all sessions.
    #[arg(long, value_name = "ID", conflicts_with = "all")]
    pub(crate) session: Option<String>,
    /// All sessions, including later ones.
    #[arg(long)]
    pub(crate) all: bool,
    /// Duration of the pause (90s, 30m, 2h). Default: until `tars resume`.
    #[arg(long = "for", value_name = "DURATION", value_parser = duration)]
    pub(crate) length: Option<Duration>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars resume`
#[derive(Debug, clap::Args)]
pub(crate) struct Resume {
    /// The session's id, or its beginning. Default: the session that this command runs in; outside of one, the pause of all sessions.
    #[arg(long, value_name = "ID", conflicts_with = "all")]
    pub(crate) session: Option<String>,
    /// The pause of all sessions.
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
