//! Changing an index.

use super::{CollectionId, FileId, LeftOut, NewChunk, NewFile, PendingPassage, Stamp, StoreError};
use crate::domain::ModelId;

/// Changes of an index, each of them whole or, where it fails, not at all. Every method fails where the index cannot be
/// written.
pub trait Writer {
    /// Returns the collection of that name, creating it or moving its root where needed.
    fn ensure_collection(&mut self, name: &str, root: &str) -> Result<CollectionId, StoreError>;
    /// Removes a collection with everything in it.
    fn remove_collection(&mut self, id: CollectionId) -> Result<(), StoreError>;
    /// Replaces everything known of a file by its new state, whole or not at all. Passages whose text already has a
    /// vector under `model`, or that stood in this file (or in the one it was moved from) before, keep that vector.
    /// Returns how many passages are to be embedded.
    fn replace_file(
        &mut self,
        file: &NewFile<'_>,
        chunks: &[NewChunk],
        model: Option<&ModelId>,
    ) -> Result<usize, StoreError>;
    /// Notes that a file's stat data changed while its content did not.
    fn touch_file(&mut self, id: FileId, stamp: Stamp) -> Result<(), StoreError>;
    /// Remembers that a file was left out by rule, so that it need not be read to know it again. `noticed_at_ns` is set
    /// by the store. A file that is stored later is no longer left out.
    fn leave_out(&mut self, collection: CollectionId, file: &LeftOut) -> Result<(), StoreError>;
    /// Removes files with everything that hangs on them; those that are not there are passed over. Where this is no part of
    /// something done together, many files may go in several transactions.
    fn remove_files(&mut self, ids: &[FileId]) -> Result<(), StoreError>;
    /// Makes `model` the one whose vectors are compared and made. Those of another are set aside; those that were set aside
    /// when `model` was given up serve again. Returns whether there were any.
    fn adopt_model(&mut self, model: &ModelId) -> Result<bool, StoreError>;
    /// Deletes the vectors that are set aside, once all passages have one of the model that was adopted.
    fn forget_former_models(&mut self) -> Result<(), StoreError>;
    /// Stores vectors, in one transaction; a passage that has gone meanwhile, or that holds another text now, is
    /// passed over.
    fn put_vectors(&mut self, model: &ModelId, vectors: &[(PendingPassage, &[f32])]) -> Result<(), StoreError>;
    /// Keeps a value beside the index.
    fn set_meta(&mut self, key: &str, value: &str) -> Result<(), StoreError>;
}
