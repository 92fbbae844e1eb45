//! A local cross-encoder that ONNX Runtime runs.

use tokenizers::{Encoding, Tokenizer, TruncationDirection};

use super::network::{LazySession, Network, Tokens, load_tokenizer};
use crate::pair_window::PairWindow;
use crate::{EmbedError, InstalledModel, ModelKind, Reranker, RuntimeLibrary};

/// An installed cross-encoder. It reads one pair at a time, without padding, in one session.
pub struct OnnxReranker {
    network: Network,
    tokenizer: Tokenizer,
    window: PairWindow,
    threads: usize,
    session: LazySession,
}

impl OnnxReranker {
    /// Loads an installed reranker that computes with this many threads, at least one. Its session opens with the first question.
    ///
    /// # Errors
    /// The model is not a reranker, a file is missing or differs from the manifest, or the runtime rejects the model.
    pub fn load(model: &InstalledModel, library: &RuntimeLibrary, threads: usize) -> Result<Self, EmbedError> {
        model.check_kind(ModelKind::Reranker)?;
        let network = Network::of(model, library)?;
        let tokenizer = load_tokenizer(model)?;
        let special = tokenizer.encode_fast(("", ""), true).map_or(3, |encoding| encoding.len());
        Ok(Self {
            network,
            tokenizer,
            window: PairWindow::new(&model.manifest.id, model.manifest.window, special),
            threads: threads.max(1),
            session: LazySession::default(),
        })
    }

    fn encode(&self, text: &str) -> Result<Encoding, EmbedError> {
        self.tokenizer.encode_fast(text, false).map_err(|error| self.network.failed(error))
    }

    /// Returns a question and a text as one input; the text is truncated to the window.
    fn pair(&self, question: &Encoding, text: &str) -> Result<Encoding, EmbedError> {
        let mut text = self.encode(text)?;
        text.truncate(self.window.text_tokens(question.len())?, 0, TruncationDirection::Right);
        drop(text.take_overflowing());
        text.set_type_ids(vec![1; text.len()]);
        let pair = self.tokenizer.post_process(question.clone(), Some(text), true);
        pair.map_err(|error| self.network.failed(error))
    }

    fn logit(&self, pair: &Encoding) -> Result<f64, EmbedError> {
        let wide = |values: &[u32]| values.iter().map(|value| i64::from(*value)).collect::<Vec<_>>();
        let (ids, types) = (wide(pair.get_ids()), wide(pair.get_type_ids()));
        let logit =
            self.network.run(&self.session, self.threads, &Tokens { ids: &ids, types: &types }, |shape, values| {
                match *values {
                    [logit] => Ok(f64::from(logit)),
                    // The logit of the second class in a softmax over two is the difference of the two values.
                    [no, yes] if shape.last() == Some(&2) => Ok(f64::from(yes) - f64::from(no)),
                    _ => Err(self
                        .network
                        .failed(format!("the output has the shape {shape:?}; a reranker outputs one or two values"))),
                }
            })?;
        if !logit.is_finite() {
            return Err(self.network.failed("the relevance is not a finite number"));
        }
        Ok(logit)
    }
}

impl Reranker for OnnxReranker {
    fn relevance(&self, question: &str, texts: &[&str]) -> Result<Vec<f64>, EmbedError> {
        let question = self.encode(question)?;
        self.window.text_tokens(question.len())?;
        texts.iter().map(|text| self.logit(&self.pair(&question, text)?)).collect()
    }
}
