//! A file as lines: lines can be removed and inserted while all other bytes stay the same.

use std::borrow::Cow;
use std::ops::Range;

/// The byte order mark of UTF-8.
pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// A change of lines: removes `remove` lines at `at` (from 0) and inserts `insert` there. The lines hold no line ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// The first removed line, or the line before which the new lines are inserted.
    pub at: usize,
    /// The number of removed lines.
    pub remove: usize,
    /// The inserted lines.
    pub insert: Vec<String>,
}

/// The bytes of a file, split into lines.
#[derive(Debug, Clone)]
pub struct Lines<'b> {
    bytes: &'b [u8],
    /// Each line with its line end; the first one without the byte order mark.
    spans: Vec<Range<usize>>,
}

impl<'b> Lines<'b> {
    /// Splits `bytes` at line feeds.
    pub fn of(bytes: &'b [u8]) -> Self {
        let mut spans = Vec::new();
        let mut start = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        while start < bytes.len() {
            let end = bytes[start..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| start + at + 1);
            spans.push(start..end);
            start = end;
        }
        Self { bytes, spans }
    }

    /// Returns the number of lines.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Returns whether there are no lines.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns a line (from 0) without its line end; invalid UTF-8 is replaced.
    pub fn line(&self, index: usize) -> Cow<'b, str> {
        let line = &self.bytes[self.spans[index].clone()];
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// Returns all lines as [`Lines::line`] does.
    pub fn all(&self) -> Vec<String> {
        (0..self.len()).map(|index| self.line(index).into_owned()).collect()
    }

    /// Returns the bytes after `splices`, which refer to lines of this file, do not overlap and may come in any order. New lines
    /// take the file's line ending. A missing final line end stays missing.
    ///
    /// # Panics
    /// Panics if splices overlap or refer to missing lines.
    pub fn spliced(&self, splices: &[Splice]) -> Vec<u8> {
        let mut order: Vec<&Splice> = splices.iter().collect();
        order.sort_by_key(|splice| splice.at);
        let ending = self.ending();
        let mut out = if self.bytes.starts_with(BOM) { BOM.to_vec() } else { Vec::new() };
        let mut next = 0;
        for splice in order {
            assert!(next <= splice.at && splice.at + splice.remove <= self.len(), "splices lie within and apart");
            out.extend_from_slice(self.range(next..splice.at));
            for line in &splice.insert {
                end_line(&mut out, ending);
                out.extend_from_slice(line.as_bytes());
                out.extend_from_slice(ending);
            }
            next = splice.at + splice.remove;
        }
        if next < self.len() {
            end_line(&mut out, ending);
            out.extend_from_slice(self.range(next..self.len()));
        }
        let open_end = self.spans.last().is_some_and(|last| !self.bytes[last.clone()].ends_with(b"\n"));
        match (open_end, out.ends_with(b"\n")) {
            (true, true) => {
                out.pop();
                if out.ends_with(b"\r") && ending.len() == 2 {
                    out.pop();
                }
            }
            (false, false) => end_line(&mut out, ending),
            _ => {}
        }
        out
    }

    fn range(&self, lines: Range<usize>) -> &'b [u8] {
        match (self.spans.get(lines.start), lines.end.checked_sub(1).and_then(|last| self.spans.get(last))) {
            (Some(first), Some(last)) if lines.start < lines.end => &self.bytes[first.start..last.end],
            _ => &[],
        }
    }

    /// The line end of the first line that has one.
    fn ending(&self) -> &'static [u8] {
        match self.bytes.iter().position(|byte| *byte == b'\n') {
            Some(at) if at > 0 && self.bytes[at - 1] == b'\r' => b"\r\n",
            _ => b"\n",
        }
    }
}

/// Terminates the last line of `out` if it is unterminated.
fn end_line(out: &mut Vec<u8>, ending: &[u8]) {
    let empty = out.is_empty() || out.as_slice() == BOM;
    if !empty && !out.ends_with(b"\n") {
        out.extend_from_slice(ending);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spliced(text: &[u8], at: usize, remove: usize, insert: &[&str]) -> Vec<u8> {
        let insert = insert.iter().map(|line| (*line).to_owned()).collect();
        Lines::of(text).spliced(&[Splice { at, remove, insert }])
    }

    #[test]
    fn line_ends_bom_and_final_newline_are_preserved() {
        assert_eq!(spliced(b"a\nb\n", 2, 0, &["c"]), b"a\nb\nc\n");
        assert_eq!(spliced(b"a\r\nb\r\n", 1, 0, &["c"]), b"a\r\nc\r\nb\r\n");
        assert_eq!(spliced(b"a\nb", 2, 0, &["c"]), b"a\nb\nc");
        assert_eq!(spliced(b"a\r\nb", 2, 0, &["c"]), b"a\r\nb\r\nc");
        assert_eq!(spliced(b"a\nb", 1, 1, &[]), b"a");
        assert_eq!(spliced(b"\xef\xbb\xbfa\n", 0, 0, &["c"]), b"\xef\xbb\xbfc\na\n");
        assert_eq!(spliced(b"\xef\xbb\xbf", 0, 0, &["c"]), b"\xef\xbb\xbfc\n");
        assert_eq!(spliced(b"", 0, 0, &["c", "d"]), b"c\nd\n");
        assert_eq!(spliced(b"a", 0, 1, &[]), b"");
        assert_eq!(spliced(b"\xff\xfe\nb\n", 1, 1, &["c"]), b"\xff\xfe\nc\n", "bytes that are no text stay too");
    }

    #[test]
    fn several_splices_refer_to_lines_of_the_original_file() {
        let splices = [
            Splice { at: 3, remove: 1, insert: Vec::new() },
            Splice { at: 0, remove: 1, insert: vec!["A".into(), "AA".into()] },
        ];
        assert_eq!(Lines::of(b"a\nb\nc\nd\ne\n").spliced(&splices), b"A\nAA\nb\nc\ne\n");
    }

    proptest::proptest! {
        #[test]
        fn untouched_lines_keep_every_byte(
            bytes in proptest::collection::vec(proptest::sample::select(b"ab\r\n\xff".to_vec()), 0..40),
            at in 0..20usize,
            remove in 0..5usize,
        ) {
            let lines = Lines::of(&bytes);
            let at = at.min(lines.len());
            let remove = remove.min(lines.len() - at);
            proptest::prop_assert_eq!(&lines.spliced(&[]), &bytes);
            let after = lines.spliced(&[Splice { at, remove, insert: vec!["new".into()] }]);
            let changed = Lines::of(&after);
            proptest::prop_assert_eq!(changed.len(), lines.len() - remove + 1);
            proptest::prop_assert_eq!(changed.line(at), "new");
            proptest::prop_assert_eq!(&after[..lines.range(0..at).len().min(after.len())], lines.range(0..at));
            proptest::prop_assert_eq!(after.ends_with(b"\n"), bytes.is_empty() || bytes.ends_with(b"\n"));
        }
    }
}
