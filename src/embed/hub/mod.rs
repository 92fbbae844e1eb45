//! Pulls models from a hub: downloads a repository's weights and tokenizer, and writes a manifest.
//!
//! A model is named `hf:OWNER/NAME[@REVISION][#PATH]`. If the kernel supports the network and the tokenizer, the pull
//! takes `model.safetensors`, which needs no ONNX Runtime; otherwise it takes an ONNX file. A path selects the file
//! explicitly. The manifest takes over the repository's declarations (pooling, normalisation, window, prompts as
//! prefixes) and invents nothing. A model whose authors mention its prefixes only in prose gets none, and a model that
//! needs more than mean or first-token pooling is refused. A network that classifies its input counts as a reranker.
//!
//! Downloads go to a temporary folder inside the models directory and move into place only after they are checked.
//! Nothing is written anywhere else, and no name from the hub becomes a file name.

mod choice;
mod client;
mod known;
mod listing;
mod settings;
mod spec;
mod staging;

use std::fmt;
use std::path::Path;
use std::time::Duration;

use self::choice::Fetch;
use self::client::Client;
use self::settings::{PublishedFiles, Settings};
use self::spec::Spec;
use self::staging::Staging;
use super::{EmbedError, Manifest};
use tars_base::domain::Progress;

/// A hub of models.
#[derive(Clone)]
pub struct Hub {
    /// Address of the hub.
    pub base_url: String,
    /// Access token for gated models; sent only to the hub's own origin.
    pub token: Option<String>,
    /// Time limit for connecting.
    pub connect_timeout: Duration,
    /// Maximum silence of the hub within an answer.
    pub stall_timeout: Duration,
}

impl Hub {
    /// Returns the hub at `base_url`, with ten seconds to connect and thirty seconds between two pieces of an answer.
    pub fn new(base_url: impl Into<String>, token: Option<String>) -> Self {
        let (connect_timeout, stall_timeout) = (Duration::from_secs(10), Duration::from_secs(30));
        Self { base_url: base_url.into(), token, connect_timeout, stall_timeout }
    }
}

impl Default for Hub {
    fn default() -> Self {
        Self::new("https://huggingface.co", None)
    }
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hub").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

/// Installs the model named by `spec` in `catalog_dir` and returns its manifest. An installed model of the same id is
/// replaced only after the new one is checked. `progress` counts bytes.
///
/// # Errors
/// The hub's variants of [`EmbedError`], [`EmbedError::DiskFull`], [`EmbedError::Cancelled`].
pub fn pull(hub: &Hub, spec: &str, catalog_dir: &Path, progress: &dyn Progress) -> Result<Manifest, EmbedError> {
    let spec = Spec::parse(spec)?;
    let client = Client::new(hub)?;
    let listing = client.listing(&spec.repository, &spec.revision)?;
    let settings = read_settings(&client, &listing, progress)?;

    let staging = Staging::new(catalog_dir)?;
    let new = staging.new_model();

    let fetch = Fetch { client: &client, listing: &listing, folder: &new, progress };
    let (weights, files) = fetch.model(&spec, settings.kind)?;

    let mut manifest = Manifest {
        id: spec::model_id(&spec.name, &weights.rfilename),
        kind: settings.kind,
        dimensions: settings.dimensions,
        pooling: settings.pooling,
        normalize: settings.normalize,
        query_prefix: settings.query_prefix,
        passage_prefix: settings.passage_prefix,
        window: settings.window,
        languages: Vec::new(),
        center: false,
        scale: None,
        licence: listing.licence(),
        source: Some(format!("hf:{}@{}#{}", spec.repository, listing.sha, weights.rfilename)),
        files,
    };
    known::apply_corrections(&spec.repository, &mut manifest);
    manifest.check().map_err(|reason| listing.unusable(reason))?;
    manifest.write(&new)?;
    manifest.verify_cached(&new)?;
    let target = catalog_dir.join(&manifest.id);
    warn_of_another_source(&target, &spec.repository, progress);
    staging.install(&target)?;
    Ok(manifest)
}

/// Returns the repository's declarations about its model. If they do not include pooling, those of the model it was
/// converted from are used.
fn read_settings(
    client: &Client<'_>,
    listing: &listing::Listing,
    progress: &dyn Progress,
) -> Result<Settings, EmbedError> {
    let mut declared = PublishedFiles::read(client, listing, listing)?;
    if !declared.has_pooling()
        && !declared.is_cross_encoder()
        && let Some(origin) = listing.base_model()
    {
        match client.listing(&origin, "main").and_then(|origin| PublishedFiles::read(client, listing, &origin)) {
            Ok(more) if more.has_pooling() => {
                progress.warn(&format!("{} does not declare its pooling; taken from {origin}", listing.repository));
                declared = more;
            }
            Ok(_) | Err(EmbedError::Gated { .. } | EmbedError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let (settings, assumed) = Settings::of(&declared).map_err(|reason| listing.unusable(reason))?;
    for assumption in assumed {
        progress.warn(&format!("{}: {assumption}; if that is wrong, correct its manifest.toml", listing.repository));
    }
    Ok(settings)
}

fn warn_of_another_source(target: &Path, repository: &str, progress: &dyn Progress) {
    let Some(source) = Manifest::read(target).ok().and_then(|manifest| manifest.source) else { return };
    if !source.starts_with(&format!("hf:{repository}@")) {
        progress.warn(&format!("replaces {}, which came from {source}", target.display()));
    }
}

#[cfg(test)]
mod tests;
