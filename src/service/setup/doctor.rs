//! Whether what tars keeps is sound, and mending it.

use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lock;
use crate::app::Examination;
use crate::index::Report;
use crate::service::{Service, UseCase};

/// Looks at all that is kept in the data directory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DoctorRequest {
    /// Whether what is wrong is mended; else nothing is changed.
    pub repair: bool,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DoctorResponse {
    /// What is wrong, with `repair` what is still wrong.
    #[serde(flatten)]
    pub found: Examination,
    /// The run that made a damaged index anew, if one did.
    #[serde(skip)]
    pub report: Option<Report>,
}

impl UseCase for DoctorRequest {
    type Response = DoctorResponse;

    fn run(&self, service: &Service<'_>) -> Result<DoctorResponse> {
        let Service { app, observer, .. } = service;
        if !self.repair {
            return Ok(DoctorResponse { found: app.examine()?, report: None });
        }
        let lock = lock(service)?;
        service.close();
        let (found, report) = app.repair(&lock, || app.model(app.workers()), *observer)?;
        Ok(DoctorResponse { found, report })
    }
}
