//! The text of a note, named by its path, by a link to it, or by the id of one of its chunks.
//!
//! The text comes from the index, so it holds no secrets. Private notes, excluded notes and notes outside the collections do
//! not exist here. The error is the same for all unknown notes, so an answer does not reveal which notes exist.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::block::block;
use super::chunk_excerpt::excerpt;
use super::expand::{Extent, expand};
use super::known_notes::{KnownNotes, is_searched};
use super::{Expansion, SearchError};
use tars_base::domain::ChunkId;
use tars_rank::{Excerpt, join_excerpts};
use tars_store::{ChunkRow, FileId, IdLookup, Reader, StoreError};
use tars_text::names::folded;

/// The requested part of a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotePart {
    /// The whole note, or the section of a chunk that is named by its id.
    Default,
    /// These lines.
    Lines(RangeInclusive<usize>),
    /// From this line to the end of its section; subsections belong to it only if the line is the heading.
    From(usize),
    /// The section under this heading, given as its text or its path `outer > inner`; `^name` is the block of that name.
    Section(String),
    /// A chunk and this many chunks on either side; the whole note if it is not named by a chunk id.
    Window(u32),
}

/// Returns a part of the note that `name` refers to, in one of `collections` (an empty list admits all).
///
/// # Errors
/// No note has that name, several have, or the note has no such part.
pub(super) fn note(
    reader: &dyn Reader,
    name: &str,
    part: &NotePart,
    collections: &[String],
) -> Result<Expansion, SearchError> {
    let name = name.trim();
    // Hexadecimal digits that are no chunk id may still be the name of a note.
    if let Some(id) = id(reader, name, collections)? {
        let extent = match part {
            NotePart::Window(window) => Extent::Window(*window),
            NotePart::Lines(_) | NotePart::From(_) | NotePart::Section(_) => Extent::File,
            NotePart::Default => Extent::Section,
        };
        let expansion = expand(reader, &id, extent)?;
        return match reader.chunk_by_id(&expansion.id)?.filter(|_| extent == Extent::File) {
            Some(chunk) => text(reader, chunk.file, name, part),
            None => Ok(expansion),
        };
    }
    let known = KnownNotes::read(reader, collections)?;
    let names = known.names();
    for named in parse_reference(name) {
        match names.typed(&named.note)[..] {
            [] => {}
            [only] => return text(reader, known.file(only), name, &named.part(part)),
            ref several => {
                let candidates = several.iter().map(|index| known.shown(*index)).collect();
                return Err(SearchError::AmbiguousNote { name: name.to_owned(), candidates });
            }
        }
    }
    Err(unknown(name))
}

/// Returns the collection and path of all notes of `collections` (an empty list admits all).
///
/// # Errors
/// See [`StoreError`].
pub fn note_paths(reader: &dyn Reader, collections: &[String]) -> Result<Vec<(String, String)>, StoreError> {
    Ok(KnownNotes::read(reader, collections)?.paths())
}

fn unknown(name: &str) -> SearchError {
    SearchError::UnknownNote { name: name.to_owned() }
}

/// Returns the chunk id with the prefix `name`, current or replaced, in an admitted collection; `None` if there is none.
/// Other collections do not influence the result, nor the error.
fn id(reader: &dyn Reader, name: &str, collections: &[String]) -> Result<Option<String>, SearchError> {
    let length = ChunkId::MIN_PREFIX..=ChunkId::LENGTH;
    if !length.contains(&name.len()) || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(None);
    }
    let name = name.to_ascii_lowercase();
    let candidates = match reader.locate(&name)? {
        IdLookup::Found(chunk) => return Ok(is_searched(collections, &chunk.collection).then_some(name)),
        IdLookup::Retired { collection, successor, .. } => {
            let now = successor.map_or(collection, |chunk| chunk.collection);
            return Ok(is_searched(collections, &now).then_some(name));
        }
        IdLookup::Unknown => return Ok(None),
        IdLookup::Ambiguous(candidates) => candidates,
    };
    let mut admitted: Vec<ChunkId> = Vec::new();
    for id in candidates {
        // `locate` does not say where replaced chunks were when several match.
        let is_shown = reader.chunk_by_id(&id)?.map(|chunk| is_searched(collections, &chunk.collection));
        if is_shown.unwrap_or(collections.is_empty()) {
            admitted.push(id);
        }
    }
    match admitted.len() {
        0 => Ok(None),
        1 => Ok(admitted.pop().map(|id| id.as_str().to_owned())),
        _ => Err(SearchError::AmbiguousId { id: name, candidates: admitted }),
    }
}

/// A note and a heading in it, as a link or a path names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteReference {
    /// The note: its path, the end of its path, or its name.
    pub note: String,
    /// The heading, or the block as `^name`.
    pub heading: Option<String>,
}

impl NoteReference {
    /// Returns the part to show if `asked` was requested: the heading applies only to the default part.
    pub fn part(&self, asked: &NotePart) -> NotePart {
        match &self.heading {
            Some(heading) if *asked == NotePart::Default => NotePart::Section(heading.clone()),
            _ => asked.clone(),
        }
    }
}

