//! The lines in which two texts differ.

use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};

/// Longest time of one comparison. After it the rest of the texts counts as different, which stays correct.
const LONGEST: Duration = Duration::from_millis(500);

/// Lines of a text in place of lines of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The lines that only the first text has there, from 0.
    pub old: Range<usize>,
    /// The lines that only the second text has there, from 0.
    pub new: Range<usize>,
}

/// Returns the places in which the lines of two texts differ, in order. The other lines are equal and in the same order.
pub fn hunks(old: &[&str], new: &[&str]) -> Vec<Hunk> {
    let deadline = Instant::now().checked_add(LONGEST);
    let operations = capture_diff_slices_deadline(Algorithm::Myers, old, new, deadline);
    // The crate moves insertions and deletions afterwards without their places in the other text, so that only equal lines say where
    // both texts are.
    let equal = operations.iter().map(|operation| operation.as_tag_tuple()).filter(|(tag, ..)| *tag == DiffTag::Equal);
    let ends = (DiffTag::Equal, old.len()..old.len(), new.len()..new.len());
    let (mut at_old, mut at_new) = (0, 0);
    let mut found = Vec::new();
    for (_, same_old, same_new) in equal.chain([ends]) {
        if at_old < same_old.start || at_new < same_new.start {
            found.push(Hunk { old: at_old..same_old.start, new: at_new..same_new.start });
        }
        (at_old, at_new) = (same_old.end, same_new.end);
    }
    found
}

/// Returns the share of equal lines that are not blank, wherever they stand: 0 to 1, and 1 for two texts without such lines.
pub fn shared_lines(one: &str, other: &str) -> f64 {
    let lines = |text: &'_ str| text.lines().map(str::trim).filter(|line| !line.is_empty()).count();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in one.lines().map(str::trim).filter(|line| !line.is_empty()) {
        *counts.entry(line).or_default() += 1;
    }
    let mut shared = 0;
    for line in other.lines().map(str::trim) {
        if let Some(count) = counts.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            shared += 1;
        }
    }
    match lines(one) + lines(other) {
        0 => 1.0,
        all => (2 * shared) as f64 / all as f64,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn differing_lines_are_found_with_their_places() {
        let found = hunks(&["a", "b", "c", "d"], &["a", "x", "y", "c", "d", "e"]);
        assert_eq!(found, [Hunk { old: 1..2, new: 1..3 }, Hunk { old: 4..4, new: 5..6 }]);
        assert_eq!(hunks(&["a"], &["a"]), []);
        assert_eq!(hunks(&[], &["a"]), [Hunk { old: 0..0, new: 0..1 }]);
    }

    #[test]
    fn texts_are_near_by_their_lines() {
        assert!((shared_lines("a\nb\n\nc\n", "c\nb\nx") - 2.0 / 3.0).abs() < 1e-9);
        assert!(shared_lines("", "\n") > 0.99 && shared_lines("a", "b") < 0.01 && shared_lines("a", "a\na\na") < 0.6);
    }

    proptest! {
        #[test]
        fn lines_outside_of_hunks_are_equal(old in "[ab\n]{0,30}", new in "[ab\n]{0,30}") {
            let (old, new): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
            let (mut at_old, mut at_new) = (0, 0);
            for Hunk { old: removed, new: inserted } in hunks(&old, &new) {
                prop_assert_eq!(&old[at_old..removed.start], &new[at_new..inserted.start]);
                (at_old, at_new) = (removed.end, inserted.end);
            }
            prop_assert_eq!(&old[at_old..], &new[at_new..]);
        }
    }
}
