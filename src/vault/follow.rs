//! Links to folders that are followed.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the folder to which the link at `path` leads, if `links` name it. A link to the root, into it, or to a folder around it is not
/// followed: its notes would be found twice.
pub(super) fn followed(root: &Path, links: &[PathBuf], path: &Path) -> Option<PathBuf> {
    if !links.iter().any(|link| link == path) {
        return None;
    }
    let target = fs::canonicalize(path).ok().filter(|target| target.is_dir())?;
    let root = fs::canonicalize(root).ok()?;
    (!target.starts_with(&root) && !root.starts_with(&target)).then_some(target)
}
