//! Disk against store.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use rustix::fs::{Access, access};
use rustix::io::Errno;

use crate::store::{FileId, FileRecord, KnownFile, LeftOut, Stamp};
use crate::vault::{FileStat, Found, Walked};

/// A file modified so shortly before it was indexed may have changed again within the same tick of its clock.
const RACY_NS: i64 = 2_000_000_000;

/// What to do about each file.
#[derive(Debug, Default)]
pub(super) struct Diff {
    /// Files to read, the newest first, each with what the index calls it if it knows it.
    pub(super) read: Vec<(Walked, Option<FileId>)>,
    /// Files that are gone, or that stand elsewhere now. What was merely not seen is not among them: it stays as it was known.
    pub(super) gone: Vec<KnownFile>,
    /// How many files need no look.
    pub(super) unchanged: usize,
}

/// Compares what was found with what is known. Files that are not cut as they would be now are read again, and with `full`
/// all files.
pub(super) fn diff(found: Found, known: Vec<KnownFile>, full: bool) -> Diff {
    let (diff, _) = compare(found, known, |file, stat| !full && file.is_cut && same(file, stat));
    diff
}

/// Compares what was found with what is known by `is_unchanged`. Returns with the differences what is known of the files to read.
fn compare(
    mut found: Found,
    known: Vec<KnownFile>,
    is_unchanged: impl Fn(&KnownFile, &FileStat) -> bool,
) -> (Diff, HashMap<FileId, KnownFile>) {
    let notes = std::mem::take(&mut found.notes);
    let (mut diff, mut differing) = (Diff::default(), HashMap::new());
    // Neither list has to be put in order for this: of thousands of notes a few differ.
    // Its seed is random, so that names cannot be chosen to collide.
    let mut by_path: HashMap<&str, (&KnownFile, bool), RandomState> =
        known.iter().map(|file| (file.path.as_str(), (file, false))).collect();
    for walked in notes {
        match by_path.get_mut(walked.path.as_str()) {
            Some((file, is_there)) => {
                debug_assert!(!*is_there, "two notes of one path");
                *is_there = true;
                if is_unchanged(file, &walked.stat) {
                    diff.unchanged += 1;
                } else {
                    differing.insert(file.id, (*file).clone());
                    diff.read.push((walked, Some(file.id)));
                }
            }
            None => diff.read.push((walked, None)),
        }
    }
    let gone = by_path.into_values().filter(|(file, is_there)| !is_there && !found.may_hide(&file.path));
    diff.gone = gone.map(|(file, _)| file.clone()).collect();
    diff.gone.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    let newest_first = |one: &Walked, other: &Walked| {
        other.stat.mtime_ns.cmp(&one.stat.mtime_ns).then_with(|| one.path.cmp(&other.path))
    };
    diff.read.sort_unstable_by(|(one, _), (other, _)| newest_first(one, other));
    (diff, differing)
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

/// Returns the notes that differ from what is known of them, by their stat data alone. `out` are files that were left out
/// by rule.
pub fn differences(mut found: Found, known: Vec<KnownFile>, out: &[LeftOut]) -> Vec<Difference> {
    still_out(&mut found.notes, out, None);
    let root = found.root.clone();
    let (diff, known) = compare(found, known, |file, stat| file.is_cut && same(file, stat));
    let read = diff.read.into_iter().map(|(walked, id)| Difference {
        // One that is marked to be cut again is no matter of doubt. A new link or other permissions change an inode too.
        doubtful: id.and_then(|id| known.get(&id)).is_some_and(|file| file.is_cut && same_content(file, &walked.stat)),
        unreadable: access(root.join(&walked.path), Access::READ_OK) == Err(Errno::ACCESS),
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

/// Takes the files that were left out by rule, and have not changed since, from `found` and returns how many of them were
/// left out by their author and how many for other reasons. `rule` is the one that a large file would be left out by now;
/// `None` where it is taken to be the same.
pub(super) fn still_out(found: &mut Vec<Walked>, out: &[LeftOut], rule: Option<&str>) -> (usize, usize) {
    let known: HashMap<&str, &LeftOut> = out.iter().map(|one| (one.path.as_str(), one)).collect();
    let (mut private, mut others) = (0, 0);
    found.retain(|walked| {
        let same = known.get(walked.path.as_str()).filter(|one| {
            let stat = &walked.stat;
            let unchanged = (one.mtime_ns, one.size, one.inode) == (stat.mtime_ns, stat.size, stat.inode)
                && same_inode(one.ctime_ns, stat.ctime_ns, one.noticed_at_ns);
            let settled = stat.mtime_ns < one.noticed_at_ns - RACY_NS;
            unchanged && settled && (one.rule == PRIVATE || rule.is_none_or(|rule| rule == one.rule))
        });
        match same {
            Some(one) if one.rule == PRIVATE => private += 1,
            Some(_) => others += 1,
            None => {}
        }
        same.is_none()
    });
    (private, others)
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

    fn found(notes: Vec<Walked>) -> Found {
        Found { notes, ..Found::default() }
    }

    fn known(path: &str, mtime_ns: i64) -> KnownFile {
        let stamp = Stamp { mtime_ns, size: 1, inode: 1, ctime_ns: 3 };
        KnownFile { id: FileId(1), path: path.into(), stamp, indexed_at_ns: NOW, is_cut: true }
    }

    #[test]
    fn only_what_differs_is_read_newest_first() {
        let found = found(vec![walked("fresh", 7), walked("newer", 9), walked("older", 6), walked("same", 5)]);
        let known = vec![known("newer", 5), known("same", 5), known("gone", 5), known("older", 5)];
        let diff = diff(found, known, false);
        let read: Vec<&str> = diff.read.iter().map(|(walked, _)| walked.path.as_str()).collect();
        assert_eq!(read, ["newer", "fresh", "older"]);
        assert_eq!(diff.gone[0].path, "gone");
        assert_eq!(diff.unchanged, 1);
    }

    #[test]
    fn a_file_written_in_the_moment_it_was_indexed_is_looked_at_again() {
        let moment = NOW - 1;
        let of = |mtime| differences(found(vec![walked("a", mtime)]), vec![known("a", mtime)], &[]).len();
        assert_eq!((of(moment), of(5)), (1, 0));
        let marked = KnownFile { is_cut: false, ..known("a", 5) };
        let differences = differences(found(vec![walked("a", 5)]), vec![marked], &[]);
        assert!(
            differences.len() == 1 && !differences[0].doubtful,
            "one that is marked to be cut again differs for certain"
        );
    }

    #[test]
    fn an_inode_that_changed_asks_for_a_look() {
        let of = |ctime_ns, known_ns: i64| {
            let stat = FileStat { ctime_ns, ..walked("a", 5).stat };
            let found = found(vec![Walked { stat, ..walked("a", 5) }]);
            let stamp = Stamp { ctime_ns: known_ns, ..known("a", 5).stamp };
            let differences = differences(found, vec![KnownFile { stamp, ..known("a", 5) }], &[]);
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
        let left = |mtime, rule: &str, now: &str| {
            let mut found = vec![walked("a", mtime)];
            (still_out(&mut found, &[out(rule)], Some(now)), found.len())
        };
        assert_eq!(left(5, PRIVATE, "larger than 1"), ((1, 0), 0));
        assert_eq!(left(6, PRIVATE, "larger than 1"), ((0, 0), 1));
        let edited = FileStat { ctime_ns: 4, ..walked("a", 5).stat };
        let mut found = vec![Walked { stat: edited, ..walked("a", 5) }];
        assert_eq!((still_out(&mut found, &[out(PRIVATE)], None), found.len()), ((0, 0), 1), "edited in place");
        assert_eq!(left(5, "larger than 1", "larger than 1"), ((0, 1), 0));
        assert_eq!(left(5, "larger than 1", "larger than 2"), ((0, 0), 1));
    }

    #[test]
    fn what_is_cut_otherwise_and_with_full_everything_is_read() {
        let read = |is_cut, full| {
            diff(found(vec![walked("a", 5)]), vec![KnownFile { is_cut, ..known("a", 5) }], full).read.len()
        };
        assert_eq!((read(false, false), read(true, false), read(true, true)), (1, 0, 1));
    }
}
