//! Where a document may be cut, and how gladly.

use crate::domain::{BlockKind, CountTokens, Document};

/// Score of a cut before a heading of level 1; each level below it is worth ten less. Scores rank cuts against each
/// other only; they follow the outline of the text: a section parts more than a paragraph, a paragraph more than an item.
const HEADING: f64 = 100.0;
const CODE: f64 = 80.0;
const RULE: f64 = 70.0;
const BLANK: f64 = 10.0;
pub(super) const LIST_ITEM: f64 = 5.0;
/// Any other line end: taken only where nothing better is near.
const LINE: f64 = 1.0;

/// The weakest heading: cuts that score at least this part sections, and nothing is repeated across them.
pub(super) const SECTION: f64 = 50.0;

/// What begins in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Begins {
    /// A section.
    Section,
    /// An item of a list that stands in no other.
    Item,
    /// Anything else, or nothing.
    Other,
}

/// A line of the text with what the cutter asks about it.
pub(super) struct Line {
    /// Line number in the file.
    pub(super) number: usize,
    /// What is searched and embedded of it.
    pub(super) text: String,
    /// Size of `text`.
    pub(super) tokens: usize,
    /// How gladly the document is cut before this line.
    pub(super) score: f64,
    /// What begins here.
    pub(super) begins: Begins,
    /// The block that this line stands in but does not begin, by its index among the blocks: a cut here splits it.
    pub(super) inside: Option<usize>,
    /// Whether a passage begins here; see `segment`.
    pub(super) opens: bool,
}

/// Returns the lines after the front matter; of a note that is all front matter, those of the front matter.
pub(super) fn lines(document: &Document, indexed: &dyn Fn(&str) -> String, counter: &dyn CountTokens) -> Vec<Line> {
    let last = document.line_count();
    let has_body =
        (document.body_line..=last).any(|number| document.line(number).is_some_and(|l| !l.trim().is_empty()));
    let first = if has_body { document.body_line.max(1) } else { 1 };
    let mut lines: Vec<Line> = (first..=last)
        .map(|number| {
            let text = indexed(document.line(number).unwrap_or_default());
            Line {
                number,
                tokens: counter.count(&text),
                text,
                score: LINE,
                begins: Begins::Other,
                inside: None,
                opens: false,
            }
        })
        .collect();
    if lines.iter().all(|line| line.text.trim().is_empty()) {
        return Vec::new();
    }
    score(document, first, &mut lines);
    lines
}

fn score(document: &Document, first: usize, lines: &mut [Line]) {
    let count = lines.len();
    // Index of a file's line among `lines`; blocks and headings above `first` belong to the front matter.
    let index = |number: usize| number.checked_sub(first).filter(|index| *index < count);
    for position in 1..lines.len() {
        if lines[position - 1].text.trim().is_empty() && !lines[position].text.trim().is_empty() {
            lines[position].score = BLANK;
        }
    }
    let raise = |lines: &mut [Line], number: usize, score: f64| {
        if let Some(position) = index(number) {
            lines[position].score = lines[position].score.max(score);
        }
    };
    for (block_index, block) in document.blocks.iter().enumerate() {
        match block.kind {
            BlockKind::ListItem => {
                raise(lines, block.start_line, LIST_ITEM);
                let line = index(block.start_line).map(|position| &mut lines[position]);
                if let Some(line) = line.filter(|line| !line.text.starts_with(char::is_whitespace)) {
                    line.begins = Begins::Item;
                }
            }
            BlockKind::Rule => raise(lines, block.end_line + 1, RULE),
            BlockKind::Code => {
                raise(lines, block.start_line, CODE);
                raise(lines, block.end_line + 1, CODE);
            }
            BlockKind::Table | BlockKind::Html => {}
        }
        if matches!(block.kind, BlockKind::Code | BlockKind::Table) {
            for number in block.start_line + 1..=block.end_line {
                if let Some(position) = index(number) {
                    lines[position].inside = Some(block_index);
                }
            }
        }
    }
    for heading in &document.headings {
        raise(lines, heading.line, HEADING - 10.0 * f64::from(heading.level.saturating_sub(1)));
        if let Some(position) = index(heading.line) {
            lines[position].begins = Begins::Section;
        }
    }
}
