//! Changes of a state.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::state::{Chunk, File, Passage, Retired, State};
use super::words::{stems, words};
use crate::sqlite::as_stored;
use crate::{
    BackendError, BackendErrorKind, ChunkRef, Collection, CollectionId, ExcludedFile, FileId, FileRecord, NewChunk,
    NewFile, NewPassage, PendingPassage, StoreError, Writer,
};
use tars_base::disk::FileStat;
use tars_base::domain::{ChunkId, ContentHash, ModelId, TextHash};
use tars_text::analysis::reversed_words;

fn now_ns() -> i64 {
    i64::try_from(jiff::Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX)
}

impl Writer for State {
    fn ensure_collection(&mut self, name: &str, root: &str) -> Result<CollectionId, StoreError> {
        let known =
            self.collections.values().find(|collection| collection.name == name).map(|collection| collection.id);
        let id = known.unwrap_or_else(|| CollectionId(self.next()));
        self.collections.insert(id.0, Collection { id, name: name.to_owned(), root: root.to_owned() });
        Ok(id)
    }

    fn rename_collection(&mut self, id: CollectionId, name: &str) -> Result<(), StoreError> {
        self.check_collection(id)?;
        let Some(known) = self.collections.get_mut(&id.0) else { return Ok(()) };
        let former = std::mem::replace(&mut known.name, name.to_owned());
        for one in self.retired.values_mut().filter(|one| one.collection == former) {
            one.collection = name.to_owned();
        }
        let mut retired = Vec::new();
        for file in self.files.values_mut().filter(|file| file.record.collection == id).map(Arc::make_mut) {
            let mut twins: HashMap<(String, ContentHash), u32> = HashMap::new();
            for chunk in &mut file.chunks {
                let content = ContentHash::of(chunk.content.as_bytes());
                let ordinal = twins.entry((chunk.heading.clone(), content)).or_default();
                let key = ChunkId::new(name, &file.record.path, &chunk.heading, &content, *ordinal);
                *ordinal += 1;
                let former = std::mem::replace(&mut chunk.id, key.clone());
                let (collection, path) = (name.to_owned(), file.record.path.clone());
                retired.push((former, Retired { collection, path, successor: Some(key.as_str().to_owned()) }, key));
            }
        }
        for (former, one, key) in retired {
            self.retired.remove(key.as_str());
            self.retired.insert(former.as_str().to_owned(), one);
        }
        Ok(())
    }

    fn remove_collection(&mut self, id: CollectionId) -> Result<(), StoreError> {
        let files: Vec<FileId> = self
            .files
            .values()
            .map(|file| &file.record)
            .filter(|file| file.collection == id)
            .map(|file| file.id)
            .collect();
        self.remove_files(&files)?;
        self.excluded.retain(|(collection, _), _| *collection != id.0);
        self.collections.remove(&id.0);
        Ok(())
    }

