//! Queries of a state.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

use jiff::civil::Date;

use super::lexical::{admits, ranked, weights};
use super::scope::scope;
use super::state::{File, Passage, State};
use super::words::Sequence;
use crate::property_filter::property_key;
use crate::{
    Candidate, ChunkRef, ChunkRow, Collection, CollectionId, CollectionSize, DataVersion, ExcludedFile,
    FileDescription, FileId, FileRecord, IdLookup, KnownFile, LexicalQuery, NamedChunk, PassageId, PassageLines,
    PendingPassage, PendingSelection, QueryWeights, Reader, Scope, Statistics, StoreError,
};
use tars_base::domain::{ChunkId, Filter, Link, ModelId, Property};
use tars_text::analysis::reversed;

/// Weight of the mean of a chunk's passages in its similarity.
const MEAN_WEIGHT: f64 = 1.0 / 6.0;
/// Most candidates listed for an ambiguous prefix.
const MAX_AMBIGUOUS: usize = 8;

/// A snapshot of one state.
pub(super) struct Snapshot(pub(super) Arc<Held>);

/// The state that a connection's snapshots share.
#[derive(Debug)]
pub(super) struct Held(pub(super) Arc<State>);

impl Snapshot {
    pub(super) fn state(&self) -> &State {
        &self.0.0
    }
}

type Answer<T> = Result<T, StoreError>;

impl Reader for Snapshot {
    fn data_version(&self) -> Answer<DataVersion> {
        Ok(DataVersion(0, self.state().changes))
    }

    fn collections(&self) -> Answer<Vec<Collection>> {
        let mut all: Vec<Collection> = self.state().collections.values().cloned().collect();
        all.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(all)
    }

    fn files(&self, collection: CollectionId) -> Answer<Vec<FileRecord>> {
        let files = self.state().ordered().into_iter().map(|file| file.record.clone());
        Ok(files.filter(|file| file.collection == collection).collect())
    }

    fn known_files(&self, collection: CollectionId, chunker: Option<&str>) -> Answer<Vec<KnownFile>> {
        let known = self.files(collection)?.into_iter().map(|file| KnownFile {
            id: file.id,
            path: file.path,
            stat: file.stat,
            indexed_at_ns: file.indexed_at_ns,
            is_chunked: chunker.map_or(!file.chunker.is_empty(), |name| file.chunker == name),
        });
        Ok(known.collect())
    }

    fn file(&self, id: FileId) -> Answer<Option<FileRecord>> {
        Ok(self.state().files.get(&id).map(|file| file.record.clone()))
    }

    fn excluded_files(&self, collection: CollectionId) -> Answer<Vec<ExcludedFile>> {
        let of_it = self.state().excluded.iter().filter(|((of, _), _)| *of == collection.0);
        Ok(of_it.map(|(_, file)| file.clone()).collect())
    }

    fn damaged_files(&self, collection: CollectionId) -> Answer<Vec<(String, String)>> {
        let of_it = self.state().files.values().filter(|file| file.record.collection == collection);
        let mut found: Vec<(String, String)> =
            of_it.filter_map(|file| Some((file.record.path.clone(), file.damage.clone()?))).collect();
        found.sort();
        Ok(found)
    }

    fn collection_size(&self, collection: CollectionId) -> Answer<CollectionSize> {
        let files: Vec<_> = self.state().files.values().filter(|file| file.record.collection == collection).collect();
        let chunks = || files.iter().flat_map(|file| &file.chunks);
        Ok(CollectionSize {
            files: files.len(),
            passages: chunks().map(|chunk| chunk.passages.len()).sum(),
            text_bytes: chunks().map(|chunk| chunk.content.len() as u64).sum(),
        })
    }

    fn statistics(&self) -> Answer<Statistics> {
        let chunks = self.state().chunks();
        let passages: Vec<_> = chunks.iter().flat_map(|(_, _, chunk)| &chunk.passages).collect();
        Ok(Statistics {
            files: self.state().files.len(),
            chunks: chunks.len(),
            passages: passages.len(),
            embedded: passages.iter().filter(|passage| passage.vector.is_some()).count(),
            pending: passages.iter().filter(|passage| passage.vector.is_none() || passage.again).count(),
            opaque_files: self.state().files.values().filter(|file| file.opaque_bytes > 0).count(),
            opaque_bytes: self.state().files.values().map(|file| file.opaque_bytes).sum(),
        })
    }

    fn meta(&self, key: &str) -> Answer<Option<String>> {
        Ok(self.state().meta.get(key).cloned())
    }

