//! The index in one SQLite database (WAL): full text by FTS5, vectors as blobs that sqlite-vec's functions compare.

mod codes;
mod collections;
mod connection;
mod convert;
mod damage;
mod documents;
mod embedding;
mod examine;
mod former;
mod lexical;
mod lookup;
mod migrate;
mod schema;
mod scope;
mod vacuum;
mod vectors;

use std::ops::RangeInclusive;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::civil::Date;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::{
    Candidate, ChunkRow, CodesState, Collection, CollectionId, FileId, FileRecord, LeftOut, LexicalQuery, Located,
    NewChunk, NewFile, PassageLines, PendingPassage, Scope, Stamp, Statistics, Store, StoreError, Waiting, Weights,
};
use crate::analysis;
use crate::domain::{ChunkId, Filter, ModelId};
use crate::private;
use codes::Codes;
pub use codes::Occasion;

/// An open index database.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    connection: Connection,
    codes: Codes,
}

impl SqliteStore {
    /// Opens the database at `path`, creating it where there is none.
    ///
    /// # Errors
    /// A database of another program, of a newer tars, a damaged one or one that cannot be opened; all are left as they are.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        // It holds the text of the notes: whatever the folder allows, it is its owner's. SQLite's further files follow.
        let _ = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        for suffix in ["", "-wal", "-shm"] {
            let mut file = path.as_os_str().to_owned();
            file.push(suffix);
            private::tighten(Path::new(&file));
        }
        Self::open_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// Opens the database at `path` to ask it; there must be one.
    ///
    /// # Errors
    /// As [`SqliteStore::open`], and [`StoreError::Missing`].
    pub fn open_existing(path: &Path) -> Result<Self, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        Self::open_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
    }

    /// Opens the database at `path` where nothing can be written: for one question, since what others write meanwhile is not
    /// seen.
    ///
    /// # Errors
    /// It cannot be read, is of an older tars, or has a log that would have to be read too.
    pub fn open_still(path: &Path) -> Result<Self, StoreError> {
        let connection = connection::open_still(path)?;
        Ok(Self { path: path.to_owned(), connection, codes: Codes::beside(path) })
    }

    /// Writes the file of vector codes anew if it lags behind by more than the occasion allows. The caller holds the
    /// right to write the index.
    ///
    /// # Errors
    /// The file cannot be written; questions are answered without it, more slowly.
    pub fn refresh_codes(&mut self, occasion: Occasion) -> Result<(), StoreError> {
        self.at(codes::refresh(&self.connection, &self.codes, |count| occasion.tolerates(count)))
    }

    /// Makes questions faster after many changes: joins parts of the full text for as long as `time`.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn merge_full_text(&mut self, time: Duration) -> Result<(), StoreError> {
        self.at(lexical::merge(&self.connection, time))
    }

    /// Makes the database smaller where much of it is free, or all of it was just `made`; returns whether it did.
    ///
    /// # Errors
    /// The disk is full or the database in use; nothing is lost.
    pub fn reclaim(&mut self, made: bool) -> Result<bool, StoreError> {
        self.at(vacuum::reclaim(&self.connection, made))
    }

    /// Gives the room of a log back that has grown beside a long reader, if nobody reads it any more.
    ///
    /// # Errors
    /// The disk is full or cannot be written.
    pub fn shorten_log(&mut self) -> Result<(), StoreError> {
        self.at(vacuum::shorten_log(&self.connection, &self.path))
    }

    /// Returns how the file of vector codes stands to the index; `None` where there is none that can be believed.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn codes_state(&self) -> Result<Option<CodesState>, StoreError> {
        match self.meta("model")? {
            Some(model) => self.at(self.codes.state(&self.connection, &model)),
            None => Ok(None),
        }
    }

    /// Writes the index as it is now to `path`, where there must be no file; nothing of this one is changed.
    ///
    /// # Errors
    /// There is a file, or it cannot be written.
    pub fn copy_to(&self, path: &Path) -> Result<(), StoreError> {
        let failed = |detail: String| StoreError::Open { path: path.to_owned(), detail };
        let name = path.to_str().ok_or_else(|| failed("the path is not valid UTF-8".into()))?;
        self.connection.execute("VACUUM INTO ?1", [name]).map_err(|error| failed(error.to_string()))?;
        Ok(())
    }

    fn open_with(path: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        let connection = connection::open(path, flags)?;
        let mut store = Self { path: path.to_owned(), connection, codes: Codes::beside(path) };
        store.refresh_full_text().map_err(|error| error.at(path))?;
        Ok(store)
    }

    /// Marks every file to be cut again where its full text was made by another version of the analysis.
    fn refresh_full_text(&mut self) -> Result<(), StoreError> {
        let current = analysis::VERSION.to_string();
        match self.meta("analysis")? {
            Some(version) if version == current => return Ok(()),
            Some(_) => {
                self.connection.execute("UPDATE files SET chunker = ''", [])?;
            }
            None => {}
        }
        self.set_meta("analysis", &current)
    }

    fn write<T>(&mut self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        if !self.connection.is_autocommit() {
            // Part of what is done together.
            return self.at(work(&self.connection));
        }
        // Immediate: a transaction that began by reading could not be upgraded while another one writes.
        let written = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = work(&transaction)?;
            transaction.commit()?;
            Ok(result)
        };
        written(&mut self.connection).map_err(|error: StoreError| error.at(&self.path))
    }

    /// Gives the errors of statements the path of the index.
    fn at<T>(&self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        done.map_err(|error| error.at(&self.path))
    }
}

