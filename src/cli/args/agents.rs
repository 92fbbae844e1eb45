//! `tars agents`: the agents of this machine.

use super::values::agent_client;
use tars_agent::client::AgentClient;

/// `tars agents`
#[derive(Debug, clap::Args)]
pub(crate) struct Agents {
    #[command(subcommand)]
    pub(crate) command: Option<AgentsCommand>,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A change of what joins tars to an agent.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum AgentsCommand {
    /// Join tars to an agent, or bring that up to date: its hooks and its list of MCP servers.
    ///
    /// Exit codes: 0 it is there and up to date, 1 nothing was written because nobody agreed, 2 an error.
    #[command(visible_alias = "update")]
    Install(AgentChange),
    /// Remove from an agent what tars wrote there.
    ///
    /// Exit codes: 0 removed, 1 nothing was removed, because nothing was there or nobody agreed, 2 an error.
    Remove(AgentChange),
    /// Print lines for the AGENTS.md of an agent that has neither hooks nor MCP servers.
    Lines,
}

/// The agent of a change.
#[derive(Debug, clap::Args)]
pub(crate) struct AgentChange {
    /// The agent, as `tars agents` names it.
    #[arg(value_name = "AGENT", value_parser = agent_client)]
    pub(crate) client: AgentClient,
    /// Do it without asking.
    #[arg(long, short)]
    pub(crate) yes: bool,
}
