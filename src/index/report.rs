//! What a run did.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

/// Counts of one run, as printed and as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Report {
    /// Notes found on disk.
    pub files: usize,
    /// Notes that were new.
    pub added: usize,
    /// Notes whose content (or whose chunker) had changed.
    pub changed: usize,
    /// Notes found under another path.
    pub moved: usize,
    /// Notes that are gone.
    pub removed: usize,
    /// Notes left as they were.
    pub unchanged: usize,
    /// Notes whose author asked that they not be indexed.
    pub private: usize,
    /// Notes left out because of their size or because they hold no text.
    pub skipped: usize,
    /// Notes left out as copies that a sync program made of a conflict.
    pub conflict_copies: usize,
    /// Notes whose text iCloud has taken off this disk; what was known of them stays.
    pub evicted: usize,
    /// Notes that could not be read; what was known of them stays.
    pub failed: usize,
    /// Folders that are missing, or empty although the index knows notes of them; what was known stays.
    pub roots_missing: usize,
    /// What is said of these, a line each; it is among the warnings too.
    #[serde(skip)]
    pub missing: Vec<String>,
    /// Passages embedded in this run.
    pub embedded: usize,
    /// Passages that still lack a vector.
    pub pending: usize,
    /// Where a damaged index lies now that this run has made anew.
    pub set_aside: Option<PathBuf>,
    /// Whether the run was interrupted.
    pub interrupted: bool,
    /// What went wrong with single files, one line each.
    pub warnings: Vec<String>,
}
