//! Arguments of the commands that write the memory.

use clap::Subcommand;

use crate::domain::MemoryType;

/// `tars remember`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Remember {
    /// What to remember; `-`, or nothing, reads it from standard input.
    pub(in crate::cli) text: Vec<String>,
    /// Where it belongs: semantic (facts), procedural (rules) or daily.
    #[arg(long = "type", value_name = "TYPE", default_value = "semantic")]
    pub(in crate::cli) memory_type: MemoryType,
    /// The heading it comes under; made where it is missing. Default: Facts, or Rules.
    #[arg(long, value_name = "HEADING")]
    pub(in crate::cli) section: Option<String>,
    /// Write it even if the same, or nearly the same, is there.
    #[arg(long, conflicts_with = "replace")]
    pub(in crate::cli) force: bool,
    /// Write it in the place of the line with this id.
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) replace: Option<String>,
    /// Print JSON, and ask nothing.
    #[arg(long)]
    pub(in crate::cli) json: bool,
    /// The same as `tars hook`.
    #[arg(long, hide = true, conflicts_with_all = ["text", "force", "replace", "section"])]
    pub(in crate::cli) hook: bool,
    /// What `--hook` starts: make notes of what was taken aside.
    #[arg(long, hide = true, conflicts_with = "hook")]
    pub(in crate::cli) finish: bool,
}

/// `tars daily`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Daily {
    /// The day: 2026-11-17, 17.11.2026, yesterday, gestern, '3 days ago'. Default: today.
    #[arg(value_name = "DATE")]
    pub(in crate::cli) day: Option<String>,
    /// Add this line, to today's log with the present time; `-` reads it from standard input.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(in crate::cli) append: Option<String>,
    /// Where the line comes from, shown in brackets before it.
    #[arg(long, value_name = "NAME", requires = "append")]
    pub(in crate::cli) channel: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// `tars sessions`
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(in crate::cli) struct Sessions {
    #[command(subcommand)]
    pub(in crate::cli) command: Option<SessionsCommand>,
    /// Only logs that hold these words.
    #[arg(value_name = "QUERY")]
    pub(in crate::cli) query: Vec<String>,
    /// How many at most.
    #[arg(short = 'n', long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    pub(in crate::cli) limit: u16,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// `tars sessions show`
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum SessionsCommand {
    /// Show one log.
    Show {
        /// Its id, or how it begins.
        id: String,
    },
}

/// `tars forget`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Forget {
    /// Words that the line holds, what it says, or its id; `-` reads it from standard input.
    #[arg(required = true, value_name = "QUERY|ID")]
    pub(in crate::cli) query: Vec<String>,
    /// Remove it without asking; where several lines match, their ids are needed, or --all.
    #[arg(long)]
    pub(in crate::cli) yes: bool,
    /// With --yes: remove every line that matches.
    #[arg(long, requires = "yes")]
    pub(in crate::cli) all: bool,
    /// Print JSON, and ask nothing.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// `tars undo`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Undo {
    /// Take back notes and logs that hooks wrote, instead of what commands wrote.
    #[arg(long)]
    pub(in crate::cli) notes: bool,
    /// The writes of how many commands; at a terminal more than one is asked about.
    #[arg(value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub(in crate::cli) count: u16,
    /// Bring back what the last undo took back.
    #[arg(long, conflicts_with = "count")]
    pub(in crate::cli) redo: bool,
    /// Take it back without asking.
    #[arg(long)]
    pub(in crate::cli) yes: bool,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// `tars log`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Log {
    /// How many at most.
    #[arg(short = 'n', long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    pub(in crate::cli) limit: u16,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// `tars feedback`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct FeedbackArgs {
    /// What it was.
    #[arg(value_parser = ["wrong", "good"])]
    pub(in crate::cli) kind: String,
    /// What was wrong or good, and how it should be; `-` reads it from standard input.
    #[arg(value_name = "NOTE")]
    pub(in crate::cli) note: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// `tars review`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Review {
    /// Keep the proposal with this id, without asking.
    #[arg(long, value_name = "ID", conflicts_with = "drop")]
    pub(in crate::cli) promote: Option<String>,
    /// With --promote: where it belongs.
    #[arg(long, value_name = "TYPE", default_value = "semantic", requires = "promote")]
    pub(in crate::cli) to: Promote,
    /// With --promote: what to write instead of its own words.
    #[arg(long, value_name = "TEXT", requires = "promote")]
    pub(in crate::cli) text: Option<String>,
    /// Drop the proposal with this id, without asking.
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) drop: Option<String>,
    /// Print JSON, and ask nothing: what waits for a review, or what became of it.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// Where a proposal is promoted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(in crate::cli) enum Promote {
    /// Memory.md.
    Semantic,
    /// Procedural.md.
    Procedural,
}

/// `tars tidy`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Tidy {
    /// Remove everything that is proposed, without asking.
    #[arg(long)]
    pub(in crate::cli) yes: bool,
    /// Print JSON, and ask nothing.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// `tars audit`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Audit {
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
