//! What a run is told.

use std::path::PathBuf;

use crate::chunker::ChunkOptions;
use crate::domain::{ApproximateTokens, CountTokens, MemoryType};
use crate::embed::Embedder;
use crate::vault::WalkOptions;

/// A folder to index under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Name of the collection.
    pub name: String,
    /// Absolute path, links resolved.
    pub path: PathBuf,
}

/// How a run goes about its work.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexOptions {
    /// What counts as a note.
    pub walk: WalkOptions,
    /// Files larger than this many bytes are left out.
    pub max_file_size: u64,
    /// How notes are cut; `window_tokens` is lowered to the embedder's own window.
    pub chunk: ChunkOptions,
    /// The memory folder, relative to the vault; it has none in other collections.
    pub memory_folder: String,
    /// Name of the collection that is the vault.
    pub vault: String,
    /// Whether to read and embed everything again.
    pub full: bool,
    /// Which halves of the work to do.
    pub part: Part,
}

/// The halves of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Part {
    /// Bring words in, then embed.
    #[default]
    Both,
    /// Bring words in.
    Words,
    /// Embed what lacks a vector or is to be embedded again.
    Vectors,
    /// Embed what lacks a vector while a question waits for it: in small batches, and no large notes.
    Missing,
}

impl Part {
    /// Whether words are brought in.
    pub(super) fn has_words(self) -> bool {
        matches!(self, Self::Both | Self::Words)
    }

    /// Whether something is embedded.
    pub(super) fn has_vectors(self) -> bool {
        self != Self::Words
    }
}

impl IndexOptions {
    /// Returns the counter and the chunk options that go with an embedder, or with none.
    pub fn cutting<'a>(&self, embedder: Option<&'a dyn Embedder>) -> (&'a dyn CountTokens, ChunkOptions) {
        match embedder {
            Some(embedder) => {
                let window_tokens = self.chunk.window_tokens.min(embedder.window());
                (embedder.tokens(), ChunkOptions { window_tokens, ..self.chunk.clone() })
            }
            None => (&ApproximateTokens, self.chunk.clone()),
        }
    }

    /// Returns `chunk` for the note at `path`: one of facts is cut fact by fact.
    pub(super) fn cutting_of(&self, root: &Root, path: &str, chunk: &ChunkOptions) -> ChunkOptions {
        ChunkOptions { facts: self.memory_type(root, path).is_lasting(), ..chunk.clone() }
    }

    /// Returns what kind of memory the note at `path` is.
    pub(super) fn memory_type(&self, root: &Root, path: &str) -> MemoryType {
        if root.name == self.vault { MemoryType::of_path(path, &self.memory_folder) } else { MemoryType::Note }
    }
}
