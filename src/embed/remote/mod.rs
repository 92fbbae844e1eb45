//! Vectors from a service: any endpoint that answers `POST {base_url}/embeddings` as OpenAI's does (Ollama, LM Studio,
//! vLLM, llama.cpp ...).
//!
//! The request is `{"model", "input": [texts], "encoding_format": "float"}`, with `"dimensions"` if the caller sets
//! them. The answer's `data` holds an `index` and an `embedding` per text. Redirects are refused, because a key must
//! not follow them. A key over plain http to another machine is refused too.

use std::fmt;
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use ureq::Agent;
use ureq::http::Uri;

use super::retry::{Failure, RetryPolicy, Sleep};
use super::{EmbedError, Embedder, TextKind, normalize};
use tars_base::domain::{ApproximateTokens, ContentHash, CountTokens, ModelId, hex};
use tars_base::endpoint::{
    Timeouts, agent, describe_error, error_excerpt, excerpt, is_transient, parse_url, require_https_for_key,
    retry_after, without_query,
};

/// Maximum size of an answer, in bytes.
const MAX_ANSWER: u64 = 64 << 20;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Connection settings and model of a service.
#[derive(Clone)]
pub struct RemoteOptions {
    /// Address including the version, `http://localhost:11434/v1`; a trailing slash is ignored.
    pub base_url: String,
    /// The service's name for the model.
    pub model: String,
    /// Vector length to request; 0 uses the model's own, which one request finds out.
    pub dimensions: usize,
    /// Sent as a bearer token; an empty key counts as none.
    pub api_key: Option<String>,
    /// Maximum number of texts per request.
    pub batch_size: usize,
    /// Timeout of one request.
    pub timeout: Duration,
    /// Maximum input length of the model in tokens, prefix included.
    pub window: usize,
    /// Prefix of questions.
    pub query_prefix: String,
    /// Prefix of passages.
    pub passage_prefix: String,
}

impl RemoteOptions {
    /// Returns options without key and prefixes: the model's own dimensions, 32 texts per request, a timeout of one
    /// minute, a window of 512 tokens.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            model: model.into(),
            dimensions: 0,
            api_key: None,
            batch_size: 32,
            timeout: Duration::from_secs(60),
            window: 512,
            query_prefix: String::new(),
            passage_prefix: String::new(),
        }
    }

    fn prefix(&self, kind: TextKind) -> &str {
        match kind {
            TextKind::Query => &self.query_prefix,
            TextKind::Passage => &self.passage_prefix,
        }
    }
}

impl fmt::Debug for RemoteOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteOptions")
            .field("base_url", &self.base_url)
            .field("model", &self.model)
            .field("dimensions", &self.dimensions)
            .field("api_key", &self.api_key.as_ref().map(|_| "[key]"))
            .finish_non_exhaustive()
    }
}

/// Embeds texts with a remote service. Token counts are estimates, because the service's tokenizer is unknown.
pub struct RemoteEmbedder {
    options: RemoteOptions,
    url: Uri,
    agent: Agent,
    sleep: Box<Sleep>,
    model: ModelId,
    dimensions: usize,
}

impl fmt::Debug for RemoteEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteEmbedder").field("model", &self.model).finish_non_exhaustive()
    }
}

impl RemoteEmbedder {
    /// Returns an embedder for the service that `options` describe. If they leave the dimensions open, it sends one request now.
    ///
    /// # Errors
    /// [`EmbedError::Address`] and [`EmbedError::InsecureKey`] for the address, and the errors of that request.
    pub fn new(options: RemoteOptions) -> Result<Self, EmbedError> {
        Self::with_sleep(options, Box::new(thread::sleep))
    }

    /// As [`RemoteEmbedder::new`], with `sleep` for the waits between attempts.
    pub(super) fn with_sleep(mut options: RemoteOptions, sleep: Box<Sleep>) -> Result<Self, EmbedError> {
        options.api_key = options.api_key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
        let base = parse_url(options.base_url.trim_end_matches('/'))?;
        if base.query().is_some() {
            return Err(EmbedError::Address { url: without_query(&base), reason: "it holds a query".into() });
        }
        if options.api_key.is_some() {
            require_https_for_key(&base)?;
        }
        let url = parse_url(&format!("{}/embeddings", options.base_url.trim_end_matches('/')))?;
        let connect = Some(options.timeout.min(CONNECT_TIMEOUT));
        let agent = agent(&url, Timeouts { connect, stall: None, total: Some(options.timeout) });
        let dimensions = options.dimensions;
        let model = model_id(&url, &options, dimensions);
        let mut embedder = Self { options, url, agent, sleep, model, dimensions };
        if dimensions == 0 {
            let probe = embedder.ask(TextKind::Query, &["dimensions"])?;
            embedder.dimensions = probe[0].len();
            embedder.model = model_id(&embedder.url, &embedder.options, embedder.dimensions);
        }
        Ok(embedder)
    }

