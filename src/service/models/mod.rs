//! The models in the settings: embedding models and a change of them, the reranker, language models, and the servers of tools.

mod change;
mod embedding;
mod language_model;
mod languages;
mod mcp_servers;

pub use change::ModelChange;
pub(crate) use change::{ChangeRun, FormerModelSlot, PART, locked};
pub use embedding::Model;
pub use language_model::{
    ChatChoice, ChatModelError, ConversationModel, MODEL_OFFER, ModelLedger, ModelUse, TaskPrompt,
};
pub(crate) use languages::of_index as languages_of_index;
pub use languages::{LanguageReport, ModelAdvice, line_of_languages};
pub(crate) use mcp_servers::servers as mcp_servers;

/// Returns a remark with its fix, if there is one.
pub(crate) fn with_hint(text: String, hint: Option<String>) -> String {
    match hint {
        Some(hint) => format!("{text} (fix it with: {hint})"),
        None => text,
    }
}
