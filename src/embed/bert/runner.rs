//! A prepared model that runs: what an embedder and a reranker have in common.

use std::sync::{Arc, Mutex, PoisonError};

use super::arithmetic::{self, Arithmetic};
use super::encoder::{Input, Workspace};
use super::prepared::Prepared;
use super::tokenizer::Tokenizer;
use crate::embed::workers::{Threads, Workers};
use crate::embed::{EmbedError, InstalledModel};

/// A prepared model with what its workers share.
pub(super) struct Runner {
    pub(super) prepared: Arc<Prepared>,
    pub(super) tokenizer: Tokenizer,
    pub(super) workers: Workers,
    arithmetic: &'static dyn Arithmetic,
    /// Those that nobody uses at the moment.
    workspaces: Mutex<Vec<Workspace>>,
}

impl Runner {
    pub(super) fn new(model: &InstalledModel, prepared: Prepared, threads: Threads) -> Result<Self, EmbedError> {
        let manifest = &model.manifest;
        let unfit = |reason: String| EmbedError::NotPrepared { model: manifest.id.clone(), reason };
        if manifest.window > prepared.header.positions as usize {
            return Err(unfit(format!("it reads {} tokens, fewer than its window", prepared.header.positions)));
        }
        let arithmetic = arithmetic::best();
        tracing::debug!(model = manifest.id, arithmetic = arithmetic.name(), "the kernel is ready");
        let prepared = Arc::new(prepared);
        let tokenizer = Tokenizer::new(Arc::clone(&prepared), manifest.tokenizer_name()).map_err(unfit)?;
        let workers = Workers::new(&manifest.id, threads);
        Ok(Self { prepared, tokenizer, workers, arithmetic, workspaces: Mutex::default() })
    }

    /// Has the arithmetic of another instruction set (`avx2`) compute than the fastest one of this processor, so that benchmarks
    /// can compare them.
    ///
    /// # Errors
    /// [`EmbedError::NoInstructions`] if the processor does not have it.
    pub(super) fn set_instructions(&mut self, name: &str) -> Result<(), EmbedError> {
        let setting = |found: &&'static dyn Arithmetic| found.name().to_lowercase().replace(' ', "-");
        let all = arithmetic::all();
        let Some(arithmetic) = all.iter().find(|found| setting(found) == name) else {
            let found = all.iter().map(setting).collect();
            return Err(EmbedError::NoInstructions { name: name.into(), found });
        };
        self.arithmetic = *arithmetic;
        tracing::debug!(arithmetic = self.arithmetic.name(), "the kernel computes as it was told");
        Ok(())
    }

    /// Returns the name of the instruction set that the kernel computes with.
    pub(super) fn instructions(&self) -> &'static str {
        self.arithmetic.name()
    }

    /// Returns what `read` makes of the last layer's vectors, one after the other.
    pub(super) fn run<T>(&self, input: Input<'_>, read: impl FnOnce(&[f32]) -> T) -> T {
        let idle = || self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        let mut workspace = idle().pop().unwrap_or_default();
        let result = read(self.prepared.encoder().run(input, self.arithmetic, &mut workspace));
        idle().push(workspace);
        result
    }
}
