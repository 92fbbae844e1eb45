//! `tars collection`: the folders of notes besides the vault.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::browse::Shape;
use super::completions::collections;

/// `tars collection`
#[derive(Debug, Subcommand)]
pub(crate) enum Collection {
    /// Add a folder of notes; tars index then reads it.
    Add(AddCollection),
    /// List the vault and the collections with their settings.
    List {
        #[command(flatten)]
        shape: Shape,
    },
    /// Remove a collection from your configuration; its notes stay as they are.
    Remove {
        /// Its name.
        #[arg(value_name = "NAME", add = collections())]
        name: String,
        /// Remove it without asking.
        #[arg(long, short)]
        yes: bool,
    },
    /// Rename a collection; its notes are not embedded again.
    Rename {
        /// Its name.
        #[arg(value_name = "OLD", add = collections())]
        old: String,
        /// Its new name: ASCII letters, digits, '-' and '_'.
        #[arg(value_name = "NEW")]
        new: String,
    },
    /// Describe a collection in a line; an empty text removes the description.
    Describe {
        /// Its name.
        #[arg(value_name = "NAME", add = collections())]
        name: String,
        /// The description.
        #[arg(value_name = "TEXT", required = true)]
        text: Vec<String>,
    },
}

/// `tars collection add`
#[derive(Debug, Args)]
pub(crate) struct AddCollection {
    /// Its name: ASCII letters, digits, '-' and '_'.
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Its folder, outside of the vault and of other collections.
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// Hide it from agents, models and other programs; only your own searches find it.
    #[arg(long)]
    pub(crate) private: bool,
    /// Never write into it, not even during setup or for Obsidian.
    #[arg(long)]
    pub(crate) read_only: bool,
    /// How strongly its relevant results are preferred: 0.1 to 10, 1 is neutral.
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    pub(crate) weight: f64,
    /// Leave out files, in gitignore syntax (drafts/, *.tmp.md); repeatable.
    #[arg(long, value_name = "GLOB")]
    pub(crate) ignore: Vec<String>,
    /// A description in a line.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) describe: String,
}