    /// Returns the normalised vectors of the texts of one request. Until the dimensions are known, any length is accepted.
    fn ask(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let prefix = self.options.prefix(kind);
        let request = Request {
            model: &self.options.model,
            input: texts.iter().map(|text| format!("{prefix}{text}")).collect(),
            encoding_format: "float",
            dimensions: (self.options.dimensions > 0).then_some(self.options.dimensions),
        };
        let body = serde_json::to_vec(&request).map_err(|error| self.unusable(error.to_string()))?;
        let answer = RetryPolicy::of(kind).run(&self.sleep, |tried| self.post(&body, tried))?;
        let mut vectors = read_answer(&answer, texts.len(), self.options.api_key.as_deref())
            .map_err(|reason| self.unusable(reason))?;
        let expected = if self.dimensions == 0 { vectors[0].len() } else { self.dimensions };
        for vector in &mut vectors {
            if vector.len() != expected || expected == 0 {
                let model = self.options.model.clone();
                return Err(EmbedError::Dimensions { model, expected, found: vector.len() });
            }
            if !normalize(vector) {
                return Err(self.unusable("a vector is all zeros or not finite".into()));
            }
        }
        Ok(vectors)
    }

    fn post(&self, body: &[u8], tried: u32) -> Result<Vec<u8>, Failure> {
        let network = |error: ureq::Error| {
            let passing = is_transient(&error);
            let error = match error {
                ureq::Error::BodyExceedsLimit(limit) => {
                    EmbedError::TooLarge { what: format!("the answer of {}", without_query(&self.url)), limit }
                }
                error => EmbedError::Network { url: without_query(&self.url), reason: describe_error(&error) },
            };
            if passing { Failure::Temporary { error, wait: None } } else { Failure::Final(error) }
        };
        let mut request = self.agent.post(&self.url).header("content-type", "application/json");
        if let Some(key) = &self.options.api_key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let mut response = request.send(body).map_err(network)?;
        let status = response.status().as_u16();
        if response.status().is_success() {
            return response.body_mut().with_config().limit(MAX_ANSWER).read_to_vec().map_err(network);
        }
        let header = |name: &str| response.headers().get(name)?.to_str().ok().map(str::to_owned);
        let wait = header("retry-after").and_then(|value| retry_after(&value, Timestamp::now()));
        let (url, key) = (without_query(&self.url), self.options.api_key.as_deref());
        let excerpt = error_excerpt(&mut response, key);
        Err(match status {
            429 => Failure::Temporary { error: EmbedError::RateLimited { url, tries: tried, excerpt }, wait },
            408 | 500..=599 => Failure::Temporary { error: EmbedError::Remote { url, status, excerpt }, wait },
            _ => Failure::Final(EmbedError::Remote { url, status, excerpt }),
        })
    }

    fn unusable(&self, reason: String) -> EmbedError {
        EmbedError::Answer { url: without_query(&self.url), reason }
    }
}

impl Embedder for RemoteEmbedder {
    fn model(&self) -> &ModelId {
        &self.model
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn window(&self) -> usize {
        let prefix = |kind| ApproximateTokens.count(self.options.prefix(kind));
        self.options.window.saturating_sub(prefix(TextKind::Query).max(prefix(TextKind::Passage))).max(1)
    }

    fn tokens(&self) -> &dyn CountTokens {
        &ApproximateTokens
    }

    fn batch_size(&self) -> usize {
        self.options.batch_size.max(1)
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let window = self.window();
        for (index, text) in texts.iter().enumerate() {
            let tokens = ApproximateTokens.count(text);
            if tokens > window {
                return Err(EmbedError::TextTooLong { index, tokens, window });
            }
        }
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(self.batch_size()) {
            vectors.extend(self.ask(kind, batch)?);
        }
        Ok(vectors)
    }
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: Vec<String>,
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// Returns the vectors in the order of their texts. Items without an index are taken in order.
fn read_answer(body: &[u8], count: usize, key: Option<&str>) -> Result<Vec<Vec<f32>>, String> {
    let answer: Answer = serde_json::from_slice(body).map_err(|error| format!("{error}: {}", excerpt(body, key)))?;
    if answer.data.len() != count {
        return Err(format!("{} vectors for {count} texts", answer.data.len()));
    }
    let mut places: Vec<Option<Vec<f32>>> = vec![None; count];
    for (position, item) in answer.data.into_iter().enumerate() {
        let place = item.index.unwrap_or(position);
        match places.get_mut(place) {
            Some(slot @ None) => *slot = Some(item.embedding),
            _ => return Err(format!("index {place} is out of range or given twice")),
        }
    }
    Ok(places.into_iter().flatten().collect())
}

/// Returns `openai:HOST:MODEL:DIMENSIONS`, followed by a hash of the prefixes if there are any. The host includes the
/// port, because two services on one machine may run different builds of a model.
fn model_id(url: &Uri, options: &RemoteOptions, dimensions: usize) -> ModelId {
    let host = url.authority().map_or("", |authority| authority.as_str());
    let mut id = format!("openai:{host}:{}:{dimensions}", options.model);
    if !(options.query_prefix.is_empty() && options.passage_prefix.is_empty()) {
        let prefixes = [options.query_prefix.as_bytes(), options.passage_prefix.as_bytes()];
        id.push(':');
        id.push_str(&hex(&ContentHash::of_parts(prefixes).as_bytes()[..6]));
    }
    ModelId::new(id)
}

#[cfg(test)]
mod tests;
