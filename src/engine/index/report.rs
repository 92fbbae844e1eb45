//! The report of a run.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use tars_base::domain::Progress;

/// The counts of one run, for printing and as JSON.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Report {
    /// Notes found on disk.
    pub files: usize,
    /// Notes that were new.
    pub added: usize,
    /// Notes whose content or chunker had changed.
    pub changed: usize,
    /// Notes found under another path.
    pub moved: usize,
    /// Notes that were removed.
    pub removed: usize,
    /// Unchanged notes.
    pub unchanged: usize,
    /// Notes excluded by their author.
    pub private: usize,
    /// Notes excluded for their size or because they hold no text.
    pub skipped: usize,
    /// Notes excluded as conflict copies of a sync program.
    pub conflict_copies: usize,
    /// Notes whose text iCloud has evicted from this disk; their known state stays.
    pub evicted: usize,
    /// Notes that could not be read; their known state stays.
    pub failed: usize,
    /// Folders that are missing, or empty although the index knows notes in them; their known state stays.
    pub roots_missing: usize,
    /// The messages about these folders, one line each; the warnings include them.
    #[serde(skip)]
    pub missing: Vec<String>,
    /// Passages embedded in this run.
    pub embedded: usize,
    /// Passages that still lack a vector.
    pub pending: usize,
    /// Where the damaged former index is, if this run replaced one.
    pub set_aside: Option<PathBuf>,
    /// Whether the run was interrupted.
    pub interrupted: bool,
    /// Notes whose front matter YAML refuses, with the reason, one line each; empty once they are among the warnings.
    #[serde(skip)]
    pub refused_front_matter: Vec<String>,
    /// Notes that were read in another encoding than UTF-8, each with the encoding; one of the warnings names them.
    #[serde(skip)]
    pub decoded: Vec<String>,
    /// Known notes that are private now, or that may hold private spans now: what was shown of them is to be forgotten.
    #[serde(skip)]
    pub hiding: Vec<HidingNote>,
    /// Warnings about single files, one line each.
    pub warnings: Vec<String>,
}

impl Report {
    /// Reports a warning at once and notes it.
    pub(super) fn warn(&mut self, message: String, progress: &dyn Progress) {
        progress.warn(&message);
        self.warnings.push(message);
    }
}

/// A note that hides something which the index knew before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HidingNote {
    /// Name of its collection.
    pub collection: String,
    /// Its path, relative to the collection.
    pub path: String,
    /// The path under which the index knew it.
    pub known_as: String,
    /// Whether the whole note is private.
    pub is_private: bool,
}
