//! The problems that an examination finds.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

/// A problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// The kind of problem.
    pub kind: ProblemKind,
    /// The file or folder.
    pub path: PathBuf,
    /// A description in one line.
    pub detail: String,
}

/// The kind of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemKind {
    /// The database is damaged.
    Index,
    /// Other users may read or write data of tars, or own it.
    Permissions,
    /// A killed process left a file behind.
    Leftover,
}

impl Problem {
    pub(super) fn new(kind: ProblemKind, path: &Path, detail: impl Into<String>) -> Self {
        Self { kind, path: path.to_owned(), detail: detail.into() }
    }
}
