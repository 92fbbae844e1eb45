//! The state of the index.

use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::protocol::{Request as Message, Response as Reply};
use super::{Service, UseCase};
use crate::app::StatusReport;

/// Asks what is indexed, and how far the index is behind the notes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StatusRequest {}

impl UseCase for StatusRequest {
    type Response = StatusReport;

    fn run(&self, service: &Service<'_>) -> Result<StatusReport> {
        match service.ask_daemon(&Message::Status)? {
            Some(Reply::Status(status)) => Ok(*status),
            _ => service.app.status(),
        }
    }
}
