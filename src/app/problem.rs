//! What an examination finds wrong.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// What it is about.
    pub kind: ProblemKind,
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong, in a line.
    pub detail: String,
}

/// What a problem is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemKind {
    /// The database is damaged.
    Index,
    /// Others than the owner may read or write what tars keeps, or it belongs to somebody else.
    Permissions,
    /// A file was left over by a process that was killed.
    Leftover,
}

impl Problem {
    pub(super) fn new(kind: ProblemKind, path: &Path, detail: impl Into<String>) -> Self {
        Self { kind, path: path.to_owned(), detail: detail.into() }
    }
}
