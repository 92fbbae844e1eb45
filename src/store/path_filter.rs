//! The path part of a filter.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::StoreError;
use tars_base::domain::Filter;

/// The compiled path patterns of a filter.
pub(super) struct PathFilter {
    wanted: Option<GlobSet>,
    unwanted: Option<GlobSet>,
}

impl PathFilter {
    /// # Errors
    /// [`StoreError::Glob`]: a pattern is invalid.
    pub(super) fn of(filter: &Filter) -> Result<Self, StoreError> {
        Ok(Self { wanted: globs(&filter.paths)?, unwanted: globs(&filter.without_paths)? })
    }

    /// Whether the filter admits a path relative to its collection's root.
    pub(super) fn admits(&self, path: &str) -> bool {
        self.wanted.as_ref().is_none_or(|globs| globs.is_match(path))
            && self.unwanted.as_ref().is_none_or(|globs| !globs.is_match(path))
    }
}

/// Compiles shell globs (`*` stays within a folder); a plain folder name matches everything below it.
fn globs(patterns: &[String]) -> Result<Option<GlobSet>, StoreError> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let bare = pattern.trim_start_matches("./").trim_end_matches('/');
        // `Projects/*` matches the entries of that folder, but nothing in its subfolders.
        let names_a_folder = !bare.rsplit('/').next().unwrap_or(bare).contains(['*', '?', '[', '{']);
        let below = names_a_folder.then(|| format!("{bare}/**"));
        for form in std::iter::once(bare.to_owned()).chain(below) {
            let glob = GlobBuilder::new(&form).literal_separator(true).build();
            set.add(
                glob.map_err(|error| StoreError::Glob { glob: pattern.clone(), detail: error.kind().to_string() })?,
            );
        }
    }
    let built = set.build();
    built.map(Some).map_err(|error| StoreError::Glob { glob: patterns.join(", "), detail: error.to_string() })
}
