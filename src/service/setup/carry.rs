//! Carrying an index to another machine.

use std::path::PathBuf;

use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lock;
use crate::app::CarriedIndex;
use crate::service::{Interrupted, Service, UseCase};

/// Writes the index into one file, for another machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExportIndexRequest {
    /// The file; an exported index of that name is replaced.
    pub file: PathBuf,
}

impl UseCase for ExportIndexRequest {
    type Response = CarriedIndex;

    fn run(&self, service: &Service<'_>) -> Result<CarriedIndex> {
        let app = service.app;
        app.export_index(&self.file, &app.model(1))
    }
}

/// Puts an index that another machine exported in the place of the one that is here.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ImportIndexRequest {
    /// The file.
    pub file: PathBuf,
    /// Whether also one that does not fit this machine, or that replaces a newer one, is taken.
    pub force: bool,
}

impl UseCase for ImportIndexRequest {
    type Response = CarriedIndex;

    fn run(&self, service: &Service<'_>) -> Result<CarriedIndex> {
        let lock = lock(service)?;
        service.close();
        let imported = service.app.import_index(&lock, &self.file, self.force, service.observer)?;
        imported.ok_or_else(|| Interrupted.into())
    }
}
