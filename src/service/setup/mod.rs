//! Setup of a vault, of the models and of the plugin for Obsidian. All of it runs in this process, whatever the reach, and reports progress
//! to the service's observer.

mod first_question;
mod init;
mod models;
mod notes;
mod obsidian_plugin;
mod record;
mod vaults;

pub use first_question::{FirstQuestionRequest, FirstQuestionResponse};
pub use init::{ChooseModelRequest, InitRequest, InitResponse, UndoInitRequest, UndoInitResponse};
pub use models::{
    ModelLine, ModelsRequest, PrepareModelRequest, PrepareModelResponse, PullModelRequest, PullModelResponse,
    UseModelRequest, UseModelResponse, VerifiedModel, VerifiedRuntime, VerifyModelsRequest, VerifyModelsResponse,
};
pub use notes::{ChooseAuthorRequest, ChooseAuthorResponse, FindAuthorsRequest, FindAuthorsResponse};
pub use obsidian_plugin::{InstallPluginRequest, PluginFile, PluginFileState, PluginResponse, RemovePluginRequest};
pub use record::{ChangedSetting, SetupRecord};
pub use vaults::{FindVaultsRequest, FindVaultsResponse, FoundVault};

#[cfg(test)]
mod tests;
