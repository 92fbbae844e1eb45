//! Compares the files on disk with the store.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use rustix::fs::{Access, access};
use rustix::io::Errno;

use tars_base::disk::FileStat;
use tars_store::{ExcludedFile, FileId, FileRecord, KnownFile};
use tars_text::formats::is_pdf;
use tars_vault::{FoundNote, WalkResult};

/// A file modified this shortly before it was indexed may have changed again within the same tick of its clock.
const RACY_NS: i64 = 2_000_000_000;

/// The rules by which a note counts as unchanged.
#[derive(Debug, Clone, Copy, Default)]
pub struct ChangeRules<'a> {
    /// Whether to read all notes again, regardless of their known state.
    pub full: bool,
    /// The current rule for large files; `None` if it is assumed to be unchanged.
    pub too_large: Option<&'a str>,
}

/// The files to read and to remove.
#[derive(Debug, Default)]
pub(super) struct Diff {
    /// Files to read, the newest first, each with its id if the index knows it.
    pub(super) read: Vec<(FoundNote, Option<FileId>)>,
    /// Files that were removed or moved. A file that the walk could not see is not included: it keeps its known state.
    pub(super) gone: Vec<KnownFile>,
}

/// Compares notes with their known state one by one, as the walk finds them, without keeping the unchanged ones.
pub(super) struct Comparison<'a> {
    files: &'a [KnownFile],
    /// Positions in `files`. The seed is random, so that file names cannot be crafted to collide.
    by_path: HashMap<&'a str, usize, RandomState>,
    excluded: HashMap<&'a str, &'a ExcludedFile>,
    rules: ChangeRules<'a>,
    result: ComparisonResult,
}

/// The results of a comparison so far.
#[derive(Debug, Default)]
pub(super) struct ComparisonResult {
    /// The number of notes found.
    pub(super) notes: usize,
    /// The number of notes still excluded by their author.
    pub(super) private: usize,
    /// The number of notes still excluded for other reasons.
    pub(super) skipped: usize,
    /// The notes excluded for other reasons, also those that may have changed, with their sizes.
    pub(super) left_out: Vec<LeftOut>,
    /// The number of unchanged notes.
    pub(super) unchanged: usize,
    /// Whether each known file was found.
    was_found: Vec<bool>,
    /// The notes to read, each with its position among the known files if it has one.
    differing: Vec<(FoundNote, Option<usize>)>,
}

impl<'a> Comparison<'a> {
    /// Prepares to compare notes with `files` and with those `excluded` by a rule.
    pub(super) fn new(files: &'a [KnownFile], excluded: &'a [ExcludedFile], rules: ChangeRules<'a>) -> Self {
        let excluded = if rules.full { &[] } else { excluded };
        Self {
            files,
            by_path: files.iter().enumerate().map(|(place, file)| (file.path.as_str(), place)).collect(),
            excluded: excluded.iter().map(|one| (one.path.as_str(), one)).collect(),
            rules,
            result: ComparisonResult { was_found: vec![false; files.len()], ..ComparisonResult::default() },
        }
    }

    /// Compares one note.
    pub(super) fn take(&mut self, walked: FoundNote) {
        self.result.notes += 1;
        let path = walked.path.as_str();
        let known =
            self.excluded.get(path).filter(|out| self.is_same_rule(out) && same_content(&out.stat, &walked.stat));
        if let Some(out) = known
            && out.rule != PRIVATE
        {
            let reason = out.rule.strip_prefix(PDF_RULE).map(str::to_owned);
            self.result.left_out.push(LeftOut { path: walked.path.clone(), size: walked.stat.size, reason });
        }
        if let Some(out) = known.filter(|out| is_unchanged(&out.stat, &walked.stat, out.noticed_at_ns)) {
            match out.rule == PRIVATE {
                true => self.result.private += 1,
                false => self.result.skipped += 1,
            }
            return;
        }
        let place = self.by_path.get(path).copied();
        if let Some(place) = place {
            debug_assert!(!self.result.was_found[place], "two notes of one path");
            self.result.was_found[place] = true;
            let file = &self.files[place];
            if !self.rules.full && file.is_chunked && is_unchanged(&file.stat, &walked.stat, file.indexed_at_ns) {
                self.result.unchanged += 1;
                return;
            }
        }
        self.result.differing.push((walked, place));
    }

