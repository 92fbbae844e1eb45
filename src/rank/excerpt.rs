//! Joins overlapping excerpts of one file, so that every line occurs once.

/// A range of lines of a file. The lines are whole, unless it begins or ends within a long line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// First line, from 1.
    pub start_line: usize,
    /// Characters of the first line before the excerpt.
    pub start_column: usize,
    /// Last line, inclusive.
    pub end_line: usize,
    /// Characters of the last line up to the excerpt's end, or `None` if it holds the line's end.
    pub end_column: Option<usize>,
    /// The lines, without trailing line ends: trailing blank lines count only in `end_line`.
    pub content: String,
}

impl Excerpt {
    /// Returns the line and column of its beginning.
    pub fn start(&self) -> (usize, usize) {
        (self.start_line, self.start_column)
    }

    /// Returns the line and column of its end; the end of a line has the largest column.
    pub fn end(&self) -> (usize, usize) {
        (self.end_line, self.end_column.unwrap_or(usize::MAX))
    }

    /// Whether it holds all of another.
    pub fn holds(&self, other: &Self) -> bool {
        self.start() <= other.start() && other.end() <= self.end()
    }

    /// Returns the place behind it.
    fn behind(&self) -> (usize, usize) {
        self.end_column.map_or((self.end_line + 1, 0), |column| (self.end_line, column))
    }
}

/// Joins excerpts of one file that touch or overlap. The result is sorted, with gaps between the excerpts.
pub fn join_excerpts(mut excerpts: Vec<Excerpt>) -> Vec<Excerpt> {
    excerpts.sort_by_key(|excerpt| (excerpt.start(), excerpt.end()));
    let mut out: Vec<Excerpt> = Vec::new();
    for excerpt in excerpts {
        match out.last_mut() {
            Some(last) if excerpt.start() <= last.behind() => {
                if excerpt.end() > last.end() {
                    append(last, &excerpt);
                }
            }
            _ => out.push(excerpt),
        }
    }
    out
}

/// Appends the text of `next` that `last` lacks, after writing out the trailing blank lines of `last`.
fn append(last: &mut Excerpt, next: &Excerpt) {
    let length = last.end_line + 1 - last.start_line;
    let written = last.content.split('\n').count();
    last.content.extend(std::iter::repeat_n('\n', length.saturating_sub(written)));
    let lines = next.content.split('\n').skip((last.end_line + 1).saturating_sub(next.start_line));
    if let Some(end) = last.end_column {
        let shared = next.content.split('\n').nth(last.end_line - next.start_line).unwrap_or_default();
        let start = if next.start_line == last.end_line { next.start_column } else { 0 };
        last.content.extend(shared.chars().skip(end - start));
    }
    for line in lines {
        last.content.push('\n');
        last.content.push_str(line);
    }
    (last.end_line, last.end_column) = (next.end_line, next.end_column);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(start_line: usize, content: &str) -> Excerpt {
        let lines = content.split('\n').count();
        whole(start_line, start_line + lines - 1, content.into())
    }

    fn whole(start_line: usize, end_line: usize, content: String) -> Excerpt {
        Excerpt { start_line, start_column: 0, end_line, end_column: None, content }
    }

    #[test]
    fn overlapping_lines_occur_once() {
        let joined = join_excerpts(vec![excerpt(3, "c\nd\ne"), excerpt(1, "a\nb\nc"), excerpt(9, "i")]);
        assert_eq!(joined, [excerpt(1, "a\nb\nc\nd\ne"), excerpt(9, "i")]);
    }

    #[test]
    fn an_excerpt_within_another_adds_nothing() {
        assert_eq!(join_excerpts(vec![excerpt(1, "a\nb\nc"), excerpt(2, "b")]), [excerpt(1, "a\nb\nc")]);
    }

    #[test]
    fn blank_lines_at_the_end_of_an_excerpt_are_counted() {
        let first = whole(1, 4, "a\nb".into());
        let second = whole(4, 8, "\nc\nd".into());
        let third = whole(9, 9, "e".into());
        let joined = join_excerpts(vec![first, second, third]);
        assert_eq!(joined, [whole(1, 9, "a\nb\n\n\nc\nd\n\n\ne".into())]);
    }

    #[test]
    fn pieces_of_a_long_line_are_joined_where_they_touch() {
        let piece = |start: (usize, usize), end: (usize, Option<usize>), content: &str| Excerpt {
            start_line: start.0,
            start_column: start.1,
            end_line: end.0,
            end_column: end.1,
            content: content.into(),
        };
        let (first, second) = (piece((1, 0), (2, Some(3)), "a\nbär"), piece((2, 3), (2, Some(6)), "den"));
        let third = piece((2, 6), (3, None), " x\ny");
        let joined = join_excerpts(vec![third.clone(), first.clone(), second.clone()]);
        assert_eq!(joined, [piece((1, 0), (3, None), "a\nbärden x\ny")]);
        assert_eq!(join_excerpts(vec![first.clone(), third.clone()]), [first.clone(), third.clone()], "a gap");
        assert!(joined[0].holds(&second) && !first.holds(&second));
        let overlapping = piece((2, 1), (2, Some(6)), "ärden");
        assert_eq!(join_excerpts(vec![first, overlapping]), [piece((1, 0), (2, Some(6)), "a\nbärden")]);
    }

    proptest::proptest! {
        #[test]
        fn joined_lines_are_those_of_the_file(
            lines in proptest::collection::vec("[a-c]{0,2}", 1..24),
            spans in proptest::collection::vec((0..24usize, 0..8usize), 0..8),
        ) {
            let slice = |first: usize, last: usize| lines[first - 1..last].join("\n").trim_end_matches('\n').to_owned();
            let excerpts: Vec<Excerpt> = spans
                .iter()
                .map(|(start, length)| (1 + start % lines.len(), (1 + start % lines.len() + length).min(lines.len())))
                .map(|(first, last)| whole(first, last, slice(first, last)))
                .collect();
            let joined = join_excerpts(excerpts.clone());
            for part in &joined {
                proptest::prop_assert_eq!(part.content.trim_end(), slice(part.start_line, part.end_line));
            }
            proptest::prop_assert!(joined.windows(2).all(|pair| pair[0].end_line + 1 < pair[1].start_line));
            for excerpt in &excerpts {
                let held = |part: &Excerpt| part.start_line <= excerpt.start_line && excerpt.end_line <= part.end_line;
                proptest::prop_assert!(joined.iter().any(held));
            }
        }
    }
}
