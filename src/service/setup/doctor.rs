//! Checks and repairs the data of tars.

use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::lock;
use crate::app::Examination;
use crate::{Service, UseCase};
use tars_engine::index::Report;

/// Examines everything in the data directory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DoctorRequest {
    /// Whether to repair problems; otherwise nothing is changed.
    pub repair: bool,
}

/// The result of the examination.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DoctorResponse {
    /// The problems; with `repair`, those that remain.
    #[serde(flatten)]
    pub found: Examination,
    /// The run that rebuilt a damaged index, if one did.
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
