//! The language model that the settings name, and notes of turns by it.

use std::time::Duration;

use super::App;
use crate::config::SummaryProvider;
use crate::domain::Turn;
use crate::llm::{
    Command, Dialect, Extractive, Http, HttpOptions, LanguageModel, LlmError, Notes, extract_instead,
    summarize_or_extract,
};

/// Where Anthropic's messages are answered.
const ANTHROPIC: &str = "https://api.anthropic.com";

impl App {
    /// Returns the notes of a turn, free of secrets: by the language model that the settings name, else extractive ones that
    /// say so.
    pub fn summarize(&self, turn: &Turn) -> Notes {
        let settings = &self.settings.config.summary;
        match self.language_model(settings.timeout) {
            Ok(model) => summarize_or_extract(model.as_ref(), turn),
            Err(LlmError::NoModel) => summarize_or_extract(&Extractive, turn),
            Err(error) => extract_instead(turn, settings.provider.as_str(), error.to_string()),
        }
    }

    /// Returns the language model that the settings name, which has so much time for an answer.
    ///
    /// # Errors
    /// [`LlmError::NoModel`] if they name none, and whatever makes it unusable.
    pub(super) fn language_model(&self, timeout: Duration) -> Result<Box<dyn LanguageModel>, LlmError> {
        let settings = &self.settings.config.summary;
        let (dialect, default) = match settings.provider {
            SummaryProvider::Auto | SummaryProvider::Extractive => return Err(LlmError::NoModel),
            SummaryProvider::Command => return Ok(Box::new(Command::new(&settings.command, timeout)?)),
            SummaryProvider::OpenAi => (Dialect::OpenAi, None),
            SummaryProvider::Anthropic => (Dialect::Anthropic, Some(ANTHROPIC)),
        };
        let base_url = settings.base_url.as_deref().or(default).ok_or(LlmError::Unset { what: "summary.base_url" })?;
        let key = settings.api_key_env.as_deref().and_then(|name| self.environment.variable(name));
        Ok(Box::new(Http::new(HttpOptions {
            dialect,
            base_url: base_url.to_owned(),
            model: settings.model.clone().unwrap_or_default(),
            api_key: key.map(|key| key.to_string_lossy().into_owned()),
            timeout,
        })?))
    }
}
