//! Asks a server for the context window of its model, where it tells one.
//!
//! Ollama tells it in `/api/show` and, for a loaded model, in `/api/ps`; llama.cpp in `/props`; LM Studio in `/api/v0/models`; OpenRouter,
//! vLLM, Mistral and Groq in their lists of models. A server that tells none, or does not answer in time, leaves the window unknown.

use std::io::Read;
use std::time::Duration;

use serde_json::{Value, json};
use ureq::Agent;

use super::refusal::WINDOWS;
use tars_base::endpoint::{Timeouts, agent, parse_url};

/// Time limits: the person waits for this before the answer.
const TIMEOUTS: Timeouts = Timeouts {
    connect: Some(Duration::from_secs(2)),
    stall: Some(Duration::from_secs(3)),
    total: Some(Duration::from_secs(6)),
};
/// Time limits while a model is loaded.
const LOADING: Timeouts = Timeouts {
    connect: Some(Duration::from_secs(2)),
    stall: Some(Duration::from_secs(60)),
    total: Some(Duration::from_secs(60)),
};
/// Maximum size of an answer in bytes. OpenRouter's list has about a million.
const LARGEST: u64 = 8 << 20;
/// The window that Ollama gives a model by default, as its documentation says. Older versions do not tell another one.
const OLLAMA_WINDOW: usize = 4096;

/// A kind of server, which decides where it tells the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerKind {
    /// Ollama.
    Ollama,
    /// llama.cpp.
    LlamaCpp,
    /// LM Studio.
    LmStudio,
    /// OpenRouter.
    OpenRouter,
}

impl ServerKind {
    /// Returns the kind of server that usually has this address.
    pub(super) fn of_address(base: &str) -> Option<Self> {
        let uri = parse_url(base).ok()?;
        match (uri.host()?, uri.port_u16()) {
            ("openrouter.ai", _) => Some(Self::OpenRouter),
            (_, Some(11434)) => Some(Self::Ollama),
            (_, Some(1234)) => Some(Self::LmStudio),
            _ => None,
        }
    }

    /// Returns the kind of server that names itself so in its header.
    pub(super) fn of_header(server: &str) -> Option<Self> {
        server.to_ascii_lowercase().contains("llama.cpp").then_some(Self::LlamaCpp)
    }

    /// Whether the answer is short and the server likely on this machine or nearby.
    pub(super) fn is_quick(self) -> bool {
        self != Self::OpenRouter
    }
}

/// A server to ask.
pub(super) struct WindowSource<'s> {
    /// The base address of OpenAI's dialect.
    pub(super) base: &'s str,
    pub(super) model: &'s str,
    pub(super) key: Option<&'s str>,
}

impl WindowSource<'_> {
    /// Returns the window in tokens. Tries every known interface on an unknown server.
    pub(super) fn ask(&self, kind: Option<ServerKind>) -> Option<usize> {
        let window = match kind {
            Some(ServerKind::Ollama) => self.ollama(),
            Some(ServerKind::LlamaCpp) => self.llama_cpp(),
            Some(ServerKind::LmStudio) => self.lm_studio(),
            Some(ServerKind::OpenRouter) => self.listed(),
            None => self.llama_cpp().or_else(|| self.lm_studio()).or_else(|| self.listed()).or_else(|| self.ollama()),
        };
        window.filter(|window| WINDOWS.contains(window))
    }

    fn ollama(&self) -> Option<usize> {
        let shown = self.fetch(&self.root("/api/show"), Some(&json!({"model": self.model})))?;
        // `parameters` has a line for each: a name and its value.
        let parameters = shown.get("parameters").and_then(Value::as_str).unwrap_or_default();
        let named: Option<usize> =
            parameters.lines().find_map(|line| line.trim().strip_prefix("num_ctx")?.trim().parse().ok());
        let loaded = || {
            let running = self.fetch(&self.root("/api/ps"), None)?;
            number(self.entry(running.get("models")?)?, &["context_length"])
        };
        // A request without a prompt loads the model, which the conversation needs anyway. Then its window is known.
        let load = || {
            let generate = self.root("/api/generate");
            self.fetch_within(&generate, Some(&json!({"model": self.model, "stream": false})), LOADING)?;
            loaded()
        };
        let longest = || {
            let facts = shown.get("model_info")?.as_object()?;
            let (_, length) = facts.iter().find(|(name, _)| name.ends_with(".context_length"))?;
            Some(usize::try_from(length.as_u64()?).ok()?.min(OLLAMA_WINDOW))
        };
        loaded().or(named).or_else(load).or_else(longest)
    }

    fn llama_cpp(&self) -> Option<usize> {
        let properties = self.fetch(&self.root("/props"), None)?;
        number(properties.get("default_generation_settings")?, &["n_ctx"])
    }

    fn lm_studio(&self) -> Option<usize> {
        let models = self.fetch(&self.root("/api/v0/models"), None)?;
        number(self.entry(models.get("data")?)?, &["loaded_context_length", "max_context_length"])
    }

    fn listed(&self) -> Option<usize> {
        let models = self.fetch(&format!("{}/models", self.base.trim_end_matches('/')), None)?;
        let names = ["context_length", "max_model_len", "max_context_length", "context_window"];
        number(self.entry(models.get("data")?)?, &names)
    }

    /// Returns the address of a path beside the interface of OpenAI.
    fn root(&self, path: &str) -> String {
        let base = self.base.trim_end_matches('/');
        format!("{}{path}", base.strip_suffix("/v1").unwrap_or(base))
    }

    /// Returns the entry of the model in a list.
    fn entry<'l>(&self, list: &'l Value) -> Option<&'l Value> {
        let is_model = |entry: &&Value| {
            ["id", "name", "model"].iter().any(|name| {
                let known = entry.get(name).and_then(Value::as_str).unwrap_or_default();
                known == self.model || known.strip_suffix(":latest") == Some(self.model)
            })
        };
        list.as_array()?.iter().find(is_model)
    }

    fn fetch(&self, url: &str, body: Option<&Value>) -> Option<Value> {
        self.fetch_within(url, body, TIMEOUTS)
    }

    fn fetch_within(&self, url: &str, body: Option<&Value>, timeouts: Timeouts) -> Option<Value> {
        let uri = parse_url(url).ok()?;
        let agent: Agent = agent(&uri, timeouts);
        let key = self.key.map(|key| format!("Bearer {key}"));
        let sent = match body {
            Some(body) => {
                let request = agent.post(&uri).header("content-type", "application/json");
                key.into_iter()
                    .fold(request, |request, key| request.header("authorization", key))
                    .send(body.to_string())
            }
            None => {
                let request = agent.get(&uri);
                key.into_iter().fold(request, |request, key| request.header("authorization", key)).call()
            }
        };
        let response =
            sent.inspect_err(|error| tracing::debug!(%error, url, "a server did not tell its window")).ok()?;
        if !response.status().is_success() {
            return None;
        }
        let mut bytes = Vec::new();
        response.into_body().into_reader().take(LARGEST).read_to_end(&mut bytes).ok()?;
        serde_json::from_slice(&bytes).ok()
    }
}

