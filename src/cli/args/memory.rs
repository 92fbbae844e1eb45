//! Arguments of the commands that write the memory.

use std::path::PathBuf;

use clap::Subcommand;

use super::dashes::word;
use tars_base::domain::MemoryType;

/// `tars remember`
#[derive(Debug, clap::Args)]
pub(crate) struct Remember {
    /// The text to remember; `-`, or no text, reads standard input.
    #[arg(value_parser = word())]
    pub(crate) text: Vec<String>,
    /// Type of the line: fact (semantic), rule (procedural) or daily.
    #[arg(long = "type", value_name = "TYPE", default_value = "fact")]
    pub(crate) memory_type: MemoryType,
    /// A topic or timeline file instead of Memory.md: context/work, timelines/current-goals. Created if missing.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["memory_type", "replace"])]
    pub(crate) to: Option<String>,
    /// The heading for the line; created if missing. Default: Facts, or Rules.
    #[arg(long, value_name = "HEADING")]
    pub(crate) section: Option<String>,
    /// Write the line even if the same, or nearly the same, exists.
    #[arg(long, conflicts_with = "replace")]
    pub(crate) force: bool,
    /// Replace the line with this id, or the one that contains these words. The old line moves to archive/superseded.md.
    #[arg(long, value_name = "ID")]
    pub(crate) replace: Option<String>,
    /// Print JSON without asking.
    #[arg(long)]
    pub(crate) json: bool,
    /// The same as `tars hook`.
    #[arg(long, hide = true, conflicts_with_all = ["text", "force", "replace", "section"])]
    pub(crate) hook: bool,
    /// Started by `--hook`: makes notes of the spooled events.
    #[arg(long, hide = true, conflicts_with = "hook")]
    pub(crate) finish: bool,
}

/// `tars daily`
#[derive(Debug, clap::Args)]
pub(crate) struct Daily {
    /// A line for today's log, or the day to show: 2026-11-17, 17.11.2026, yesterday, gestern, '3 days ago'. Without words, today's log is
    /// shown; `-` reads the line from standard input.
    #[arg(value_name = "TEXT|DATE", value_parser = word())]
    pub(crate) words: Vec<String>,
    /// Append this line to the log of DATE, to today's with the current time; `-` reads standard input.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, value_parser = word())]
    pub(crate) append: Option<String>,
    /// Source of the line, shown in brackets before it.
    #[arg(long, value_name = "NAME")]
    pub(crate) channel: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars sessions`
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Sessions {
    #[command(subcommand)]
    pub(crate) command: Option<SessionsCommand>,
    /// Only logs that contain these words.
    #[arg(value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    /// Only unfinished sessions of the last 21 days, whatever client and machine they ran on.
    #[arg(long)]
    pub(crate) open: bool,
    /// The largest number of results.
    #[arg(short = 'n', long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) limit: u16,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars sessions show`
#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// Show one log.
    Show {
        /// The log's id or the session's, or the beginning of one.
        id: String,
    },
}

