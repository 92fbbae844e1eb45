//! Changes of an index.

use super::{CollectionId, ExcludedFile, FileId, NewChunk, NewFile, PendingPassage, StoreError};
use tars_base::disk::FileStat;
use tars_base::domain::ModelId;

/// Changes of an index, each of them atomic. Every method fails if the index cannot be written.
pub trait Writer {
    /// Returns the collection with this name, creating it or updating its root if needed.
    fn ensure_collection(&mut self, name: &str, root: &str) -> Result<CollectionId, StoreError>;
    /// Gives a collection another name, which no other one has. Its files keep their rows and vectors; its chunks get new ids, to which the
    /// former ones lead.
    fn rename_collection(&mut self, id: CollectionId, name: &str) -> Result<(), StoreError>;
    /// Removes a collection with everything in it.
    fn remove_collection(&mut self, id: CollectionId) -> Result<(), StoreError>;
    /// Replaces everything known of a file with its new state, atomically. A passage keeps its vector if its text already has one
    /// under `model`, or if it stood before in this file or in the one that this file was moved from. Returns the number of
    /// passages to embed.
    fn replace_file(
        &mut self,
        file: &NewFile<'_>,
        chunks: &[NewChunk],
        model: Option<&ModelId>,
    ) -> Result<usize, StoreError>;
    /// Records changed metadata of a file whose content is unchanged.
    fn touch_file(&mut self, id: FileId, stat: FileStat) -> Result<(), StoreError>;
    /// Records a file that was excluded by a rule, so that it is recognised without being read. The store sets `noticed_at_ns`. The
    /// record is removed when the file is stored later.
    fn exclude_file(&mut self, collection: CollectionId, file: &ExcludedFile) -> Result<(), StoreError>;
    /// Removes files with all their data; missing ones are skipped. Outside [`Store::transaction`](super::Store::transaction), a large number of
    /// files may take several transactions.
    fn remove_files(&mut self, ids: &[FileId]) -> Result<(), StoreError>;
    /// Makes `model` the current model. Vectors of the previous model are set aside, and vectors of `model` that were set aside are
    /// used again. Returns whether any vectors were set aside or restored.
    fn adopt_model(&mut self, model: &ModelId) -> Result<bool, StoreError>;
    /// Deletes the vectors set aside, once all passages have a vector of the current model.
    fn forget_former_models(&mut self) -> Result<(), StoreError>;
    /// Stores vectors in one transaction. Passages that were removed meanwhile or hold another text now are skipped.
    fn put_vectors(&mut self, model: &ModelId, vectors: &[(PendingPassage, &[f32])]) -> Result<(), StoreError>;
    /// Stores a value in the metadata of the index.
    fn set_meta(&mut self, key: &str, value: &str) -> Result<(), StoreError>;
}
