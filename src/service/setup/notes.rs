//! The author of the notes of sessions: finds the candidates on this machine, and records the person's choice.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SetupRecord;
use super::agents::is_on_path;
use crate::{Refusal, Result, Service, UseCase};
use tars_base::endpoint::{Timeouts, agent, is_loopback, parse_url};
use tars_config::{NotesAuthor, OLLAMA, UserFile};

/// How long a local server may take: a person waits.
const TIMEOUT: Duration = Duration::from_millis(500);
/// Most bytes of its list of models.
const MAX_LIST: u64 = 1 << 20;
/// Most models that are offered.
const MAX_MODELS: usize = 4;

/// Asks who could make notes on this machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FindAuthorsRequest {}

/// The authors of notes that were found, in the words that [`ChooseAuthorRequest`] takes; `rules` is always one of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FindAuthorsResponse {
    /// `claude`, if its program is on the path; `ollama:MODEL` of a server on this machine; and `rules`.
    pub authors: Vec<String>,
}

/// Names the author of notes in the user's configuration, so that `tars init --undo` can revert it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChooseAuthorRequest {
    /// `claude`, `ollama:MODEL` or `rules`.
    pub by: String,
}

/// The settings that were changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChooseAuthorResponse {
    /// The keys.
    pub settings: Vec<String>,
}

impl UseCase for FindAuthorsRequest {
    type Response = FindAuthorsResponse;

    fn run(&self, service: &Service<'_>) -> Result<FindAuthorsResponse> {
        let mut authors = Vec::new();
        if is_on_path(service.app, "claude") {
            authors.push("claude".to_owned());
        }
        let models = models_of(OLLAMA).unwrap_or_default();
        authors.extend(models.into_iter().take(MAX_MODELS).map(|model| format!("ollama:{model}")));
        authors.push("rules".to_owned());
        Ok(FindAuthorsResponse { authors })
    }
}

impl UseCase for ChooseAuthorRequest {
    type Response = ChooseAuthorResponse;

    fn run(&self, service: &Service<'_>) -> Result<ChooseAuthorResponse> {
        let author = NotesAuthor::parse(&self.by).ok_or_else(|| Refusal {
            message: format!("nobody called {:?} can make notes", self.by),
            hint: "claude, ollama:MODEL or rules; docs/configuration.md has other servers and programs".into(),
        })?;
        let settings = author.settings();
        for (key, value) in &settings {
            SetupRecord::set(service.app, key, value)?;
        }
        // An address, a model or a key of another author must not apply to this one.
        let file = UserFile::locate(&service.app.environment)?;
        let is_left = |key: &&str| settings.iter().all(|(known, _)| known != key) && file.value(key).is_some();
        for key in ["summary.base_url", "summary.model", "summary.api_key_env"].into_iter().filter(is_left) {
            SetupRecord::set(service.app, key, "")?;
        }
        Ok(ChooseAuthorResponse { settings: settings.into_iter().map(|(key, _)| key.to_owned()).collect() })
    }
}

/// Returns the models of a server on this machine, which speaks as OpenAI's does; `None` if none answers.
fn models_of(address: &str) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct List {
        data: Vec<Entry>,
    }
    #[derive(Deserialize)]
    struct Entry {
        id: String,
    }
    let uri = parse_url(&format!("{address}/models")).ok().filter(is_loopback)?;
    let patience = Timeouts { connect: Some(TIMEOUT), stall: Some(TIMEOUT), total: Some(TIMEOUT) };
    let mut answer = agent(&uri, patience).get(&uri).call().ok().filter(|answer| answer.status().is_success())?;
    let text = answer.body_mut().with_config().limit(MAX_LIST).read_to_vec().ok()?;
    let list: List = serde_json::from_slice(&text).ok()?;
    // A name is shown to a person and becomes a setting.
    let is_name = |id: &String| !id.is_empty() && id.len() <= 100 && id.chars().all(|c| c.is_ascii_graphic());
    Some(list.data.into_iter().map(|entry| entry.id).filter(is_name).collect())
}

#[cfg(test)]
mod tests {
    use tars_testing::loopback::{Loopback, Reply};

    use super::*;

    #[test]
    fn only_a_server_on_this_machine_is_asked_for_models() {
        let list = r#"{"object": "list", "data": [{"id": "qwen3:8b"}, {"id": "a b\u001b"}, {"id": ""}]}"#;
        let server = Loopback::script(vec![Reply::ok(list)]);
        assert_eq!(models_of(&format!("{}/v1", server.url())), Some(vec!["qwen3:8b".to_owned()]));
        assert_eq!(server.received().len(), 1);
        assert_eq!(models_of("https://models.example.org/v1"), None);
        assert_eq!(models_of("http://127.0.0.1:1/v1"), None);
    }
}