    /// Whether a file is still excluded by its rule if it is unchanged.
    fn is_same_rule(&self, out: &ExcludedFile) -> bool {
        let holds = |rule| rule == out.rule || out.rule.starts_with(PDF_RULE);
        out.rule == PRIVATE || self.rules.too_large.is_none_or(holds)
    }

    /// Returns the results.
    pub(super) fn finish(self) -> ComparisonResult {
        self.result
    }
}

impl ComparisonResult {
    /// Returns how many of the known `files` were found or are evicted to iCloud.
    pub(super) fn found_count(&self, files: &[KnownFile], found: &WalkResult) -> usize {
        let is_evicted = |path: &String| found.evicted.binary_search(path).is_ok();
        files.iter().zip(&self.was_found).filter(|(file, there)| **there || is_evicted(&file.path)).count()
    }

    /// Returns the files to read and to remove. `files` are the known files of the comparison, and `found` is the result of the
    /// walk.
    pub(super) fn diff(self, files: &[KnownFile], found: &WalkResult) -> Diff {
        let mut read = self.differing;
        read.sort_unstable_by(|(one, _), (other, _)| {
            // PDFs come last, because each takes as long as many notes.
            let of_kind = is_pdf(&one.path).cmp(&is_pdf(&other.path));
            let by_time = || other.stat.mtime_ns.cmp(&one.stat.mtime_ns);
            of_kind.then_with(by_time).then_with(|| one.path.cmp(&other.path))
        });
        let read = read.into_iter().map(|(walked, place)| (walked, place.map(|place| files[place].id))).collect();
        let missing = files.iter().zip(self.was_found).filter(|(file, there)| !there && !found.may_hide(&file.path));
        let mut gone: Vec<KnownFile> = missing.map(|(file, _)| file.clone()).collect();
        gone.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Diff { read, gone }
    }

    /// Like [`ComparisonResult::diff`], in a public form.
    pub(super) fn differences(self, files: &[KnownFile], found: &WalkResult) -> Vec<Difference> {
        // A file marked to be cut again is certain to differ. A new link or changed permissions also change an inode.
        let is_doubtful = |(walked, place): &(FoundNote, Option<usize>)| {
            place.is_some_and(|place| files[place].is_chunked && same_content(&files[place].stat, &walked.stat))
        };
        let doubtful: HashSet<FileId> = self
            .differing
            .iter()
            .filter(|one| is_doubtful(one))
            .filter_map(|(_, place)| Some(files[(*place)?].id))
            .collect();
        let left_out: HashSet<String> = self.left_out.iter().map(|out| out.path.clone()).collect();
        let diff = self.diff(files, found);
        let read = diff.read.into_iter().map(|(walked, id)| Difference {
            doubtful: id.is_some_and(|id| doubtful.contains(&id)) || left_out.contains(&walked.path),
            unreadable: access(found.root.join(&walked.path), Access::READ_OK) == Err(Errno::ACCESS),
            path: walked.path,
            mtime_ns: Some(walked.stat.mtime_ns),
            size: walked.stat.size,
        });
        let gone = diff.gone.into_iter().map(|file| Difference {
            path: file.path,
            mtime_ns: None,
            size: 0,
            doubtful: false,
            unreadable: false,
        });
        read.chain(gone).collect()
    }
}

