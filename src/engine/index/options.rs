//! Options of a run.

use std::path::PathBuf;

use tars_base::domain::{ApproximateTokens, CountTokens, MemoryType};
use tars_base::embedding::Embedder;
use tars_text::chunker::ChunkOptions;
use tars_text::formats::is_pdf;
use tars_vault::{PdfReader, WalkOptions};

/// A named folder to index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Name of the collection.
    pub name: String,
    /// Absolute path with links resolved.
    pub path: PathBuf,
}

/// The options of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexOptions {
    /// Which files are notes.
    pub walk: WalkOptions,
    /// Reads the text of PDFs; `None` leaves them out.
    pub pdf: Option<PdfReader>,
    /// Files larger than this many bytes are excluded.
    pub max_file_size: u64,
    /// How notes are cut; `window_tokens` is limited to the embedder's window.
    pub chunk: ChunkOptions,
    /// The memory folder, relative to the vault. Other collections have none.
    pub memory_folder: String,
    /// Name of the collection that is the vault.
    pub vault: String,
    /// Whether to read and embed everything again.
    pub full: bool,
    /// Which parts of the work to do.
    pub part: RunPart,
}

/// The parts of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RunPart {
    /// Index words, then embed.
    #[default]
    Both,
    /// Index words only.
    Words,
    /// Embed passages that lack a vector or need a new one.
    Vectors,
    /// Embed passages that lack a vector while a question waits: in small batches, without large notes.
    Missing,
}

impl RunPart {
    /// Whether this part indexes words.
    pub(super) fn has_words(self) -> bool {
        matches!(self, Self::Both | Self::Words)
    }

    /// Whether this part embeds.
    pub(super) fn has_vectors(self) -> bool {
        self != Self::Words
    }
}

impl IndexOptions {
    /// Returns the token counter and the chunk options for an embedder, or for none.
    pub fn chunking<'a>(&self, embedder: Option<&'a dyn Embedder>) -> (&'a dyn CountTokens, ChunkOptions) {
        match embedder {
            Some(embedder) => {
                let window_tokens = self.chunk.window_tokens.min(embedder.window());
                (embedder.tokens(), ChunkOptions { window_tokens, ..self.chunk.clone() })
            }
            None => (&ApproximateTokens, self.chunk.clone()),
        }
    }

    /// Returns the reader for the note at `path` if it is a PDF.
    pub(super) fn pdf_reader(&self, path: &str) -> Option<&PdfReader> {
        self.pdf.as_ref().filter(|_| is_pdf(path))
    }

    /// Returns `chunk` for the note at `path`: a note of facts is cut into single facts.
    pub(super) fn chunk_options_of(&self, root: &Root, path: &str, chunk: &ChunkOptions) -> ChunkOptions {
        ChunkOptions { facts: self.memory_type(root, path).is_lasting(), ..chunk.clone() }
    }

    /// Returns the memory type of the note at `path`.
    pub(super) fn memory_type(&self, root: &Root, path: &str) -> MemoryType {
        if root.name == self.vault { MemoryType::of_path(path, &self.memory_folder) } else { MemoryType::Note }
    }
}
