//! The folders of notes as a person keeps them: the vault and the collections, with their settings and their part of the index.

mod list;
mod rename;

pub use list::{CollectionView, CollectionsRequest, CollectionsResponse};
pub use rename::{RenameCollectionRequest, RenameCollectionResponse};
