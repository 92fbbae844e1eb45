//! Notes of turns, by whoever the settings name.

use super::App;
use crate::config::SummaryProvider;
use crate::domain::Turn;
use crate::llm::{
    Command, Dialect, Extractive, Http, HttpOptions, LlmError, Notes, Summarizer, extract_instead, summarize_or_extract,
};

/// Where Anthropic's messages are answered.
const ANTHROPIC: &str = "https://api.anthropic.com";

impl App {
    /// Returns the notes of a turn, free of secrets: by the summarizer that the settings name, else extractive ones that
    /// say so.
    pub fn summarize(&self, turn: &Turn) -> Notes {
        let settings = &self.settings.config.summary;
        let (name, summarizer) = match settings.provider {
            SummaryProvider::Auto | SummaryProvider::Extractive => return summarize_or_extract(&Extractive, turn),
            SummaryProvider::Command => ("command", self.command_summarizer()),
            SummaryProvider::OpenAi => ("openai", self.http_summarizer(Dialect::OpenAi, None)),
            SummaryProvider::Anthropic => ("anthropic", self.http_summarizer(Dialect::Anthropic, Some(ANTHROPIC))),
        };
        match summarizer {
            Ok(summarizer) => summarize_or_extract(summarizer.as_ref(), turn),
            Err(error) => extract_instead(turn, name, error.to_string()),
        }
    }

    fn command_summarizer(&self) -> Result<Box<dyn Summarizer>, LlmError> {
        let settings = &self.settings.config.summary;
        Ok(Box::new(Command::new(&settings.command, settings.timeout)?))
    }

    fn http_summarizer(&self, dialect: Dialect, default: Option<&str>) -> Result<Box<dyn Summarizer>, LlmError> {
        let settings = &self.settings.config.summary;
        let base_url = settings.base_url.as_deref().or(default).ok_or(LlmError::Unset { what: "summary.base_url" })?;
        let key = settings.api_key_env.as_deref().and_then(|name| self.environment.variable(name));
        Ok(Box::new(Http::new(HttpOptions {
            dialect,
            base_url: base_url.to_owned(),
            model: settings.model.clone().unwrap_or_default(),
            api_key: key.map(|key| key.to_string_lossy().into_owned()),
            timeout: settings.timeout,
        })?))
    }
}