fn number(fields: &Value, names: &[&str]) -> Option<usize> {
    names.iter().find_map(|name| usize::try_from(fields.get(*name)?.as_u64()?).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_testing::loopback::{Loopback, Reply};

    /// Returns the window of a server that has these paths.
    fn window(kind: Option<ServerKind>, paths: &'static [(&'static str, &'static str)]) -> (Option<usize>, usize) {
        let server = Loopback::start(move |asked| {
            let known = paths.iter().find(|(path, _)| *path == asked.path);
            known.map_or_else(|| Reply::status(404, ""), |(_, body)| Reply::ok(*body))
        });
        let base = format!("{}/v1", server.url());
        let found = WindowSource { base: &base, model: "small", key: None }.ask(kind);
        (found, server.received().len())
    }

    #[test]
    fn each_kind_of_server_tells_its_window_in_its_own_place() {
        const LOADED: &str = r#"{"models": [{"name": "other", "context_length": 1}, {"name": "small:latest", "context_length": 16384}]}"#;
        const SHOWN: &str = r#"{"parameters": "stop \"x\"\nnum_ctx                        8192", "model_info": {"llama.context_length": 131072}}"#;
        type Case = (ServerKind, &'static [(&'static str, &'static str)], Option<usize>);
        let cases: [Case; 7] = [
            (ServerKind::Ollama, &[("/api/show", SHOWN)], Some(8192)),
            (ServerKind::Ollama, &[("/api/show", SHOWN), ("/api/ps", LOADED)], Some(16_384)),
            (ServerKind::Ollama, &[("/api/show", r#"{"model_info": {"llama.context_length": 131072}}"#)], Some(4096)),
            (ServerKind::LlamaCpp, &[("/props", r#"{"default_generation_settings": {"n_ctx": 4096}}"#)], Some(4096)),
            (
                ServerKind::LmStudio,
                &[(
                    "/api/v0/models",
                    r#"{"data": [{"id": "small", "max_context_length": 32768, "loaded_context_length": 4096}]}"#,
                )],
                Some(4096),
            ),
            (
                ServerKind::OpenRouter,
                &[("/v1/models", r#"{"data": [{"id": "small", "context_length": 65536}]}"#)],
                Some(65_536),
            ),
            (
                ServerKind::OpenRouter,
                &[("/v1/models", r#"{"data": [{"id": "other", "context_length": 65536}]}"#)],
                None,
            ),
        ];
        for (kind, paths, expected) in cases {
            assert_eq!(window(Some(kind), paths).0, expected, "{kind:?} {paths:?}");
        }
    }

    #[test]
    fn a_server_of_unknown_kind_is_asked_in_each_way_and_may_tell_nothing() {
        let vllm = window(None, &[("/v1/models", r#"{"data": [{"id": "small", "max_model_len": 4096}]}"#)]);
        assert_eq!(vllm.0, Some(4096));
        assert_eq!(window(None, &[]), (None, 4));
        assert_eq!(window(None, &[("/props", "no json"), ("/v1/models", "[]")]).0, None);
        assert_eq!(window(None, &[("/props", r#"{"default_generation_settings": {"n_ctx": 0}}"#)]).0, None);
    }

    #[test]
    fn the_usual_addresses_name_the_kind() {
        assert_eq!(ServerKind::of_address("http://localhost:11434/v1"), Some(ServerKind::Ollama));
        assert_eq!(ServerKind::of_address("http://nas:1234/v1"), Some(ServerKind::LmStudio));
        assert_eq!(ServerKind::of_address("https://openrouter.ai/api/v1"), Some(ServerKind::OpenRouter));
        assert_eq!(ServerKind::of_address("http://localhost:8080/v1"), None);
        assert_eq!(ServerKind::of_header("llama.cpp"), Some(ServerKind::LlamaCpp));
    }
}
