//! Disk against store.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use rustix::fs::{Access, access};
use rustix::io::Errno;

use crate::store::{FileId, FileRecord, KnownFile, LeftOut, Stamp};
use crate::vault::{FileStat, Found, Walked};

/// A file modified so shortly before it was indexed may have changed again within the same tick of its clock.
const RACY_NS: i64 = 2_000_000_000;

/// What makes a note count as unchanged.
#[derive(Debug, Clone, Copy, Default)]
pub struct Judging<'a> {
    /// Whether all notes are to be read again, whatever is known of them.
    pub full: bool,
    /// The rule that a large file would be left out by now; `None` where it is taken to be the same.
    pub too_large: Option<&'a str>,
}

/// What to do about each file.
#[derive(Debug, Default)]
pub(super) struct Diff {
    /// Files to read, the newest first, each with what the index calls it if it knows it.
    pub(super) read: Vec<(Walked, Option<FileId>)>,
    /// Files that are gone, or that stand elsewhere now. What was merely not seen is not among them: it stays as it was known.
    pub(super) gone: Vec<KnownFile>,
}

/// Compares notes with what is known of them, one by one as a walk finds them, so that nothing is kept of those that have not
/// changed.
pub(super) struct Comparison<'a> {
    files: &'a [KnownFile],
    /// The places of files in their list. The seed is random, so that names cannot be chosen to collide.
    by_path: HashMap<&'a str, usize, RandomState>,
    left_out: HashMap<&'a str, &'a LeftOut>,
    judging: Judging<'a>,
    met: Met,
}

/// What a comparison has met.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// How many notes are there.
    pub(super) notes: usize,
    /// How many of them stay out since their author left them out.
    pub(super) private: usize,
    /// How many stay out for other reasons.
    pub(super) skipped: usize,
    /// How many need no look.
    pub(super) unchanged: usize,
    /// Whether each known file is there.
    there: Vec<bool>,
    /// The notes to read, each with its place among the known files if it is one of them.
    differing: Vec<(Walked, Option<usize>)>,
}

impl<'a> Comparison<'a> {
    /// Prepares to compare notes with `files` and with those that were `left_out` by rule.
    pub(super) fn new(files: &'a [KnownFile], left_out: &'a [LeftOut], judging: Judging<'a>) -> Self {
        let left_out = if judging.full { &[] } else { left_out };
        Self {
            files,
            by_path: files.iter().enumerate().map(|(place, file)| (file.path.as_str(), place)).collect(),
            left_out: left_out.iter().map(|one| (one.path.as_str(), one)).collect(),
            judging,
            met: Met { there: vec![false; files.len()], ..Met::default() },
        }
    }

    /// Compares one note.
    pub(super) fn take(&mut self, walked: Walked) {
        self.met.notes += 1;
        let path = walked.path.as_str();
        if let Some(out) = self.left_out.get(path).filter(|out| self.stays_out(out, &walked.stat)) {
            match out.rule == PRIVATE {
                true => self.met.private += 1,
                false => self.met.skipped += 1,
            }
            return;
        }
        let place = self.by_path.get(path).copied();
        if let Some(place) = place {
            debug_assert!(!self.met.there[place], "two notes of one path");
            self.met.there[place] = true;
            let file = &self.files[place];
            if !self.judging.full && file.is_cut && same(file, &walked.stat) {
                self.met.unchanged += 1;
                return;
            }
        }
        self.met.differing.push((walked, place));
    }

    /// Whether a file that was left out by rule has not changed since, and the rule is still the same.
    fn stays_out(&self, out: &LeftOut, stat: &FileStat) -> bool {
        let unchanged = (out.mtime_ns, out.size, out.inode) == (stat.mtime_ns, stat.size, stat.inode)
            && same_inode(out.ctime_ns, stat.ctime_ns, out.noticed_at_ns);
        let settled = stat.mtime_ns < out.noticed_at_ns - RACY_NS;
        unchanged && settled && (out.rule == PRIVATE || self.judging.too_large.is_none_or(|rule| rule == out.rule))
    }

    /// Returns what was met.
    pub(super) fn finish(self) -> Met {
        self.met
    }
}

impl Met {
    /// How many of the known `files` are there, or at a place in `found` that iCloud keeps for them.
    pub(super) fn known(&self, files: &[KnownFile], found: &Found) -> usize {
        let is_evicted = |path: &String| found.evicted.binary_search(path).is_ok();
        files.iter().zip(&self.there).filter(|(file, there)| **there || is_evicted(&file.path)).count()
    }

