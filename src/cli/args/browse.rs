//! Arguments of the commands that list notes, tags, links and tasks, and of `tars open`.

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use super::completions::{collections, notes_and_ids};
use super::dashes::word;
use tars_service::NoteSort;

/// Heading of the options about the output.
const SHOWN: &str = "What is shown";

/// How a list is printed.
#[derive(Debug, Clone, Args)]
pub(crate) struct Shape {
    /// The format: lines for people, JSON as a whole or a line each, absolute paths, vimgrep lines for an editor, a markdown list, or CSV.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ListFormat::Human, help_heading = SHOWN)]
    pub(crate) format: ListFormat,
    /// End each path with a NUL instead of a line end, for xargs -0; implies --format files.
    #[arg(short = '0', long = "null", help_heading = SHOWN)]
    pub(crate) null: bool,
    /// Print JSON (--format json).
    #[arg(long, conflicts_with_all = ["format", "null"], help_heading = SHOWN)]
    pub(crate) json: bool,
}

/// The formats of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// Lines for people.
    Human,
    /// One JSON object.
    Json,
    /// One JSON object for each entry.
    Jsonl,
    /// Absolute paths, each once.
    Files,
    /// `PATH:LINE:COLUMN:TEXT`.
    Vimgrep,
    /// A markdown list with wikilinks.
    Markdown,
    /// A table with a header; cells that look like a formula begin with an apostrophe.
    Csv,
}

impl Shape {
    /// Returns the format that all of its options name.
    pub(crate) fn wanted(&self) -> ListFormat {
        if self.json { ListFormat::Json } else { self.format }
    }
}

/// `tars list`
#[derive(Debug, Args)]
pub(crate) struct List {
    /// Filters as in a search (tag:work, path:Projects, type:daily, after:2026-05, -tag:done, status:open, 'rating:>3'), orphan: (no note links to it) and
    /// dead-links: (a link leads nowhere). Other words must be in the path or the title.
    #[arg(value_name = "FILTERS", value_parser = word())]
    pub(crate) words: Vec<String>,
    /// The order: name, date (newest first), size (largest first) or recalled (shown to agents most often first).
    #[arg(long, value_name = "ORDER", default_value = "name", value_parser = PossibleValuesParser::new(["name", "date", "size", "recalled"]))]
    pub(crate) sort: String,
    /// The largest number of notes. Default: all.
    #[arg(short = 'n', long, help_heading = SHOWN, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: Option<u32>,
    /// Only this collection; repeatable.
    #[arg(long = "collection", value_name = "NAME", add = collections())]
    pub(crate) collections: Vec<String>,
    /// Properties to list with each note, from front matter and inline fields, with commas between: status,due.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = SHOWN)]
    pub(crate) columns: Vec<String>,
    #[command(flatten)]
    pub(crate) shape: Shape,
}

impl List {
    /// Returns the order.
    pub(crate) fn order(&self) -> NoteSort {
        match self.sort.as_str() {
            "date" => NoteSort::Date,
            "size" => NoteSort::Size,
            "recalled" => NoteSort::Recalled,
            _ => NoteSort::Name,
        }
    }
}

/// `tars random`
#[derive(Debug, Args)]
pub(crate) struct Random {
    /// Filters, as in `tars list`.
    #[arg(value_name = "FILTERS", value_parser = word())]
    pub(crate) words: Vec<String>,
    /// The number of notes.
    #[arg(short = 'n', long, default_value_t = 1, help_heading = SHOWN, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: u32,
    #[command(flatten)]
    pub(crate) shape: Shape,
}

/// `tars tags`
#[derive(Debug, Args)]
pub(crate) struct Tags {
    /// Filters, as in `tars list`: only the tags of these notes.
    #[arg(value_name = "FILTERS", value_parser = word())]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) shape: Shape,
}

