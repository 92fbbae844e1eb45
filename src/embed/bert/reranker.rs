//! A reranker that runs a prepared model.

use super::classifier::Classifier;
use super::encoder::Input;
use super::prepared::Prepared;
use super::runner::Runner;
use super::tokenizer::{Pair, Tokenizer};
use crate::pair_window::PairWindow;
use crate::{EmbedError, InstalledModel, ModelKind, Reranker, TextKind, Threads};

/// An installed cross-encoder that the kernel runs from its prepared file.
pub struct BertReranker {
    id: String,
    window: PairWindow,
    runner: Runner,
}

impl BertReranker {
    /// Maps the model's prepared file into memory; these threads read the pairs.
    ///
    /// # Errors
    /// [`EmbedError::WrongKind`] if it is not a reranker, [`EmbedError::NotPrepared`] if there is no usable prepared
    /// file, and the errors of [`crate::Manifest::verify_cached`].
    pub fn load(model: &InstalledModel, threads: impl Into<Threads>) -> Result<Self, EmbedError> {
        model.check_kind(ModelKind::Reranker)?;
        let prepared = super::open(model)?;
        model.verify_cached()?;
        Self::new(model, prepared, threads.into())
    }

    pub(super) fn new(model: &InstalledModel, prepared: Prepared, threads: Threads) -> Result<Self, EmbedError> {
        let id = model.manifest.id.clone();
        if prepared.classifier().is_none() {
            return Err(EmbedError::NotPrepared { model: id, reason: "it has no classifier".into() });
        }
        let runner = Runner::new(model, prepared, threads)?;
        let window = PairWindow::new(&id, model.manifest.window, runner.tokenizer.special_of_pair());
        Ok(Self { id, window, runner })
    }

    /// Switches to another instruction set, like `BertEmbedder::with_instructions`.
    ///
    /// # Errors
    /// [`EmbedError::NoInstructions`] if the processor does not support it.
    pub fn with_instructions(mut self, name: &str) -> Result<Self, EmbedError> {
        self.runner.set_instructions(name)?;
        Ok(self)
    }

    pub(super) fn tokenizer(&self) -> &Tokenizer {
        &self.runner.tokenizer
    }

    /// Returns the input of the classes of a pair.
    pub(super) fn pooled(&self, pair: &Pair) -> Vec<f32> {
        let classifier = self.classifier();
        self.runner.run_input(Self::input(pair, classifier), |values| classifier.pooled(values))
    }

    /// Returns a pair as the encoder's input.
    pub(super) fn input<'a>(pair: &'a Pair, classifier: Classifier<'a>) -> Input<'a> {
        Input {
            ids: &pair.tokens,
            second: Some((pair.second, classifier.second)),
            first_token_only: !classifier.reads_mean,
        }
    }

    pub(super) fn classifier(&self) -> Classifier<'_> {
        self.runner.prepared.classifier().expect("the constructor checked that there is one")
    }

    fn logit(&self, pair: &Pair) -> Result<f64, EmbedError> {
        let logit = self.classifier().logit(&self.pooled(pair));
        match logit.is_finite() {
            true => Ok(logit),
            false => {
                let reason = "the relevance is not a finite number".into();
                Err(EmbedError::Runtime { model: self.id.clone(), reason })
            }
        }
    }
}

impl Reranker for BertReranker {
    fn relevance(&self, question: &str, texts: &[&str]) -> Result<Vec<f64>, EmbedError> {
        let question = self.tokenizer().encode(question);
        let room = self.window.text_tokens(question.len())?;
        let pair = |text: &&str| {
            let text = self.tokenizer().encode(text);
            self.tokenizer().pair(&question, &text[..text.len().min(room)])
        };
        let pairs: Vec<Pair> = texts.iter().map(pair).collect();
        let lengths: Vec<usize> = pairs.iter().map(|pair| pair.tokens.len()).collect();
        self.runner.workers.run(TextKind::Query, &lengths, |_, index| self.logit(&pairs[index]))
    }
}
