//! Words from a server: `POST {base_url}/chat/completions` as OpenAI's (Ollama, LM Studio, vLLM ...), or
//! `POST {base_url}/v1/messages` as Anthropic's.
//!
//! One request, no second try: the caller can do without. Redirects are refused, for a key must not follow them, and so is
//! a key over plain http to another machine.

use std::fmt;
use std::io::Read;
use std::time::Duration;

use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::Uri;

use super::{LanguageModel, LlmError};
use crate::endpoint::{Patience, agent, excerpt, parse_url, reason, refuse_open_key, shown};

/// Largest answer that is read, in bytes.
const MAX_ANSWER: u64 = 1 << 20;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Tokens of an answer where the server must be told.
const MAX_TOKENS: u32 = 1024;

/// What a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// OpenAI's chat completions.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

/// How to ask a server.
#[derive(Clone)]
pub struct HttpOptions {
    /// What it speaks.
    pub dialect: Dialect,
    /// Its address; for OpenAI's dialect up to and including the version.
    pub base_url: String,
    /// Its name for the model.
    pub model: String,
    /// Its key; an empty one counts as none.
    pub api_key: Option<String>,
    /// How long it has.
    pub timeout: Duration,
}

impl fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOptions")
            .field("base_url", &self.base_url)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// Asks a server.
#[derive(Debug)]
pub struct Http {
    options: HttpOptions,
    url: Uri,
    agent: Agent,
}

impl Http {
    /// Returns a language model that asks as `options` say.
    ///
    /// # Errors
    /// [`LlmError::Address`] and [`LlmError::InsecureKey`] for the address, [`LlmError::Unset`] without a model.
    pub fn new(mut options: HttpOptions) -> Result<Self, LlmError> {
        options.api_key = options.api_key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
        if options.model.is_empty() {
            return Err(LlmError::Unset { what: "summary.model" });
        }
        let base = options.base_url.trim_end_matches('/');
        let url = match options.dialect {
            Dialect::OpenAi => format!("{base}/chat/completions"),
            Dialect::Anthropic => format!("{}/v1/messages", base.trim_end_matches("/v1")),
        };
        let url = parse_url(&url)?;
        if options.api_key.is_some() {
            refuse_open_key(&url)?;
        }
        let connect = Some(options.timeout.min(CONNECT_TIMEOUT));
        let agent = agent(&url, Patience { connect, stall: None, total: Some(options.timeout) });
        Ok(Self { options, url, agent })
    }

    fn ask(&self, task: &str, data: &str) -> Result<String, LlmError> {
        let network = |error: ureq::Error| LlmError::Network { url: shown(&self.url), reason: reason(&error) };
        let (model, key) = (&self.options.model, self.options.api_key.as_deref());
        let mut request = self.agent.post(&self.url).header("content-type", "application/json");
        let body = match self.options.dialect {
            Dialect::OpenAi => {
                if let Some(key) = key {
                    request = request.header("authorization", format!("Bearer {key}"));
                }
                let messages = json!([{"role": "system", "content": task}, {"role": "user", "content": data}]);
                json!({"model": model, "messages": messages, "stream": false})
            }
            Dialect::Anthropic => {
                request = request.header("anthropic-version", "2023-06-01");
                if let Some(key) = key {
                    request = request.header("x-api-key", key);
                }
                let messages = json!([{"role": "user", "content": data}]);
                json!({"model": model, "max_tokens": MAX_TOKENS, "system": task, "messages": messages})
            }
        };
        let mut response = request.send(body.to_string()).map_err(network)?;
        let status = response.status();
        let mut answer = Vec::new();
        let read = response.body_mut().as_reader().take(MAX_ANSWER).read_to_end(&mut answer);
        if !status.is_success() {
            let excerpt = excerpt(&answer, key);
            return Err(LlmError::Status { url: shown(&self.url), status: status.as_u16(), excerpt });
        }
        read.map_err(|error| LlmError::Network { url: shown(&self.url), reason: error.to_string() })?;
        let unusable = |reason: String| LlmError::Answer { url: shown(&self.url), reason };
        let value: Value =
            serde_json::from_slice(&answer).map_err(|error| unusable(format!("{error}: {}", excerpt(&answer, key))))?;
        text_of(&value, self.options.dialect).ok_or_else(|| unusable(format!("no text: {}", excerpt(&answer, key))))
    }
}

impl LanguageModel for Http {
    fn name(&self) -> &str {
        match self.options.dialect {
            Dialect::OpenAi => "openai",
            Dialect::Anthropic => "anthropic",
        }
    }

    fn complete(&self, task: &str, data: &str) -> Result<String, LlmError> {
        Ok(without_thoughts(&self.ask(task, data)?).to_owned())
    }
}

fn text_of(answer: &Value, dialect: Dialect) -> Option<String> {
    match dialect {
        Dialect::OpenAi => answer.pointer("/choices/0/message/content")?.as_str().map(str::to_owned),
        Dialect::Anthropic => {
            let blocks = answer.get("content")?.as_array()?;
            let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
    }
}

/// Local models of the kind that thinks aloud do so before they answer.
fn without_thoughts(text: &str) -> &str {
    text.rsplit_once("</think>").map_or(text, |(_, answer)| answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(base_url: &str, api_key: Option<&str>) -> HttpOptions {
        HttpOptions {
            dialect: Dialect::OpenAi,
            base_url: base_url.into(),
            model: "m".into(),
            api_key: api_key.map(str::to_owned),
            timeout: Duration::from_secs(5),
        }
    }

    #[test]
    fn a_key_travels_safely_or_not_at_all() {
        assert!(matches!(Http::new(options("http://example.com/v1", Some("k"))), Err(LlmError::InsecureKey { .. })));
        for allowed in ["https://example.com/v1", "http://localhost:1/v1", "http://[::1]:1/v1"] {
            assert!(Http::new(options(allowed, Some("k"))).is_ok(), "{allowed}");
        }
        assert!(Http::new(options("http://example.com/v1", Some(" "))).is_ok());
        for wrong in ["ftp://a", "https://me:secret@host/v1", "https://"] {
            let error = Http::new(options(wrong, None)).unwrap_err();
            assert!(matches!(error, LlmError::Address { .. }) && !error.to_string().contains("secret"), "{error}");
        }
        let nameless = HttpOptions { model: String::new(), ..options("https://a", None) };
        assert!(matches!(Http::new(nameless), Err(LlmError::Unset { .. })));
    }

    #[test]
    fn addresses_follow_the_dialect() {
        let of =
            |dialect, base: &str| Http::new(HttpOptions { dialect, ..options(base, None) }).unwrap().url.to_string();
        assert_eq!(of(Dialect::OpenAi, "http://localhost:11434/v1/"), "http://localhost:11434/v1/chat/completions");
        assert_eq!(of(Dialect::Anthropic, "https://api.anthropic.com"), "https://api.anthropic.com/v1/messages");
        assert_eq!(of(Dialect::Anthropic, "https://api.anthropic.com/v1"), "https://api.anthropic.com/v1/messages");
    }

    #[test]
    fn thoughts_are_no_bullets() {
        assert_eq!(without_thoughts("<think>\n- hm\n</think>\n- Fixed it"), "\n- Fixed it");
    }
}
