//! Shell completions from the index.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Result, Service, UseCase};

/// Asks for the ids of results with this prefix.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IdsRequest {
    /// The first digits. An empty prefix gives an empty answer.
    pub prefix: String,
    /// Maximum number of ids.
    pub limit: usize,
}

/// An id and the place that it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ResultId {
    /// As many digits as results show; all digits if the prefix is longer than that.
    pub id: String,
    /// Path relative to the collection's root.
    pub path: String,
    /// Heading path; may be empty.
    pub heading: String,
}

impl UseCase for IdsRequest {
    type Response = Vec<ResultId>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<ResultId>> {
        if self.prefix.is_empty() {
            return Ok(Vec::new());
        }
        let collections = service.app.resolve_collections(&[])?;
        let index = service.app.open_index()?;
        let mut found = index.snapshot()?.ids(&self.prefix, self.limit)?;
        found.retain(|chunk| collections.contains(&chunk.collection));
        let one = |chunk: tars_store::NamedChunk| {
            let short = chunk.id.short();
            let id = if self.prefix.len() <= short.len() { short } else { chunk.id.as_str() };
            ResultId { id: id.to_owned(), path: chunk.path, heading: chunk.heading }
        };
        Ok(found.into_iter().map(one).collect())
    }
}

/// Asks for the tags of all notes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TagsRequest {}

impl UseCase for TagsRequest {
    /// The tags by name, each with the number of its notes.
    type Response = Vec<(String, usize)>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<(String, usize)>> {
        let index = service.app.open_index()?;
        let tags = index.snapshot()?.tags()?;
        Ok(tags)
    }
}
