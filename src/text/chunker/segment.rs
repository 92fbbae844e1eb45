//! Chooses where passages begin, depending only on the surrounding text.
//!
//! An edit should change as few passages as possible. So passages are laid out over the whole document before chunks are, a
//! heading begins a new passage unless the current one is tiny, and the content chooses among equally natural places (as in
//! content-defined chunking: Muthitacharoen, Chen and Mazières, SOSP 2001), not the distance from the text above. After an
//! inserted paragraph, the old boundaries return within a passage or two.
//!
//! Each session entry that tars wrote (`- 09:20 Found: text`) is a passage of its own, because a passage of several would be
//! near to none of them. So is each item of a list of facts (`Memory.md`). A person's other lines are not: they are often so
//! short that they are near to any short question. The messages of a saved chat begin passages too.

use super::boundaries::{LIST_ITEM, Line, LineStart, SECTION};
use tars_base::domain::ContentHash;

/// A natural place ends a passage only after one half of the limit.
const PLACE_DIVISOR: usize = 2;
/// A heading ends a passage only after one quarter of the limit.
const HEADING_DIVISOR: usize = 4;

/// The longest label of a session entry, in bytes.
const LABEL: usize = 12;

/// Marks the lines that begin a passage of at most `limit` tokens. A longer line, or a piece of a cut one, is a passage of its own. `facts` marks the
/// document as a list of facts.
pub(super) fn mark_passages(lines: &mut [Line], limit: usize, facts: bool) {
    let mut start = 0;
    while start < lines.len() {
        lines[start].starts_passage = true;
        start = next(lines, start, limit, facts);
    }
}

fn next(lines: &[Line], start: usize, limit: usize, facts: bool) -> usize {
    let mut size = lines[start].tokens;
    if size > limit || lines[start].is_piece {
        return start + 1;
    }
    let mut best: Option<((u8, ContentHash), usize)> = None;
    let is_standalone = |line: &Line| is_entry(&line.text) || (facts && line.begins == LineStart::Item);
    let begins_with_entry = is_standalone(&lines[start]);
    for (index, line) in lines.iter().enumerate().skip(start + 1) {
        if is_standalone(line)
            || line.begins == LineStart::Message
            || ((begins_with_entry || facts) && line.score >= SECTION)
        {
            return index;
        }
        if line.score >= SECTION && line.inside_block.is_none() && size >= limit / HEADING_DIVISOR {
            return index;
        }
        if size >= limit / PLACE_DIVISOR {
            let rank = (class(line), ContentHash::of(line.text.as_bytes()));
            if best.is_none_or(|(top, _)| rank > top) {
                best = Some((rank, index));
            }
        }
        if line.is_piece || size + line.tokens > limit {
            return best.map_or(index, |(_, at)| at);
        }
        size += line.tokens;
    }
    lines.len()
}

/// Whether a line is a session entry by tars: a list item with a time and a label before its text.
fn is_entry(line: &str) -> bool {
    let Some(said) = line.strip_prefix("- ") else { return false };
    let said = ["[ ] ", "[x] ", "[-] "].iter().find_map(|mark| said.strip_prefix(mark)).unwrap_or(said);
    let Some((time, said)) = said.split_once(' ') else { return false };
    let is_time = time.len() == 5
        && time.bytes().enumerate().all(|(at, byte)| if at == 2 { byte == b':' } else { byte.is_ascii_digit() });
    let label = said.split_once(": ").map_or("", |(label, _)| label);
    is_time
        && label.starts_with(|c: char| c.is_ascii_uppercase())
        && label.len() <= LABEL
        && label.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b' ')
}

/// Returns how natural a start here is, in few steps; the content decides within a step.
fn class(line: &Line) -> u8 {
    match line {
        Line { inside_block: Some(_), .. } => 0,
        Line { text, .. } if text.trim().is_empty() => 1,
        Line { score, .. } if *score > LIST_ITEM => 3,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::is_entry;

    #[test]
    fn session_entries_are_recognized() {
        for line in ["- 09:20 Found: the timer", "- [ ] 09:20 Open: restart it", "- 21:03 Ruled out: the relay: stuck"]
        {
            assert!(is_entry(line), "{line}");
        }
        for line in [
            "- 09:20 Ordered straps for the winter",
            "- Found: keys",
            "- 9:20 Found: x",
            "09:20 Found: x",
            "- 09:20 [garden] Moved: x",
        ] {
            assert!(!is_entry(line), "{line}");
        }
    }
}