    fn replace_file(
        &mut self,
        file: &NewFile<'_>,
        chunks: &[NewChunk],
        model: Option<&ModelId>,
    ) -> Result<usize, StoreError> {
        self.check_collection(file.collection)?;
        let is_it = |known: &FileRecord| known.collection == file.collection && known.path == file.path;
        let known = self.files.values().map(|file| &file.record).find(|known| is_it(known)).map(|known| known.id);
        let former: Vec<Arc<File>> =
            known.iter().chain(&file.moved_from).filter_map(|id| self.files.remove(id)).collect();
        self.excluded.remove(&(file.collection.0, file.path.to_owned()));
        let id = known.or(file.moved_from).unwrap_or_else(|| FileId(self.next()));
        let kept = FormerVectors { model, former: &former, embed_again: file.embed_again };
        let mut twins: HashMap<(&str, ContentHash), u32> = HashMap::new();
        let mut stored = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            let content = ContentHash::of(chunk.content.as_str().as_bytes());
            let ordinal = twins.entry((&chunk.heading, content)).or_default();
            let key = ChunkId::new(file.collection_name, file.path, &chunk.heading, &content, *ordinal);
            *ordinal += 1;
            self.retired.remove(key.as_str());
            let passages = chunk.passages.iter().map(|passage| self.passage(passage, kept)).collect();
            stored.push(Chunk { passages, ..new_chunk(ChunkRef(self.next()), key, chunk) });
        }
        let passages = stored.iter().flat_map(|chunk| &chunk.passages);
        let missing = passages.filter(|passage| passage.vector.is_none() || passage.again).count();
        self.retire(&former, &stored);
        self.files.insert(id, Arc::new(new_file(id, file, stored)));
        self.prune_vectors();
        Ok(missing)
    }

    fn touch_file(&mut self, id: FileId, stat: FileStat) -> Result<(), StoreError> {
        if let Some(file) = self.files.get_mut(&id) {
            let record = &mut Arc::make_mut(file).record;
            (record.stat, record.indexed_at_ns) = (stat, now_ns());
        }
        Ok(())
    }

    fn exclude_file(&mut self, collection: CollectionId, file: &ExcludedFile) -> Result<(), StoreError> {
        self.check_collection(collection)?;
        let file = ExcludedFile { noticed_at_ns: now_ns(), ..file.clone() };
        self.excluded.insert((collection.0, file.path.clone()), file);
        Ok(())
    }

    fn remove_files(&mut self, ids: &[FileId]) -> Result<(), StoreError> {
        let former: Vec<Arc<File>> = ids.iter().filter_map(|id| self.files.remove(id)).collect();
        self.retire(&former, &[]);
        self.prune_vectors();
        Ok(())
    }

    fn adopt_model(&mut self, model: &ModelId) -> Result<bool, StoreError> {
        if self.is_of(model.as_str()) {
            return Ok(false);
        }
        let old = self.meta.insert("model".into(), model.as_str().to_owned());
        let (vectors, mut files) = (std::mem::take(&mut self.vectors), std::mem::take(&mut self.files));
        let is_known = self.former.keys().any(|(of, _)| of == model.as_str());
        for passage in
            files.values_mut().flat_map(|file| &mut Arc::make_mut(file).chunks).flat_map(|chunk| &mut chunk.passages)
        {
            passage.again = false;
            if let (Some(made_of), Some(old)) = (passage.vector.take(), &old) {
                self.former.insert((old.clone(), passage.hash), Arc::clone(&vectors[&made_of]));
            }
            passage.vector = self.revived(model, passage.hash);
        }
        self.files = files;
        Ok(is_known || !vectors.is_empty())
    }

    fn forget_former_models(&mut self) -> Result<(), StoreError> {
        self.former.clear();
        Ok(())
    }

    fn put_vectors(&mut self, model: &ModelId, vectors: &[(PendingPassage, &[f32])]) -> Result<(), StoreError> {
        if !self.is_of(model.as_str()) {
            return Err(StoreError::OtherModel { model: model.to_string() });
        }
        for (pending, vector) in vectors {
            let place =
                self.files.values_mut().find(|file| file.chunks.iter().any(|chunk| chunk.row == pending.id.chunk));
            let Some(file) = place.map(Arc::make_mut) else { continue };
            let chunk = file.chunks.iter_mut().find(|chunk| chunk.row == pending.id.chunk);
            let passage = chunk.and_then(|chunk| chunk.passages.get_mut(pending.id.sequence as usize));
            if let Some(passage) = passage.filter(|passage| passage.hash == pending.hash) {
                (passage.vector, passage.again) = (Some(passage.hash), false);
                self.vectors.insert(passage.hash, as_stored(vector).into());
            }
        }
        self.prune_vectors();
        Ok(())
    }

    fn set_meta(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        self.meta.insert(key.to_owned(), value.to_owned());
        Ok(())
    }
}

/// The vectors that passages may keep.
#[derive(Clone, Copy)]
struct FormerVectors<'a> {
    model: Option<&'a ModelId>,
    former: &'a [Arc<File>],
    embed_again: bool,
}

impl State {
    fn check_collection(&self, id: CollectionId) -> Result<(), StoreError> {
        let unknown = || BackendError::new(BackendErrorKind::Other, format!("there is no collection {}", id.0));
        self.collections.get(&id.0).map(|_| ()).ok_or_else(|| unknown().into())
    }

