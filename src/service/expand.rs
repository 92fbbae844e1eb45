//! What stands around a chunk.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::protocol::{Request as Message, Response as Reply};
use super::{Service, UseCase};
pub use crate::search::Expansion as ExpandResponse;
use crate::search::{Extent, expand};

/// Asks for the surroundings of a chunk: its section, unless `window` or `file` says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExpandRequest {
    /// The id of a chunk, or a start of it that no other has.
    pub id: String,
    /// The chunk and so many chunks on either side.
    pub window: Option<u32>,
    /// The whole note.
    pub file: bool,
}

impl UseCase for ExpandRequest {
    type Response = ExpandResponse;

    fn run(&self, service: &Service<'_>) -> Result<ExpandResponse> {
        let extent = match (self.window, self.file) {
            (Some(window), _) => Extent::Window(window),
            (None, true) => Extent::File,
            (None, false) => Extent::Section,
        };
        // The process that has answered the question knows the chunk.
        if let Some(local) = &*service.local.borrow() {
            return local.expand(&self.id, extent);
        }
        match service.ask_daemon(&Message::Expand { id: self.id.clone(), extent })? {
            Some(Reply::Expansion(expansion)) => Ok(expansion),
            _ => Ok(expand(&*service.app.open_index()?.snapshot()?, &self.id, extent)?),
        }
    }
}