    fn scope(&self, filter: &Filter) -> Answer<Option<Scope>> {
        if filter.is_empty() { Ok(None) } else { scope(self.state(), filter).map(Some) }
    }

    fn weights(&self, query: &LexicalQuery) -> Answer<QueryWeights> {
        Ok(weights(self.state(), query))
    }

    fn lexical(&self, query: &LexicalQuery, scope: Option<&Scope>, limit: usize) -> Answer<Vec<Candidate>> {
        Ok(ranked(self.state(), query, scope, limit))
    }

    fn filter_by_terms(&self, query: &LexicalQuery, chunks: &[ChunkRef]) -> Answer<Vec<ChunkRef>> {
        let known = self.state().chunks();
        let chunk = |row: &ChunkRef| known.iter().map(|(_, _, chunk)| *chunk).find(|chunk| chunk.row == *row);
        Ok(chunks.iter().copied().filter(|row| chunk(row).is_none_or(|chunk| admits(query, chunk))).collect())
    }

    fn vocabulary(&self, start: &str, letters: RangeInclusive<usize>) -> Answer<Vec<String>> {
        let chunks = self.state().chunks();
        let stems = chunks.iter().flat_map(|(_, _, chunk)| chunk.columns.iter().flatten());
        let wanted: BTreeSet<&String> =
            stems.filter(|stem| stem.starts_with(start) && letters.contains(&stem.chars().count())).collect();
        Ok(wanted.into_iter().cloned().collect())
    }

    fn words_ending(&self, end: &str, most: usize) -> Answer<Vec<String>> {
        let start = reversed(end);
        let chunks = self.state().chunks();
        let ends = chunks.iter().flat_map(|(_, _, chunk)| &chunk.ends);
        let wanted: BTreeSet<&String> = ends.filter(|word| word.starts_with(&start)).collect();
        Ok(wanted.into_iter().take(most).map(|word| reversed(word)).collect())
    }

    fn contains_words(&self, words: &[String]) -> Answer<Vec<bool>> {
        let chunks = self.state().chunks();
        let is_held = |word: &String| {
            let word = Sequence::of(word);
            chunks.iter().any(|(_, _, chunk)| word.is_in(&chunk.columns))
        };
        Ok(words.iter().map(is_held).collect())
    }

    fn chunks_with(&self, stem: &str, most: usize) -> Answer<Vec<ChunkRef>> {
        let chunks = self.state().chunks().into_iter();
        let holding = chunks.filter(|(_, _, chunk)| chunk.columns.iter().flatten().any(|one| one == stem));
        Ok(holding.map(|(_, _, chunk)| chunk.row).take(most).collect())
    }

    fn nearest(&self, vector: &[f32], model: &ModelId, scope: Option<&Scope>, limit: usize) -> Answer<Vec<Candidate>> {
        let mut found = self.scored_by_vectors(
            vector,
            model,
            |file, _| scope.is_none_or(|scope| scope.files.contains(&file)),
            |_, near| (near.iter().copied().fold(f64::MIN, f64::max), None),
        );
        found.truncate(limit);
        Ok(found)
    }

    fn similarities(&self, vector: &[f32], model: &ModelId, chunks: &[ChunkRef]) -> Answer<Vec<Candidate>> {
        let wanted: HashSet<&ChunkRef> = chunks.iter().collect();
        Ok(self.scored_by_vectors(
            vector,
            model,
            |_, chunk| wanted.contains(&chunk),
            |kind, near| {
                let mean = near.iter().sum::<f64>() / near.len() as f64;
                let mut sorted = near.to_vec();
                sorted.sort_by(|left, right| right.total_cmp(left));
                let best = sorted[0];
                if kind.is_lasting() {
                    (best, sorted.get(1).copied())
                } else {
                    (best + MEAN_WEIGHT * (mean - best), None)
                }
            },
        ))
    }

    fn nearest_lines(&self, vector: &[f32], model: &ModelId, chunks: &[ChunkRef]) -> Answer<PassageLines> {
        let mut lines = PassageLines::new();
        if !self.state().is_of(model.as_str()) {
            return Ok(lines);
        }
        for (_, _, chunk) in self.state().chunks().into_iter().filter(|(_, _, chunk)| chunks.contains(&chunk.row)) {
            let with_end = |passage: &Passage| {
                let next = chunk.passages.iter().map(|other| other.line).filter(|line| *line > passage.line).min();
                let end = next.map_or(chunk.end_line, |next| next - 1);
                Some((passage.line..=end, self.similarity(vector, passage.vector)?))
            };
            let mut near: Vec<_> = chunk.passages.iter().filter_map(with_end).collect();
            near.sort_by(|one, other| other.1.total_cmp(&one.1));
            if !near.is_empty() {
                lines.insert(chunk.row, near);
            }
        }
        Ok(lines)
    }