/// `tars forget`
#[derive(Debug, clap::Args)]
pub(crate) struct Forget {
    /// Words of the line, its text, or its id; `-` reads standard input.
    #[arg(required_unless_present_any = ["session", "client", "since"], value_name = "QUERY|ID", value_parser = word())]
    pub(crate) query: Vec<String>,
    /// Take back what agents and imports wrote for this session or chat and nobody has edited since.
    #[arg(long, value_name = "ID", conflicts_with = "query")]
    pub(crate) session: Option<String>,
    /// Take back what this client or import wrote: claude-code, codex, chatgpt. With --session or --since, only what both mean.
    #[arg(long, value_name = "NAME", conflicts_with = "query")]
    pub(crate) client: Option<String>,
    /// Take back what agents and imports wrote since this day: 2026-11-17, yesterday, '3 days ago'.
    #[arg(long, value_name = "DAY", conflicts_with = "query")]
    pub(crate) since: Option<String>,
    /// Remove the line without asking; if several lines match, name their ids or pass --all.
    #[arg(long)]
    pub(crate) yes: bool,
    /// With --yes: remove every line that matches.
    #[arg(long, requires = "yes", conflicts_with_all = ["session", "client", "since"])]
    pub(crate) all: bool,
    /// Print JSON without asking.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars done`
#[derive(Debug, clap::Args)]
pub(crate) struct Done {
    /// Words of the open end, its id, or the id of an unfinished session, which is then done. Without any, the open ends of the last half
    /// year are listed.
    #[arg(value_name = "WORDS|ID", value_parser = word())]
    pub(crate) query: Vec<String>,
    /// Tick every open end that matches.
    #[arg(long, requires = "query")]
    pub(crate) all: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars undo`
#[derive(Debug, clap::Args)]
pub(crate) struct Undo {
    /// Undo notes and logs that hooks wrote, instead of writes of commands.
    #[arg(long)]
    pub(crate) notes: bool,
    /// The number of commands to undo; more than one needs a confirmation, or --yes.
    #[arg(value_name = "N", default_value_t = 1, value_parser = commands)]
    pub(crate) count: u16,
    /// Restore the last undone write.
    #[arg(long, conflicts_with = "count")]
    pub(crate) redo: bool,
    /// Undo without asking.
    #[arg(long)]
    pub(crate) yes: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

fn commands(text: &str) -> Result<u16, String> {
    let count = text.parse().ok().filter(|count| *count > 0);
    count.ok_or_else(|| "how many commands to take back is a number from 1 on; tars log shows what they wrote".into())
}

/// `tars log`
#[derive(Debug, clap::Args)]
pub(crate) struct Log {
    /// The largest number of entries.
    #[arg(short = 'n', long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) limit: u16,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars feedback`
#[derive(Debug, clap::Args)]
pub(crate) struct FeedbackArgs {
    /// The judgement.
    #[arg(value_parser = ["wrong", "good"])]
    pub(crate) kind: String,
    /// The praise or the complaint, and how it should be; `-` reads standard input.
    #[arg(value_name = "NOTE", value_parser = word())]
    pub(crate) note: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Headings of the options of `tars review`.
const LIST: &str = "The list of proposals";
const WAITING: &str = "Lines that wait";
const SKILLS: &str = "Skills";

/// `tars review`
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("worded").args(["promote", "accept"])))]
pub(crate) struct Review {
    /// Derive proposals for rules and facts from the waiting lines, and add them to the list (tars/proposals.md); at a terminal, ask
    /// about each. Statements about yourself go to your section of Memory.md, or replace the line there that contradicts them. Uses a
    /// language model if one is configured (summary.provider).
    #[arg(long, conflicts_with_all = ["promote", "drop", "settle", "accept", "refuse"], help_heading = LIST)]
    pub(crate) propose: bool,
    /// Print steps that recur on at least three days, as skills (SKILL.md) for an agent.
    #[arg(long, conflicts_with_all = ["promote", "drop", "settle", "accept", "refuse", "propose", "proposals"], help_heading = SKILLS)]
    pub(crate) skills: bool,
    /// With --skills: write each to FOLDER/NAME/SKILL.md. Existing files are not changed.
    #[arg(long, value_name = "FOLDER", requires = "skills", help_heading = SKILLS)]
    pub(crate) write: Option<PathBuf>,
    /// Apply the ticked boxes of the list without asking.
    #[arg(long, conflicts_with_all = ["promote", "drop", "accept", "refuse"], help_heading = LIST)]
    pub(crate) settle: bool,
    /// Show the list of proposals without asking.
    #[arg(long, conflicts_with_all = ["promote", "drop", "accept", "refuse", "settle", "propose"], help_heading = LIST)]
    pub(crate) proposals: bool,
    /// Accept the proposal with this id, without asking.
    #[arg(long, value_name = "ID", conflicts_with_all = ["promote", "drop", "refuse"], help_heading = LIST)]
    pub(crate) accept: Option<String>,
    /// Refuse the proposal with this id; it does not come back.
    #[arg(long, value_name = "ID", conflicts_with_all = ["promote", "drop"], help_heading = LIST)]
    pub(crate) refuse: Option<String>,
    /// Keep the waiting line with this id, without asking.
    #[arg(long, value_name = "ID", conflicts_with = "drop", help_heading = WAITING)]
    pub(crate) promote: Option<String>,
    /// With --promote: the type of the line.
    #[arg(long, value_name = "TYPE", default_value = "semantic", requires = "promote", help_heading = WAITING)]
    pub(crate) to: Promote,
    /// With --promote: the line to replace, by its id or by words that only it contains. The old line moves to archive/superseded.md.
    #[arg(long, value_name = "LINE", requires = "promote", help_heading = WAITING)]
    pub(crate) replace: Option<String>,
    /// With --promote or --accept: the text to write instead.
    #[arg(long, value_name = "TEXT", requires = "worded", help_heading = WAITING)]
    pub(crate) text: Option<String>,
    /// Drop the waiting line with this id, without asking.
    #[arg(long, value_name = "ID", help_heading = WAITING)]
    pub(crate) drop: Option<String>,
    /// Print JSON without asking: the waiting lines, or the result.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The destination of a promoted line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Promote {
    /// Memory.md.
    #[value(alias = "fact")]
    Semantic,
    /// Procedural.md.
    #[value(alias = "rule")]
    Procedural,
}

