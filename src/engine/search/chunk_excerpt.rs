//! A chunk as lines of its note.

use tars_rank::Excerpt;
use tars_store::ChunkRow;

/// Returns the lines of a chunk.
pub(super) fn excerpt(chunk: ChunkRow) -> Excerpt {
    Excerpt {
        start_line: chunk.start_line,
        start_column: chunk.start_column,
        end_line: chunk.end_line,
        end_column: chunk.end_column,
        content: chunk.content,
    }
}
