//! Cuts lines that are longer than a chunk may be: transcripts, clippings and machines write whole notes into one line.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use tars_base::domain::{CountTokens, Document};

use super::boundaries::Line;
use crate::sentences::pieces;

/// Links, comments and data are not cut: their halves would be shown and searched as text.
static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
    let parts = [r"\[\[[^\[\]\n]+\]\]", r"\[[^\[\]\n]*\]\([^()\n]+\)", r"data:[0-9A-Za-z/+.;=-]*,[0-9A-Za-z+/=_%-]*"];
    Regex::new(&parts.join("|")).expect("the pattern is constant")
});

/// A link or comment of more bytes is cut like text.
const MAX_WHOLE: usize = 2_000;

/// Replaces each line of more than `longest` tokens by pieces of at most `limit`, cut at sentences.
pub(super) fn cut_long_lines(
    lines: Vec<Line>,
    document: &Document,
    indexed: &dyn Fn(&str) -> String,
    counter: &dyn CountTokens,
    (limit, longest): (usize, usize),
) -> Vec<Line> {
    if lines.iter().all(|line| line.tokens <= longest) {
        return lines;
    }
    let cut = |line: Line| {
        let is_cut = line.tokens > longest && !document.is_opaque(line.number);
        match document.line(line.number).filter(|_| is_cut) {
            None => vec![line],
            Some(raw) => {
                let whole = whole_parts(raw);
                let ranges = pieces(raw, limit, &|piece| counter.count(&indexed(piece)), &whole);
                parts(&line, raw, &ranges, indexed, counter)
            }
        }
    };
    lines.into_iter().flat_map(cut).collect()
}

/// Returns the ranges of a line that are not cut, in order.
fn whole_parts(line: &str) -> Vec<Range<usize>> {
    let is_kept = |part: &Range<usize>| part.len() <= MAX_WHOLE || line[part.start..].starts_with("data:");
    let found = WHOLE.find_iter(line).map(|found| found.range());
    let mut ranges: Vec<Range<usize>> = found.chain(comments(line)).filter(is_kept).collect();
    ranges.sort_unstable_by_key(|range| range.start);
    // A link within a comment belongs to the comment.
    let mut end = 0;
    ranges.retain(|range| {
        let is_apart = range.start >= end;
        end = end.max(range.end);
        is_apart
    });
    ranges
}

/// Returns the ranges of the comments in a line, in one pass.
fn comments(line: &str) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(start) = line[at..].find("<!--").map(|start| at + start) {
        // An unclosed comment means that no later one is closed either.
        let Some(end) = line[start..].find("-->").map(|end| start + end + "-->".len()) else { break };
        found.push(start..end);
        at = end;
    }
    found
}

fn parts(
    line: &Line,
    raw: &str,
    ranges: &[Range<usize>],
    indexed: &dyn Fn(&str) -> String,
    counter: &dyn CountTokens,
) -> Vec<Line> {
    let mut column = 0;
    let part = |(index, range): (usize, &Range<usize>)| {
        let text = indexed(&raw[range.clone()]);
        let start_column = column;
        column += raw[range.clone()].chars().count();
        Line {
            tokens: counter.count(&text),
            text,
            start_column,
            end_column: (index + 1 < ranges.len()).then_some(column),
            start_byte: range.start,
            end_byte: range.end,
            is_piece: true,
            ..if index == 0 { line.without_text() } else { line.continued() }
        }
    };
    ranges.iter().enumerate().map(part).collect()
}
