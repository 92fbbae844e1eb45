//! How alike two words are.

/// Returns how many letters must be put in, taken out, replaced or exchanged with the next to make one word of the other
/// (Damerau's distance in its restricted form: no letter is touched twice).
pub fn distance(left: &[char], right: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, letter) in left.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, other) in right.iter().enumerate() {
            let replaced = last[column] + usize::from(letter != other);
            let mut least = replaced.min(last[column + 1] + 1).min(next[column] + 1);
            if row > 0 && column > 0 && *letter == right[column - 1] && left[row - 1] == *other {
                least = least.min(before[column - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut last, next);
    }
    last[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted() {
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
        }
    }
}
