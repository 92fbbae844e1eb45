//! Secrets in places where none should be.

use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::Leak;
use crate::{Service, UseCase};

/// Asks for the secrets in the memory folder, in the index and in the names of notes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AuditRequest {}

impl UseCase for AuditRequest {
    type Response = Vec<Leak>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<Leak>> {
        service.app.audit()
    }
}