    fn chunks(&self, rows: &[ChunkRef]) -> Answer<Vec<ChunkRow>> {
        let known = self.state().chunks();
        let row = |wanted: &ChunkRef| {
            known.iter().find(|(_, _, chunk)| chunk.row == *wanted).map(|found| self.state().row(*found))
        };
        Ok(rows.iter().filter_map(row).collect())
    }

    fn chunk_range(&self, file: FileId, first: u32, last: u32) -> Answer<Vec<ChunkRow>> {
        let Some(file) = self.state().files.get(&file) else { return Ok(Vec::new()) };
        let chunks = (0..).zip(&file.chunks).filter(|(sequence, _)| (first..=last).contains(sequence));
        Ok(chunks.map(|(sequence, chunk)| self.state().row((file, sequence, chunk))).collect())
    }

    fn chunk_by_id(&self, id: &ChunkId) -> Answer<Option<ChunkRow>> {
        let found = self.state().chunks().into_iter().find(|(_, _, chunk)| chunk.id == *id);
        Ok(found.map(|found| self.state().row(found)))
    }

    fn locate(&self, prefix: &str) -> Answer<IdLookup> {
        let chunks = self.state().chunks();
        let live: Vec<_> = chunks.iter().filter(|(_, _, chunk)| chunk.id.as_str().starts_with(prefix)).collect();
        if let [found] = live[..] {
            return Ok(IdLookup::Found(Box::new(self.state().row(*found))));
        }
        let retired = self.state().retired.keys().filter(|key| live.is_empty() && key.starts_with(prefix));
        let keys: Vec<String> = live
            .iter()
            .map(|(_, _, chunk)| chunk.id.as_str().to_owned())
            .chain(retired.cloned())
            .take(MAX_AMBIGUOUS)
            .collect();
        match &keys[..] {
            [] => Ok(IdLookup::Unknown),
            [key] => Ok(self.traced(key)),
            _ => Ok(IdLookup::Ambiguous(keys.into_iter().map(ChunkId::from_stored).collect())),
        }
    }

    fn ids(&self, prefix: &str, limit: usize) -> Answer<Vec<NamedChunk>> {
        let chunks = self.state().chunks();
        let found = chunks.iter().filter(|(_, _, chunk)| chunk.id.as_str().starts_with(prefix));
        let rows = found.map(|found| self.state().row(*found));
        let mut named: Vec<NamedChunk> = rows
            .map(|row| NamedChunk { id: row.id, collection: row.collection, path: row.path, heading: row.heading })
            .collect();
        named.sort_by(|one, other| one.id.cmp(&other.id));
        named.truncate(limit);
        Ok(named)
    }

    fn tags(&self) -> Answer<Vec<(String, usize)>> {
        let mut tags: BTreeMap<String, usize> = BTreeMap::new();
        for tag in self.state().files.values().flat_map(|file| &file.tags) {
            *tags.entry(tag.clone()).or_default() += 1;
        }
        Ok(tags.into_iter().collect())
    }

    fn newest(&self, scope: &Scope, limit: usize) -> Answer<Vec<FileId>> {
        let mut files: Vec<&Arc<File>> =
            self.state().ordered().into_iter().filter(|file| scope.files.contains(&file.record.id)).collect();
        files.sort_by_key(|file| std::cmp::Reverse((file.newest_day(), file.record.stat.mtime_ns)));
        Ok(files.into_iter().map(|file| file.record.id).take(limit).collect())
    }

    fn in_order(&self, files: &[FileId]) -> Answer<Vec<FileId>> {
        Ok(self.state().ordered().into_iter().map(|file| file.record.id).filter(|id| files.contains(id)).collect())
    }

    fn days(&self, files: &[FileId]) -> Answer<Vec<(FileId, Date)>> {
        let known = files.iter().filter_map(|id| self.state().files.get(id));
        Ok(known.map(|file| (file.record.id, file.newest_day())).collect())
    }

    fn in_chats(&self, chunks: &[ChunkId]) -> Answer<HashSet<ChunkId>> {
        let chats = self.state().files.values().filter(|file| file.is_chat);
        let ids = chats.flat_map(|file| &file.chunks).map(|chunk| &chunk.id);
        Ok(ids.filter(|id| chunks.contains(id)).cloned().collect())
    }

