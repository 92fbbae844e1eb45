//! `tars init`, `tars index`, `tars config`, `tars completions` and `tars man`: the commands that set tars up.

use std::path::PathBuf;

use tars_agent::client::McpClient;

/// `tars init`
#[derive(Debug, clap::Args)]
pub(crate) struct Init {
    /// The vault. Default: the configured one, else one that you choose at the terminal.
    #[arg(value_name = "VAULT")]
    pub(crate) folder: Option<PathBuf>,
    /// Embed with this installed model.
    #[arg(long, value_name = "ID", add = super::completions::models())]
    pub(crate) model: Option<String>,
    /// Make the system run the watcher at every login.
    #[arg(long, conflicts_with = "no_service")]
    pub(crate) service: bool,
    /// Install no service.
    #[arg(long)]
    pub(crate) no_service: bool,
    /// Let this author note the sessions: claude, ollama:MODEL or rules.
    #[arg(long, value_name = "AUTHOR", value_parser = super::values::notes_author)]
    pub(crate) notes: Option<String>,
    /// Give the memory to these agents, by their names in `tars mcp install`.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = super::values::mcp_client)]
    pub(crate) agents: Vec<McpClient>,
    /// Do not change the configurations of agents.
    #[arg(long, conflicts_with = "agents")]
    pub(crate) no_agents: bool,
    /// Index the notes, and ask them this question.
    #[arg(long, value_name = "QUESTION")]
    pub(crate) search: Option<String>,
    /// Skip the indexing and the question.
    #[arg(long, conflicts_with = "search")]
    pub(crate) no_search: bool,
    /// Accept all proposals without asking.
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Revert tars init: settings, service, entries of agents, and the unedited files in the memory folder.
    #[arg(long, conflicts_with_all = ["folder", "model", "service", "no_service", "notes", "agents", "no_agents", "search", "no_search", "yes"])]
    pub(crate) undo: bool,
}

impl Init {
    /// Returns the decision about the service, if the flags contain one.
    pub(crate) fn wants_service(&self) -> Option<bool> {
        match (self.service, self.no_service) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }
}

/// `tars index`
#[derive(Debug, clap::Args)]
pub(crate) struct Index {
    /// Only these files and folders of the vault. Default: everything.
    pub(crate) paths: Vec<PathBuf>,
    /// Read and embed everything again.
    #[arg(long)]
    pub(crate) full: bool,
    /// Write the index into a file for another machine, instead of indexing.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "full"])]
    pub(crate) export: Option<PathBuf>,
    /// Load the index from such a file; tars index then embeds only the differences.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "full", "export"])]
    pub(crate) import: Option<PathBuf>,
    /// Load it even if it does not fit this machine, or replaces a newer index.
    #[arg(long, requires = "import")]
    pub(crate) force: bool,
    /// Print the report as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars completions`
#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: CompletedShell,
}

/// A shell that tars completes for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum CompletedShell {
    /// Bash.
    Bash,
    /// Zsh.
    Zsh,
    /// Fish.
    Fish,
    /// PowerShell.
    Powershell,
}

impl CompletedShell {
    /// Returns the name of the shell.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
            Self::Powershell => "powershell",
        }
    }
}

/// `tars man`
#[derive(Debug, clap::Args)]
pub(crate) struct Manual {
    /// The folder; created if missing.
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}

/// `tars config`
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Config {
    /// Show one setting.
    Get {
        /// Its key, e.g. search.limit.
        key: String,
    },
    /// Change a setting in your configuration file.
    Set {
        /// Its key, e.g. search.limit.
        key: String,
        /// Its value.
        value: String,
    },
    /// Remove a setting from your configuration file.
    Unset {
        /// Its key.
        key: String,
    },
    /// Show every setting and its origin.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Edit your configuration file in the editor of $VISUAL or $EDITOR; it changes only when the new text is valid.
    Edit,
    /// Show the settings that differ from the defaults, and where each comes from.
    ///
    /// Exit codes: 0 some differ, 1 none does, 2 an error.
    Diff {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show the path of your configuration file.
    Path,
}
