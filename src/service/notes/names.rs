//! The names of notes.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Result, Service, UseCase};
use tars_base::domain::Mode;
use tars_text::names::folded;

const DEFAULT_LIMIT: usize = 20;

/// Asks for the indexed notes whose paths match.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NotesRequest {
    /// Words of the path, or a prefix of the path or of the file name; empty for all.
    pub name: String,
    /// Maximum number of names; 20 by default.
    pub limit: Option<usize>,
    /// Collections to look in; none means all.
    pub collections: Vec<String>,
}

/// Names of notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotesResponse {
    /// Notes whose path or file name starts with the request's name, then the others, both sorted by path.
    pub notes: Vec<NoteName>,
    /// The number of further matches.
    pub more: usize,
}

/// The name of a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteName {
    /// Name of the collection.
    pub collection: String,
    /// Path relative to the collection's root.
    pub path: String,
}

impl UseCase for NotesRequest {
    type Response = NotesResponse;

    fn run(&self, service: &Service<'_>) -> Result<NotesResponse> {
        let collections = service.app.resolve_collections(&self.collections)?;
        let wanted = folded(self.name.trim());
        let words: Vec<&str> = wanted.split_whitespace().collect();
        let mut found: Vec<(Reverse<bool>, NoteName)> = Vec::new();
        for (collection, path) in service.local(Mode::Keyword, false)?.names(&collections)? {
            let known = folded(&path);
            let file = known.rsplit('/').next().unwrap_or_default();
            if words.iter().all(|word| known.contains(word)) {
                let begins = known.starts_with(&wanted) || file.starts_with(&wanted);
                found.push((Reverse(begins), NoteName { collection, path }));
            }
        }
        found.sort_by(|(one, name), (other, second)| (one, &name.path).cmp(&(other, &second.path)));
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        let more = found.len().saturating_sub(limit);
        Ok(NotesResponse { notes: found.into_iter().take(limit).map(|(_, name)| name).collect(), more })
    }
}
