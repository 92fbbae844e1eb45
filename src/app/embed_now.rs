//! Embedding the newest notes while a question waits for them.
//!
//! A note that was saved a moment ago has been brought in by its words (`freshness`); here its passages get their vectors, so
//! that its meaning is compared too. What does not fit into the time is left to `tars index`, and the answer says so.

use std::time::Duration;

use anyhow::Result;

use super::deadline::Deadline;
use super::{App, IndexScope, Model};
use crate::config::Provider;
use crate::index::{self, IndexLock, Part, Report};
use crate::store::{Store, Waiting};

/// How long a question waits: a passage takes the kernel a few milliseconds.
const TIME: Duration = Duration::from_millis(150);

impl App {
    /// Embeds passages that lack a vector, those of the newest notes first, for a short while. Does nothing without a model
    /// on this machine (a server may take any time), while another process holds the index, or where the vectors are those of
    /// another model that is not to be had: a question does not change models. A failure leaves the answer to the vectors there are.
    pub(super) fn embed_newest(&self, store: &dyn Store, model: &Model) {
        match self.try_embed_newest(store, model) {
            Ok(Some(report)) => {
                tracing::debug!(embedded = report.embedded, waiting = report.pending, "embedded at once")
            }
            Ok(None) => {}
            Err(error) => tracing::debug!("new notes were not embedded: {error:#}"),
        }
    }

    fn try_embed_newest(&self, store: &dyn Store, model: &Model) -> Result<Option<Report>> {
        let config = &self.settings.config;
        let Some(embedder) = model.embedder().filter(|_| config.embedding.provider == Provider::Onnx) else {
            return Ok(None);
        };
        if store.snapshot()?.pending_files(Waiting::Bare)?.is_empty() {
            return Ok(None);
        }
        let Some(_lock) = IndexLock::try_acquire(&config.data.dir)? else { return Ok(None) };
        let mut writer = self.open_index()?;
        let former = self.former(&*writer.snapshot()?, model)?;
        let embedder = former.as_deref().unwrap_or(embedder);
        if writer.snapshot()?.meta("model")?.as_deref() != Some(embedder.model().as_str()) {
            return Ok(None);
        }
        let options = self.index_options(&IndexScope { part: Part::Missing, ..IndexScope::default() });
        Ok(Some(index::run(&mut *writer, Some(embedder), &self.roots()?, &options, &Deadline::after(TIME))?))
    }
}
