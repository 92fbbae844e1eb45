//! Embeds the newest notes while a question waits.
//!
//! A recently saved note is already indexed by its words (`freshness`); here its passages get their vectors, so that its meaning
//! counts too. `tars index` embeds the rest, and the answer says so.

use std::time::Duration;

use super::deadline::Deadline;
use crate::{App, IndexScope, Model, Result};
use tars_config::Provider;
use tars_engine::index::{self, IndexLock, Report, RunPart};
use tars_store::{PendingSelection, Store};

/// How long a question waits: the kernel needs a few milliseconds for a passage.
const TIME_LIMIT: Duration = Duration::from_millis(150);

impl App {
    /// Embeds passages without a vector for a short time, newest notes first. Does nothing without a local model (a server may
    /// take any time), while another process holds the index, or if the vectors come from another model that is unavailable: a
    /// question does not change models. On failure the answer uses the existing vectors.
    pub(crate) fn embed_newest(&self, store: &dyn Store, model: &Model) {
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
        if store.snapshot()?.pending_files(PendingSelection::WithoutVector)?.is_empty() {
            return Ok(None);
        }
        let Some(_lock) = IndexLock::try_acquire(&config.data.dir)? else { return Ok(None) };
        let mut writer = self.open_index()?;
        let former = self.former(&*writer.snapshot()?, model)?;
        let embedder = former.as_deref().unwrap_or(embedder);
        if writer.snapshot()?.meta("model")?.as_deref() != Some(embedder.model().as_str()) {
            return Ok(None);
        }
        let options = self.index_options(&IndexScope { part: RunPart::Missing, ..IndexScope::default() });
        Ok(Some(index::run(&mut *writer, Some(embedder), &self.roots()?, &options, &Deadline::after(TIME_LIMIT))?))
    }
}
