//! Lists the vault and the collections.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{App, Result, Service, UseCase, VAULT};
use tars_config::CollectionSettings;
use tars_store::{CollectionSize, Reader, StoreError};

/// Asks for the vault and the collections. The notes are not looked at: counts are those of the index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CollectionsRequest {}

/// The vault, Claude Code's memory if it is indexed, and the collections by name.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CollectionsResponse {
    /// The folders.
    pub collections: Vec<CollectionView>,
}

/// A folder of notes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CollectionView {
    /// Its name; `vault` for the vault.
    pub name: String,
    /// The path of its folder.
    pub path: String,
    /// Its description; empty if there is none.
    pub description: String,
    /// Number of notes in the index.
    pub notes: usize,
    /// Number of their passages.
    pub passages: usize,
    /// Bytes of their texts, as the index stores them.
    pub text_bytes: u64,
    /// The factor for the places of its results.
    pub weight: f64,
    /// Whether agents, models and other programs get nothing of it.
    pub private: bool,
    /// Whether tars refuses to write into it by any way.
    pub read_only: bool,
    /// Patterns of files that are left out of it, besides those of all folders.
    pub ignore: Vec<String>,
    /// Why it cannot be read, if so.
    pub problem: Option<String>,
}

impl UseCase for CollectionsRequest {
    type Response = CollectionsResponse;

    fn run(&self, service: &Service<'_>) -> Result<CollectionsResponse> {
        let app = service.app;
        let store = app.existing_index()?;
        let index = store.as_ref().map(|store| store.snapshot()).transpose()?;
        let size =
            |name: &str| index.as_deref().map_or_else(|| Ok(CollectionSize::default()), |index| size(index, name));
        let views = folders(app).into_iter().map(|(name, folder)| Ok(view(size(&name)?, name, folder)));
        Ok(CollectionsResponse { collections: views.collect::<Result<_>>()? })
    }
}

/// Returns the configured folders that this process may show.
fn folders(app: &App) -> Vec<(String, CollectionSettings)> {
    let config = &app.settings.config;
    let plain = |name: &str, path: PathBuf| (name.to_owned(), CollectionSettings::of(path));
    let vault = config.vault.path.clone().map(|path| plain(VAULT, path));
    let memories = app.client_memories().into_iter().filter(|memory| memory.path.is_dir());
    let memories = memories.map(|memory| plain(memory.collection, memory.path));
    let others = config.collections.iter().map(|(name, one)| (name.clone(), one.clone()));
    vault.into_iter().chain(memories).chain(others).filter(|(name, _)| app.shows(name)).collect()
}

fn size(index: &dyn Reader, name: &str) -> Result<CollectionSize, StoreError> {
    let known = index.collections()?.into_iter().find(|collection| collection.name == name);
    known.map_or_else(|| Ok(CollectionSize::default()), |collection| index.collection_size(collection.id))
}

fn view(size: CollectionSize, name: String, folder: CollectionSettings) -> CollectionView {
    let CollectionSettings { path, ignore, weight, private, read_only, description } = folder;
    let CollectionSize { files: notes, passages, text_bytes } = size;
    let problem = problem(&path);
    let path = path.display().to_string();
    CollectionView { name, path, description, notes, passages, text_bytes, weight, private, read_only, ignore, problem }
}

fn problem(path: &Path) -> Option<String> {
    std::fs::read_dir(path).err().map(|error| format!("not there: {error}"))
}
