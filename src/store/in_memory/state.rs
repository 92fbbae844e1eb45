//! The full content of an index, as plain collections.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use jiff::civil::Date;

use super::words::Columns;
use crate::{ChunkRef, ChunkRow, Collection, CollectionId, ExcludedFile, FileDescription, FileId, FileRecord};
use tars_base::domain::{ChunkId, Link, MemoryType, Property, Section, TextHash};

/// One state of an index. Clones are cheap because they share unchanged parts.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub(super) collections: BTreeMap<i64, Collection>,
    pub(super) files: BTreeMap<FileId, Arc<File>>,
    pub(super) excluded: BTreeMap<(i64, String), ExcludedFile>,
    pub(super) retired: BTreeMap<String, Retired>,
    /// Vectors of the current model, by the text that each was made from.
    pub(super) vectors: HashMap<TextHash, Arc<[f32]>>,
    /// Vectors of former models.
    pub(super) former: HashMap<(String, TextHash), Arc<[f32]>>,
    pub(super) meta: BTreeMap<String, String>,
    /// The number of changes so far.
    pub(super) changes: u64,
    /// The last number assigned to a row.
    pub(super) last: i64,
}

/// A file with all its data.
#[derive(Debug, Clone)]
pub(super) struct File {
    pub(super) record: FileRecord,
    pub(super) title: String,
    pub(super) memory_type: MemoryType,
    pub(super) tags: Vec<String>,
    pub(super) properties: Vec<Property>,
    /// Its links, sorted by line and target.
    pub(super) links: Vec<Link>,
    pub(super) dates: Vec<Date>,
    pub(super) day: Option<Date>,
    pub(super) opaque_bytes: usize,
    pub(super) is_chat: bool,
    pub(super) damage: Option<String>,
    pub(super) chunks: Vec<Chunk>,
}

#[derive(Debug, Clone)]
pub(super) struct Chunk {
    pub(super) row: ChunkRef,
    pub(super) id: ChunkId,
    pub(super) heading: String,
    pub(super) start_line: usize,
    pub(super) start_column: usize,
    pub(super) end_line: usize,
    pub(super) end_column: Option<usize>,
    pub(super) content: String,
    pub(super) sections: Vec<Section>,
    pub(super) columns: Columns,
    /// Its long words, reversed.
    pub(super) ends: Vec<String>,
    pub(super) passages: Vec<Passage>,
}

#[derive(Debug, Clone)]
pub(super) struct Passage {
    pub(super) line: usize,
    pub(super) hash: TextHash,
    pub(super) lineage: TextHash,
    /// The text that its vector was made from, if it has one: its own text, or its text under a former file name.
    pub(super) vector: Option<TextHash>,
    pub(super) again: bool,
}

/// A chunk that was replaced.
#[derive(Debug, Clone)]
pub(super) struct Retired {
    pub(super) collection: String,
    pub(super) path: String,
    pub(super) successor: Option<String>,
}

impl File {
    /// Returns the targets of its links, each once.
    pub(super) fn targets(&self) -> BTreeSet<&str> {
        self.links.iter().map(|link| link.target.as_str()).collect()
    }

    /// Returns the day for ranking: the newest of its dates, or else the day of its modification.
    pub(super) fn newest_day(&self) -> Date {
        self.dates.iter().max().copied().unwrap_or_else(|| {
            let modified = jiff::Timestamp::from_nanosecond(self.record.stat.mtime_ns.into()).unwrap_or_default();
            modified.to_zoned(jiff::tz::TimeZone::system()).date()
        })
    }
}

impl State {
    pub(super) fn next(&mut self) -> i64 {
        self.last += 1;
        self.last
    }

    pub(super) fn collection(&self, id: CollectionId) -> &Collection {
        &self.collections[&id.0]
    }

    /// Returns the sort key of a file: collection and path.
    pub(super) fn place(&self, file: &File) -> (&str, String) {
        (&self.collection(file.record.collection).name, file.record.path.clone())
    }

    /// Returns the files sorted by collection and path.
    pub(super) fn ordered(&self) -> Vec<&Arc<File>> {
        let mut files: Vec<&Arc<File>> = self.files.values().collect();
        files.sort_by_key(|file| self.place(file));
        files
    }

    /// Returns all chunks with their files and positions, in order.
    pub(super) fn chunks(&self) -> Vec<(&File, u32, &Chunk)> {
        let of_file = |file: &Arc<File>| file.chunks.len();
        let mut chunks = Vec::with_capacity(self.files.values().map(of_file).sum());
        for file in self.ordered() {
            chunks.extend((0..).zip(&file.chunks).map(|(sequence, chunk)| (&**file, sequence, chunk)));
        }
        chunks
    }

    /// Returns a file as a list of notes shows it.
    pub(super) fn description(&self, file: &File) -> FileDescription {
        let collection = self.collection(file.record.collection);
        let mut tags = file.tags.clone();
        tags.sort_unstable();
        tags.dedup();
        FileDescription {
            id: file.record.id,
            collection: collection.name.clone(),
            path: file.record.path.clone(),
            title: file.title.clone(),
            memory_type: file.memory_type,
            size: file.record.stat.size,
            mtime_ns: file.record.stat.mtime_ns,
            day: file.day,
            tags,
        }
    }

    pub(super) fn row(&self, (file, sequence, chunk): (&File, u32, &Chunk)) -> ChunkRow {
        let collection = self.collection(file.record.collection);
        ChunkRow {
            row: chunk.row,
            id: chunk.id.clone(),
            file: file.record.id,
            sequence,
            collection: collection.name.clone(),
            root: collection.root.clone(),
            path: file.record.path.clone(),
            title: file.title.clone(),
            memory_type: file.memory_type,
            heading: chunk.heading.clone(),
            start_line: chunk.start_line,
            start_column: chunk.start_column,
            end_line: chunk.end_line,
            end_column: chunk.end_column,
            content: chunk.content.clone(),
            sections: chunk.sections.clone(),
            day: file.day,
        }
    }

    /// Whether `model` is the current model.
    pub(super) fn is_of(&self, model: &str) -> bool {
        self.meta.get("model").is_some_and(|known| known == model)
    }

    #[cfg(test)]
    /// Panics if the stored data is inconsistent.
    pub(super) fn check(&self) {
        let passages = || self.files.values().flat_map(|file| &file.chunks).flat_map(|chunk| &chunk.passages);
        let used: BTreeSet<TextHash> = passages().filter_map(|passage| passage.vector).collect();
        let stored: BTreeSet<TextHash> = self.vectors.keys().copied().collect();
        assert_eq!(used, stored, "vectors that no passage uses, or passages without theirs");
        let live = self.files.values().flat_map(|file| &file.chunks).map(|chunk| chunk.id.as_str());
        assert!(live.into_iter().all(|id| !self.retired.contains_key(id)), "ids both live and retired");
    }
}
