//! Snapshots of the database and their queries.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::rc::Rc;
use std::sync::Arc;

use jiff::civil::Date;
use rusqlite::Connection;

use super::lexical::QueryContext;
use super::{
    SqliteStore, collections, descriptions, documents, json_rows, lexical, lookup, properties, scope, vectors,
};
use crate::{
    Candidate, ChunkRef, ChunkRow, Collection, CollectionId, CollectionSize, DataVersion, ExcludedFile,
    FileDescription, FileId, FileRecord, IdLookup, KnownFile, LexicalQuery, NamedChunk, PassageLines, PendingPassage,
    PendingSelection, QueryWeights, Reader, Scope, Statistics, StoreError,
};
use tars_base::domain::{ChunkId, Filter, Link, ModelId, Property};

/// A read-only transaction, shared by all snapshots that are open at the same time.
pub(super) struct Snapshot<'a> {
    store: &'a SqliteStore,
    /// The rows of the last used scope, as [`json_rows`] writes them: a search uses one scope several times.
    scope: RefCell<Option<(Scope, Rc<str>)>>,
}

impl<'a> Snapshot<'a> {
    pub(super) fn new(store: &'a SqliteStore) -> Result<Self, StoreError> {
        if store.snapshots.get() == 0 {
            store.at(store.connection.execute_batch("BEGIN").map_err(StoreError::from))?;
        }
        store.snapshots.set(store.snapshots.get() + 1);
        let snapshot = Self { store, scope: RefCell::new(None) };
        snapshot.at(store.counts.refresh(&store.connection))?;
        Ok(snapshot)
    }

    fn connection(&self) -> &Connection {
        &self.store.connection
    }

    fn context<'q>(&'q self, query: &'q LexicalQuery) -> QueryContext<'q> {
        QueryContext { connection: self.connection(), counts: &self.store.counts, query }
    }

    fn at<T>(&self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        self.store.at(done)
    }

    /// Returns the files of a scope as rows in JSON.
    fn rows_of(&self, scope: &Scope) -> Rc<str> {
        let mut known = self.scope.borrow_mut();
        match &*known {
            Some((of, rows)) if Arc::ptr_eq(&of.files, &scope.files) => Rc::clone(rows),
            _ => {
                let rows: Rc<str> = json_rows(scope.files.iter().map(|file| file.0)).into();
                *known = Some((scope.clone(), Rc::clone(&rows)));
                rows
            }
        }
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        let snapshots = &self.store.snapshots;
        snapshots.set(snapshots.get() - 1);
        // A read-only transaction loses nothing, and there is nothing to roll back if SQLite has already ended it.
        if snapshots.get() == 0 && !self.store.connection.is_autocommit() {
            let _ = self.store.connection.execute_batch("ROLLBACK");
        }
    }
}

