//! Setup of a vault, of the models and of the plugin for Obsidian. All of it runs in this process, whatever the reach, and reports progress
//! to the service's observer.

mod agents;
mod client_config;
mod first_question;
mod hook_costs;
mod init;
mod models;
mod notes;
mod obsidian_plugin;
mod record;
mod vaults;

pub use agents::{
    AgentReport, AgentsRequest, AgentsResponse, ChangeAgentRequest, ChangeAgentResponse, FileChange, HooksState,
};
pub use client_config::{ConfigChange, add_mcp_server, client_places, mcp_clients, remove_mcp_server};
pub use first_question::{FirstQuestionRequest, FirstQuestionResponse};
pub use hook_costs::{HookCosts, record_hook};
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
