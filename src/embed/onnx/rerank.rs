//! A local cross-encoder, run by ONNX Runtime.

use std::sync::{Mutex, PoisonError};

use ort::session::Session;
use tokenizers::{Encoding, Tokenizer, TruncationDirection};

use super::network::{Network, Tokens, load_tokenizer};
use crate::embed::pairs::Room;
use crate::embed::{EmbedError, InstalledModel, ModelKind, Reranker, RuntimeLibrary};

/// An installed cross-encoder. It reads one pair after the other, without padding, in one session.
pub struct OnnxReranker {
    network: Network,
    tokenizer: Tokenizer,
    room: Room,
    threads: usize,
    session: Mutex<Option<Session>>,
}

impl OnnxReranker {
    /// Loads an installed reranker that computes with so many threads, at least one; its session is opened with the first
    /// question.
    ///
    /// # Errors
    /// It is no reranker, a file of it is missing or not the one its manifest names, or the runtime refuses it.
    pub fn load(model: &InstalledModel, library: &RuntimeLibrary, threads: usize) -> Result<Self, EmbedError> {
        model.require(ModelKind::Reranker)?;
        let network = Network::of(model, library)?;
        let tokenizer = load_tokenizer(model)?;
        let special = tokenizer.encode_fast(("", ""), true).map_or(3, |encoding| encoding.len());
        Ok(Self {
            network,
            tokenizer,
            room: Room::new(&model.manifest.id, model.manifest.window, special),
            threads: threads.max(1),
            session: Mutex::default(),
        })
    }

    fn encode(&self, text: &str) -> Result<Encoding, EmbedError> {
        self.tokenizer.encode_fast(text, false).map_err(|error| self.network.failed(error))
    }

    /// Returns a question and a text as the model reads them, the text cut where the window ends.
    fn pair(&self, question: &Encoding, text: &str) -> Result<Encoding, EmbedError> {
        let mut text = self.encode(text)?;
        text.truncate(self.room.beside(question.len())?, 0, TruncationDirection::Right);
        drop(text.take_overflowing());
        text.set_type_ids(vec![1; text.len()]);
        let pair = self.tokenizer.post_process(question.clone(), Some(text), true);
        pair.map_err(|error| self.network.failed(error))
    }

    fn logit(&self, session: &mut Session, pair: &Encoding) -> Result<f64, EmbedError> {
        let wide = |values: &[u32]| values.iter().map(|value| i64::from(*value)).collect::<Vec<_>>();
        let (ids, types) = (wide(pair.get_ids()), wide(pair.get_type_ids()));
        let logit = self.network.run(session, &Tokens { ids: &ids, types: &types }, |shape, values| match *values {
            [logit] => Ok(f64::from(logit)),
            // The logit of the second class in a softmax over two is the difference between them.
            [no, yes] if shape.last() == Some(&2) => Ok(f64::from(yes) - f64::from(no)),
            _ => Err(self.network.failed(format!("it answers in the shape {shape:?}, and a reranker in one or two"))),
        })?;
        if !logit.is_finite() {
            return Err(self.network.failed("a relevance that is no number"));
        }
        Ok(logit)
    }
}

impl Reranker for OnnxReranker {
    fn relevance(&self, question: &str, texts: &[&str]) -> Result<Vec<f64>, EmbedError> {
        let question = self.encode(question)?;
        self.room.beside(question.len())?;
        let mut slot = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let session = match &mut *slot {
            Some(session) => session,
            None => slot.insert(self.network.open(self.threads)?),
        };
        texts.iter().map(|text| self.logit(session, &self.pair(&question, text)?)).collect()
    }
}
