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
    pub(super) fn of(error: &ignore::Error) -> Self {
        Self { location: place(error).map(Path::to_owned), message: error.to_string() }
    }

    /// Whether the file at `path` may be there and was merely not seen.
    pub fn may_hide(&self, path: &Path) -> bool {
        self.location.as_ref().is_none_or(|place| path.starts_with(place))
    }
}

fn place(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => place(err),
        ignore::Error::Partial(errors) => errors.first().and_then(place),
        _ => None,
    }
}