    /// Returns a passage with the vector that it may keep: that of the same text, or that of the former passage in the file.
    fn passage(&mut self, new: &NewPassage, kept: FormerVectors<'_>) -> Passage {
        let NewPassage { line, hash, lineage } = *new;
        let mut before = kept.former.iter().flat_map(|file| &file.chunks).flat_map(|chunk| &chunk.passages);
        let equal = kept
            .model
            .filter(|model| self.is_of(model.as_str()))
            .and_then(|model| if self.vectors.contains_key(&hash) { Some(hash) } else { self.revived(model, hash) });
        let stood = before.clone().filter(|one| one.lineage == lineage).filter_map(|one| one.vector).next_back();
        let vector = equal.or(stood);
        let is_due = vector.is_some() && before.any(|one| one.again && one.vector == vector);
        Passage { line, hash, lineage, vector, again: vector.is_some() && (kept.embed_again || is_due) }
    }

    /// Restores the vector of a text that was set aside, if there is one.
    fn revived(&mut self, model: &ModelId, hash: TextHash) -> Option<TextHash> {
        let vector = self.former.get(&(model.as_str().to_owned(), hash))?;
        self.vectors.insert(hash, Arc::clone(vector));
        Some(hash)
    }

    fn prune_vectors(&mut self) {
        let passages = self.files.values().flat_map(|file| &file.chunks).flat_map(|chunk| &chunk.passages);
        let used: HashSet<TextHash> = passages.filter_map(|passage| passage.vector).collect();
        self.vectors.retain(|made_of, _| used.contains(made_of));
    }

    /// Records for each removed chunk the new chunk that contains most of its lines.
    fn retire(&mut self, former: &[Arc<File>], now: &[Chunk]) {
        let lines = |chunk: &Chunk| -> HashSet<String> {
            chunk.content.lines().map(str::trim).filter(|line| line.len() > 3).map(str::to_owned).collect()
        };
        for file in former {
            let gone = file.chunks.iter().filter(|chunk| now.iter().all(|live| live.id != chunk.id));
            for chunk in gone {
                let of_chunk = lines(chunk);
                let mut best: (usize, Option<&Chunk>) = (0, None);
                for live in now {
                    let shared = of_chunk.intersection(&lines(live)).map(String::len).sum();
                    if shared > best.0 {
                        best = (shared, Some(live));
                    }
                }
                let retired = Retired {
                    collection: self.collection(file.record.collection).name.clone(),
                    path: file.record.path.clone(),
                    successor: best.1.map(|live| live.id.as_str().to_owned()),
                };
                self.retired.insert(chunk.id.as_str().to_owned(), retired);
            }
        }
    }
}

fn new_chunk(row: ChunkRef, id: ChunkId, chunk: &NewChunk) -> Chunk {
    Chunk {
        row,
        id,
        heading: chunk.heading.clone(),
        start_line: chunk.start_line,
        start_column: chunk.start_column,
        end_line: chunk.end_line,
        end_column: chunk.end_column,
        content: chunk.content.as_str().to_owned(),
        sections: chunk.sections.clone(),
        columns: [stems(&chunk.fts_title), stems(&chunk.fts_body), stems(&chunk.fts_meta)],
        ends: words(&reversed_words(&[&chunk.fts_title, &chunk.fts_body])).collect(),
        passages: Vec::new(),
    }
}

fn new_file(id: FileId, file: &NewFile<'_>, chunks: Vec<Chunk>) -> File {
    let mut links = file.links.to_vec();
    links.sort_by(|left, right| (left.line, &left.target).cmp(&(right.line, &right.target)));
    links.dedup();
    File {
        record: FileRecord {
            id,
            collection: file.collection,
            path: file.path.to_owned(),
            content_hash: file.content_hash,
            stat: file.stat,
            chunker: file.chunker.to_owned(),
            indexed_at_ns: now_ns(),
        },
        title: file.title.to_owned(),
        memory_type: file.memory_type,
        tags: file.tags.to_vec(),
        properties: file.properties.to_vec(),
        links,
        dates: file.dates.iter().map(|date| date.date).collect(),
        day: file.day,
        opaque_bytes: file.opaque_bytes,
        is_chat: file.is_chat,
        damage: file.damage.map(str::to_owned),
        chunks,
    }
}