    fn described_files(&self, scope: Option<&Scope>) -> Answer<Vec<FileDescription>> {
        let is_meant = |file: &&&Arc<File>| scope.is_none_or(|scope| scope.files.contains(&file.record.id));
        Ok(self.state().ordered().iter().filter(is_meant).map(|file| self.state().description(file)).collect())
    }

    fn properties(&self, files: &[FileId], names: &[String]) -> Answer<Vec<(FileId, Property)>> {
        let keys: Vec<String> = names.iter().map(|name| property_key(name)).collect();
        let known = files.iter().filter_map(|id| self.state().files.get(id));
        let all = known.flat_map(|file| file.properties.iter().map(|one| (file.record.id, one.clone())));
        let mut found: Vec<_> = all.filter(|(_, one)| keys.contains(&property_key(&one.name))).collect();
        found.sort_by_cached_key(|(file, one)| (*file, one.name.clone(), one.value.clone()));
        found.dedup();
        Ok(found)
    }

    fn links(&self, file: FileId) -> Answer<Vec<Link>> {
        Ok(self.state().files.get(&file).map_or_else(Vec::new, |file| file.links.clone()))
    }

    fn link_targets(&self, file: FileId) -> Answer<Vec<String>> {
        let targets = |file: &Arc<File>| file.targets().into_iter().map(str::to_owned).collect();
        Ok(self.state().files.get(&file).map_or_else(Vec::new, targets))
    }

    fn link_counts(&self) -> Answer<Vec<(String, usize)>> {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for target in self.state().files.values().flat_map(|file| file.targets()) {
            *counts.entry(target.to_owned()).or_default() += 1;
        }
        Ok(counts.into_iter().collect())
    }

    fn pending_files(&self, waiting: PendingSelection) -> Answer<Vec<FileId>> {
        let mut files: Vec<(bool, i64, FileId)> = Vec::new();
        for file in self.state().files.values() {
            let passages = || file.chunks.iter().flat_map(|chunk| &chunk.passages);
            let lacks = passages().any(|passage| passage.vector.is_none());
            if lacks || (waiting == PendingSelection::All && passages().any(|passage| passage.again)) {
                files.push((lacks, file.record.stat.mtime_ns, file.record.id));
            }
        }
        files.sort_by_key(|(lacks, mtime_ns, id)| (!lacks, std::cmp::Reverse(*mtime_ns), *id));
        Ok(files.into_iter().map(|(_, _, id)| id).collect())
    }

    fn pending_file_count(&self) -> Answer<usize> {
        Ok(self.pending_files(PendingSelection::All)?.len())
    }

    fn pending_passages(&self, file: FileId, waiting: PendingSelection) -> Answer<Vec<PendingPassage>> {
        let Some(file) = self.state().files.get(&file) else { return Ok(Vec::new()) };
        let passages =
            file.chunks.iter().flat_map(|chunk| (0..).zip(&chunk.passages).map(|passage| (chunk.row, passage)));
        let pending =
            passages.filter(|(_, (_, one))| one.vector.is_none() || (one.again && waiting == PendingSelection::All));
        Ok(pending
            .map(|(chunk, (sequence, one))| PendingPassage { id: PassageId { chunk, sequence }, hash: one.hash })
            .collect())
    }

    fn chunks_without_vectors(&self, chunks: &[ChunkRef]) -> Answer<Vec<ChunkRef>> {
        let known = self.state().chunks();
        let lacking =
            known.iter().filter(|(_, _, chunk)| chunk.passages.iter().any(|passage| passage.vector.is_none()));
        let lacking: HashSet<ChunkRef> = lacking.map(|(_, _, chunk)| chunk.row).collect();
        Ok(chunks.iter().copied().filter(|chunk| lacking.contains(chunk)).collect())
    }
}

impl Snapshot {
    /// Follows a replaced chunk to its successor.
    fn traced(&self, key: &str) -> IdLookup {
        let id = ChunkId::from_stored(key.to_owned());
        let retired = &self.state().retired[key];
        let chunks = self.state().chunks();
        let (mut next, mut seen) = (retired.successor.as_ref(), HashSet::new());
        let mut successor = None;
        while let Some(key) = next.filter(|key| seen.insert(*key)) {
            if let Some(found) = chunks.iter().find(|(_, _, chunk)| chunk.id.as_str() == key) {
                successor = Some(Box::new(self.state().row(*found)));
                break;
            }
            next = self.state().retired.get(key).and_then(|retired| retired.successor.as_ref());
        }
        IdLookup::Retired { id, collection: retired.collection.clone(), path: retired.path.clone(), successor }
    }
}
