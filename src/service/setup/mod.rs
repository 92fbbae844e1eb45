//! Setup and maintenance of the index and the models. All of it runs in this process, whatever the reach, and reports progress to
//! the service's observer.

mod doctor;
mod first_question;
mod index;
mod index_transfer;
mod init;
mod models;
mod record;
mod vaults;

pub use doctor::{DoctorRequest, DoctorResponse};
pub use first_question::{FirstQuestionRequest, FirstQuestionResponse};
pub use index::{IndexRequest, IndexResponse};
pub use index_transfer::{ExportIndexRequest, ImportIndexRequest};
pub use init::{ChooseModelRequest, InitRequest, InitResponse, UndoInitRequest, UndoInitResponse};
pub use models::{
    ModelLine, ModelsRequest, PrepareModelRequest, PrepareModelResponse, PullModelRequest, PullModelResponse,
    UseModelRequest, UseModelResponse, VerifiedModel, VerifiedRuntime, VerifyModelsRequest, VerifyModelsResponse,
};
pub use record::{ChangedSetting, SetupRecord};
pub use vaults::{FindVaultsRequest, FindVaultsResponse, FoundVault};

use anyhow::Result;

use super::{Interrupted, Service};
use tars_engine::index::IndexLock;

/// Takes the lock of the index. While another process holds it, the observer receives a warning and may cancel the wait.
fn lock(service: &Service<'_>) -> Result<IndexLock> {
    let observer = service.observer;
    let waiting = || observer.warn("another tars is indexing: waiting for it to finish");
    let lock = IndexLock::acquire(service.app.data_dir()?, waiting, || observer.cancelled())?;
    lock.ok_or_else(|| Interrupted.into())
}

#[cfg(test)]
mod tests;
