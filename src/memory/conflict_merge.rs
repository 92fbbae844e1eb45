//! Merges a conflict copy of a sync program into its note: every line of both stays, in order.

use super::MemoryError;
use tars_text::line_diff::hunks;
use tars_vault::{Lines, Splice, Writer};

/// A merge of two texts as a person has seen it: it is carried out only while both are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConflictMerge<'a> {
    /// The note, relative to the memory folder.
    pub note: &'a str,
    /// Its bytes.
    pub note_bytes: &'a [u8],
    /// The copy, relative to the memory folder.
    pub copy: &'a str,
    /// Its bytes.
    pub copy_bytes: &'a [u8],
}

/// Returns the lines of `copy` that `note` lacks, as insertions behind the lines of the note in whose place they stand. Nothing is removed.
pub fn missing_lines(note: &[String], copy: &[String]) -> Vec<Splice> {
    let inserted = hunks(&plain(note), &plain(copy)).into_iter().filter(|hunk| !hunk.new.is_empty());
    inserted.map(|hunk| Splice { at: hunk.old.end, remove: 0, insert: copy[hunk.new].to_vec() }).collect()
}

fn plain(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}

/// Adds the lines that only the copy has to the note, and removes the copy: one step for an undo. Returns `false`, and changes nothing, if
/// the note has changed since; if only the copy has, it stays.
///
/// # Errors
/// A file cannot be read or written, or the note is not UTF-8.
pub fn merge_conflict(writer: &mut Writer<'_>, merge: &ConflictMerge<'_>) -> Result<bool, MemoryError> {
    // Nobody but tars waits for the lock, so both are compared once more before either is written.
    let is_same =
        |file: &str, bytes: &[u8]| Ok::<_, MemoryError>(writer.folder().read(file)?.as_deref() == Some(bytes));
    if !is_same(merge.note, merge.note_bytes)? || !is_same(merge.copy, merge.copy_bytes)? {
        return Ok(false);
    }
    let copy = Lines::of(merge.copy_bytes).all();
    let mut is_as_seen = true;
    let seen = Lines::of(merge.note_bytes).all();
    writer.edit(merge.note, |lines| {
        let now = lines.all();
        is_as_seen = now == seen;
        if is_as_seen { missing_lines(&now, &copy) } else { Vec::new() }
    })?;
    Ok(is_as_seen && writer.remove_file(merge.copy, merge.copy_bytes)?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn merged(note: &str, copy: &str) -> Vec<String> {
        let lines = Lines::of(note.as_bytes());
        let splices = missing_lines(&lines.all(), &Lines::of(copy.as_bytes()).all());
        Lines::of(&lines.spliced(&splices)).all()
    }

    #[test]
    fn lines_of_both_stay_in_order() {
        assert_eq!(merged("a\nb\nc\n", "a\nx\nc\nd\n"), ["a", "b", "x", "c", "d"]);
        assert_eq!(merged("a\n", "a\n"), ["a"]);
        assert_eq!(merged("", "a\n"), ["a"]);
        assert_eq!(merged("a\nb\n", "b\n"), ["a", "b"], "a line that the copy lacks stays");
    }

    proptest! {
        #[test]
        fn no_line_is_lost(note in "([abc]{0,2}\n){0,12}", copy in "([abc]{0,2}\n){0,12}") {
            let merged = merged(&note, &copy);
            for text in [&note, &copy] {
                let mut rest = merged.iter();
                prop_assert!(text.lines().all(|line| rest.any(|kept| kept == line)), "{text:?} in {merged:?}");
            }
        }
    }
}
