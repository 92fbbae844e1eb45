//! Vectors from a service: any endpoint that answers `POST {base_url}/embeddings` as OpenAI's does (Ollama, LM Studio,
//! vLLM, llama.cpp ...).
//!
//! The request is `{"model", "input": [texts], "encoding_format": "float"}`, with `"dimensions"` when the caller fixes
//! them; the answer's `data` holds an `index` and an `embedding` per text. Redirects are refused, for a key must not
//! follow them, and so is a key over plain http to another machine.

use std::fmt;
use std::io::Read;
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use ureq::Agent;
use ureq::http::Uri;

use super::retry::{Failure, Persistence, Sleep};
use super::{EmbedError, Embedder, TextKind, normalize};
use crate::domain::{ApproximateTokens, ContentHash, CountTokens, ModelId, hex};
use crate::endpoint::{Patience, agent, excerpt, is_passing, parse_url, reason, refuse_open_key, retry_after, shown};

/// Largest answer that is read, in bytes.
const MAX_ANSWER: u64 = 64 << 20;
const MAX_COMPLAINT: u64 = 64 << 10;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How to ask a service.
#[derive(Clone)]
pub struct RemoteOptions {
    /// Address up to and including the version, `http://localhost:11434/v1`; a slash at its end is ignored.
    pub base_url: String,
    /// Name of the model, as the service calls it.
    pub model: String,
    /// Length of the vectors to ask for; 0 takes the model's own, learnt from one request.
    pub dimensions: usize,
    /// Sent as a bearer token; an empty one counts as none.
    pub api_key: Option<String>,
    /// Texts in one request.
    pub batch_size: usize,
    /// How long one request may take.
    pub timeout: Duration,
    /// Longest input of the model in tokens, prefix included.
    pub window: usize,
    /// Put before a question.
    pub query_prefix: String,
    /// Put before a piece of a note.
    pub passage_prefix: String,
}

impl RemoteOptions {
    /// Returns options without key and prefixes: the model's own dimensions, 32 texts a request, one minute for it, a
    /// window of 512 tokens.
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

/// Embeds by asking a service. Tokens are estimated: the service's tokenizer is not known here.
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
    /// Returns an embedder that asks as `options` say; one request is made now if they leave the dimensions open.
    ///
    /// # Errors
    /// [`EmbedError::Address`] and [`EmbedError::InsecureKey`] for the address, and what that request gives.
    pub fn new(options: RemoteOptions) -> Result<Self, EmbedError> {
        Self::with_sleep(options, Box::new(thread::sleep))
    }

    /// As [`RemoteEmbedder::new`], waiting between tries by `sleep`.
    pub(super) fn with_sleep(mut options: RemoteOptions, sleep: Box<Sleep>) -> Result<Self, EmbedError> {
        options.api_key = options.api_key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
        let base = parse_url(options.base_url.trim_end_matches('/'))?;
        if base.query().is_some() {
            return Err(EmbedError::Address { url: shown(&base), reason: "it holds a query".into() });
        }
        if options.api_key.is_some() {
            refuse_open_key(&base)?;
        }
        let url = parse_url(&format!("{}/embeddings", options.base_url.trim_end_matches('/')))?;
        let connect = Some(options.timeout.min(CONNECT_TIMEOUT));
        let agent = agent(&url, Patience { connect, stall: None, total: Some(options.timeout) });
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

    /// Returns the vectors of one request's texts, normalised; while the dimensions are unknown any length will do.
    fn ask(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let prefix = self.options.prefix(kind);
        let request = Request {
            model: &self.options.model,
            input: texts.iter().map(|text| format!("{prefix}{text}")).collect(),
            encoding_format: "float",
            dimensions: (self.options.dimensions > 0).then_some(self.options.dimensions),
        };
        let body = serde_json::to_vec(&request).map_err(|error| self.unusable(error.to_string()))?;
        let answer = Persistence::of(kind).run(&self.sleep, |tried| self.post(&body, tried))?;
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
            let passing = is_passing(&error);
            let error = match error {
                ureq::Error::BodyExceedsLimit(limit) => {
                    EmbedError::TooLarge { what: format!("the answer of {}", shown(&self.url)), limit }
                }
                error => EmbedError::Network { url: shown(&self.url), reason: reason(&error) },
            };
            if passing { Failure::Passing { error, wait: None } } else { Failure::Final(error) }
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
        let location = header("location");
        let mut complaint = Vec::new();
        // What could be read of a complaint is worth showing, even if the connection broke off.
        let _ = response.body_mut().as_reader().take(MAX_COMPLAINT).read_to_end(&mut complaint);
        let (url, key) = (shown(&self.url), self.options.api_key.as_deref());
        let excerpt = match location {
            Some(location) => excerpt(format!("it redirects to {location}").as_bytes(), key),
            None => excerpt(&complaint, key),
        };
        Err(match status {
            429 => Failure::Passing { error: EmbedError::RateLimited { url, tries: tried, excerpt }, wait },
            408 | 500..=599 => Failure::Passing { error: EmbedError::Remote { url, status, excerpt }, wait },
            _ => Failure::Final(EmbedError::Remote { url, status, excerpt }),
        })
    }

    fn unusable(&self, reason: String) -> EmbedError {
        EmbedError::Answer { url: shown(&self.url), reason }
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

/// Returns the vectors in the order of their texts. Where no item has an index, the items stand in that order.
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

/// Returns `openai:HOST:MODEL:DIMENSIONS`, and a hash of the prefixes where there are any. The host keeps its port: two
/// services on one machine may run different builds of a model.
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