/// A note that differs from its known state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Path relative to the root.
    pub path: String,
    /// When it was last modified, in nanoseconds since 1970; `None` if it was removed.
    pub mtime_ns: Option<i64>,
    /// Its size in bytes; 0 if it was removed.
    pub size: u64,
    /// Whether the metadata leaves open if its text has changed: it was modified just before it was indexed, or its inode changed
    /// while size and modification time stayed the same.
    pub doubtful: bool,
    /// Whether the user may not read it: its known state stays, and no run can index it until that changes.
    pub unreadable: bool,
}

/// Returns the exclusion rule for large files. A different limit causes a new read, also of files without text.
pub(super) fn too_large(limit: u64) -> String {
    format!("no text or larger than {limit}")
}

/// The beginning of the rules for PDFs without usable text; the reason follows. Another reader may read them, so its version is named.
pub(super) const PDF_RULE: &str = "pdf 1: ";

/// A note that is excluded by its content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// Path relative to the root.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// Why, for a PDF; any other note is too large or holds no text.
    pub reason: Option<String>,
}

/// The rule for notes excluded by their author.
pub(super) const PRIVATE: &str = "private";

/// Whether a file was cut with the current chunker. Without a model, only an empty name means no: it marks files that must be read
/// again.
pub(super) fn is_chunked(record: &FileRecord, chunker: Option<&str>) -> bool {
    chunker.map_or(!record.chunker.is_empty(), |name| record.chunker == name)
}

/// Whether a file that was read at `read_ns` with the metadata `known` is unchanged.
fn is_unchanged(known: &FileStat, stat: &FileStat, read_ns: i64) -> bool {
    same_content(known, stat) && same_inode(known.ctime_ns, stat.ctime_ns, read_ns) && stat.mtime_ns < read_ns - RACY_NS
}

/// Whether size, modification time and inode are the known ones.
fn same_content(known: &FileStat, stat: &FileStat) -> bool {
    (known.size, known.mtime_ns, known.inode) == (stat.size, stat.mtime_ns, stat.inode)
}

