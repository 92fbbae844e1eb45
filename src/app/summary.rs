//! The language model that the settings name, and notes of turns by it.

use super::App;
use crate::chat::{ChatModel, Dialect, Program, Server, ServerOptions};
use crate::config::SummaryProvider;
use crate::domain::Turn;
use crate::tasks::{Notes, TaskError, extract, extract_instead, summarize};

/// Where Anthropic's messages are answered.
const ANTHROPIC: &str = "https://api.anthropic.com";

impl App {
    /// Returns the notes of a turn, free of secrets: by the language model that the settings name, else extractive ones that
    /// say so.
    pub fn summarize(&self, turn: &Turn) -> Notes {
        let settings = &self.settings.config.summary;
        match self.language_model() {
            Ok(model) => summarize(model.as_ref(), turn, settings.timeout),
            Err(TaskError::NoModel) => extract(turn),
            Err(error) => extract_instead(turn, settings.provider.as_str(), error.to_string()),
        }
    }

    /// Returns the language model that the settings name.
    ///
    /// # Errors
    /// [`TaskError::NoModel`] if they name none, and whatever makes it unusable.
    pub(super) fn language_model(&self) -> Result<Box<dyn ChatModel>, TaskError> {
        let settings = &self.settings.config.summary;
        let unset = |what| TaskError::Unset { what };
        let (dialect, default) = match settings.provider {
            SummaryProvider::Auto | SummaryProvider::Extractive => return Err(TaskError::NoModel),
            SummaryProvider::Command => {
                let program = Program::new(&settings.command).map_err(|_| unset("summary.command"))?;
                return Ok(Box::new(program));
            }
            SummaryProvider::OpenAi => (Dialect::OpenAi, None),
            SummaryProvider::Anthropic => (Dialect::Anthropic, Some(ANTHROPIC)),
        };
        let base_url = settings.base_url.as_deref().or(default).ok_or(unset("summary.base_url"))?;
        let key = settings.api_key_env.as_deref().and_then(|name| self.environment.variable(name));
        Ok(Box::new(Server::new(ServerOptions {
            dialect,
            base_url: base_url.to_owned(),
            model: settings.model.clone().ok_or(unset("summary.model"))?,
            api_key: key.map(|key| key.to_string_lossy().into_owned()),
        })?))
    }
}
