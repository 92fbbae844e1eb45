//! The map of the memory, for agents that read the files themselves.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Result, Service, UseCase};
use tars_memory::{CORE_TOKENS, MappedFile, MappedLayer};
use tars_vault::MemoryFolder;

/// Asks for the layers of the memory and their files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LayersRequest {}

/// The layers of the memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LayersResponse {
    /// The layers that have files, from the core outwards.
    pub layers: Vec<LayerFiles>,
    /// Number of tokens of Memory.md.
    pub core_tokens: usize,
    /// Recommended maximum for it.
    pub core_limit: usize,
    /// Skipped files with the reason, a line each.
    pub warnings: Vec<String>,
}

/// A layer of the memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LayerFiles {
    /// `core`, `context`, `timelines`, `projects`, `days`, `sessions`, `waiting`, `archive` or `other`.
    pub layer: &'static str,
    /// Its files; of days and sessions only the newest.
    pub files: Vec<LayerFileView>,
    /// Number of further files.
    pub more: usize,
}

/// A file of the memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LayerFileView {
    /// Its path, relative to the vault.
    pub path: String,
    /// Approximate number of tokens, four characters each.
    pub tokens: usize,
    /// Time of the last change; `None` if the system does not report it.
    pub changed: Option<Timestamp>,
    /// Its headings in one line.
    pub holds: String,
}

impl UseCase for LayersRequest {
    type Response = LayersResponse;

    fn run(&self, service: &Service<'_>) -> Result<LayersResponse> {
        let folder = service.app.memory_folder()?;
        let (layers, warnings) = tars_memory::map(&folder)?;
        let core_tokens = tars_memory::core_tokens(&folder)?;
        let layers = layers.into_iter().map(|layer| LayerFiles::new(&folder, layer)).collect();
        Ok(LayersResponse { layers, core_tokens, core_limit: CORE_TOKENS, warnings })
    }
}

impl LayerFiles {
    fn new(folder: &MemoryFolder, MappedLayer { layer, files, more }: MappedLayer) -> Self {
        let view = |MappedFile { file, tokens, changed, holds }: MappedFile| LayerFileView {
            path: folder.vault_path(&file),
            tokens,
            changed: changed
                .and_then(|time| Timestamp::try_from(time).ok())
                .and_then(|time| Timestamp::from_second(time.as_second()).ok()),
            holds,
        };
        Self { layer: layer.as_str(), files: files.into_iter().map(view).collect(), more }
    }
}
