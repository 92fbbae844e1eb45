//! Disk against store.

use std::collections::HashMap;

use rustix::fs::{Access, access};
use rustix::io::Errno;

use crate::store::{FileRecord, LeftOut};
use crate::vault::{FileStat, Found, Walked};

/// A file modified so shortly before it was indexed may have changed again within the same tick of its clock.
const RACY_NS: i64 = 2_000_000_000;

/// What to do about each file.
#[derive(Debug, Default)]
pub(super) struct Diff {
    /// Files to read, the newest first, each with what the index knows of it.
    pub(super) read: Vec<(Walked, Option<FileRecord>)>,
    /// Files that are gone, or that stand elsewhere now. What was merely not seen is not among them: it stays as it was known.
    pub(super) gone: Vec<FileRecord>,
    /// How many files need no look.
    pub(super) unchanged: usize,
}

/// Compares what was found with what is known. `chunker` names the options in force: files cut under others are read
/// again, and with `full` all files. Without a model there is no telling, and no file is cut anew for that alone. Both
/// lists are by path.
pub(super) fn diff(mut found: Found, known: Vec<FileRecord>, chunker: Option<&str>, full: bool) -> Diff {
    let notes = std::mem::take(&mut found.notes);
    debug_assert!(notes.is_sorted_by(|left, right| left.path < right.path), "two notes of one path");
    debug_assert!(known.is_sorted_by(|left, right| left.path < right.path), "two records of one path");
    let mut known = known.into_iter().peekable();
    let mut diff = Diff::default();
    for walked in notes {
        while let Some(gone) = known.next_if(|record| record.path < walked.path) {
            diff.gone.push(gone);
        }
        let record = known.next_if(|record| record.path == walked.path);
        match &record {
            Some(record) if !full && is_cut(record, chunker) && same(record, &walked.stat) => diff.unchanged += 1,
            _ => diff.read.push((walked, record)),
        }
    }
    diff.gone.extend(known);
    diff.gone.retain(|record| !found.may_hide(&record.path));
    diff.read.sort_by_key(|(walked, _)| std::cmp::Reverse(walked.stat.mtime_ns));
    diff
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
pub fn differences(mut found: Found, known: Vec<FileRecord>, out: &[LeftOut]) -> Vec<Difference> {
    still_out(&mut found.notes, out, None);
    let diff = diff(found, known, None, false);
    let read = diff.read.into_iter().map(|(walked, record)| Difference {
        // One that is marked to be cut again is no matter of doubt. A new link or other permissions change an inode too.
        doubtful: record.is_some_and(|record| is_cut(&record, None) && same_content(&record, &walked.stat)),
        unreadable: access(&walked.location, Access::READ_OK) == Err(Errno::ACCESS),
        path: walked.path,
        mtime_ns: Some(walked.stat.mtime_ns),
        size: walked.stat.size,
    });
    let gone = diff.gone.into_iter().map(|record| Difference {
        path: record.path,
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

fn same(record: &FileRecord, stat: &FileStat) -> bool {
    same_content(record, stat)
        && same_inode(record.ctime_ns, stat.ctime_ns, record.indexed_at_ns)
        && stat.mtime_ns < record.indexed_at_ns - RACY_NS
}

/// Whether size, modification time and inode are those that are known.
fn same_content(record: &FileRecord, stat: &FileStat) -> bool {
    (record.size, record.mtime_ns, record.inode) == (stat.size, stat.mtime_ns, stat.inode)
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
    use crate::domain::ContentHash;
    use crate::store::{CollectionId, FileId};

    const NOW: i64 = 1_000_000_000_000;

    fn walked(path: &str, mtime_ns: i64) -> Walked {
        Walked { path: path.into(), location: path.into(), stat: FileStat { mtime_ns, size: 1, inode: 1, ctime_ns: 3 } }
    }

    fn found(notes: Vec<Walked>) -> Found {
        Found { notes, ..Found::default() }
    }

    fn record(path: &str, mtime_ns: i64) -> FileRecord {
        FileRecord {
            id: FileId(1),
            collection: CollectionId(1),
            path: path.into(),
            content_hash: ContentHash::of(b""),
            mtime_ns,
            size: 1,
            inode: 1,
            ctime_ns: 3,
            chunker: "c".into(),
            indexed_at_ns: NOW,
        }
    }

    #[test]
    fn only_what_differs_is_read_newest_first() {
        let found = found(vec![walked("fresh", 7), walked("newer", 9), walked("older", 6), walked("same", 5)]);
        let known = vec![record("gone", 5), record("newer", 5), record("older", 5), record("same", 5)];
        let diff = diff(found, known, Some("c"), false);
        let read: Vec<&str> = diff.read.iter().map(|(walked, _)| walked.path.as_str()).collect();
        assert_eq!(read, ["newer", "fresh", "older"]);
        assert_eq!(diff.gone[0].path, "gone");
        assert_eq!(diff.unchanged, 1);
    }

    #[test]
    fn a_file_written_in_the_moment_it_was_indexed_is_looked_at_again() {
        let moment = NOW - 1;
        let of = |mtime| differences(found(vec![walked("a", mtime)]), vec![record("a", mtime)], &[]).len();
        assert_eq!((of(moment), of(5)), (1, 0));
        let marked = FileRecord { chunker: String::new(), ..record("a", 5) };
        let differences = differences(found(vec![walked("a", 5)]), vec![marked], &[]);
        assert!(
            differences.len() == 1 && !differences[0].doubtful,
            "one that is marked to be cut again differs for certain"
        );
    }

    #[test]
    fn an_inode_that_changed_asks_for_a_look() {
        let of = |ctime_ns, known: i64| {
            let stat = FileStat { ctime_ns, ..walked("a", 5).stat };
            let found = found(vec![Walked { stat, ..walked("a", 5) }]);
            let differences = differences(found, vec![FileRecord { ctime_ns: known, ..record("a", 5) }], &[]);
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
    fn other_chunk_options_ask_for_every_file() {
        let read = |chunker| diff(found(vec![walked("a", 5)]), vec![record("a", 5)], chunker, false).read.len();
        assert_eq!((read(Some("other")), read(Some("c")), read(None)), (1, 0, 0));
    }
}
