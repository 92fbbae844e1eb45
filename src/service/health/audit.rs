//! Secrets in places where none should be.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{App, Result, Service, UseCase, VAULT};
use tars_store::{Reader, StoreError};
use tars_text::redact;

/// Asks for the secrets in the memory folder, in the index and in the names of notes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AuditRequest {}

/// The place of a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LeakPlace {
    /// In a file of the memory folder.
    Memory,
    /// In the index: an earlier tars made it, or it is behind its files.
    Index,
    /// In the name of a file or of one of its folders.
    Name,
}

/// A secret, without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Leak {
    /// The place.
    pub place: LeakPlace,
    /// The collection of the note.
    pub collection: String,
    /// The note, relative to the root of its collection, without the secrets in its name.
    pub path: String,
    /// The line, from 1; 0 for a name.
    pub line: usize,
    /// The kind of secret.
    pub kind: &'static str,
}

impl LeakPlace {
    /// Returns the word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Index => "index",
            Self::Name => "name",
        }
    }
}

impl UseCase for AuditRequest {
    type Response = Vec<Leak>;

    /// Returns the secrets by path and line.
    fn run(&self, service: &Service<'_>) -> Result<Vec<Leak>> {
        let mut found = Vec::new();
        let mut memory = HashSet::new();
        let folder = service.app.memory_folder()?;
        for file in folder.files()? {
            let bytes = folder.read(&file)?.unwrap_or_default();
            let path = folder.vault_path(&file);
            found.extend(named(VAULT, &path));
            found.extend(leaks((LeakPlace::Memory, VAULT, &path), 1, &tars_vault::text_of(&bytes)));
            memory.insert(path);
        }
        if let Some(store) = service.app.existing_index()? {
            found.extend(indexed(service.app, &*store.snapshot()?, &memory)?);
        }
        Ok(found)
    }
}

/// Returns the secrets in the index and in the names of its files, except for names in the memory folder.
fn indexed(app: &App, store: &dyn Reader, memory: &HashSet<String>) -> Result<Vec<Leak>, StoreError> {
    let mut found = Vec::new();
    for collection in store.collections()?.into_iter().filter(|collection| app.shows(&collection.name)) {
        for file in store.files(collection.id)? {
            if collection.name != VAULT || !memory.contains(&file.path) {
                found.extend(named(&collection.name, &file.path));
            }
            let mut of_file = Vec::new();
            for chunk in store.chunk_range(file.id, 0, u32::MAX)? {
                let place = (LeakPlace::Index, collection.name.as_str(), chunk.path.as_str());
                of_file.extend(leaks(place, chunk.start_line, &chunk.content));
            }
            // Chunks overlap.
            of_file.dedup();
            found.extend(of_file);
        }
    }
    Ok(found)
}

fn named(collection: &str, path: &str) -> Vec<Leak> {
    let shown = redact::redact_path(path);
    let leak = |finding: redact::Finding| Leak {
        place: LeakPlace::Name,
        collection: collection.to_owned(),
        path: shown.clone().into_owned(),
        line: 0,
        kind: finding.kind,
    };
    redact::find_in_path(path).into_iter().map(leak).collect()
}

fn leaks((place, collection, path): (LeakPlace, &str, &str), first_line: usize, text: &str) -> Vec<Leak> {
    let leak = |finding: redact::Finding| Leak {
        place,
        collection: collection.to_owned(),
        path: redact::redact_path(path).into_owned(),
        line: first_line + finding.line - 1,
        kind: finding.kind,
    };
    redact::find(text).into_iter().map(leak).collect()
}
