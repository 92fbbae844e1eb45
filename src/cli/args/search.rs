//! Arguments of the commands that answer questions.

use std::ffi::OsString;
use std::path::PathBuf;

use super::completions::{collections, ids, notes_and_ids, tags};
use super::dashes::{os_word, word};
use super::values::{MinScore, NamedDays, lines};
use tars_base::domain::{MemoryType, Mode};
use tars_rank::Fusion;

/// Headings of the options of `tars search`.
const HOW: &str = "How to look";
const NARROW: &str = "Which notes";
const SHOWN: &str = "What is shown";

/// `tars search`
#[derive(Debug, clap::Args)]
pub(crate) struct Search {
    /// The query; `-` reads standard input. Without one, the options of "Which notes" list the newest notes.
    #[arg(value_name = "QUERY", value_parser = os_word())]
    pub(crate) words: Vec<OsString>,
    /// Retrievers: hybrid, keyword or vector. Default: the setting search.mode.
    #[arg(long, help_heading = HOW)]
    pub(crate) mode: Option<Mode>,
    /// How the lists are fused: adaptive, convex or rrf. Default: adaptive.
    #[arg(long, help_heading = HOW)]
    pub(crate) fusion: Option<Fusion>,
    /// The largest number of results. Default: the setting search.limit; on a terminal five, if it is not set; with --budget at least 30.
    #[arg(short = 'n', long, value_parser = clap::value_parser!(u16).range(1..=1000), help_heading = SHOWN)]
    pub(crate) limit: Option<u16>,
    /// Omit results with a lower score: a number from 0 to 1, or `gate` for the setting search.gate.
    #[arg(long, value_name = "SCORE|gate", help_heading = NARROW)]
    pub(crate) min_score: Option<MinScore>,
    /// Also list irrelevant results: those that score less than 0.25, which a terminal omits by default.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) all: bool,
    /// Only notes whose path matches, e.g. 'Projects/**'; repeatable.
    #[arg(long = "path", value_name = "GLOB", help_heading = NARROW)]
    pub(crate) paths: Vec<String>,
    /// Only notes with this tag; repeatable to require several.
    #[arg(long = "tag", value_name = "TAG", add = tags(), help_heading = NARROW)]
    pub(crate) tags: Vec<String>,
    /// Only this kind of memory: fact (semantic), rule (procedural), day (daily), session (episodic), chat or note; repeatable.
    #[arg(long = "type", value_name = "TYPE", help_heading = NARROW)]
    pub(crate) memory_types: Vec<MemoryType>,
    /// Only notes of this day or later: 2026-05-08, 17.11.2026, 2026-05, yesterday, 'last week'.
    #[arg(long, value_name = "DATE", help_heading = NARROW)]
    pub(crate) since: Option<NamedDays>,
    /// Only notes of this day, month or other period, or earlier.
    #[arg(long, value_name = "DATE", help_heading = NARROW)]
    pub(crate) until: Option<NamedDays>,
    /// The state of that day: superseded facts count as true, and later facts and notes are left out.
    #[arg(long, value_name = "DATE", conflicts_with = "hook", help_heading = NARROW)]
    pub(crate) as_of: Option<NamedDays>,
    /// Only this collection; repeatable.
    #[arg(long = "collection", value_name = "NAME", add = collections(), help_heading = NARROW)]
    pub(crate) collections: Vec<String>,
    /// Also show this many chunks around each result.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100), help_heading = SHOWN)]
    pub(crate) window: u32,
    /// Show at most this many tokens of text (about four characters each): the best results in full, and from the others only the answering lines.
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(1..), help_heading = SHOWN)]
    pub(crate) budget: Option<u32>,
    /// Rerank the best results with an installed cross-encoder.
    #[arg(long, conflicts_with = "hook", help_heading = HOW)]
    pub(crate) rerank: bool,
    /// Also search for other wordings of the question, made by the configured program or server.
    #[arg(long, conflicts_with = "hook", help_heading = HOW)]
    pub(crate) expand: bool,
    /// Answer from the index as it is, without checking the vault.
    #[arg(long, help_heading = HOW)]
    pub(crate) no_sync: bool,
    /// Answer a file of queries, one per line: a JSON string or {"id", "query"}. `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "words", help_heading = SHOWN)]
    pub(crate) batch: Option<PathBuf>,
    /// The same as `tars hook`.
    #[arg(hide = true, long, conflicts_with_all = ["words", "batch"])]
    pub(crate) hook: bool,
    /// Explain how the query was understood, and how each result got its score.
    #[arg(long, help_heading = SHOWN)]
    pub(crate) explain: bool,
    /// The format: lines for people, JSON, or tab-separated fields for fzf: id, place, heading, text.
    #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "batch", help_heading = SHOWN)]
    pub(crate) format: Option<SearchFormat>,
    /// Print JSON (--format json).
    #[arg(long, conflicts_with = "format", help_heading = SHOWN)]
    pub(crate) json: bool,
}

