//! A look at a root: the walk hands over its notes, and they are compared with what the index knows while it goes on.

use std::path::Path;

use super::diff::{Comparison, Diff, Difference, Judging, Met};
use crate::store::{CollectionId, KnownFile, LeftOut, Reader, StoreError};
use crate::vault::{Found, WalkOptions, walk_into};

/// What the index knows of the files of a collection.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Those that are in it.
    pub files: Vec<KnownFile>,
    /// Those that were left out by rule.
    pub left_out: Vec<LeftOut>,
}

impl Known {
    /// Reads it. A file counts as cut if it is cut by `chunker`, or, without one, if it is cut at all.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn read(index: &dyn Reader, collection: CollectionId, chunker: Option<&str>) -> Result<Self, StoreError> {
        Ok(Self { files: index.known_files(collection, chunker)?, left_out: index.left_out(collection)? })
    }
}

/// A root beside what is known of it.
#[derive(Debug)]
pub struct Look {
    /// What the walk says beside the notes.
    pub found: Found,
    /// What is known of the files of the root.
    pub(super) files: Vec<KnownFile>,
    /// What the comparison has met.
    pub(super) met: Met,
}

impl Look {
    /// Whether the root holds no note although the index knows some.
    pub fn is_emptied(&self) -> bool {
        self.met.notes == 0 && !self.files.is_empty()
    }

    /// Returns the notes that differ from what is known of them, by their stat data alone.
    pub fn differences(self) -> Vec<Difference> {
        self.met.differences(&self.files, &self.found)
    }

    /// How many known files are there, or kept by iCloud.
    pub(super) fn known(&self) -> usize {
        self.met.known(&self.files, &self.found)
    }

    /// Returns what to do about each file.
    pub(super) fn diff(self) -> Diff {
        self.met.diff(&self.files, &self.found)
    }
}

/// What came of a look.
#[derive(Debug)]
pub struct LookedAt {
    /// How many notes the index knows.
    pub known: usize,
    /// The root beside what is known of it, if the patterns of the settings allow a walk.
    pub look: Result<Look, ignore::Error>,
}

/// Compares the notes of `root` with what is `known` of them, which is read while the system is asked for the notes.
///
/// # Errors
/// What is known cannot be read.
pub fn look(
    root: &Path,
    options: &WalkOptions,
    judging: Judging<'_>,
    known: impl FnOnce() -> Result<Known, StoreError>,
) -> Result<LookedAt, StoreError> {
    let (found, compared) = walk_into(root, options, |notes| {
        let Known { files, left_out } = known()?;
        let mut comparison = Comparison::new(&files, &left_out, judging);
        notes.into_iter().flatten().for_each(|note| comparison.take(note));
        let met = comparison.finish();
        Ok::<_, StoreError>((files, met))
    });
    let (files, met) = compared?;
    Ok(LookedAt { known: files.len(), look: found.map(|found| Look { found, files, met }) })
}
