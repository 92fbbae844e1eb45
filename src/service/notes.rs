//! The names of notes.

use std::cmp::Reverse;

use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Service, UseCase};
use crate::domain::Mode;

/// How many names are told where nothing else is said.
const USUAL: usize = 20;

/// Asks which notes are indexed, by what their paths hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NotesRequest {
    /// Words of the path, or a beginning of it; empty for all.
    pub name: String,
    /// How many names at most; 20 where it is left out.
    pub limit: Option<usize>,
    /// Collections, any of them; none means all.
    pub collections: Vec<String>,
}

/// Names of notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotesResponse {
    /// Those whose path or file name begins with what was asked for, then the others, each by their paths.
    pub notes: Vec<NoteName>,
    /// How many more there are.
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
        let collections = service.app.admitted(&self.collections)?;
        let wanted = self.name.trim().to_lowercase();
        let words: Vec<&str> = wanted.split_whitespace().collect();
        let mut found: Vec<(Reverse<bool>, NoteName)> = Vec::new();
        for (collection, path) in service.local(Mode::Keyword, false)?.names(&collections)? {
            let folded = path.to_lowercase();
            let file = folded.rsplit('/').next().unwrap_or_default();
            if words.iter().all(|word| folded.contains(word)) {
                let begins = folded.starts_with(&wanted) || file.starts_with(&wanted);
                found.push((Reverse(begins), NoteName { collection, path }));
            }
        }
        found.sort_by(|(one, name), (other, second)| (one, &name.path).cmp(&(other, &second.path)));
        let limit = self.limit.unwrap_or(USUAL);
        let more = found.len().saturating_sub(limit);
        Ok(NotesResponse { notes: found.into_iter().take(limit).map(|(_, name)| name).collect(), more })
    }
}
