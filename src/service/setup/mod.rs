//! What keeps the index and the models in order. All of it is done in this process, whatever the reach, and reports to the
//! service's observer how far it is.

mod carry;
mod doctor;
mod first_question;
mod index;
mod init;
mod models;
mod record;
mod vaults;

pub use carry::{ExportIndexRequest, ImportIndexRequest};
pub use doctor::{DoctorRequest, DoctorResponse};
pub use first_question::{FirstQuestionRequest, FirstQuestionResponse};
pub use index::{IndexRequest, IndexResponse};
pub use init::{ChooseModelRequest, InitRequest, InitResponse, UndoInitRequest, UndoInitResponse};
pub use models::{
    ModelLine, ModelsRequest, PrepareModelRequest, PrepareModelResponse, PullModelRequest, PullModelResponse,
    UseModelRequest, UseModelResponse, VerifiedModel, VerifiedRuntime, VerifyModelsRequest, VerifyModelsResponse,
};
pub use record::{ChangedSetting, SetupRecord};
pub use vaults::{FindVaultsRequest, FindVaultsResponse, FoundVault};

use anyhow::Result;

use super::{Interrupted, Service};
use crate::index::IndexLock;

/// Takes the lock of the index, waiting for another process that holds it; the observer is told and may end that.
fn lock(service: &Service<'_>) -> Result<IndexLock> {
    let observer = service.observer;
    let waiting = || observer.warn("another tars is indexing: waiting for it to finish");
    let lock = IndexLock::acquire(service.app.data_dir()?, waiting, || observer.cancelled())?;
    lock.ok_or_else(|| Interrupted.into())
}

#[cfg(test)]
mod tests;
