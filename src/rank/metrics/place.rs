//! Places of answers.

/// A range of lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Name of the collection; `None` matches any.
    pub collection: Option<String>,
    /// Path relative to the collection's root, separated by `/`.
    pub path: String,
    /// First line, from 1.
    pub start_line: usize,
    /// Last line, inclusive; `usize::MAX` for the end of the file.
    pub end_line: usize,
}

impl Place {
    /// Whether the two share a line.
    pub fn overlaps(&self, other: &Self) -> bool {
        let same_collection = match (&self.collection, &other.collection) {
            (Some(left), Some(right)) => left == right,
            _ => true,
        };
        same_collection
            && self.path == other.path
            && self.start_line <= other.end_line
            && other.start_line <= self.end_line
    }
}

/// A result as displayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankedResult {
    /// Its lines.
    pub place: Place,
    /// Length of its text in characters (Unicode scalar values).
    pub characters: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(collection: Option<&str>, path: &str, start_line: usize, end_line: usize) -> Place {
        Place { collection: collection.map(str::to_owned), path: path.into(), start_line, end_line }
    }

    #[test]
    fn places_overlap_if_they_share_a_line_of_one_file() {
        let wanted = place(None, "a.md", 5, 7);
        for (path, first, last, expected) in
            [("a.md", 1, 4, false), ("a.md", 1, 5, true), ("a.md", 6, 6, true), ("a.md", 7, 9, true)]
        {
            let shown = place(Some("vault"), path, first, last);
            assert_eq!((wanted.overlaps(&shown), shown.overlaps(&wanted)), (expected, expected), "{first}-{last}");
        }
        assert!(!wanted.overlaps(&place(None, "b.md", 5, 7)) && !wanted.overlaps(&place(None, "a.md", 8, usize::MAX)));
        let named = place(Some("work"), "a.md", 1, usize::MAX);
        assert!(!named.overlaps(&place(Some("vault"), "a.md", 1, 9)));
        assert!(named.overlaps(&place(Some("work"), "a.md", 9, 9)));
    }
}
