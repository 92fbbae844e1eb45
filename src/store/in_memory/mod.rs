//! An in-memory index in plain collections, for tests.
//!
//! It implements all traits without a database and without regard to speed: a write copies the changed parts, and a query examines
//! every chunk. It passes the same conformance suite as SQLite. So tests that need no file can use it, and it shows that the traits
//! do not depend on SQLite.

mod lexical;
mod read;
mod scope;
mod similarity;
mod state;
mod words;
mod write;

use std::cell::RefCell;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

#[cfg(test)]
use super::Index;
#[cfg(test)]
use super::conformance::fixture::{Fixture, Home};
use super::{
    CollectionId, ExcludedFile, FileId, Maintenance, NewChunk, NewFile, NewText, PendingPassage, Reader, Store,
    StoreError, Work, Writer,
};
use read::{Held, Snapshot};
use state::State;
use tars_base::disk::FileStat;
use tars_base::domain::ModelId;

/// An index in memory. Further instances can share the same index.
#[derive(Debug, Default)]
pub struct MemoryStore {
    index: Arc<Shared>,
    /// The state of this connection's open snapshots, if there are any.
    held: RefCell<Weak<Held>>,
}

#[derive(Debug, Default)]
struct Shared {
    /// The newest state. The lock is held only to read or replace it.
    newest: Mutex<Arc<State>>,
    /// The write lock. It blocks other writers, but no readers.
    writing: Mutex<()>,
}

impl MemoryStore {
    /// Opens another connection to the same index.
    pub fn another(&self) -> Self {
        Self { index: Arc::clone(&self.index), held: RefCell::default() }
    }

    fn now(&self) -> Arc<State> {
        Arc::clone(&self.index.newest.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn change<T>(&self, work: impl FnOnce(&mut State) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let _writing = self.index.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state = State::clone(&self.now());
        let done = work(&mut state)?;
        state.changes += 1;
        *self.index.newest.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(state);
        Ok(done)
    }
}

impl Store for MemoryStore {
    fn snapshot(&self) -> Result<Box<dyn Reader + '_>, StoreError> {
        let mut held = self.held.borrow_mut();
        let state = held.upgrade().unwrap_or_else(|| Arc::new(Held(self.now())));
        *held = Arc::downgrade(&state);
        Ok(Box::new(Snapshot(state)))
    }

    fn transaction(&mut self, work: Work<'_>) -> Result<(), StoreError> {
        self.change(|state| work(state))
    }

    fn text_preparer(&self) -> fn(&NewText) {
        |_| ()
    }
}

/// Each method that changes a state is a transaction here.
macro_rules! transactions {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl Writer for MemoryStore {
            $(fn $name(&mut self, $($argument: $type),*) -> Result<$answer, StoreError> {
                self.change(|state| state.$name($($argument),*))
            })*
        }
    };
}

transactions! {
    ensure_collection(name: &str, root: &str) -> CollectionId;
    rename_collection(id: CollectionId, name: &str) -> ();
    remove_collection(id: CollectionId) -> ();
    replace_file(file: &NewFile<'_>, chunks: &[NewChunk], model: Option<&ModelId>) -> usize;
    touch_file(id: FileId, stat: FileStat) -> ();
    exclude_file(collection: CollectionId, file: &ExcludedFile) -> ();
    remove_files(ids: &[FileId]) -> ();
    adopt_model(model: &ModelId) -> bool;
    forget_former_models() -> ();
    put_vectors(model: &ModelId, vectors: &[(PendingPassage, &[f32])]) -> ();
    set_meta(key: &str, value: &str) -> ();
}

/// There is nothing to maintain.
impl Maintenance for MemoryStore {
    fn merge_full_text(&mut self, _time: Duration) -> Result<(), StoreError> {
        Ok(())
    }

    fn vacuum(&mut self, _made: bool) -> Result<bool, StoreError> {
        Ok(false)
    }

    fn set_patience(&mut self, _patience: Duration) -> Result<(), StoreError> {
        Ok(())
    }

    fn truncate_log(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn purge_deleted(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn keep_log(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn copy_to(&self, path: &Path) -> Result<(), StoreError> {
        Err(StoreError::Open { path: path.to_owned(), detail: "the index is in memory".into() })
    }

    fn replace_content(self: Box<Self>, path: &Path) -> Result<(), StoreError> {
        Err(StoreError::Open { path: path.to_owned(), detail: "the index is in memory".into() })
    }

    fn is_intact(&self) -> Result<bool, StoreError> {
        Ok(true)
    }
}

#[cfg(test)]
impl Home for MemoryStore {
    fn open(&self) -> Index {
        Box::new(self.another())
    }

    fn check(&self) {
        self.now().check();
    }
}

#[cfg(test)]
/// Creates an empty index for the conformance suite.
pub(crate) fn fixture() -> Fixture<dyn Maintenance + Send> {
    let store = MemoryStore::default();
    Fixture::of(store.open(), store)
}
