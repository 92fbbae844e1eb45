//! Places that a walk passes over because they cannot be read.

use std::path::{Path, PathBuf};

/// A place that could not be looked into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The place, where it is known.
    pub location: Option<PathBuf>,
    /// What and why, in one line.
    pub message: String,
}

impl Skipped {
    /// A place, and what the system says of it.
    pub(super) fn because(location: PathBuf, error: &std::io::Error) -> Self {
        let message = format!("{}: {error}", location.display());
        Self { location: Some(location), message }
    }

    /// Whether the file at `path` may be there and was merely not seen.
    pub fn may_hide(&self, path: &Path) -> bool {
        self.location.as_ref().is_none_or(|place| path.starts_with(place))
    }
}
