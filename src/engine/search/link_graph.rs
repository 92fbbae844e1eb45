//! The links between notes, place by place, and those that lead nowhere.

use std::collections::HashSet;
use std::path::Path;

use super::SearchError;
use super::known_notes::{KnownNames, KnownNotes};
use tars_base::domain::{Link, LinkKind};
use tars_store::{ChunkRow, FileId, Reader, StoreError};
use tars_text::names::{NoteNames, Reading, link_readings};

/// A link, from the side of the note that it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteLink {
    /// Line of the link in the note that has it.
    pub line: usize,
    /// The text of that line.
    pub text: String,
    /// The target as written.
    pub target: String,
    /// Collection and path of the note at the other end; `None` if the link leads to no note, or may mean several.
    pub note: Option<(String, String)>,
    /// Whether it leads nowhere.
    pub is_dead: bool,
}

/// Returns the links in a note, by line. Returns none if the note is not indexed. Addresses of the web are left out.
///
/// # Errors
/// The index cannot be read.
pub fn links_from(
    reader: &dyn Reader,
    collection: &str,
    path: &str,
    collections: &[String],
) -> Result<Vec<NoteLink>, SearchError> {
    let known = KnownNotes::read(reader, collections)?;
    let Some(own) = known.position(collection, path) else { return Ok(Vec::new()) };
    let excluded = excluded_paths(reader, &known)?;
    let graph = LinkGraph::of(&known, &excluded);
    let chunks = reader.chunk_range(known.file(own), 0, u32::MAX)?;
    let mut found = Vec::new();
    for link in reader.links(known.file(own))? {
        let end = graph.end(own, &link);
        if end == End::Elsewhere {
            continue;
        }
        let note = match end {
            End::Note(note) => Some(note),
            _ => None,
        };
        let place = |note| {
            let (collection, path) = known.place(note);
            (collection.to_owned(), path.to_owned())
        };
        found.push(NoteLink {
            line: link.line,
            text: line_of(&chunks, link.line).to_owned(),
            target: link.target,
            note: note.map(place),
            is_dead: end == End::Nowhere,
        });
    }
    Ok(found)
}

/// Returns the links to a note in other notes, by collection, path and line.
///
/// # Errors
/// The index cannot be read.
pub fn links_to(
    reader: &dyn Reader,
    collection: &str,
    path: &str,
    collections: &[String],
) -> Result<Vec<NoteLink>, SearchError> {
    let known = KnownNotes::read(reader, collections)?;
    let Some(own) = known.position(collection, path) else { return Ok(Vec::new()) };
    let names = known.names();
    let mut found = Vec::new();
    for source in (0..known.len()).filter(|source| *source != own) {
        let (collection, place) = known.place(source);
        // Most links name other notes, which their readings tell without a look at all names.
        let may_lead = |link: &Link| link_readings(place, &link.target).iter().any(|reading| reading.admits(path));
        let links = reader.links(known.file(source))?.into_iter();
        let links: Vec<Link> =
            links.filter(|link| may_lead(link) && names.linked(source, &link.target) == Some(own)).collect();
        if links.is_empty() {
            continue;
        }
        let chunks = reader.chunk_range(known.file(source), 0, u32::MAX)?;
        found.extend(links.into_iter().map(|link| NoteLink {
            line: link.line,
            text: line_of(&chunks, link.line).to_owned(),
            target: link.target,
            note: Some((collection.to_owned(), place.to_owned())),
            is_dead: false,
        }));
    }
    Ok(found)
}

/// Returns a line of a note, trimmed; empty if the line is not indexed.
fn line_of(chunks: &[ChunkRow], line: usize) -> &str {
    let chunk = chunks.iter().find(|chunk| (chunk.start_line..=chunk.end_line).contains(&line));
    chunk.and_then(|chunk| chunk.content.split('\n').nth(line - chunk.start_line)).unwrap_or_default().trim()
}

/// The notes that others link to, and those with a dead link.
pub(super) struct Linked {
    /// Notes to which another note links.
    pub(super) targets: HashSet<FileId>,
    /// Notes with a link that leads nowhere.
    pub(super) with_dead_links: HashSet<FileId>,
}

impl Linked {
    /// Reads the links of the notes of `collections` (an empty list admits all).
    pub(super) fn read(reader: &dyn Reader, collections: &[String]) -> Result<Self, StoreError> {
        let known = KnownNotes::read(reader, collections)?;
        let excluded = excluded_paths(reader, &known)?;
        let graph = LinkGraph::of(&known, &excluded);
        let mut found = Self { targets: HashSet::new(), with_dead_links: HashSet::new() };
        for source in 0..known.len() {
            for link in reader.links(known.file(source))? {
                match graph.end(source, &link) {
                    End::Note(note) if note != source => found.targets.extend([known.file(note)]),
                    End::Nowhere => found.with_dead_links.extend([known.file(source)]),
                    _ => {}
                }
            }
        }
        Ok(found)
    }
}

/// The end of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Note(usize),
    /// Several notes, an attachment, or a note that is not indexed.
    Unclear,
    /// An address outside the notes.
    Elsewhere,
    Nowhere,
}

/// Knows where links lead.
struct LinkGraph<'k> {
    known: &'k KnownNotes,
    names: KnownNames<'k>,
    /// Files that exist and are not indexed.
    excluded: NoteNames<'k>,
}

/// Returns the paths of files that exist and are not indexed.
fn excluded_paths(reader: &dyn Reader, known: &KnownNotes) -> Result<Vec<String>, StoreError> {
    let mut paths = Vec::new();
    for collection in known.collections() {
        paths.extend(reader.excluded_files(collection.id)?.into_iter().map(|file| file.path));
    }
    Ok(paths)
}

impl<'k> LinkGraph<'k> {
    fn of(known: &'k KnownNotes, excluded: &'k [String]) -> Self {
        Self { known, names: known.names(), excluded: NoteNames::of(excluded.iter().map(String::as_str)) }
    }

    fn end(&self, source: usize, link: &Link) -> End {
        let (_, path) = self.known.place(source);
        let target = link.target.trim();
        let readings = link_readings(path, target);
        if link.kind == LinkKind::Markdown && (readings.is_empty() || has_scheme(target)) {
            return End::Elsewhere;
        }
        match self.names.all_linked(source, target)[..] {
            [only] => return End::Note(only),
            [] => {}
            _ => return End::Unclear,
        }
        // Pictures, PDFs and other attachments are assumed to exist: the index does not know them.
        let extension = target.rsplit_once('.').map(|(_, extension)| extension);
        let is_attachment = extension.is_some_and(|extension| {
            (1..=5).contains(&extension.len())
                && !extension.eq_ignore_ascii_case("md")
                && !extension.contains([' ', '/'])
        });
        let is_page = link.kind == LinkKind::Markdown && extension.is_none();
        let root = Path::new(&self.known.collection(source).root);
        let is_there = |path: &str| root.join(path).exists() || root.join(format!("{path}.md")).exists();
        let exists = || {
            !self.excluded.find(&readings, |_| true).is_empty()
                || readings.iter().filter_map(Reading::path).any(is_there)
        };
        if is_attachment || is_page || target.is_empty() || exists() { End::Unclear } else { End::Nowhere }
    }
}

/// Whether a target is an address such as `https://…` or `mailto:…`.
fn has_scheme(target: &str) -> bool {
    let scheme = target.split_once(':').map_or("", |(scheme, _)| scheme);
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}