    /// Returns what to do about each file; `files` are those that it was compared with, and `found` is what the walk says beside
    /// the notes.
    pub(super) fn diff(self, files: &[KnownFile], found: &Found) -> Diff {
        let mut read = self.differing;
        read.sort_unstable_by(|(one, _), (other, _)| {
            other.stat.mtime_ns.cmp(&one.stat.mtime_ns).then_with(|| one.path.cmp(&other.path))
        });
        let read = read.into_iter().map(|(walked, place)| (walked, place.map(|place| files[place].id))).collect();
        let missing = files.iter().zip(self.there).filter(|(file, there)| !there && !found.may_hide(&file.path));
        let mut gone: Vec<KnownFile> = missing.map(|(file, _)| file.clone()).collect();
        gone.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Diff { read, gone }
    }

    /// As [`Met::diff`], for others to see.
    pub(super) fn differences(self, files: &[KnownFile], found: &Found) -> Vec<Difference> {
        // One that is marked to be cut again is no matter of doubt. A new link or other permissions change an inode too.
        let is_doubtful = |(walked, place): &(Walked, Option<usize>)| {
            place.is_some_and(|place| files[place].is_cut && same_content(&files[place], &walked.stat))
        };
        let doubtful: HashSet<FileId> = self
            .differing
            .iter()
            .filter(|one| is_doubtful(one))
            .filter_map(|(_, place)| Some(files[(*place)?].id))
            .collect();
        let diff = self.diff(files, found);
        let read = diff.read.into_iter().map(|(walked, id)| Difference {
            doubtful: id.is_some_and(|id| doubtful.contains(&id)),
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

/// A note that differs from what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Path relative to the root.
    pub path: String,
    /// When it was last modified, nanoseconds since 1970; `None` if it is gone.
    pub mtime_ns: Option<i64>,
    /// Its size in bytes; 0 if it is gone.
    pub size: u64,
    /// Whether its stat data does not say that its text has changed: it was written in the moment it was indexed, or its inode
    /// has changed while size and modification time are the same.
    pub doubtful: bool,
    /// Whether the user may not read it: what the index knows of it stays, and no run brings it in before that changes.
    pub unreadable: bool,
}

/// The rule by which a note stays out because its author asked for it.
pub(super) const PRIVATE: &str = "private";

/// Whether a file was cut as it would be now. Without a model only an empty name says that it was not: files are marked so
/// when they must be read again.
pub(super) fn is_cut(record: &FileRecord, chunker: Option<&str>) -> bool {
    chunker.map_or(!record.chunker.is_empty(), |name| record.chunker == name)
}

fn same(file: &KnownFile, stat: &FileStat) -> bool {
    same_content(file, stat)
        && same_inode(file.stamp.ctime_ns, stat.ctime_ns, file.indexed_at_ns)
        && stat.mtime_ns < file.indexed_at_ns - RACY_NS
}

/// Whether size, modification time and inode are those that are known.
fn same_content(file: &KnownFile, stat: &FileStat) -> bool {
    let Stamp { mtime_ns, size, inode, .. } = file.stamp;
    (size, mtime_ns, inode) == (stat.size, stat.mtime_ns, stat.inode)
}

/// Whether an inode has not changed since a file was read at `read_ns`. Indexes of earlier versions do not know its time, and
/// then one that lies before the reading tells as much.
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

    fn walked(path: &str, mtime_ns: i64) -> Walked {
        Walked { path: path.into(), stat: FileStat { mtime_ns, size: 1, inode: 1, ctime_ns: 3 } }
    }

    fn known(path: &str, mtime_ns: i64) -> KnownFile {
        let stamp = Stamp { mtime_ns, size: 1, inode: 1, ctime_ns: 3 };
        KnownFile { id: FileId(1), path: path.into(), stamp, indexed_at_ns: NOW, is_cut: true }
    }

    fn met(notes: Vec<Walked>, files: &[KnownFile], left_out: &[LeftOut], judging: Judging<'_>) -> Met {
        let mut comparison = Comparison::new(files, left_out, judging);
        notes.into_iter().for_each(|note| comparison.take(note));
        comparison.finish()
    }

    fn differences(note: Walked, file: KnownFile) -> Vec<Difference> {
        let files = [file];
        met(vec![note], &files, &[], Judging::default()).differences(&files, &Found::default())
    }

    #[test]
    fn only_what_differs_is_read_newest_first() {
        let notes = vec![walked("fresh", 7), walked("newer", 9), walked("older", 6), walked("same", 5)];
        let files = [known("newer", 5), known("same", 5), known("gone", 5), known("older", 5)];
        let met = met(notes, &files, &[], Judging::default());
        assert_eq!((met.notes, met.unchanged, met.known(&files, &Found::default())), (4, 1, 3));
        let diff = met.diff(&files, &Found::default());
        let read: Vec<&str> = diff.read.iter().map(|(walked, _)| walked.path.as_str()).collect();
        assert_eq!(read, ["newer", "fresh", "older"]);
        assert_eq!(diff.gone[0].path, "gone");
    }

    #[test]
    fn what_icloud_keeps_is_not_gone() {
        let files = [known("evicted", 5)];
        let found = Found { evicted: vec!["evicted".into()], ..Found::default() };
        let met = met(Vec::new(), &files, &[], Judging::default());
        assert_eq!((met.known(&files, &found), met.diff(&files, &found).gone), (1, Vec::new()));
    }

    #[test]
    fn a_file_written_in_the_moment_it_was_indexed_is_looked_at_again() {
        let of = |mtime| differences(walked("a", mtime), known("a", mtime)).len();
        assert_eq!((of(NOW - 1), of(5)), (1, 0));
        let differences = differences(walked("a", 5), KnownFile { is_cut: false, ..known("a", 5) });
        assert!(
            differences.len() == 1 && !differences[0].doubtful,
            "one that is marked to be cut again differs for certain"
        );
    }

    #[test]
    fn an_inode_that_changed_asks_for_a_look() {
        let of = |ctime_ns, known_ns: i64| {
            let stat = FileStat { ctime_ns, ..walked("a", 5).stat };
            let stamp = Stamp { ctime_ns: known_ns, ..known("a", 5).stamp };
            let differences = differences(Walked { stat, ..walked("a", 5) }, KnownFile { stamp, ..known("a", 5) });
            assert!(differences.iter().all(|one| one.doubtful), "a chmod of a thousand files is no thousand edits");
            differences.len()
        };
        assert_eq!((of(3, 3), of(4, 3)), (0, 1));
        assert_eq!(of(0, 3), 0, "a system that does not say");
        assert_eq!((of(4, 0), of(NOW + 1, 0)), (0, 1), "an index that does not know yet");
    }

    #[test]
    fn what_was_left_out_stays_out_until_it_changes() {
        let out = |rule: &str| LeftOut {
            path: "a".into(),
            mtime_ns: 5,
            size: 1,
            inode: 1,
            ctime_ns: 3,
            rule: rule.into(),
            noticed_at_ns: NOW,
        };
        let left = |note: Walked, rule: &str, judging: Judging<'_>| {
            let met = met(vec![note], &[], &[out(rule)], judging);
            (met.private, met.skipped, met.differing.len())
        };
        let by = |rule| Judging { too_large: Some(rule), full: false };
        assert_eq!(left(walked("a", 5), PRIVATE, by("larger than 1")), (1, 0, 0));
        assert_eq!(left(walked("a", 6), PRIVATE, by("larger than 1")), (0, 0, 1));
        let edited = FileStat { ctime_ns: 4, ..walked("a", 5).stat };
        let edited = Walked { stat: edited, ..walked("a", 5) };
        assert_eq!(left(edited, PRIVATE, Judging::default()), (0, 0, 1), "edited in place");
        assert_eq!(left(walked("a", 5), "larger than 1", by("larger than 1")), (0, 1, 0));
        assert_eq!(left(walked("a", 5), "larger than 1", by("larger than 2")), (0, 0, 1));
        assert_eq!(left(walked("a", 5), "larger than 1", Judging::default()), (0, 1, 0));
        assert_eq!(left(walked("a", 5), PRIVATE, Judging { full: true, ..by("larger than 1") }), (0, 0, 1));
    }

    #[test]
    fn what_is_cut_otherwise_and_with_full_everything_is_read() {
        let read = |is_cut, full| {
            let files = [KnownFile { is_cut, ..known("a", 5) }];
            met(vec![walked("a", 5)], &files, &[], Judging { full, too_large: None }).differing.len()
        };
        assert_eq!((read(false, false), read(true, false), read(true, true)), (1, 0, 1));
    }
}
