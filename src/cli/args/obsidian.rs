//! `tars obsidian`: the plugin for Obsidian.

use std::path::PathBuf;

/// `tars obsidian`
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Obsidian {
    /// Install the plugin in a vault, or bring it up to date: three files in its folder .obsidian/plugins/tars.
    ///
    /// Exit codes: 0 it is there and up to date, 1 nothing was written because nobody agreed, 2 an error.
    Install(ObsidianVault),
    /// Remove the files of the plugin that are as tars left them.
    ///
    /// Exit codes: 0 removed, 1 nothing was removed, because nothing was there or nobody agreed, 2 an error, or a changed file was kept.
    Remove(ObsidianVault),
}

/// The vault of `tars obsidian install` and `tars obsidian remove`.
#[derive(Debug, clap::Args)]
pub(crate) struct ObsidianVault {
    /// The vault as Obsidian opens it. Default: the configured one.
    #[arg(value_name = "VAULT")]
    pub(crate) folder: Option<PathBuf>,
    /// Do it without asking.
    #[arg(long, short)]
    pub(crate) yes: bool,
}
