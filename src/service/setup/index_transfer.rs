//! Export and import of the index, to move it to another machine.

use std::path::PathBuf;

use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lock;
use crate::app::TransferredIndex;
use crate::{Interrupted, Service, UseCase};

/// Exports the index into one file, for another machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExportIndexRequest {
    /// The file; an existing exported index at this path is replaced.
    pub file: PathBuf,
}

impl UseCase for ExportIndexRequest {
    type Response = TransferredIndex;

    fn run(&self, service: &Service<'_>) -> Result<TransferredIndex> {
        let app = service.app;
        app.export_index(&self.file, &app.model(1))
    }
}

/// Replaces the index with one that another machine exported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ImportIndexRequest {
    /// The file.
    pub file: PathBuf,
    /// Whether to import an index that does not fit this machine, or that replaces a newer one.
    pub force: bool,
}

impl UseCase for ImportIndexRequest {
    type Response = TransferredIndex;

    fn run(&self, service: &Service<'_>) -> Result<TransferredIndex> {
        let lock = lock(service)?;
        service.close();
        let imported = service.app.import_index(&lock, &self.file, self.force, service.observer)?;
        imported.ok_or_else(|| Interrupted.into())
    }
}
