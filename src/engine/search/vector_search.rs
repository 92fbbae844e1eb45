//! Embeds the question, or says why it cannot be embedded.

use super::SearchError;
use tars_base::domain::{CountTokens, Mode};
use tars_base::embedding::{Embedder, ModelScale, TextKind};
use tars_store::Reader;
use tars_text::redact::redact;

/// Whether a search by meaning is possible.
#[derive(Clone, Copy)]
pub enum VectorSearch<'a> {
    /// It is possible with this model.
    Model(&'a dyn Embedder),
    /// It is not possible. `report` is false if the person chose to search without a model.
    Unavailable {
        /// The reason, in a few words that name the command that helps.
        reason: &'a str,
        /// Whether to report the reason.
        report: bool,
    },
}

impl<'a> VectorSearch<'a> {
    /// Returns the model, if there is one.
    pub(super) fn model(&self) -> Option<&'a dyn Embedder> {
        match self {
            Self::Model(embedder) => Some(*embedder),
            Self::Unavailable { .. } => None,
        }
    }

    /// Returns the calibration of the model's similarities.
    pub(super) fn model_scale(&self) -> ModelScale {
        match self {
            Self::Model(embedder) => embedder.model_scale(),
            Self::Unavailable { .. } => ModelScale::default(),
        }
    }
}

/// Number of model windows that are embedded of a question. The rest is searched by words only.
const MAX_QUERY_PIECES: usize = 4;

/// Returns why the stored vectors cannot be compared with those of `embedder`, if another model made them.
pub(super) fn model_mismatch(store: &dyn Reader, embedder: &dyn Embedder) -> Result<Option<String>, SearchError> {
    let model = embedder.model().as_str();
    let other = store.meta("model")?.filter(|known| known != model);
    Ok(other.map(|known| format!("the notes are embedded with {known}, not with {model}: run 'tars index'")))
}

/// A question for the vector retriever.
pub(super) struct EmbeddedQuestion<'a> {
    pub(super) embedder: &'a dyn Embedder,
    pub(super) vector: Vec<f32>,
}

/// Returns the model that embeds the question, if there is one. In `Mode::Vector`, a missing model is an error.
pub(super) fn embedder<'a>(
    vectors: VectorSearch<'a>,
    mode: Mode,
    degraded: &mut Option<String>,
) -> Result<Option<&'a dyn Embedder>, SearchError> {
    match vectors {
        VectorSearch::Model(embedder) => Ok(Some(embedder)),
        VectorSearch::Unavailable { reason, .. } if mode == Mode::Vector => {
            Err(SearchError::NoSemantics { reason: reason.into() })
        }
        VectorSearch::Unavailable { reason, report: wanted } => {
            if wanted {
                *degraded = Some(format!("searched by words only: {reason}"));
            }
            Ok(None)
        }
    }
}

/// Embeds `text` and returns a remark if the result is degraded. Outside `Mode::Hybrid`, a failure is an error.
pub(super) fn embed_question<'a>(
    embedder: &'a dyn Embedder,
    mode: Mode,
    text: &str,
) -> Result<(Option<EmbeddedQuestion<'a>>, Option<String>), SearchError> {
    // A server may do the embedding, and a prompt may hold secrets.
    match embed_query(embedder, &redact(text).text) {
        Ok((vector, whole)) => {
            let cut = "the query is longer than the model reads: its end was searched by words only";
            Ok((Some(EmbeddedQuestion { embedder, vector }), (!whole).then(|| cut.to_owned())))
        }
        Err(SearchError::Embed(error)) if mode == Mode::Hybrid => {
            Ok((None, Some(format!("searched by words only: {error}"))))
        }
        Err(error) => Err(error),
    }
}

/// Returns the vector of a question and whether all of it was embedded. The vector is the normalised mean over pieces that
/// fit the model's window.
fn embed_query(embedder: &dyn Embedder, text: &str) -> Result<(Vec<f32>, bool), SearchError> {
    let (pieces, whole) = pieces(text, embedder.window(), embedder.tokens());
    let texts: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let vectors = embedder.embed(TextKind::Query, &texts)?;
    let mut mean = vec![0.0f32; embedder.dimensions()];
    for vector in &vectors {
        for (sum, value) in mean.iter_mut().zip(vector) {
            *sum += value;
        }
    }
    let length = mean.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        mean.iter_mut().for_each(|value| *value /= length);
    }
    Ok((mean, whole))
}

/// Splits a question into pieces of at most `window` tokens, and returns whether they cover all of it.
fn pieces(text: &str, window: usize, counter: &dyn CountTokens) -> (Vec<String>, bool) {
    let mut pieces: Vec<String> = Vec::new();
    let (mut open, mut size) = (String::new(), 0);
    // One "word" can be a page of Chinese. A token is at least one character long.
    for part in text.split_whitespace().flat_map(|word| parts(word, window)) {
        let alone = counter.count(part);
        let longer = if open.is_empty() { part.to_owned() } else { format!("{open} {part}") };
        // The blank may or may not count as a token, so the exact count is only taken when it matters.
        let mut together = size + alone + usize::from(!open.is_empty());
        if together > window {
            together = counter.count(&longer);
        }
        if together <= window || open.is_empty() {
            (open, size) = (longer, together);
            continue;
        }
        pieces.push(std::mem::take(&mut open));
        if pieces.len() == MAX_QUERY_PIECES {
            return (pieces, false);
        }
        (open, size) = (part.to_owned(), alone);
    }
    if !open.is_empty() {
        pieces.push(open);
    }
    (pieces, true)
}

fn parts(word: &str, limit: usize) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = word;
    while let Some((at, _)) = rest.char_indices().nth(limit) {
        out.push(&rest[..at]);
        rest = &rest[at..];
    }
    out.push(rest);
    out
}
