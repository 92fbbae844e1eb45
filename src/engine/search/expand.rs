//! Returns the text around a chunk.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SearchError;
use super::chunk_excerpt::excerpt;
use tars_base::domain::ChunkId;
use tars_rank::{Excerpt, join_excerpts};
use tars_store::{ChunkRow, IdLookup, Reader};
use tars_text::markdown;

/// How much text to return.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Extent {
    /// The innermost section that holds the chunk's first line.
    Section,
    /// The chunk and this many chunks on either side.
    Window(u32),
    /// The whole note.
    File,
}

/// A chunk with its context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Expansion {
    /// The requested chunk, or the one that replaced it.
    pub id: ChunkId,
    /// The requested id, if its chunk has been replaced since.
    pub replaced: Option<ChunkId>,
    /// Collection of the note.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// Title of the note.
    pub title: String,
    /// Heading path of the chunk.
    pub heading: String,
    /// First line shown.
    pub start_line: usize,
    /// Characters of the first line before the text. Left out unless a long line was cut.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub start_column: usize,
    /// Last line shown.
    pub end_line: usize,
    /// Characters of the last line up to the end of the text. Left out unless a long line was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_column: Option<usize>,
    /// The lines as they were when the note was indexed.
    pub content: String,
    /// The texts that these lines embed, and the footnotes that they cite from elsewhere in the note.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub embeds: Vec<Embed>,
}

/// A text that a note embeds (`![[Note#Heading]]`), or the definition of a footnote that it cites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Embed {
    /// The line that embeds or cites it.
    pub line: usize,
    /// Path of its note, in the same collection.
    pub path: String,
    /// Heading path of its first line.
    pub heading: String,
    /// First line of the text.
    pub start_line: usize,
    /// Last line of the text.
    pub end_line: usize,
    /// The lines as they were when the note was indexed.
    pub content: String,
    /// Whether lines after `end_line` are left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// The texts that it embeds itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub embeds: Vec<Embed>,
}

/// Returns the text around the chunk whose id begins with `prefix`. If the chunk has been replaced, the answer is the chunk
/// that holds most of its lines now.
///
/// # Errors
/// The prefix is malformed, unknown or ambiguous, or the chunk's text is gone.
pub(super) fn expand(store: &dyn Reader, prefix: &str, extent: Extent) -> Result<Expansion, SearchError> {
    let wanted = prefix.trim().to_ascii_lowercase();
    let length = ChunkId::MIN_PREFIX..=ChunkId::LENGTH;
    if !length.contains(&wanted.len()) || !wanted.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(SearchError::MalformedId { id: prefix.to_owned() });
    }
    let (chunk, replaced) = match store.locate(&wanted)? {
        IdLookup::Found(chunk) => (*chunk, None),
        IdLookup::Retired { id, successor: Some(chunk), .. } => (*chunk, Some(id)),
        IdLookup::Retired { id, path, successor: None, .. } => return Err(SearchError::TextGone { id, path }),
        IdLookup::Ambiguous(candidates) => return Err(SearchError::AmbiguousId { id: prefix.to_owned(), candidates }),
        IdLookup::Unknown => return Err(SearchError::UnknownId { id: prefix.to_owned() }),
    };
    let shown = surroundings(store, &chunk, extent)?;
    Ok(Expansion {
        id: chunk.id,
        replaced,
        collection: chunk.collection,
        path: chunk.path,
        title: chunk.title,
        heading: chunk.heading,
        start_line: shown.start_line,
        start_column: shown.start_column,
        end_line: shown.end_line,
        end_column: shown.end_column,
        content: shown.content,
        embeds: Vec::new(),
    })
}

fn is_zero(column: &usize) -> bool {
    *column == 0
}

fn surroundings(store: &dyn Reader, chunk: &ChunkRow, extent: Extent) -> Result<Excerpt, SearchError> {
    let own = excerpt(chunk.clone());
    let (first, last) = match extent {
        Extent::Window(window) => (chunk.sequence.saturating_sub(window), chunk.sequence.saturating_add(window)),
        Extent::Section | Extent::File => (0, u32::MAX),
    };
    let joined = join_excerpts(store.chunk_range(chunk.file, first, last)?.into_iter().map(excerpt).collect());
    let Some(around) = joined.into_iter().find(|part| part.holds(&own)) else {
        return Ok(own);
    };
    match extent {
        Extent::Section => Ok(section(&around, &own)),
        Extent::Window(_) | Extent::File => Ok(around),
    }
}

/// Cuts the innermost section that holds the chunk out of the note's text. A chunk that exceeds the section is shown whole.
fn section(note: &Excerpt, chunk: &Excerpt) -> Excerpt {
    // Text after the front matter may begin with a rule, which would parse as front matter again. A blank line before it prevents that.
    let added = usize::from(note.start_line > 1);
    let document = markdown::parse("", &format!("{}{}", "\n".repeat(added), note.content));
    let offset = note.start_line - added;
    let inside = |line: usize| line + 1 - offset;
    let head = (chunk.start_line..=chunk.end_line)
        .find(|line| document.line(inside(*line)).is_some_and(|text| !text.trim().is_empty()))
        .unwrap_or(chunk.start_line);
    let opening = document.headings.iter().rposition(|heading| heading.line <= inside(head));
    let first = opening.map_or(1 + added, |index| document.headings[index].line);
    let last = opening
        .and_then(|index| {
            let level = document.headings[index].level;
            document.headings[index + 1..].iter().find(|heading| heading.level <= level)
        })
        .or_else(|| if opening.is_none() { document.headings.first() } else { None })
        .map_or(document.line_count(), |next| next.line - 1);
    let start_line = (first + offset - 1).min(chunk.start_line);
    let end_line = (last + offset - 1).max(chunk.end_line);
    let content = document.lines(inside(start_line), inside(end_line)).trim_end().to_owned();
    let end_line = start_line + content.split('\n').count() - 1;
    Excerpt { start_line, start_column: 0, end_line, end_column: None, content }
}
