//! Where passages begin: a choice that depends on the text around it alone.
//!
//! What is embedded should change with an edit as little as the text does. So passages are laid over the whole document
//! before chunks are, a heading begins a new one wherever the last is not tiny, and among equally natural places the
//! content decides (as in content-defined chunking: Muthitacharoen, Chen and Mazières, SOSP 2001), not the distance from
//! what stands above. After a paragraph is inserted, the old places are found again within a passage or two.
//!
//! Entries of a log (`- 09:20 text`) stand for themselves: what was noted at one time says nothing of what was noted before
//! it, and a passage of several would be near to none of what they say.

use super::boundaries::{LIST_ITEM, Line, SECTION};
use crate::domain::ContentHash;

/// A passage is at least this share of the limit (one half) before a natural place ends it ...
const LEAST: usize = 2;
/// ... and this share (one quarter) before a heading does.
const LEAST_BEFORE_HEADING: usize = 4;

/// Marks the lines that begin a passage of at most `limit` tokens. A line that is longer stands alone.
pub(super) fn mark(lines: &mut [Line], limit: usize) {
    let mut start = 0;
    while start < lines.len() {
        lines[start].opens = true;
        start = next(lines, start, limit);
    }
}

fn next(lines: &[Line], start: usize, limit: usize) -> usize {
    let mut size = lines[start].tokens;
    if size > limit {
        return start + 1;
    }
    let mut best: Option<((u8, ContentHash), usize)> = None;
    let begins_with_entry = is_entry(&lines[start].text);
    for (index, line) in lines.iter().enumerate().skip(start + 1) {
        if is_entry(&line.text) || (begins_with_entry && line.score >= SECTION) {
            return index;
        }
        if line.score >= SECTION && line.inside.is_none() && size >= limit / LEAST_BEFORE_HEADING {
            return index;
        }
        if size >= limit / LEAST {
            let rank = (class(line), ContentHash::of(line.text.as_bytes()));
            if best.is_none_or(|(top, _)| rank > top) {
                best = Some((rank, index));
            }
        }
        if size + line.tokens > limit {
            return best.map_or(index, |(_, at)| at);
        }
        size += line.tokens;
    }
    lines.len()
}

/// Whether a line begins an entry of a log: a list item with a time before it says anything.
fn is_entry(line: &str) -> bool {
    let Some(said) = line.strip_prefix("- ") else { return false };
    let said = ["[ ] ", "[x] "].iter().find_map(|mark| said.strip_prefix(mark)).unwrap_or(said);
    let mut bytes = said.bytes();
    let is_digit = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_digit());
    is_digit(bytes.next())
        && is_digit(bytes.next())
        && bytes.next() == Some(b':')
        && is_digit(bytes.next())
        && is_digit(bytes.next())
        && bytes.next() == Some(b' ')
}

/// How natural it is to begin here, in few steps: within one, the content decides.
fn class(line: &Line) -> u8 {
    match line {
        Line { inside: Some(_), .. } => 0,
        Line { text, .. } if text.trim().is_empty() => 1,
        Line { score, .. } if *score > LIST_ITEM => 3,
        _ => 2,
    }
}
