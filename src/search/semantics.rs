//! The question as a vector, and what to say where there is none.

use super::SearchError;
use crate::domain::{CountTokens, Mode};
use crate::embed::{Embedder, TextKind};
use crate::rank::ModelScale;
use crate::redact::redact;
use crate::store::Reader;

/// Whether meaning can be searched.
#[derive(Clone, Copy)]
pub enum Semantics<'a> {
    /// By this model.
    Model(&'a dyn Embedder),
    /// Not, for this reason; `wanted` is false where the person chose to do without.
    None {
        /// Why, in a few words that name the mending command.
        reason: &'a str,
        /// Whether it should be said.
        wanted: bool,
    },
}

impl<'a> Semantics<'a> {
    /// Returns the model, if there is one.
    pub(super) fn model(&self) -> Option<&'a dyn Embedder> {
        match self {
            Self::Model(embedder) => Some(*embedder),
            Self::None { .. } => None,
        }
    }

    /// Returns how much the similarities of the model say.
    pub(super) fn scale(&self) -> ModelScale {
        match self {
            Self::Model(embedder) => embedder.scale(),
            Self::None { .. } => ModelScale::default(),
        }
    }
}

/// A question is embedded in at most so many pieces of the model's window; what lies beyond is sought by words.
const QUERY_PIECES: usize = 4;

/// Says why the vectors there are cannot be compared with those of `embedder`, if they are another model's.
pub(super) fn other_model(store: &dyn Reader, embedder: &dyn Embedder) -> Result<Option<String>, SearchError> {
    let model = embedder.model().as_str();
    let other = store.meta("model")?.filter(|known| known != model);
    Ok(other.map(|known| format!("the notes are embedded with {known}, not with {model}: run 'tars index'")))
}

/// A question as the vector retriever sees it.
pub(super) struct Question<'a> {
    pub(super) embedder: &'a dyn Embedder,
    pub(super) vector: Vec<f32>,
}

/// Returns the model that a question is embedded with, if it can be; `mode` decides whether it is an error that there is none.
pub(super) fn embedder<'a>(
    semantics: Semantics<'a>,
    mode: Mode,
    degraded: &mut Option<String>,
) -> Result<Option<&'a dyn Embedder>, SearchError> {
    match semantics {
        Semantics::Model(embedder) => Ok(Some(embedder)),
        Semantics::None { reason, .. } if mode == Mode::Vector => {
            Err(SearchError::NoSemantics { reason: reason.into() })
        }
        Semantics::None { reason, wanted } => {
            if wanted {
                *degraded = Some(format!("searched by words only: {reason}"));
            }
            Ok(None)
        }
    }
}

/// Embeds `text`, what is asked, and says what is degraded; `mode` decides whether it is an error that it cannot be.
pub(super) fn question<'a>(
    embedder: &'a dyn Embedder,
    mode: Mode,
    text: &str,
) -> Result<(Option<Question<'a>>, Option<String>), SearchError> {
    // A server may be the one that embeds, and a prompt may hold what is nobody's business.
    match embed_query(embedder, &redact(text).text) {
        Ok((vector, whole)) => {
            let cut = "the query is longer than the model reads: its end was searched by words only";
            Ok((Some(Question { embedder, vector }), (!whole).then(|| cut.to_owned())))
        }
        Err(SearchError::Embed(error)) if mode == Mode::Hybrid => {
            Ok((None, Some(format!("searched by words only: {error}"))))
        }
        Err(error) => Err(error),
    }
}

/// Returns the vector of a question and whether all of it was embedded: the normalised mean over pieces that fit the
/// model's window.
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

/// Returns the words of a question in pieces of at most `window` tokens, and whether they are all there.
fn pieces(text: &str, window: usize, counter: &dyn CountTokens) -> (Vec<String>, bool) {
    let mut pieces: Vec<String> = Vec::new();
    let (mut open, mut size) = (String::new(), 0);
    // One "word" can be a page of Chinese; a token is never longer than its characters.
    for part in text.split_whitespace().flat_map(|word| parts(word, window)) {
        let alone = counter.count(part);
        let longer = if open.is_empty() { part.to_owned() } else { format!("{open} {part}") };
        // The blank may count or not: only where it matters is the whole counted again.
        let mut together = size + alone + usize::from(!open.is_empty());
        if together > window {
            together = counter.count(&longer);
        }
        if together <= window || open.is_empty() {
            (open, size) = (longer, together);
            continue;
        }
        pieces.push(std::mem::take(&mut open));
        if pieces.len() == QUERY_PIECES {
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
