//! Links to folders that are followed.

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the folder to which the link at `path` leads, if `links` name it. Its notes would be found twice if it led to the root, into
/// it, to a folder around it, or where an earlier one of `links` leads: such a link is not followed.
pub(super) fn followed(root: &Path, links: &[PathBuf], path: &Path) -> Option<PathBuf> {
    let earlier = &links[..links.iter().position(|link| link == path)?];
    let target = fs::canonicalize(path).ok().filter(|target| target.is_dir())?;
    let root = fs::canonicalize(root).ok()?;
    let overlaps = |other: &Path| target.starts_with(other) || other.starts_with(&target);
    // Links of other roots count for those alone.
    let mut others =
        earlier.iter().filter(|link| link.starts_with(&root)).filter_map(|link| fs::canonicalize(link).ok());
    (!overlaps(&root) && !others.any(|other| overlaps(&other))).then_some(target)
}