/// `tars history`
#[derive(Debug, clap::Args)]
pub(crate) struct History {
    /// Words of the fact; its current or a former text contains all of them.
    #[arg(required = true, value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars project`
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Project {
    #[command(subcommand)]
    pub(crate) command: Option<ProjectCommand>,
    /// The project whose page is printed: owner/name, or a name that is unique. Default: the list of projects.
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars project update`
#[derive(Debug, Subcommand)]
pub(crate) enum ProjectCommand {
    /// Propose updates of the page from the notes of sessions.
    Update {
        /// The project.
        name: String,
        /// Print JSON without asking.
        #[arg(long)]
        json: bool,
    },
}

/// `tars tidy`
#[derive(Debug, clap::Args)]
pub(crate) struct Tidy {
    /// Add possible improvements to the list of proposals (tars/proposals.md); at a terminal, ask about each. Uses a language model if
    /// one is configured (summary.provider).
    #[arg(long, conflicts_with = "yes")]
    pub(crate) propose: bool,
    /// Remove everything that is proposed, without asking.
    #[arg(long)]
    pub(crate) yes: bool,
    /// Print JSON without asking.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars compact`
#[derive(Debug, clap::Args)]
pub(crate) struct Compact {
    /// The month: 2026-03.
    #[arg(value_name = "MONTH", required_unless_present = "older_than", conflicts_with = "older_than")]
    pub(crate) month: Option<String>,
    /// All months that ended at least this long ago: 30d, 8w.
    #[arg(long, value_name = "AGE", value_parser = super::values::days)]
    pub(crate) older_than: Option<u32>,
    /// Move the summarized logs to archive/days and archive/sessions.
    #[arg(long = "move")]
    pub(crate) is_moved: bool,
    /// Write nothing: show the summaries, the moves, and the links that would break.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars week`
#[derive(Debug, clap::Args)]
pub(crate) struct Week {
    /// The last of the seven days: 2026-11-17, 17.11.2026, yesterday, gestern. Default: today.
    #[arg(value_name = "DATE")]
    pub(crate) day: Option<String>,
    /// At a terminal: keep or drop each line by key.
    #[arg(long, conflicts_with = "json")]
    pub(crate) review: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars audit`
#[derive(Debug, clap::Args)]
pub(crate) struct Audit {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars extract`
#[derive(Debug, clap::Args)]
pub(crate) struct Extract {
    /// A text file, an agent's transcript (.jsonl), a session id of `tars sessions`, or - for standard input.
    #[arg(value_name = "SESSION|FILE|-")]
    pub(crate) source: String,
    /// Ask the language model again about text it has already read.
    #[arg(long)]
    pub(crate) again: bool,
    /// Show the facts without writing them.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
