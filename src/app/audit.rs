//! Secrets that stand where they should not.

use anyhow::Result;
use serde::Serialize;

use super::App;
use crate::redact;
use crate::store::{SqliteStore, Store, StoreError};

/// Where a secret was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LeakPlace {
    /// In a file of the memory folder.
    Memory,
    /// In the index, which an earlier tars made or which is behind its files.
    Index,
}

/// A secret, by its place alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Leak {
    /// Where it was found.
    pub place: LeakPlace,
    /// The note, relative to the root of its collection.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// What kind of secret it is.
    pub kind: &'static str,
}

impl LeakPlace {
    /// Returns the word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Index => "index",
        }
    }
}

impl App {
    /// Returns the secrets that stand in the memory folder or in the index, by path and line.
    ///
    /// # Errors
    /// A file or the index cannot be read.
    pub fn audit(&self) -> Result<Vec<Leak>> {
        let mut found = Vec::new();
        let folder = self.memory_folder()?;
        for file in folder.files()? {
            let bytes = folder.read(&file)?.unwrap_or_default();
            let path = folder.shown(&file);
            found.extend(leaks(LeakPlace::Memory, &path, 1, &String::from_utf8_lossy(&bytes)));
        }
        match SqliteStore::open_existing(&self.database()) {
            Ok(store) => found.extend(indexed(&store)?),
            Err(StoreError::Missing { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(found)
    }
}

fn indexed(store: &dyn Store) -> Result<Vec<Leak>, StoreError> {
    let mut found = Vec::new();
    for collection in store.collections()? {
        for file in store.files(collection.id)? {
            for chunk in store.chunk_range(file.id, 0, u32::MAX)? {
                found.extend(leaks(LeakPlace::Index, &chunk.path, chunk.start_line, &chunk.content));
            }
        }
    }
    // Chunks overlap.
    found.dedup();
    Ok(found)
}

fn leaks(place: LeakPlace, path: &str, first_line: usize, text: &str) -> Vec<Leak> {
    let leak = |finding: redact::Finding| Leak {
        place,
        path: path.to_owned(),
        line: first_line + finding.line - 1,
        kind: finding.kind,
    };
    redact::find(text).into_iter().map(leak).collect()
}
