//! Possible cuts in a document, and their scores.

use tars_base::domain::{BlockKind, CountTokens, Document};

/// Score of a cut before a heading of level 1; each level below it scores ten less. Scores only rank cuts against each other.
/// They follow the outline of the text: a section separates more than a paragraph, a paragraph more than a list item.
const HEADING: f64 = 100.0;
const CODE: f64 = 80.0;
const RULE: f64 = 70.0;
const BLANK: f64 = 10.0;
pub(super) const LIST_ITEM: f64 = 5.0;
/// Any other line end: used only if nothing better is near.
const LINE: f64 = 1.0;

/// The weakest heading. Cuts with at least this score separate sections, and the overlap does not cross them.
pub(super) const SECTION: f64 = 50.0;

/// The kind of element that begins in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineStart {
    /// A section.
    Section,
    /// An item of a top-level list.
    Item,
    /// A message of a saved chat.
    Message,
    /// Anything else, or nothing.
    Other,
}

/// A line of the text with the data for cutting.
pub(super) struct Line {
    /// Line number in the file.
    pub(super) number: usize,
    /// The text to search and embed.
    pub(super) text: String,
    /// Size of `text`.
    pub(super) tokens: usize,
    /// Score of a cut before this line.
    pub(super) score: f64,
    /// The element that begins here.
    pub(super) begins: LineStart,
    /// Index of the block that holds this line without beginning here: a cut here would split it.
    pub(super) inside_block: Option<usize>,
    /// Whether a passage begins here; see `segment`.
    pub(super) starts_passage: bool,
    /// Characters of the file's line before this piece of it.
    pub(super) start_column: usize,
    /// Characters of the file's line up to the end of this piece, or `None` if the piece ends with the line.
    pub(super) end_column: Option<usize>,
    /// Bytes of the file's line before this piece of it; 0 for a whole line.
    pub(super) start_byte: usize,
    /// Bytes of the file's line up to the end of this piece; 0 for a whole line.
    pub(super) end_byte: usize,
    /// Whether it is a piece of a line that is too long for a chunk; see `long_lines`.
    pub(super) is_piece: bool,
}

impl Line {
    /// Returns the beginning of this line, without text.
    pub(super) fn without_text(&self) -> Self {
        Self { text: String::new(), tokens: 0, ..*self }
    }

    /// Returns a further piece of this line, without text.
    pub(super) fn continued(&self) -> Self {
        Self { score: LINE, begins: LineStart::Other, ..self.without_text() }
    }
}

/// Returns the lines after the front matter, or the front matter if the note has nothing else.
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
                begins: LineStart::Other,
                inside_block: None,
                starts_passage: false,
                start_column: 0,
                end_column: None,
                start_byte: 0,
                end_byte: 0,
                is_piece: false,
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
    // Maps a line number of the file to `lines`. Blocks and headings above `first` belong to the front matter.
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
                    line.begins = LineStart::Item;
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
                    lines[position].inside_block = Some(block_index);
                }
            }
        }
    }
    // An exchange of a saved chat is a section: the person's words open it, and the answer is a passage of its own.
    for exchange in &document.exchanges {
        raise(lines, exchange.line, SECTION);
        for number in [exchange.line, exchange.answer_line] {
            if let Some(position) = index(number) {
                lines[position].begins = LineStart::Message;
            }
        }
    }
    for heading in &document.headings {
        raise(lines, heading.line, HEADING - 10.0 * f64::from(heading.level.saturating_sub(1)));
        // A heading may name who speaks in a saved chat.
        if let Some(position) = index(heading.line).filter(|at| lines[*at].begins != LineStart::Message) {
            lines[position].begins = LineStart::Section;
        }
    }
}