/// One state of the index; see [`Store::snapshot`].
#[derive(Debug)]
#[must_use = "it ends when it is dropped"]
pub struct Snapshot<'a> {
    _transaction: rusqlite::Transaction<'a>,
}

impl Store for SqliteStore {
    fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        // A transaction that only reads; it is rolled back, which is no loss.
        let begun = self.connection.unchecked_transaction().map_err(StoreError::from);
        Ok(Snapshot { _transaction: self.at(begun)? })
    }

    fn together(&mut self, work: &mut dyn FnMut(&mut dyn Store) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let say = |store: &Self, sql| store.at(store.connection.execute_batch(sql).map_err(StoreError::from));
        say(self, "BEGIN IMMEDIATE")?;
        let done = work(self).and_then(|()| say(self, "COMMIT"));
        if done.is_err() && !self.connection.is_autocommit() {
            say(self, "ROLLBACK")?;
        }
        done
    }

    fn ensure_collection(&mut self, name: &str, root: &str) -> Result<CollectionId, StoreError> {
        self.at(collections::ensure(&self.connection, name, root))
    }

    fn collections(&self) -> Result<Vec<Collection>, StoreError> {
        self.at(collections::all(&self.connection))
    }

    fn remove_collection(&mut self, id: CollectionId) -> Result<(), StoreError> {
        let files: Vec<FileId> = self.files(id)?.into_iter().map(|file| file.id).collect();
        self.write(|connection| {
            documents::remove(connection, &files)?;
            connection.execute("DELETE FROM collections WHERE id = ?1", [id.0])?;
            Ok(())
        })
    }

    fn files(&self, collection: CollectionId) -> Result<Vec<FileRecord>, StoreError> {
        self.at(documents::files(&self.connection, collection))
    }

    fn file(&self, id: FileId) -> Result<Option<FileRecord>, StoreError> {
        self.at(documents::file(&self.connection, id))
    }

    fn replace_file(
        &mut self,
        file: &NewFile<'_>,
        chunks: &[NewChunk],
        model: Option<&ModelId>,
    ) -> Result<usize, StoreError> {
        self.write(|connection| documents::replace(connection, file, chunks, model))
    }

    fn touch_file(&mut self, id: FileId, stamp: Stamp) -> Result<(), StoreError> {
        self.at(documents::touch(&self.connection, id, stamp))
    }

    fn left_out(&self, collection: CollectionId) -> Result<Vec<LeftOut>, StoreError> {
        self.at(documents::left_out(&self.connection, collection))
    }

    fn leave_out(&mut self, collection: CollectionId, file: &LeftOut) -> Result<(), StoreError> {
        self.at(documents::leave_out(&self.connection, collection, file))
    }

    fn remove_files(&mut self, ids: &[FileId]) -> Result<(), StoreError> {
        // In pieces, so that no transaction grows with the vault.
        for part in ids.chunks(200) {
            self.write(|connection| documents::remove(connection, part))?;
        }
        Ok(())
    }

    fn adopt_model(&mut self, model: &ModelId) -> Result<bool, StoreError> {
        self.write(|connection| vectors::adopt(connection, model))
    }

    fn forget_former_models(&mut self) -> Result<(), StoreError> {
        self.write(former::forget)
    }

    fn pending_files(&self, waiting: Waiting) -> Result<Vec<FileId>, StoreError> {
        self.at(vectors::pending_files(&self.connection, waiting))
    }

    fn awaiting_vectors(&self, chunks: &[i64]) -> Result<Vec<i64>, StoreError> {
        self.at(vectors::awaiting(&self.connection, chunks))
    }

    fn pending_file_count(&self) -> Result<usize, StoreError> {
        self.at(vectors::pending_file_count(&self.connection))
    }

    fn pending_passages(&self, file: FileId, waiting: Waiting) -> Result<Vec<PendingPassage>, StoreError> {
        self.at(vectors::pending_passages(&self.connection, file, waiting))
    }

    fn put_vectors(&mut self, model: &ModelId, vectors: &[(PendingPassage, &[f32])]) -> Result<(), StoreError> {
        self.write(|connection| vectors::put(connection, model, vectors))?;
        if let Err(error) = self.refresh_codes(Occasion::Filling) {
            tracing::warn!(%error, "questions are answered more slowly");
        }
        Ok(())
    }

    fn scope(&self, filter: &Filter) -> Result<Option<Scope>, StoreError> {
        self.at(scope::resolve(&self.connection, filter))
    }

    fn weights(&self, query: &LexicalQuery) -> Result<Weights, StoreError> {
        self.at(lexical::weights(&self.connection, query))
    }

    fn lexical(&self, query: &LexicalQuery, scope: Option<&Scope>, limit: usize) -> Result<Vec<Candidate>, StoreError> {
        self.at(lexical::search(&self.connection, query, scope, limit))
    }

    fn admitted(&self, query: &LexicalQuery, chunks: &[i64]) -> Result<Vec<i64>, StoreError> {
        self.at(lexical::admitted(&self.connection, query, chunks))
    }

    fn vocabulary(&self, start: &str, letters: RangeInclusive<usize>) -> Result<Vec<String>, StoreError> {
        self.at(lexical::vocabulary(&self.connection, start, letters))
    }

    fn words_ending(&self, end: &str, most: usize) -> Result<Vec<String>, StoreError> {
        self.at(lexical::words_ending(&self.connection, end, most))
    }

    fn held(&self, words: &[String]) -> Result<Vec<bool>, StoreError> {
        self.at(lexical::held(&self.connection, words))
    }

    fn chunks_with(&self, stem: &str, most: usize) -> Result<Vec<i64>, StoreError> {
        self.at(lexical::chunks_with(&self.connection, stem, most))
    }

    fn nearest(
        &self,
        vector: &[f32],
        model: &ModelId,
        scope: Option<&Scope>,
        limit: usize,
    ) -> Result<Vec<Candidate>, StoreError> {
        let sought = vectors::Sought { vector, model, scope, limit };
        if !self.connection.is_autocommit() {
            return self.at(vectors::nearest(&self.connection, &self.codes, sought));
        }
        // The codes and the vectors must be of one state.
        let _snapshot = self.snapshot()?;
        self.at(vectors::nearest(&self.connection, &self.codes, sought))
    }

    fn similarities(&self, vector: &[f32], model: &ModelId, chunks: &[i64]) -> Result<Vec<Candidate>, StoreError> {
        self.at(vectors::similarities(&self.connection, vector, model, chunks))
    }

    fn nearest_lines(&self, vector: &[f32], model: &ModelId, chunks: &[i64]) -> Result<PassageLines, StoreError> {
        self.at(vectors::nearest_lines(&self.connection, vector, model, chunks))
    }

    fn chunks(&self, rows: &[i64]) -> Result<Vec<ChunkRow>, StoreError> {
        self.at(lookup::chunks(&self.connection, rows))
    }

    fn chunk_range(&self, file: FileId, first: u32, last: u32) -> Result<Vec<ChunkRow>, StoreError> {
        self.at(lookup::range(&self.connection, file, first, last))
    }

    fn in_order(&self, files: &[FileId]) -> Result<Vec<FileId>, StoreError> {
        self.at(lookup::in_order(&self.connection, files))
    }

    fn link_targets(&self, file: FileId) -> Result<Vec<String>, StoreError> {
        self.at(lookup::link_targets(&self.connection, file))
    }

    fn newest(&self, scope: &Scope, limit: usize) -> Result<Vec<FileId>, StoreError> {
        self.at(lookup::newest(&self.connection, scope, limit))
    }

    fn days(&self, files: &[FileId]) -> Result<Vec<(FileId, Date)>, StoreError> {
        self.at(lookup::days(&self.connection, files))
    }

    fn locate(&self, prefix: &str) -> Result<Located, StoreError> {
        self.at(lookup::locate(&self.connection, prefix))
    }

    fn chunk_by_id(&self, id: &ChunkId) -> Result<Option<ChunkRow>, StoreError> {
        self.at(lookup::by_key(&self.connection, id.as_str()))
    }

    fn statistics(&self) -> Result<Statistics, StoreError> {
        self.at(lookup::statistics(&self.connection))
    }

    fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.at(collections::meta(&self.connection, key))
    }

    fn set_meta(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        self.at(collections::set_meta(&self.connection, key, value))
    }
}

/// Rows as a JSON array: the form in which a set of any size is bound to one parameter.
fn json_rows(rows: impl Iterator<Item = i64>) -> String {
    format!("[{}]", rows.map(|row| row.to_string()).collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests;
