//! The language model for conversations with a person.

use std::sync::Arc;

use super::{ANTHROPIC, CountedModel, TaskError};
use crate::App;
use tars_base::endpoint;
use tars_chat::tasks::Task;
use tars_chat::{ChatError, ChatModel, Dialect, Program, Server, ServerKind, ServerOptions};
use tars_config::{ChatProvider, OLLAMA, SummaryProvider};

const OPENAI: &str = "https://api.openai.com/v1";
const OPENROUTER: &str = "https://openrouter.ai/api/v1";

/// A person's choice instead of the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChatChoice {
    /// A provider.
    pub provider: Option<ChatProvider>,
    /// A model of it.
    pub model: Option<String>,
}

/// A model for conversations, and where it runs.
#[derive(Clone)]
pub struct ConversationModel {
    /// The model; its tokens are counted.
    pub model: Arc<dyn ChatModel>,
    /// Provider and model, for people.
    pub name: String,
    /// The destination, if messages leave this machine; `None` for a local server. A program may send them anywhere, so it is named here.
    pub remote_destination: Option<String>,
}

/// Why there is no model for conversations.
#[derive(Debug, thiserror::Error)]
pub enum ChatModelError {
    /// No model is chosen.
    #[error("no model is chosen for conversations")]
    NoModel,
    /// The provider does not exist.
    #[error("there is no provider '{0}'")]
    UnknownProvider(String),
    /// A setting is missing.
    #[error("{provider} needs {key}")]
    Unset {
        /// The provider.
        provider: &'static str,
        /// The key.
        key: &'static str,
        /// An example value.
        example: &'static str,
    },
    /// The key is missing from the environment.
    #[error("{provider} needs a key, and the environment variable {variable} is not set")]
    NoKey {
        /// The provider.
        provider: &'static str,
        /// The variable.
        variable: String,
    },
    /// The model in the settings is unusable.
    #[error(transparent)]
    Chat(#[from] ChatError),
    /// Like [`ChatModelError::Chat`], for the model that writes notes.
    #[error(transparent)]
    Task(#[from] TaskError),
}

impl ChatModelError {
    /// Returns the command that fixes it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoModel => Some(
                "tars config set chat.provider ollama (or openai, openrouter, anthropic, command), then chat.model NAME"
                    .into(),
            ),
            Self::UnknownProvider(_) => Some("--provider ollama, openai, openrouter, anthropic or command".into()),
            Self::Unset { key, example, .. } => Some(format!("tars config set {key} {example}")),
            Self::NoKey { variable, .. } => {
                Some(format!("export {variable}=…, or name another variable: tars config set chat.api_key_env NAME"))
            }
            Self::Chat(error) => error.hint(),
            Self::Task(error) => error.hint(),
        }
    }
}

/// Defaults of a provider with a server.
struct ProviderDefaults {
    dialect: Dialect,
    address: &'static str,
    key: Option<&'static str>,
    model: &'static str,
}

impl ProviderDefaults {
    fn of(provider: ChatProvider) -> Option<Self> {
        let usual = |dialect, address, key, model| Some(Self { dialect, address, key, model });
        match provider {
            ChatProvider::Ollama => usual(Dialect::OpenAi, OLLAMA, None, "qwen3:8b"),
            ChatProvider::OpenAi => usual(Dialect::OpenAi, OPENAI, Some("OPENAI_API_KEY"), "NAME"),
            ChatProvider::OpenRouter => usual(Dialect::OpenAi, OPENROUTER, Some("OPENROUTER_API_KEY"), "MAKER/NAME"),
            ChatProvider::Anthropic => usual(Dialect::Anthropic, ANTHROPIC, Some("ANTHROPIC_API_KEY"), "NAME"),
            ChatProvider::Auto | ChatProvider::None | ChatProvider::Command => None,
        }
    }
}

