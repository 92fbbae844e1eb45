//! A collection: a further folder to index, with the settings that are its own.
//!
//! The user's file names it in either form:
//!
//! ```toml
//! [collections]
//! work = "~/work/notes"
//!
//! [collections.recipes]
//! path = "~/recipes"
//! weight = 0.5
//! ```

use std::path::PathBuf;

use serde::Deserialize;
use toml::{Table, Value};

/// The folder of a collection and its own settings.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectionSettings {
    /// The absolute path of its folder.
    pub path: PathBuf,
    /// Files to exclude, in gitignore syntax, besides those of `index.exclude`.
    #[serde(default)]
    pub ignore: Vec<String>,
    /// Factor for the places of its results among relevant ones, 0.1 to 10.
    #[serde(default = "neutral")]
    pub weight: f64,
    /// Whether agents, models and other programs get nothing of it.
    #[serde(default)]
    pub private: bool,
    /// Whether tars refuses to write into its folder by any way.
    #[serde(default)]
    pub read_only: bool,
    /// Its description for people; empty if there is none.
    #[serde(default)]
    pub description: String,
}

fn neutral() -> f64 {
    1.0
}

impl CollectionSettings {
    /// Returns a collection without settings of its own.
    pub fn of(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            ignore: Vec::new(),
            weight: neutral(),
            private: false,
            read_only: false,
            description: String::new(),
        }
    }

    /// Returns the settings that differ from those of [`CollectionSettings::of`], and the folder as `path`.
    pub(super) fn to_table(&self, path: &str) -> Table {
        let mut table = Table::new();
        let mut add = |is_set: bool, key: &str, value: Value| {
            if is_set {
                table.insert(key.to_owned(), value);
            }
        };
        add(true, PATH, path.into());
        add(!self.description.is_empty(), "description", self.description.as_str().into());
        add(!self.ignore.is_empty(), "ignore", self.ignore.clone().into());
        add((self.weight - neutral()).abs() > f64::EPSILON, "weight", self.weight.into());
        add(self.private, "private", true.into());
        add(self.read_only, "read_only", true.into());
        table
    }
}

/// The table whose keys are names chosen by the user.
pub(super) const COLLECTIONS: &str = "collections";
/// The name of the folder in the table of a collection.
pub(super) const PATH: &str = "path";
