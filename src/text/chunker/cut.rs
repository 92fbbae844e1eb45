//! Cuts lines into spans, each at the best cut near the target size.

use super::ChunkOptions;
use super::boundaries::{Line, SECTION};

/// Indices of lines, both ends inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) first: usize,
    /// The first line after the previous span: embedding begins here.
    pub(super) own: usize,
    pub(super) last: usize,
}

/// Returns the number of tokens that a chunk has at most, unless a block or a line alone has more.
pub(super) fn hard_limit(options: &ChunkOptions) -> usize {
    2 * options.target_tokens.max(1)
}

/// Returns spans that cover every line, in order. Each begins after the previous one, or earlier by the overlap. No span is
/// blank: trailing blank lines belong to the last.
pub(super) fn spans(lines: &[Line], options: &ChunkOptions) -> Vec<Span> {
    let text_end = lines.iter().rposition(|line| !line.text.trim().is_empty()).map_or(0, |last| last + 1);
    let text = &lines[..text_end];
    let mut spans: Vec<Span> = Vec::new();
    let (mut first, mut covered) = (0, 0);
    while covered < text.len() {
        let next = next_cut(text, first, options);
        if next <= covered {
            // The next line is too long to share a span with the overlap, and the overlap alone adds nothing new.
            first = covered;
            continue;
        }
        spans.push(Span { first, own: covered, last: next - 1 });
        covered = next;
        if covered < text.len() {
            first = overlapped(text, first, covered, options);
        }
    }
    if let Some(last) = spans.last_mut() {
        last.last = lines.len() - 1;
    }
    spans
}

/// Returns the index of the line that begins the next span.
///
/// Among the cuts at a passage or section within half the target from the target size, the one with the best `score * (1 -
/// (distance/window)^2)` wins. Other places are cut only if there is no such cut before the hard limit of twice the target,
/// and the inside of a code block or table only after that.
fn next_cut(lines: &[Line], first: usize, options: &ChunkOptions) -> usize {
    let target = options.target_tokens.max(1) as f64;
    let window = target / 2.0;
    let hard_limit = hard_limit(options) as f64;
    let mut size = 0.0;
    let mut best: Option<(f64, usize)> = None;
    let mut last_whole = None;
    let mut nearest = None;
    for index in first + 1..lines.len() {
        size += lines[index - 1].tokens as f64;
        let whole = lines[index].inside_block.is_none();
        let natural = whole && (lines[index].starts_passage || lines[index].score >= SECTION);
        let distance = (size - target).abs();
        if natural && distance < window {
            let score = lines[index].score * (1.0 - (distance / window).powi(2));
            if best.is_none_or(|(top, _)| score > top) {
                best = Some((score, index));
            }
        }
        if whole && size <= hard_limit && size > 0.0 {
            last_whole = Some(index);
        }
        if size > 0.0 && (size <= target || nearest.is_none()) {
            nearest = Some(index);
        }
        if size > hard_limit {
            // A block (or one line) spans from below the window to beyond it.
            let nearest_whole = nearest.filter(|at| lines[*at].inside_block.is_none());
            return best.map(|(_, at)| at).or(nearest_whole).or(last_whole).or(nearest).unwrap_or(index);
        }
        if size >= target + window && best.is_some() {
            break;
        }
    }
    // The sum stops at the hard limit: summing up the rest of the note for every chunk would be quadratic.
    let mut rest = 0.0;
    for line in &lines[first..] {
        rest += line.tokens as f64;
        if rest > hard_limit {
            break;
        }
    }
    match best {
        // A small remainder is worth more in its context than alone.
        Some((_, at)) if rest > 1.25 * target || lines[at].score >= SECTION && rest > target => at,
        _ if rest <= hard_limit => lines.len(),
        Some((_, at)) => at,
        None => last_whole.or(nearest).unwrap_or(lines.len()),
    }
}

/// Returns the start of the next span: some lines before `cut`, unless a section begins there.
fn overlapped(lines: &[Line], first: usize, cut: usize, options: &ChunkOptions) -> usize {
    if lines[cut].score >= SECTION || lines[cut].inside_block.is_some() {
        return cut;
    }
    let allowance = (options.overlap * options.target_tokens as f64) as usize;
    let mut start = cut;
    let mut repeated = 0;
    while start > first + 1 {
        let line = &lines[start - 1];
        repeated += line.tokens;
        if repeated > allowance || line.inside_block.is_some() || line.score >= SECTION {
            break;
        }
        start -= 1;
    }
    // Leading blank lines of a chunk add nothing.
    while start < cut && lines[start].text.trim().is_empty() {
        start += 1;
    }
    start
}
