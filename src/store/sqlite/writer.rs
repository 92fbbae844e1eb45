//! Writes to the database: each call is a transaction, or part of the open one.

use rusqlite::{Connection, TransactionBehavior};

use super::reader::Snapshot;
use super::{SqliteStore, collections, documents, former_vectors, rename, text, vectors};
use crate::{
    CollectionId, ExcludedFile, FileId, NewChunk, NewFile, NewText, PendingPassage, Reader, Store, StoreError, Work,
    Writer,
};
use tars_base::disk::FileStat;
use tars_base::domain::ModelId;

impl Store for SqliteStore {
    fn snapshot(&self) -> Result<Box<dyn Reader + '_>, StoreError> {
        Ok(Box::new(Snapshot::new(self)?))
    }

    fn transaction(&mut self, work: Work<'_>) -> Result<(), StoreError> {
        let execute = |store: &Self, sql| store.at(store.connection.execute_batch(sql).map_err(StoreError::from));
        execute(self, "BEGIN IMMEDIATE")?;
        let done = work(self).and_then(|()| execute(self, "COMMIT"));
        if done.is_err() && !self.connection.is_autocommit() {
            execute(self, "ROLLBACK")?;
        }
        done
    }

    fn text_preparer(&self) -> fn(&NewText) {
        text::prepare
    }
}

impl Writer for SqliteStore {
    fn ensure_collection(&mut self, name: &str, root: &str) -> Result<CollectionId, StoreError> {
        self.at(collections::ensure(&self.connection, name, root))
    }

    fn rename_collection(&mut self, id: CollectionId, name: &str) -> Result<(), StoreError> {
        self.write(|connection| rename::rename(connection, id, name))
    }

    fn remove_collection(&mut self, id: CollectionId) -> Result<(), StoreError> {
        self.write(|connection| {
            let files: Vec<FileId> = documents::files(connection, id)?.into_iter().map(|file| file.id).collect();
            documents::remove(connection, &files)?;
            connection.execute("DELETE FROM collections WHERE id = ?1", [id.0])?;
            Ok(())
        })
    }

    fn replace_file(
        &mut self,
        file: &NewFile<'_>,
        chunks: &[NewChunk],
        model: Option<&ModelId>,
    ) -> Result<usize, StoreError> {
        self.write(|connection| documents::replace(connection, file, chunks, model))
    }

    fn touch_file(&mut self, id: FileId, stat: FileStat) -> Result<(), StoreError> {
        self.at(documents::touch(&self.connection, id, stat))
    }

    fn exclude_file(&mut self, collection: CollectionId, file: &ExcludedFile) -> Result<(), StoreError> {
        self.at(documents::exclude_file(&self.connection, collection, file))
    }

    fn remove_files(&mut self, ids: &[FileId]) -> Result<(), StoreError> {
        // In batches, so that no transaction grows with the vault.
        for part in ids.chunks(200) {
            self.write(|connection| documents::remove(connection, part))?;
        }
        Ok(())
    }

    fn adopt_model(&mut self, model: &ModelId) -> Result<bool, StoreError> {
        self.write(|connection| vectors::adopt(connection, model))
    }

    fn forget_former_models(&mut self) -> Result<(), StoreError> {
        self.write(former_vectors::forget)
    }

    fn put_vectors(&mut self, model: &ModelId, vectors: &[(PendingPassage, &[f32])]) -> Result<(), StoreError> {
        self.write(|connection| vectors::put(connection, model, vectors))
    }

    fn set_meta(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        self.at(collections::set_meta(&self.connection, key, value))
    }
}

impl SqliteStore {
    fn write<T>(&mut self, work: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        if !self.connection.is_autocommit() {
            // Part of the transaction of [`Store::transaction`].
            return self.at(work(&self.connection));
        }
        // Immediate: a transaction that begins with a read cannot be upgraded while another one writes.
        let written = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = work(&transaction)?;
            transaction.commit()?;
            Ok(result)
        };
        written(&mut self.connection).map_err(|error: StoreError| error.at(&self.path))
    }
}
