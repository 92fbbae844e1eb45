//! Compares a root with the index: the walk delivers its notes, and each is compared as it arrives.

use std::path::Path;

use super::diff::{ChangeRules, Comparison, ComparisonResult, Diff, Difference, LeftOut};
use tars_store::{CollectionId, ExcludedFile, KnownFile, Reader, StoreError};
use tars_vault::{WalkOptions, WalkResult, walk_into};

/// The index's knowledge of the files of a collection.
#[derive(Debug, Clone, Default)]
pub struct KnownFiles {
    /// The indexed files.
    pub files: Vec<KnownFile>,
    /// The files excluded by a rule.
    pub excluded: Vec<ExcludedFile>,
}

impl KnownFiles {
    /// Reads it from `index`. A file counts as cut if `chunker` cut it, or, if `chunker` is `None`, if any did.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn read(index: &dyn Reader, collection: CollectionId, chunker: Option<&str>) -> Result<Self, StoreError> {
        Ok(Self { files: index.known_files(collection, chunker)?, excluded: index.excluded_files(collection)? })
    }
}

/// A walked root with its comparison.
#[derive(Debug)]
pub struct ComparedRoot {
    /// The result of the walk, except the notes.
    pub walk: WalkResult,
    /// The known files of the root.
    pub(super) files: Vec<KnownFile>,
    /// The results of the comparison.
    pub(super) result: ComparisonResult,
}

impl ComparedRoot {
    /// Whether the root holds no notes although the index knows some.
    pub fn is_emptied(&self) -> bool {
        self.result.notes == 0 && !self.files.is_empty()
    }

    /// Returns the notes that are excluded because they are too large or hold no text, sorted.
    pub fn left_out(&self) -> Vec<LeftOut> {
        let mut left_out = self.result.left_out.clone();
        left_out.sort_unstable();
        left_out
    }

    /// Returns the notes that differ from their known state, judged by metadata alone.
    pub fn differences(self) -> Vec<Difference> {
        self.result.differences(&self.files, &self.walk)
    }

    /// Returns how many known files were found or are evicted to iCloud.
    pub(super) fn found_count(&self) -> usize {
        self.result.found_count(&self.files, &self.walk)
    }

    /// Returns the files to read and to remove.
    pub(super) fn diff(self) -> Diff {
        self.result.diff(&self.files, &self.walk)
    }
}

/// The outcome of [`compare_root`].
#[derive(Debug)]
pub struct RootComparison {
    /// The number of files in the index.
    pub known: usize,
    /// The compared root, if the configured patterns are valid.
    pub compared: Result<ComparedRoot, ignore::Error>,
}

/// Compares the notes of `root` with their known state, which `known` reads while the walk runs.
///
/// # Errors
/// The known state cannot be read.
pub fn compare_root(
    root: &Path,
    options: &WalkOptions,
    rules: ChangeRules<'_>,
    known: impl FnOnce() -> Result<KnownFiles, StoreError>,
) -> Result<RootComparison, StoreError> {
    let (found, compared) = walk_into(root, options, |notes| {
        let KnownFiles { files, excluded } = known()?;
        let mut comparison = Comparison::new(&files, &excluded, rules);
        notes.into_iter().flatten().for_each(|note| comparison.take(note));
        let met = comparison.finish();
        Ok::<_, StoreError>((files, met))
    });
    let (files, met) = compared?;
    Ok(RootComparison {
        known: files.len(),
        compared: found.map(|found| ComparedRoot { walk: found, files, result: met }),
    })
}
