//! Joins overlapping excerpts of one file, so that every line occurs once.

/// A range of lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// First line, from 1.
    pub start_line: usize,
    /// Last line, inclusive.
    pub end_line: usize,
    /// The lines, without trailing line ends: trailing blank lines count only in `end_line`.
    pub content: String,
}

/// Joins excerpts of one file that touch or overlap. The result is sorted, with gaps between the excerpts.
pub fn join_excerpts(mut excerpts: Vec<Excerpt>) -> Vec<Excerpt> {
    excerpts.sort_by_key(|excerpt| (excerpt.start_line, excerpt.end_line));
    let mut out: Vec<Excerpt> = Vec::new();
    for excerpt in excerpts {
        match out.last_mut() {
            Some(last) if excerpt.start_line <= last.end_line + 1 => {
                if excerpt.end_line > last.end_line {
                    append(last, &excerpt);
                }
            }
            _ => out.push(excerpt),
        }
    }
    out
}

/// Appends the lines of `next` that `last` lacks, after writing out the trailing blank lines of `last`.
fn append(last: &mut Excerpt, next: &Excerpt) {
    let length = last.end_line + 1 - last.start_line;
    let written = last.content.split('\n').count();
    last.content.extend(std::iter::repeat_n('\n', length.saturating_sub(written)));
    let known = last.end_line + 1 - next.start_line;
    for line in next.content.split('\n').skip(known) {
        last.content.push('\n');
        last.content.push_str(line);
    }
    last.end_line = next.end_line;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(start_line: usize, content: &str) -> Excerpt {
        let lines = content.split('\n').count();
        Excerpt { start_line, end_line: start_line + lines - 1, content: content.into() }
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
        let first = Excerpt { start_line: 1, end_line: 4, content: "a\nb".into() };
        let second = Excerpt { start_line: 4, end_line: 8, content: "\nc\nd".into() };
        let third = Excerpt { start_line: 9, end_line: 9, content: "e".into() };
        let joined = join_excerpts(vec![first, second, third]);
        assert_eq!(joined, [Excerpt { start_line: 1, end_line: 9, content: "a\nb\n\n\nc\nd\n\n\ne".into() }]);
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
                .map(|(first, last)| Excerpt { start_line: first, end_line: last, content: slice(first, last) })
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
