//! `tars why` and `tars stats`: what was put before agents and models.

/// `tars why`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Why {
    /// The session's id, or how it begins. Default: the one that this command runs in, else the one that was last shown something.
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) session: Option<String>,
    /// Say that the lines with these numbers have helped.
    #[arg(long, value_name = "NUMBER", num_args = 1.., conflicts_with = "not_helpful")]
    pub(in crate::cli) helpful: Vec<usize>,
    /// Say that the lines with these numbers have not helped.
    #[arg(long, value_name = "NUMBER", num_args = 1..)]
    pub(in crate::cli) not_helpful: Vec<usize>,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

/// `tars stats`
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Stats {
    /// Show what was brought up in the last 30 days, and what of it was used.
    #[arg(long)]
    pub(in crate::cli) recall: bool,
    /// Print JSON.
    #[arg(long)]
    pub(in crate::cli) json: bool,
}
