//! `tars why` and `tars stats`: the context that agents and models got.

use std::path::PathBuf;

/// `tars why`
#[derive(Debug, clap::Args)]
pub(crate) struct Why {
    /// The session's id, or its beginning. Default: the session that this command runs in, else the one with the latest context.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Mark the lines with these numbers as helpful.
    #[arg(long, value_name = "NUMBER", num_args = 1.., conflicts_with = "not_helpful")]
    pub(crate) helpful: Vec<usize>,
    /// Mark the lines with these numbers as not helpful.
    #[arg(long, value_name = "NUMBER", num_args = 1..)]
    pub(crate) not_helpful: Vec<usize>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tars stats`
#[derive(Debug, clap::Args)]
pub(crate) struct Stats {
    /// Show the lines recalled in the last 30 days, and their use.
    #[arg(long)]
    pub(crate) recall: bool,
    /// Restart the counting and learning from now, or from a day: `2026-11-01`, `yesterday`. Nothing is deleted, and
    /// `--reset all` counts everything again.
    #[arg(long, value_name = "DAY", num_args = 0..=1, default_missing_value = "now", requires = "recall")]
    pub(crate) reset: Option<String>,
    /// Also draw the charts into this file, as a picture in SVG. Another file is not overwritten.
    #[arg(long, value_name = "FILE", conflicts_with = "recall")]
    pub(crate) svg: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