impl Reader for Snapshot<'_> {
    fn data_version(&self) -> Result<DataVersion, StoreError> {
        Ok(self.store.counts.data_version().expect("every snapshot determines the version"))
    }

    fn collections(&self) -> Result<Vec<Collection>, StoreError> {
        self.at(collections::all(self.connection()))
    }

    fn files(&self, collection: CollectionId) -> Result<Vec<FileRecord>, StoreError> {
        self.at(documents::files(self.connection(), collection))
    }

    fn known_files(&self, collection: CollectionId, chunker: Option<&str>) -> Result<Vec<KnownFile>, StoreError> {
        self.at(documents::known_files(self.connection(), collection, chunker))
    }

    fn file(&self, id: FileId) -> Result<Option<FileRecord>, StoreError> {
        self.at(documents::file(self.connection(), id))
    }

    fn excluded_files(&self, collection: CollectionId) -> Result<Vec<ExcludedFile>, StoreError> {
        self.at(documents::excluded_files(self.connection(), collection))
    }

    fn damaged_files(&self, collection: CollectionId) -> Result<Vec<(String, String)>, StoreError> {
        self.at(documents::damaged_files(self.connection(), collection))
    }

    fn collection_size(&self, collection: CollectionId) -> Result<CollectionSize, StoreError> {
        self.at(collections::size(self.connection(), collection))
    }

    fn statistics(&self) -> Result<Statistics, StoreError> {
        self.at(self.store.counts.statistics(self.connection()))
    }

    fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.at(collections::meta(self.connection(), key))
    }

    fn scope(&self, filter: &Filter) -> Result<Option<Scope>, StoreError> {
        self.at(scope::resolve(self.connection(), filter))
    }

    fn weights(&self, query: &LexicalQuery) -> Result<QueryWeights, StoreError> {
        self.at(lexical::weights(self.context(query)))
    }

    fn lexical(&self, query: &LexicalQuery, scope: Option<&Scope>, limit: usize) -> Result<Vec<Candidate>, StoreError> {
        let files = scope.map(|scope| self.rows_of(scope));
        self.at(lexical::search(self.context(query), files.as_deref(), limit))
    }

    fn filter_by_terms(&self, query: &LexicalQuery, chunks: &[ChunkRef]) -> Result<Vec<ChunkRef>, StoreError> {
        self.at(lexical::filter_by_terms(self.connection(), query, chunks))
    }

    fn vocabulary(&self, start: &str, letters: RangeInclusive<usize>) -> Result<Vec<String>, StoreError> {
        self.at(lexical::vocabulary(self.connection(), start, letters))
    }

    fn words_ending(&self, end: &str, most: usize) -> Result<Vec<String>, StoreError> {
        self.at(lexical::words_ending(self.connection(), end, most))
    }

    fn contains_words(&self, words: &[String]) -> Result<Vec<bool>, StoreError> {
        self.at(lexical::contains_words(self.connection(), words))
    }

    fn chunks_with(&self, stem: &str, most: usize) -> Result<Vec<ChunkRef>, StoreError> {
        self.at(lexical::chunks_with(self.connection(), stem, most))
    }

    fn nearest(
        &self,
        vector: &[f32],
        model: &ModelId,
        scope: Option<&Scope>,
        limit: usize,
    ) -> Result<Vec<Candidate>, StoreError> {
        let files = scope.map(|scope| self.rows_of(scope));
        let sought = vectors::NearestQuery { vector, model, files: files.as_deref(), limit };
        self.at(vectors::nearest(self.connection(), sought))
    }

    fn similarities(&self, vector: &[f32], model: &ModelId, chunks: &[ChunkRef]) -> Result<Vec<Candidate>, StoreError> {
        self.at(vectors::similarities(self.connection(), vector, model, chunks))
    }

    fn nearest_lines(&self, vector: &[f32], model: &ModelId, chunks: &[ChunkRef]) -> Result<PassageLines, StoreError> {
        self.at(vectors::nearest_lines(self.connection(), vector, model, chunks))
    }

    fn chunks(&self, rows: &[ChunkRef]) -> Result<Vec<ChunkRow>, StoreError> {
        self.at(lookup::chunks(self.connection(), rows))
    }

    fn chunk_range(&self, file: FileId, first: u32, last: u32) -> Result<Vec<ChunkRow>, StoreError> {
        self.at(lookup::range(self.connection(), file, first, last))
    }

    fn chunk_by_id(&self, id: &ChunkId) -> Result<Option<ChunkRow>, StoreError> {
        self.at(lookup::by_key(self.connection(), id.as_str()))
    }

    fn locate(&self, prefix: &str) -> Result<IdLookup, StoreError> {
        self.at(lookup::locate(self.connection(), prefix))
    }

    fn ids(&self, prefix: &str, limit: usize) -> Result<Vec<NamedChunk>, StoreError> {
        self.at(lookup::ids(self.connection(), prefix, limit))
    }

    fn tags(&self) -> Result<Vec<(String, usize)>, StoreError> {
        self.at(lookup::tags(self.connection()))
    }

    fn newest(&self, scope: &Scope, limit: usize) -> Result<Vec<FileId>, StoreError> {
        self.at(lookup::newest(self.connection(), &self.rows_of(scope), limit))
    }

    fn in_order(&self, files: &[FileId]) -> Result<Vec<FileId>, StoreError> {
        self.at(lookup::in_order(self.connection(), files))
    }

    fn days(&self, files: &[FileId]) -> Result<Vec<(FileId, Date)>, StoreError> {
        self.at(lookup::days(self.connection(), files))
    }

    fn in_chats(&self, chunks: &[ChunkId]) -> Result<HashSet<ChunkId>, StoreError> {
        self.at(lookup::in_chats(self.connection(), chunks))
    }

    fn described_files(&self, scope: Option<&Scope>) -> Result<Vec<FileDescription>, StoreError> {
        let files = scope.map(|scope| self.rows_of(scope));
        self.at(descriptions::files(self.connection(), files.as_deref()))
    }

    fn properties(&self, files: &[FileId], names: &[String]) -> Result<Vec<(FileId, Property)>, StoreError> {
        self.at(properties::of_files(self.connection(), files, names))
    }

    fn links(&self, file: FileId) -> Result<Vec<Link>, StoreError> {
        self.at(descriptions::links(self.connection(), file))
    }

    fn link_targets(&self, file: FileId) -> Result<Vec<String>, StoreError> {
        self.at(lookup::link_targets(self.connection(), file))
    }

    fn link_counts(&self) -> Result<Vec<(String, usize)>, StoreError> {
        self.at(lookup::link_counts(self.connection()))
    }

    fn pending_files(&self, waiting: PendingSelection) -> Result<Vec<FileId>, StoreError> {
        self.at(vectors::pending_files(self.connection(), waiting))
    }

    fn pending_file_count(&self) -> Result<usize, StoreError> {
        self.at(vectors::pending_file_count(self.connection()))
    }

    fn pending_passages(&self, file: FileId, waiting: PendingSelection) -> Result<Vec<PendingPassage>, StoreError> {
        self.at(vectors::pending_passages(self.connection(), file, waiting))
    }

    fn chunks_without_vectors(&self, chunks: &[ChunkRef]) -> Result<Vec<ChunkRef>, StoreError> {
        self.at(vectors::chunks_without_vectors(self.connection(), chunks))
    }
}
