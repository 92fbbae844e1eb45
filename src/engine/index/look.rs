//! Compares a root with the index: the walk delivers its notes, and each is compared as it arrives.

use std::path::Path;

use super::diff::{Comparison, Diff, Difference, Judging, Met};
use tars_store::{CollectionId, KnownFile, LeftOut, Reader, StoreError};
use tars_vault::{Found, WalkOptions, walk_into};

/// The index's knowledge of the files of a collection.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// The indexed files.
    pub files: Vec<KnownFile>,
    /// The files excluded by a rule.
    pub left_out: Vec<LeftOut>,
}

impl Known {
    /// Reads it from `index`. A file counts as cut if `chunker` cut it, or, if `chunker` is `None`, if any did.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn read(index: &dyn Reader, collection: CollectionId, chunker: Option<&str>) -> Result<Self, StoreError> {
        Ok(Self { files: index.known_files(collection, chunker)?, left_out: index.left_out(collection)? })
    }
}

/// A walked root with its comparison.
#[derive(Debug)]
pub struct Look {
    /// The result of the walk, except the notes.
    pub found: Found,
    /// The known files of the root.
    pub(super) files: Vec<KnownFile>,
    /// The results of the comparison.
    pub(super) met: Met,
}

impl Look {
    /// Whether the root holds no notes although the index knows some.
    pub fn is_emptied(&self) -> bool {
        self.met.notes == 0 && !self.files.is_empty()
    }

    /// Returns the notes that differ from their known state, judged by metadata alone.
    pub fn differences(self) -> Vec<Difference> {
        self.met.differences(&self.files, &self.found)
    }

    /// Returns how many known files were found or are evicted to iCloud.
    pub(super) fn known(&self) -> usize {
        self.met.known(&self.files, &self.found)
    }

    /// Returns the files to read and to remove.
    pub(super) fn diff(self) -> Diff {
        self.met.diff(&self.files, &self.found)
    }
}

/// The outcome of [`look`].
#[derive(Debug)]
pub struct LookedAt {
    /// The number of files in the index.
    pub known: usize,
    /// The compared root, if the configured patterns are valid.
    pub look: Result<Look, ignore::Error>,
}

/// Compares the notes of `root` with their known state, which `known` reads while the walk runs.
///
/// # Errors
/// The known state cannot be read.
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
