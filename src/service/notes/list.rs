//! Lists of notes by the filters of a query, and their tags as a tree.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use jiff::Timestamp;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Context, Refusal, Result, SearchRequest, Service, UseCase};
use tars_agent::recall::join_uses;
use tars_base::domain::{MemoryType, Mode, Property, Query, one_line};
use tars_engine::search::{NoteList, list_notes};
use tars_store::{FileDescription, FileId, Scope, property_key};

/// Most columns of properties in one list.
const MAX_COLUMNS: usize = 16;

/// Asks for the notes that pass the filters of a query.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ListRequest {
    /// The filters of docs/search.md, and `orphan:` and `dead-links:`; other words must be in the path or the title. Empty lists all notes.
    pub query: String,
    /// The order.
    pub sort: NoteSort,
    /// Maximum number of notes; all by default.
    pub limit: Option<usize>,
    /// Collections to look in; none means all.
    pub collections: Vec<String>,
    /// Properties to list with each note, such as `status`; at most 16.
    pub columns: Vec<String>,
}

/// The order of a list of notes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NoteSort {
    /// By collection and path.
    #[default]
    Name,
    /// Newest first, by the dates of the notes, else by their last change.
    Date,
    /// Largest first.
    Size,
    /// Those that agents were shown most often first.
    Recalled,
    /// In a random order.
    Random,
}

/// The notes that pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListResponse {
    /// The notes, in the requested order.
    pub notes: Vec<ListedNote>,
    /// The number of further notes that pass.
    pub more: usize,
    /// Remarks for the person about how the query was understood, a line each.
    pub remarks: Vec<String>,
}

/// A note in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedNote {
    /// Name of the collection.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// Title of the note.
    pub title: String,
    /// The kind of memory.
    pub memory_type: MemoryType,
    /// The day of the note, by its own dates.
    pub date: Option<Date>,
    /// When its file was last changed.
    pub modified: Timestamp,
    /// Its size in bytes.
    pub size: u64,
    /// Its tags, sorted.
    pub tags: Vec<String>,
    /// How many times an agent was shown lines of it, apart from what every session is shown; null unless the list is sorted by it.
    pub recalled: Option<usize>,
    /// The requested properties that it has, by their names in the request; each value as written.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, Vec<String>>,
}

/// Asks for the tags of the notes that pass the filters of a query.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TagTreeRequest {
    /// The filters, as for a list of notes. Empty counts all notes.
    pub query: String,
    /// Collections to look in; none means all.
    pub collections: Vec<String>,
}

/// Tags as a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TagTreeResponse {
    /// The tags by name, so that a tag comes before those below it. A tag that only has others below it is among them.
    pub tags: Vec<TagCount>,
    /// Remarks for the person about how the query was understood, a line each.
    pub remarks: Vec<String>,
}

/// A tag and its notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TagCount {
    /// The tag without `#`: `area/garden`.
    pub tag: String,
    /// Number of notes with this tag or one below it.
    pub notes: usize,
    /// Number of notes with exactly this tag.
    pub own: usize,
}

impl UseCase for ListRequest {
    type Response = ListResponse;

    fn run(&self, service: &Service<'_>) -> Result<ListResponse> {
        let query = listing_query(service, &self.query, &self.collections)?;
        if self.columns.len() > MAX_COLUMNS {
            let message = format!("a list has at most {MAX_COLUMNS} columns of properties");
            return Err(Refusal { message, hint: "name fewer: tars list --columns status,due".into() }.into());
        }
        let local = service.local(Mode::Keyword, true)?;
        let (NoteList { mut notes, mut remarks }, properties) = local.read(&query, |reader, query| {
            let mut list = list_notes(reader, query)?;
            if self.sort == NoteSort::Date {
                let files: Vec<FileId> = list.notes.iter().map(|note| note.id).collect();
                let count = files.len();
                let newest = reader.newest(&Scope { files: files.into() }, count)?;
                let place: HashMap<FileId, usize> = newest.into_iter().zip(0..).collect();
                list.notes.sort_by_key(|note| place.get(&note.id).copied());
            }
            let files: Vec<FileId> = list.notes.iter().map(|note| note.id).collect();
            let properties =
                if self.columns.is_empty() { Vec::new() } else { reader.properties(&files, &self.columns)? };
            Ok((list, properties))
        })?;
        remarks.extend(local.degraded());
        let mut columns = self.columns_of(properties, &mut remarks);
        let mut recalled = None;
        match self.sort {
            NoteSort::Name | NoteSort::Date => {}
            NoteSort::Size => notes.sort_by_key(|note| std::cmp::Reverse(note.size)),
            NoteSort::Random => {
                let seed = RandomState::new();
                notes.sort_by_cached_key(|note| seed.hash_one((&note.collection, &note.path)));
            }
            NoteSort::Recalled => {
                let counts = recalls(service)?;
                notes.sort_by_key(|note| std::cmp::Reverse(recalls_of(&counts, note)));
                recalled = Some(counts);
            }
        }
        let shown = self.limit.unwrap_or(notes.len()).min(notes.len());
        let more = notes.len() - shown;
        let listed = notes.into_iter().take(shown).map(|note| {
            let recalled = recalled.as_ref().map(|counts| recalls_of(counts, &note));
            let properties = columns.remove(&note.id).unwrap_or_default();
            ListedNote { properties, ..ListedNote::of(note, recalled) }
        });
        Ok(ListResponse { notes: listed.collect(), more, remarks })
    }
}

