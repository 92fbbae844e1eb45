//! Models from a hub: fetches a repository's weights and tokenizer and writes the manifest that describes them.
//!
//! A model is named `hf:OWNER/NAME[@REVISION][#PATH]`. Of a network and a tokenizer that the kernel knows `model.safetensors` is
//! taken, which needs no ONNX Runtime; of any other an ONNX file. A path says which file is meant. What the repository declares is taken over (pooling,
//! normalisation, window, prompts as prefixes) and nothing is made up: a model whose authors only mention its prefixes
//! in prose gets none, and a model that needs more than mean or first-token pooling is refused. A network that
//! classifies what it reads is taken for a reranker.
//!
//! Downloads go to a folder of their own inside the models directory, are checked, and only then take their place;
//! nothing is written anywhere else. No name that the hub sends becomes the name of a file.

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
use self::settings::{Declared, Settings};
use self::spec::Spec;
use self::staging::Staging;
use super::{EmbedError, Manifest};
use crate::domain::Progress;

/// Where models come from.
#[derive(Clone)]
pub struct Hub {
    /// Address of the hub.
    pub base_url: String,
    /// Proves who asks, for gated models; sent to the hub's own origin alone.
    pub token: Option<String>,
    /// How long a connection may take to stand.
    pub connect_timeout: Duration,
    /// How long the hub may be silent within an answer.
    pub stall_timeout: Duration,
}

impl Hub {
    /// Returns the hub at `base_url`, which has ten seconds to connect and thirty between two pieces of an answer.
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

/// Installs the model named by `spec` in `catalog_dir` and returns its manifest. A model of the same id is replaced
/// when the new one has been checked, and stays untouched until then. `progress` counts bytes.
///
/// # Errors
/// Any of the hub's variants of [`EmbedError`], [`EmbedError::DiskFull`], [`EmbedError::Cancelled`].
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
    known::complete(&spec.repository, &mut manifest);
    manifest.check().map_err(|reason| listing.unusable(reason))?;
    manifest.write(&new)?;
    manifest.verify_cached(&new)?;
    let target = catalog_dir.join(&manifest.id);
    warn_of_another_source(&target, &spec.repository, progress);
    staging.install(&target)?;
    Ok(manifest)
}

/// Returns what the repository declares about its model, or, where it says nothing about pooling, what the model it
/// was converted from does.
fn read_settings(
    client: &Client<'_>,
    listing: &listing::Listing,
    progress: &dyn Progress,
) -> Result<Settings, EmbedError> {
    let mut declared = Declared::read(client, listing, listing)?;
    if !declared.has_pooling()
        && !declared.is_cross_encoder()
        && let Some(origin) = listing.base_model()
    {
        match client.listing(&origin, "main").and_then(|origin| Declared::read(client, listing, &origin)) {
            Ok(more) if more.has_pooling() => {
                progress.warn(&format!("{} does not say how it pools; taken from {origin}", listing.repository));
                declared = more;
            }
            Ok(_) | Err(EmbedError::Gated { .. } | EmbedError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let (settings, assumed) = Settings::of(&declared).map_err(|reason| listing.unusable(reason))?;
    for assumption in assumed {
        progress.warn(&format!("{}: {assumption}; if that is wrong, mend its manifest.toml", listing.repository));
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
