//! Places that a walk skips because they cannot be read.

use std::path::{Path, PathBuf};

/// A place that a walk skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The path, if known.
    pub location: Option<PathBuf>,
    /// The path and the reason, in one line.
    pub message: String,
}

impl Skipped {
    /// Returns a skipped place with the system's error.
    pub(super) fn because(location: PathBuf, error: &std::io::Error) -> Self {
        let message = format!("{}: {error}", location.display());
        Self { location: Some(location), message }
    }

    /// Returns the path below `root`, or the whole path if it lies elsewhere, and the reason.
    pub fn within(&self, root: &Path) -> (String, String) {
        let Some(location) = &self.location else { return (String::new(), self.message.clone()) };
        let path = location.strip_prefix(root).unwrap_or(location).display().to_string();
        let whole = format!("{}: ", location.display());
        (path, self.message.strip_prefix(&whole).unwrap_or(&self.message).to_owned())
    }

    /// Whether the file at `path` may exist but was not seen.
    pub fn may_hide(&self, path: &Path) -> bool {
        self.location.as_ref().is_none_or(|place| path.starts_with(place))
    }
}