impl App {
    /// Returns the model for conversations: the one in `choice`, otherwise the one in the settings.
    ///
    /// # Errors
    /// See [`ChatModelError`].
    pub fn conversation_model(&self, choice: &ChatChoice) -> Result<ConversationModel, ChatModelError> {
        let settings = &self.settings.config.chat;
        let provider = choice.provider.unwrap_or(settings.provider);
        // The address, key and model of another provider do not apply to this one.
        let is_configured = provider == settings.provider;
        let word = provider.as_str();
        let (model, name, remote_destination): (Box<dyn ChatModel>, String, Option<String>) = match provider {
            ChatProvider::None => return Err(ChatModelError::NoModel),
            ChatProvider::Auto => return self.model_of_notes(choice),
            ChatProvider::Command => {
                let unset = ChatModelError::Unset { provider: word, key: "chat.command", example: "'[\"PROGRAM\"]'" };
                let program = settings.command.first().cloned().ok_or(unset)?;
                (
                    Box::new(Program::new(&settings.command)?),
                    format!("{word} {program}"),
                    Some(format!("the program {program}")),
                )
            }
            _ => {
                let Some(usual) = ProviderDefaults::of(provider) else { return Err(ChatModelError::NoModel) };
                let own = |value: &Option<String>| value.clone().filter(|_| is_configured);
                let unset = ChatModelError::Unset { provider: word, key: "chat.model", example: usual.model };
                let model = choice.model.clone().or_else(|| own(&settings.model)).ok_or(unset)?;
                let base_url = own(&settings.base_url);
                let is_usual = base_url.is_none();
                let base_url = base_url.unwrap_or_else(|| usual.address.to_owned());
                let variable = own(&settings.api_key_env).or_else(|| usual.key.map(str::to_owned));
                let api_key = variable.as_ref().and_then(|name| self.environment.variable(name));
                if let (Some(variable), None, true) = (&variable, &api_key, is_usual) {
                    return Err(ChatModelError::NoKey { provider: word, variable: variable.clone() });
                }
                let remote_destination = leaving(&base_url);
                let name = format!("{word} {model}");
                let api_key = api_key.map(|key| key.to_string_lossy().into_owned());
                let kind = match provider {
                    ChatProvider::Ollama => Some(ServerKind::Ollama),
                    ChatProvider::OpenRouter => Some(ServerKind::OpenRouter),
                    _ => None,
                };
                let options = ServerOptions { dialect: usual.dialect, base_url, model, api_key, kind };
                (Box::new(Server::new(options)?), name, remote_destination)
            }
        };
        Ok(ConversationModel { model: self.counted(model), name, remote_destination })
    }

    /// Returns the model that writes notes of sessions, for conversations.
    fn model_of_notes(&self, choice: &ChatChoice) -> Result<ConversationModel, ChatModelError> {
        let settings = &self.settings.config.summary;
        if choice.model.is_some() {
            // Another model of an unnamed provider would be a guess.
            return Err(ChatModelError::Unset { provider: "--model", key: "chat.provider", example: "ollama" });
        }
        let model = match self.uncounted_model() {
            Err(TaskError::NoModel) => return Err(ChatModelError::NoModel),
            model => model?,
        };
        let remote_destination = match (settings.provider, &settings.base_url) {
            (SummaryProvider::OpenAi | SummaryProvider::Anthropic, Some(url)) => leaving(url),
            (SummaryProvider::Anthropic, None) => leaving(ANTHROPIC),
            (provider, _) => Some(format!("the program {}", provider.as_str())),
        };
        let name = match &settings.model {
            Some(model) => format!("{} {model}", settings.provider.as_str()),
            None => settings.provider.as_str().to_owned(),
        };
        Ok(ConversationModel { model: self.counted(model), name, remote_destination })
    }

    fn counted(&self, model: Box<dyn ChatModel>) -> Arc<dyn ChatModel> {
        Arc::new(CountedModel { model, ledger: self.model_ledger(), task: Task::Chat })
    }
}

/// Returns the server of an address outside this machine.
fn leaving(url: &str) -> Option<String> {
    // An unparsable address is refused before anything is sent.
    let uri = endpoint::parse_url(url).ok()?;
    (!endpoint::is_loopback(&uri)).then(|| endpoint::without_query(&uri))
}