/// `tars links`
#[derive(Debug, Args)]
pub(crate) struct Links {
    /// The note: a path, an alias, a link in double brackets, the id of a result, or its place in the last answer of this terminal.
    #[arg(value_name = "NOTE", add = notes_and_ids())]
    pub(crate) note: String,
    /// List backlinks instead: links from other notes to this one.
    #[arg(long)]
    pub(crate) back: bool,
    #[command(flatten)]
    pub(crate) shape: Shape,
}

/// `tars related`
#[derive(Debug, Args)]
pub(crate) struct Related {
    /// The note: a path, an alias, a link in double brackets, the id of a result, or its place in the last answer of this terminal.
    #[arg(value_name = "NOTE", add = notes_and_ids())]
    pub(crate) note: String,
    /// The largest number of notes about the same subject; linked notes come in addition. Default: 8.
    #[arg(short = 'n', long, help_heading = SHOWN, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub(crate) limit: Option<u16>,
    #[command(flatten)]
    pub(crate) shape: Shape,
}

/// `tars tasks`
#[derive(Debug, Args)]
pub(crate) struct Tasks {
    /// First open (the default), done, cancelled or all; then filters of their notes as in `tars list`, and their dates: 'due:<week',
    /// due:today, scheduled:2026-12, due:none (start:, created: and done: too). Other words must be in the text of the task.
    #[arg(value_name = "FILTERS", value_parser = word())]
    pub(crate) words: Vec<String>,
    /// The largest number of tasks. Default: all.
    #[arg(short = 'n', long, help_heading = SHOWN, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) limit: Option<u32>,
    /// Only this collection; repeatable.
    #[arg(long = "collection", value_name = "NAME", add = collections())]
    pub(crate) collections: Vec<String>,
    #[command(flatten)]
    pub(crate) shape: Shape,
}

/// `tars ui`
#[derive(Debug, Args)]
pub(crate) struct Ui {
    /// The first question, in the language of `tars search`.
    #[arg(value_name = "QUESTION", value_parser = word())]
    pub(crate) words: Vec<String>,
    /// Read and print lines instead of drawing a screen: for screen readers.
    #[arg(long)]
    pub(crate) plain: bool,
}

/// `tars conflicts`
#[derive(Debug, Args)]
pub(crate) struct Conflicts {
    /// Only copies whose path, or that of their note, contains this text.
    #[arg(value_name = "TEXT", value_parser = word())]
    pub(crate) words: Vec<String>,
    /// For each copy in the memory folder, show the merged note and offer to write it and remove the copy. No line is dropped, and `tars
    /// undo` takes the merge back.
    #[arg(long, conflicts_with_all = ["format", "json"])]
    pub(crate) resolve: bool,
    /// The format: a diff for people, or JSON.
    #[arg(long, value_name = "FORMAT", default_value = "human", value_parser = PossibleValuesParser::new(["human", "json"]), help_heading = SHOWN)]
    pub(crate) format: String,
    /// Print JSON (--format json).
    #[arg(long, conflicts_with = "format", help_heading = SHOWN)]
    pub(crate) json: bool,
}

/// `tars open`
#[derive(Debug, Args)]
pub(crate) struct Open {
    /// A note (path, path:line, alias or link in double brackets), the id of a result, the place of a result in the last answer of this
    /// terminal (1 to 99), or a question, whose first relevant result is opened. Without it, prints the page's link.
    #[arg(value_name = "ID|PATH|[[LINK]]|QUESTION", add = notes_and_ids())]
    pub(crate) what: Vec<String>,
    /// Open it with the editor of $VISUAL or $EDITOR, with Obsidian, or in the browser on the page of `tars serve`.
    #[arg(long, value_enum, value_name = "PROGRAM", default_value_t = OpenWith::Editor, requires = "what")]
    pub(crate) with: OpenWith,
    /// Show the page's link as a QR code, for a phone.
    #[arg(long, conflicts_with_all = ["what", "with"])]
    pub(crate) qr: bool,
}

/// The programs that open a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OpenWith {
    /// The person's editor.
    Editor,
    /// Obsidian.
    Obsidian,
    /// The page of `tars serve`, in a browser.
    Web,
}
