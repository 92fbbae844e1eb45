//! Fuzzes parsing, cutting and row building with hostile notes.

use super::note_rows::Note;
use tars_base::domain::{ApproximateTokens, Chunk, CountTokens, Document};
use tars_testing::fuzz::{fuzz, text};
use tars_text::chunker::ChunkOptions;
use tars_text::markdown;

/// Everything found in a note lies within its lines, in their order. Its chunks are in order, without gaps, and
/// overlap only if requested. Its passages fit the window.
#[test]
fn fuzz_markdown() {
    fuzz("markdown", |bytes| {
        let text = text(bytes);
        let document = markdown::parse("logs/2023-05-08 A note.md", &text);
        outline_lies_within(&document);
        for line in document.source.lines() {
            assert!(!markdown::indexed_line(line).contains('\n'));
        }
        for overlap in [0.0, 0.3] {
            let options = ChunkOptions {
                target_tokens: 40,
                passage_tokens: 24,
                window_tokens: 48,
                overlap,
                context_prefix: true,
                facts: overlap > 0.0,
            };
            let note = Note::new("logs/2023-05-08 A note.md", &text, &ApproximateTokens, &options);
            chunks_cover_the_note(&note.document, &note.chunks, &options);
            assert_eq!(note.rows("logs/2023-05-08 A note.md").len(), note.chunks.len());
        }
    });
}

fn outline_lies_within(document: &Document) {
    let count = document.line_count();
    let lines = 1..=count;
    assert_eq!(count, document.source.split_inclusive('\n').count());
    assert!(document.line_starts.iter().all(|start| document.source.is_char_boundary(*start)));
    assert!((1..=count + 1).contains(&document.body_line));
    // Longer titles are clipped, with an ellipsis.
    assert!(document.title.len() <= 403 && !document.title.contains('\n'), "{:?}", document.title);
    for heading in &document.headings {
        assert!((1..=6).contains(&heading.level) && lines.contains(&heading.line), "{heading:?} of {count} lines");
    }
    assert!(document.headings.is_sorted_by_key(|heading| heading.line));
    for block in &document.blocks {
        assert!(block.start_line <= block.end_line, "{block:?}");
        assert!(lines.contains(&block.start_line) && lines.contains(&block.end_line), "{block:?} of {count} lines");
    }
    assert!(document.blocks.is_sorted_by_key(|block| block.start_line));
    assert!(document.links.iter().all(|link| lines.contains(&link.line)));
    assert!(document.dates.iter().all(|date| date.line <= count));
    assert!(document.tags.is_sorted());
}

fn chunks_cover_the_note(document: &Document, chunks: &[Chunk], options: &ChunkOptions) {
    if document.private {
        assert!(chunks.is_empty());
        return;
    }
    let says = |first, last| !document.lines(first, last).trim().is_empty();
    if let [only] = chunks
        && only.content.is_empty()
    {
        assert!(!says(document.body_line, document.line_count()));
        assert_eq!((only.start_line, only.end_line), (1, document.line_count().max(1)));
        return;
    }
    assert_eq!(chunks.is_empty(), !says(1, document.line_count()));
    if let (Some(first), Some(last)) = (chunks.first(), chunks.last()) {
        let start = if says(document.body_line, document.line_count()) { document.body_line } else { 1 };
        assert_eq!((first.start_line, last.end_line), (start, document.line_count()));
    }
    for chunk in chunks {
        assert!(begin(chunk) < end(chunk));
        let lines = document.lines(chunk.start_line, chunk.end_line);
        let is_whole = chunk.start_column == 0 && chunk.end_column.is_none();
        assert!(if is_whole { chunk.content == lines } else { lines.contains(&chunk.content) });
        for passage in &chunk.passages {
            assert!(ApproximateTokens.count(&passage.text) <= options.window_tokens, "{}", passage.text);
        }
    }
    for pair in chunks.windows(2) {
        let behind = pair[0].end_column.map_or((pair[0].end_line + 1, 0), |column| (pair[0].end_line, column));
        assert!(begin(&pair[0]) < begin(&pair[1]) && end(&pair[0]) < end(&pair[1]));
        assert!(begin(&pair[1]) <= behind, "text between chunks is lost");
        assert!(options.overlap > 0.0 || begin(&pair[1]) == behind, "chunks overlap");
    }
}

fn begin(chunk: &Chunk) -> (usize, usize) {
    (chunk.start_line, chunk.start_column)
}

fn end(chunk: &Chunk) -> (usize, usize) {
    (chunk.end_line, chunk.end_column.unwrap_or(usize::MAX))
}