/// Whether an inode has not changed since a file was read at `read_ns`. Indexes of earlier versions do not store the inode's time;
/// then a time before the read is enough.
fn same_inode(known_ns: i64, now_ns: i64, read_ns: i64) -> bool {
    match (known_ns, now_ns) {
        (_, 0) => true,
        (0, now) => now < read_ns - RACY_NS,
        (known, now) => known == now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_000_000_000_000;

    fn walked(path: &str, mtime_ns: i64) -> FoundNote {
        FoundNote { path: path.into(), stat: FileStat { mtime_ns, size: 1, inode: 1, ctime_ns: 3 } }
    }

    fn known(path: &str, mtime_ns: i64) -> KnownFile {
        let stat = FileStat { mtime_ns, size: 1, inode: 1, ctime_ns: 3 };
        KnownFile { id: FileId(1), path: path.into(), stat, indexed_at_ns: NOW, is_chunked: true }
    }

    fn compared(
        notes: Vec<FoundNote>,
        files: &[KnownFile],
        excluded: &[ExcludedFile],
        rules: ChangeRules<'_>,
    ) -> ComparisonResult {
        let mut comparison = Comparison::new(files, excluded, rules);
        notes.into_iter().for_each(|note| comparison.take(note));
        comparison.finish()
    }

    fn differences(note: FoundNote, file: KnownFile) -> Vec<Difference> {
        let files = [file];
        compared(vec![note], &files, &[], ChangeRules::default()).differences(&files, &WalkResult::default())
    }

    #[test]
    fn changed_notes_are_read_newest_first() {
        let notes = vec![walked("fresh", 7), walked("newer", 9), walked("older", 6), walked("same", 5)];
        let files = [known("newer", 5), known("same", 5), known("gone", 5), known("older", 5)];
        let result = compared(notes, &files, &[], ChangeRules::default());
        assert_eq!((result.notes, result.unchanged, result.found_count(&files, &WalkResult::default())), (4, 1, 3));
        let diff = result.diff(&files, &WalkResult::default());
        let read: Vec<&str> = diff.read.iter().map(|(walked, _)| walked.path.as_str()).collect();
        assert_eq!(read, ["newer", "fresh", "older"]);
        assert_eq!(diff.gone[0].path, "gone");
    }

    #[test]
    fn an_evicted_file_is_not_removed() {
        let files = [known("evicted", 5)];
        let found = WalkResult { evicted: vec!["evicted".into()], ..WalkResult::default() };
        let result = compared(Vec::new(), &files, &[], ChangeRules::default());
        assert_eq!((result.found_count(&files, &found), result.diff(&files, &found).gone), (1, Vec::new()));
    }

    #[test]
    fn a_file_modified_just_before_indexing_is_read_again() {
        let of = |mtime| differences(walked("a", mtime), known("a", mtime)).len();
        assert_eq!((of(NOW - 1), of(5)), (1, 0));
        let differences = differences(walked("a", 5), KnownFile { is_chunked: false, ..known("a", 5) });
        assert!(
            differences.len() == 1 && !differences[0].doubtful,
            "one that is marked to be cut again differs for certain"
        );
    }

    #[test]
    fn a_changed_inode_makes_a_note_doubtful() {
        let of = |ctime_ns, known_ns: i64| {
            let stat = FileStat { ctime_ns, ..walked("a", 5).stat };
            let recorded = FileStat { ctime_ns: known_ns, ..known("a", 5).stat };
            let differences =
                differences(FoundNote { stat, ..walked("a", 5) }, KnownFile { stat: recorded, ..known("a", 5) });
            assert!(differences.iter().all(|one| one.doubtful), "a chmod of a thousand files is not a thousand edits");
            differences.len()
        };
        assert_eq!((of(3, 3), of(4, 3)), (0, 1));
        assert_eq!(of(0, 3), 0, "a system that does not say");
        assert_eq!((of(4, 0), of(NOW + 1, 0)), (0, 1), "an index that does not know yet");
    }

    #[test]
    fn an_excluded_file_stays_excluded_until_it_changes() {
        let out = |rule: &str| ExcludedFile {
            path: "a".into(),
            stat: FileStat { mtime_ns: 5, size: 1, inode: 1, ctime_ns: 3 },
            rule: rule.into(),
            noticed_at_ns: NOW,
        };
        let left = |note: FoundNote, rule: &str, rules: ChangeRules<'_>| {
            let result = compared(vec![note], &[], &[out(rule)], rules);
            (result.private, result.skipped, result.differing.len())
        };
        let by = |rule| ChangeRules { too_large: Some(rule), full: false };
        assert_eq!(left(walked("a", 5), PRIVATE, by("larger than 1")), (1, 0, 0));
        assert_eq!(left(walked("a", 6), PRIVATE, by("larger than 1")), (0, 0, 1));
        let edited = FileStat { ctime_ns: 4, ..walked("a", 5).stat };
        let edited = FoundNote { stat: edited, ..walked("a", 5) };
        assert_eq!(left(edited, PRIVATE, ChangeRules::default()), (0, 0, 1), "edited in place");
        assert_eq!(left(walked("a", 5), "larger than 1", by("larger than 1")), (0, 1, 0));
        assert_eq!(left(walked("a", 5), "larger than 1", by("larger than 2")), (0, 0, 1));
        assert_eq!(left(walked("a", 5), "larger than 1", ChangeRules::default()), (0, 1, 0));
        assert_eq!(left(walked("a", 5), PRIVATE, ChangeRules { full: true, ..by("larger than 1") }), (0, 0, 1));
    }

    #[test]
    fn full_runs_and_other_chunkers_read_unchanged_files() {
        let read = |is_chunked, full| {
            let files = [KnownFile { is_chunked, ..known("a", 5) }];
            compared(vec![walked("a", 5)], &files, &[], ChangeRules { full, too_large: None }).differing.len()
        };
        assert_eq!((read(false, false), read(true, false), read(true, true)), (1, 0, 1));
    }
}