type Columns = HashMap<FileId, BTreeMap<String, Vec<String>>>;

impl ListRequest {
    /// Returns the values of the requested columns by note. A column that no note has gets a remark.
    fn columns_of(&self, properties: Vec<(FileId, Property)>, remarks: &mut Vec<String>) -> Columns {
        let keys: Vec<(String, &String)> = self.columns.iter().map(|name| (property_key(name), name)).collect();
        let mut columns = Columns::new();
        let mut known: HashSet<&String> = HashSet::new();
        for (file, Property { name, value }) in properties {
            let key = property_key(&name);
            for (_, column) in keys.iter().filter(|(wanted, _)| *wanted == key) {
                known.insert(*column);
                columns.entry(file).or_default().entry((*column).clone()).or_default().push(value.clone());
            }
        }
        let missing = self.columns.iter().filter(|column| !known.contains(column));
        remarks.extend(missing.map(|column| format!("no listed note has the property '{}'", one_line(column, 80))));
        columns
    }
}

impl UseCase for TagTreeRequest {
    type Response = TagTreeResponse;

    fn run(&self, service: &Service<'_>) -> Result<TagTreeResponse> {
        let query = listing_query(service, &self.query, &self.collections)?;
        let local = service.local(Mode::Keyword, true)?;
        let NoteList { notes, mut remarks } = local.read(&query, list_notes)?;
        remarks.extend(local.degraded());
        Ok(TagTreeResponse { tags: tree(notes.iter().map(|note| note.tags.as_slice())), remarks })
    }
}

impl ListedNote {
    fn of(note: FileDescription, recalled: Option<usize>) -> Self {
        let FileDescription { collection, path, title, memory_type, size, mtime_ns, day, tags, .. } = note;
        let modified = Timestamp::from_nanosecond(mtime_ns.into()).unwrap_or_default();
        Self {
            collection,
            path,
            title,
            memory_type,
            date: day,
            modified,
            size,
            tags,
            recalled,
            properties: BTreeMap::new(),
        }
    }
}

/// Returns the query of a list.
pub(super) fn listing_query(service: &Service<'_>, query: &str, collections: &[String]) -> Result<Query> {
    let collections = service.app.resolve_collections(collections)?;
    let request = SearchRequest { query: query.to_owned(), collections, ..SearchRequest::default() };
    let mut query = request.asked(service.app)?.query;
    // A collection without a note may be missing in the index; the search limits itself to the configured ones.
    let named = &query.filter.collections;
    if service.app.configured_collections().iter().all(|name| named.contains(name)) {
        query.filter.collections.clear();
    }
    Ok(query)
}

/// Counts the tags of notes as a tree, by name.
fn tree<'n>(notes: impl Iterator<Item = &'n [String]>) -> Vec<TagCount> {
    let mut counts: BTreeMap<Vec<&str>, (usize, usize)> = BTreeMap::new();
    for tags in notes {
        let mut above: HashSet<Vec<&str>> = HashSet::new();
        for tag in tags {
            let parts: Vec<&str> = tag.split('/').collect();
            counts.entry(parts.clone()).or_default().1 += 1;
            above.extend((1..=parts.len()).map(|length| parts[..length].to_vec()));
        }
        for tag in above {
            counts.entry(tag).or_default().0 += 1;
        }
    }
    // By parts, so that `a/b` follows `a` directly, and not `a-c`.
    counts.into_iter().map(|(parts, (notes, own))| TagCount { tag: parts.join("/"), notes, own }).collect()
}

/// The number of times that an agent was shown lines of a note, by its collection and path.
pub(crate) type Recalls = HashMap<(String, String), usize>;

/// Returns how many times an agent was shown lines of each note, apart from what every session is shown.
pub(crate) fn recalls(service: &Service<'_>) -> Result<Recalls> {
    let records = service.app.recall_ledger().since(Timestamp::UNIX_EPOCH).context("cannot read the recall ledger")?;
    let mut counts = Recalls::new();
    for shown in join_uses(records) {
        let notes: HashSet<(String, String)> = (shown.pieces.iter())
            .filter(|piece| !shown.is_session_context(piece))
            .map(|piece| (piece.collection.clone(), piece.path.clone()))
            .collect();
        for note in notes {
            *counts.entry(note).or_default() += 1;
        }
    }
    Ok(counts)
}

fn recalls_of(counts: &Recalls, note: &FileDescription) -> usize {
    counts.get(&(note.collection.clone(), note.path.clone())).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_counts_once_for_a_tag_above_several_of_its_tags() {
        let notes = [vec!["area/garden", "area/pond", "area-old"], vec!["area"], vec!["area/garden/beds"]];
        let notes = notes.map(|tags| tags.into_iter().map(str::to_owned).collect::<Vec<_>>());
        let tags = tree(notes.iter().map(Vec::as_slice));
        let said: Vec<(&str, usize, usize)> = tags.iter().map(|one| (one.tag.as_str(), one.notes, one.own)).collect();
        let expected = [
            ("area", 3, 1),
            ("area/garden", 2, 1),
            ("area/garden/beds", 1, 1),
            ("area/pond", 1, 1),
            ("area-old", 1, 1),
        ];
        assert_eq!(said, expected);
    }
}
