//! Runs a prepared model: what an embedder and a reranker have in common.

use std::sync::{Arc, Mutex, PoisonError};

use super::arithmetic::{self, Arithmetic};
use super::encoder::{Input, Workspace};
use super::prepared::Prepared;
use super::tokenizer::Tokenizer;
use crate::workers::{Threads, Workers};
use crate::{EmbedError, InstalledModel};

/// A prepared model with the state that its workers share.
pub struct Runner {
    pub(super) prepared: Arc<Prepared>,
    pub(super) tokenizer: Tokenizer,
    pub(super) workers: Workers,
    arithmetic: &'static dyn Arithmetic,
    /// Idle workspaces.
    workspaces: Mutex<Vec<Workspace>>,
}

impl Runner {
    pub(super) fn new(model: &InstalledModel, prepared: Prepared, threads: Threads) -> Result<Self, EmbedError> {
        let manifest = &model.manifest;
        let unfit = |reason: String| EmbedError::NotPrepared { model: manifest.id.clone(), reason };
        if manifest.window > prepared.header.positions as usize {
            return Err(unfit(format!("it has {} positions, fewer than its window", prepared.header.positions)));
        }
        let arithmetic = arithmetic::best();
        tracing::debug!(model = manifest.id, arithmetic = arithmetic.name(), "the kernel is ready");
        let prepared = Arc::new(prepared);
        let tokenizer = Tokenizer::new(Arc::clone(&prepared), manifest.tokenizer_name()).map_err(unfit)?;
        let workers = Workers::new(&manifest.id, threads);
        Ok(Self { prepared, tokenizer, workers, arithmetic, workspaces: Mutex::default() })
    }

    /// Switches to another instruction set (for example `avx2`), so that benchmarks can compare them. By default the fastest one is used.
    ///
    /// # Errors
    /// [`EmbedError::NoInstructions`] if the processor does not support it.
    pub(super) fn set_instructions(&mut self, name: &str) -> Result<(), EmbedError> {
        let setting = |found: &&'static dyn Arithmetic| found.name().to_lowercase().replace(' ', "-");
        let all = arithmetic::all();
        let Some(arithmetic) = all.iter().find(|found| setting(found) == name) else {
            let found = all.iter().map(setting).collect();
            return Err(EmbedError::NoInstructions { name: name.into(), found });
        };
        self.arithmetic = *arithmetic;
        tracing::debug!(arithmetic = self.arithmetic.name(), "the kernel uses the configured instruction set");
        Ok(())
    }

    pub(super) fn instructions(&self) -> &'static str {
        self.arithmetic.name()
    }

    /// Runs the encoder and returns the result of `read` for the last layer's vectors.
    pub(super) fn run_input<T>(&self, input: Input<'_>, read: impl FnOnce(&[f32]) -> T) -> T {
        let idle = || self.workspaces.lock().unwrap_or_else(PoisonError::into_inner);
        let mut workspace = idle().pop().unwrap_or_default();
        let result = read(self.prepared.encoder().run(input, self.arithmetic, &mut workspace));
        idle().push(workspace);
        result
    }
}
