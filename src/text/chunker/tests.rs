//! Builds notes from pieces with their blocks and headings, without the parser, which belongs to another module.

mod cuts;
mod passages;
mod properties;

use super::*;
use tars_base::domain::{ApproximateTokens, Block, BlockKind, Heading, Passage, TextHash, TitleSource};

/// A piece of a note.
#[derive(Debug, Clone)]
enum Piece {
    Heading(u8, String),
    Paragraph(Vec<String>),
    Fence(Vec<String>),
    Table(Vec<String>),
    List(Vec<String>),
    Rule,
    Blank(usize),
}

/// Builds the note of these pieces, after this many lines of front matter.
fn note(front_matter: usize, pieces: &[Piece], line_end: &str) -> Document {
    let mut document = Document {
        title: "Title".into(),
        title_source: TitleSource::FileName,
        body_line: front_matter + 1,
        ..Document::default()
    };
    let mut lines: Vec<String> = (0..front_matter).map(|number| format!("key{number}: value")).collect();
    for piece in pieces {
        let start_line = lines.len() + 1;
        let kind = match piece {
            Piece::Heading(level, text) => {
                document.headings.push(Heading { level: *level, text: text.clone(), line: start_line });
                lines.push(format!("{} {text}", "#".repeat(usize::from(*level))));
                None
            }
            Piece::Paragraph(text) => {
                lines.extend(text.iter().cloned());
                None
            }
            Piece::Fence(text) => {
                lines.push("```".into());
                lines.extend(text.iter().cloned());
                lines.push("```".into());
                Some(BlockKind::Code)
            }
            Piece::Table(rows) => {
                lines.push("| a | b |".into());
                lines.push("|---|---|".into());
                lines.extend(rows.iter().map(|row| format!("| {row} | x |")));
                Some(BlockKind::Table)
            }
            Piece::List(items) => {
                let blocks = (start_line..).zip(items);
                document.blocks.extend(blocks.map(|(line, _)| Block {
                    kind: BlockKind::ListItem,
                    start_line: line,
                    end_line: line,
                }));
                lines.extend(items.iter().map(|item| format!("- {item}")));
                None
            }
            Piece::Rule => {
                lines.push("***".into());
                Some(BlockKind::Rule)
            }
            Piece::Blank(count) => {
                lines.extend(vec![String::new(); *count]);
                None
            }
        };
        if let Some(kind) = kind {
            document.blocks.push(Block { kind, start_line, end_line: lines.len() });
        }
    }
    for line in lines {
        document.line_starts.push(document.source.len());
        document.source.push_str(&line);
        document.source.push_str(line_end);
    }
    document
}

fn heading(level: u8, text: &str) -> Piece {
    Piece::Heading(level, text.into())
}

/// Returns a paragraph with this many lines of ten tokens each, followed by a blank line.
fn paragraph(word: &str, lines: usize) -> [Piece; 2] {
    [Piece::Paragraph(ten_token_lines(word, lines)), Piece::Blank(1)]
}

/// Returns lines of forty letters: ten approximate tokens each.
fn ten_token_lines(word: &str, lines: usize) -> Vec<String> {
    (0..lines).map(|number| format!("{:.<40}", format!("{word} {number} "))).collect()
}

fn plain(line: &str) -> String {
    line.to_owned()
}

fn cut(document: &Document, options: &ChunkOptions) -> Vec<Chunk> {
    chunk(document, &plain, &ApproximateTokens, options)
}

/// Returns small sizes, so that short notes have several chunks.
fn small() -> ChunkOptions {
    ChunkOptions {
        target_tokens: 100,
        passage_tokens: 50,
        window_tokens: 64,
        overlap: 0.0,
        context_prefix: true,
        facts: false,
    }
}

fn spans(chunks: &[Chunk]) -> Vec<(usize, usize)> {
    chunks.iter().map(|chunk| (chunk.start_line, chunk.end_line)).collect()
}

/// Returns the line and the column of a chunk's beginning.
fn begin(chunk: &Chunk) -> (usize, usize) {
    (chunk.start_line, chunk.start_column)
}

/// Returns the line and the column of a chunk's end; the largest column for the end of a line.
fn end(chunk: &Chunk) -> (usize, usize) {
    (chunk.end_line, chunk.end_column.unwrap_or(usize::MAX))
}

/// Returns the place behind a chunk.
fn behind(chunk: &Chunk) -> (usize, usize) {
    chunk.end_column.map_or((chunk.end_line + 1, 0), |column| (chunk.end_line, column))
}

/// Returns the text of a document from one line and column to another.
fn text_between(document: &Document, first: (usize, usize), last: (usize, usize)) -> String {
    let text = document.lines(first.0, last.0);
    let lines: Vec<&str> = text.split('\n').collect();
    let part = |(index, line): (usize, &&str)| -> String {
        let from = if index == 0 { first.1 } else { 0 };
        let to = if index + 1 == lines.len() { last.1 } else { usize::MAX };
        line.chars().take(to).skip(from).collect()
    };
    lines.iter().enumerate().map(part).collect::<Vec<_>>().join("\n")
}

fn tokens(text: &str) -> usize {
    ApproximateTokens.count(text)
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace()).collect()
}
