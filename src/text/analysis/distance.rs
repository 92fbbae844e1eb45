//! The edit distance of two words.

/// More than any distance, and small enough not to overflow.
const FAR: usize = usize::MAX / 4;

/// Returns the number of insertions, deletions, substitutions and transpositions of neighbours that turn one word into the
/// other, if it is at most `max_distance`. This is the restricted Damerau distance: no letter is edited twice.
///
/// The cost is about the length of the shorter word times `max_distance`, and nothing if the lengths differ by more.
pub fn distance_within(left: &[char], right: &[char], max_distance: usize) -> Option<usize> {
    if left.len().abs_diff(right.len()) > max_distance {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, letter) in left.iter().enumerate() {
        // A path through other columns would need more than `max_distance` steps to return.
        let columns =
            row.saturating_sub(max_distance)..right.len().min(row.saturating_add(max_distance).saturating_add(1));
        let mut next = vec![FAR; right.len() + 1];
        next[0] = row + 1;
        for column in columns {
            let other = right[column];
            let replaced = last[column] + usize::from(*letter != other);
            let mut least = replaced.min(last[column + 1] + 1).min(next[column] + 1);
            if row > 0 && column > 0 && *letter == right[column - 1] && left[row - 1] == other {
                least = least.min(before[column - 1] + 1);
            }
            next[column + 1] = least;
        }
        before = std::mem::replace(&mut last, next);
        if before.iter().chain(&last).all(|distance| *distance > max_distance) {
            return None;
        }
    }
    Some(last[right.len()]).filter(|distance| *distance <= max_distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(left: &[char], right: &[char]) -> usize {
        distance_within(left, right, left.len().max(right.len())).unwrap()
    }

    #[test]
    fn edits_are_counted() {
        let count =
            |left: &str, right: &str| distance(&left.chars().collect::<Vec<_>>(), &right.chars().collect::<Vec<_>>());
        assert_eq!(count("kubernets", "kubernetes"), 1);
        assert_eq!(count("recieve", "receive"), 1);
        assert_eq!(count("databse", "database"), 1);
        assert_eq!(count("", "abc"), 3);
        assert_eq!(count("same", "same"), 0);
        assert_eq!(count("kitten", "sitting"), 3);
    }

    proptest::proptest! {
        #[test]
        fn distance_is_symmetric_and_bounded(left in "[a-c]{0,8}", right in "[a-c]{0,8}") {
            let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
            let there = distance(&left, &right);
            proptest::prop_assert_eq!(there, distance(&right, &left));
            proptest::prop_assert!(there <= left.len().max(right.len()));
            proptest::prop_assert_eq!(there == 0, left == right);
            for max_distance in 0..9 {
                proptest::prop_assert_eq!(distance_within(&left, &right, max_distance), Some(there).filter(|there| *there <= max_distance));
            }
        }
    }
}