/// Returns the possible readings of a link or a path, likeliest first: without brackets, `#` may belong to the file name.
pub fn parse_reference(name: &str) -> Vec<NoteReference> {
    let name = name.trim();
    let link = name.trim_start_matches('!').strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]"));
    let split = |text: &str| match text.split_once('#') {
        Some((note, heading)) => {
            NoteReference { note: note.trim().to_owned(), heading: Some(heading.trim().to_owned()) }
        }
        None => NoteReference { note: text.trim().to_owned(), heading: None },
    };
    let Some(link) = link else {
        let as_path = NoteReference { note: name.to_owned(), heading: None };
        return if name.contains('#') { vec![as_path, split(name)] } else { vec![as_path] };
    };
    vec![split(link.split('|').next().unwrap_or_default())]
}

/// Returns a part of a file's text.
pub(super) fn text(reader: &dyn Reader, file: FileId, name: &str, part: &NotePart) -> Result<Expansion, SearchError> {
    let chunks = reader.chunk_range(file, 0, u32::MAX)?;
    let Some(first) = chunks.first() else { return Err(unknown(name)) };
    let whole = whole(&chunks);
    let lines = match part {
        NotePart::Default | NotePart::Window(_) => whole.start_line..=whole.end_line,
        NotePart::Lines(lines) => lines.clone(),
        NotePart::From(line) => *line..=end_of_section(&chunks, *line).unwrap_or(whole.end_line),
        NotePart::Section(heading) if heading.trim().starts_with('^') => {
            let name = heading.trim().trim_start_matches('^');
            let lines: Vec<&str> = whole.content.split('\n').collect();
            let found = block(&lines, name)
                .ok_or_else(|| SearchError::UnknownBlock { path: first.path.clone(), block: name.to_owned() })?;
            whole.start_line + found.start()..=whole.start_line + found.end()
        }
        NotePart::Section(heading) => section(&chunks, heading, &whole).ok_or_else(|| SearchError::UnknownSection {
            path: first.path.clone(),
            heading: heading.clone(),
            known: headings(&chunks).map(|(_, heading)| heading.to_owned()).collect(),
        })?,
    };
    let shown = cut(&whole, &lines).ok_or_else(|| SearchError::NoSuchLines {
        path: first.path.clone(),
        first: whole.start_line,
        last: whole.end_line,
    })?;
    let at = chunks.iter().rfind(|chunk| chunk.start_line <= shown.start_line).unwrap_or(first);
    Ok(Expansion {
        id: at.id.clone(),
        replaced: None,
        collection: first.collection.clone(),
        path: first.path.clone(),
        title: first.title.clone(),
        heading: at.heading_at(shown.start_line).to_owned(),
        start_line: shown.start_line,
        start_column: shown.start_column,
        end_line: shown.end_line,
        end_column: shown.end_column,
        content: shown.content,
        embeds: Vec::new(),
    })
}

/// Returns the indexed text of a note, with blank lines for gaps.
pub(super) fn whole(chunks: &[ChunkRow]) -> Excerpt {
    let mut parts = join_excerpts(chunks.iter().cloned().map(excerpt).collect()).into_iter();
    let mut whole = parts.next().unwrap_or(Excerpt {
        start_line: 1,
        start_column: 0,
        end_line: 1,
        end_column: None,
        content: String::new(),
    });
    for part in parts {
        let missing = part.start_line.saturating_sub(whole.start_line + whole.content.split('\n').count());
        whole.content.push_str(&"\n".repeat(missing + 1));
        whole.content.push_str(&part.content);
        whole.end_line = part.end_line;
    }
    whole
}

fn cut(whole: &Excerpt, lines: &RangeInclusive<usize>) -> Option<Excerpt> {
    let start_line = (*lines.start()).max(whole.start_line);
    let end_line = (*lines.end()).min(whole.end_line);
    if start_line > end_line {
        return None;
    }
    let wanted = whole.content.split('\n').skip(start_line - whole.start_line).take(end_line + 1 - start_line);
    let content = wanted.collect::<Vec<_>>().join("\n");
    Some(Excerpt { start_line, start_column: 0, end_line, end_column: None, content })
}

/// Returns the headings of a note in order, each with its line and path.
fn headings(chunks: &[ChunkRow]) -> impl Iterator<Item = (usize, &str)> {
    chunks.iter().flat_map(|chunk| chunk.sections.iter().map(|section| (section.line, section.heading.as_str())))
}

/// Returns the last line of the section that a line belongs to; `None` if it is the last section.
fn end_of_section(chunks: &[ChunkRow], line: usize) -> Option<usize> {
    let own = headings(chunks).find(|(at, _)| *at == line).map(|(_, path)| format!("{path} > "));
    let is_within = |path: &str| own.as_ref().is_some_and(|own| path.starts_with(own.as_str()));
    headings(chunks).find(|(at, path)| *at > line && !is_within(path)).map(|(next, _)| next - 1)
}

/// Returns the lines of the section under `heading`, including its subsections.
fn section(chunks: &[ChunkRow], heading: &str, whole: &Excerpt) -> Option<RangeInclusive<usize>> {
    let wanted = heading.trim().trim_start_matches('#').trim().replace('#', " > ");
    let wanted = folded(&wanted);
    let is_meant = |path: &str| {
        let path = folded(path);
        path == wanted || path.ends_with(&format!(" > {wanted}"))
    };
    let (line, path) = headings(chunks).find(|(_, path)| is_meant(path))?;
    let inner = format!("{path} > ");
    let next = headings(chunks).find(|(other, path)| *other > line && !path.starts_with(&inner));
    Some(line..=next.map_or(whole.end_line, |(next, _)| next - 1))
}