/// The formats of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SearchFormat {
    /// Lines for people.
    Human,
    /// One JSON object.
    Json,
    /// A line for each result: id, place, heading and text, with tabs between.
    Fzf,
}

impl Search {
    /// Whether the results are printed as JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json || self.format == Some(SearchFormat::Json)
    }
}

/// `tars expand`
#[derive(Debug, clap::Args)]
pub(crate) struct Expand {
    /// Id of a result, the first four or more of its digits, or its place in the last answer of this terminal.
    #[arg(add = ids())]
    pub(crate) id: String,
    /// Show this many chunks on either side instead of the section.
    #[arg(long, value_name = "N", conflicts_with = "file")]
    pub(crate) window: Option<u32>,
    /// Show the whole note.
    #[arg(long)]
    pub(crate) file: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars get`
#[derive(Debug, clap::Args)]
pub(crate) struct Get {
    /// A path, an alias, a link in double brackets (also to a heading or a block), the id of a result, its place in the last answer of
    /// this terminal (1 to 99), or a place as a search prints it: note.md:13 shows the section from that line on, note.md:13-20 these lines.
    #[arg(required = true, value_name = "PATH[:LINE]|[[LINK]]|ID", add = notes_and_ids())]
    pub(crate) names: Vec<String>,
    /// Only these lines, such as 10-25.
    #[arg(long, value_name = "FIRST-LAST", value_parser = lines, conflicts_with_all = ["section", "window"])]
    pub(crate) lines: Option<(usize, usize)>,
    /// Only the section under this heading, or the block of this name (^NAME).
    #[arg(long, value_name = "HEADING", conflicts_with = "window")]
    pub(crate) section: Option<String>,
    /// For an id, show this many chunks on either side instead of the section.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) window: Option<u32>,
    /// Show at most this many tokens of text (about four characters each).
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) budget: Option<u32>,
    /// Only this collection; repeatable.
    #[arg(long = "collection", value_name = "NAME", add = collections())]
    pub(crate) collections: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars context`
#[derive(Debug, clap::Args)]
pub(crate) struct Context {
    /// The question to the agent. With it, there is an answer only if something relevant is found.
    #[arg(value_name = "QUESTION", value_parser = word())]
    pub(crate) words: Vec<String>,
    /// The question as an option instead of QUESTION.
    #[arg(long, value_name = "TEXT", conflicts_with = "words")]
    pub(crate) query: Option<String>,
    /// Show the files of the memory instead, layer by layer, with their sizes and headings: a map for agents that can read files.
    #[arg(long, conflicts_with_all = ["words", "query", "budget", "project"])]
    pub(crate) layers: bool,
    /// The project that the question is about: its facts come first. Without a question, its page and its last notes come too.
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// Largest length in tokens of about four characters, 100 to 100000. Default: the setting context.budget_tokens.
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u32).range(100..=100_000))]
    pub(crate) budget: Option<u32>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
