//! Pulls models from a hub: downloads a repository's weights and tokenizer, and writes a manifest.
//!
//! A model is named `hf:OWNER/NAME[@REVISION][#PATH]`, where the revision may move. The manifest pins what the pull found: the commit
//! and the hash of every file. A hub that later sends other bytes for the same commit is refused.
//!
//! If the kernel supports the network and the tokenizer, the pull takes `model.safetensors`, which needs no ONNX Runtime; otherwise it
//! takes an ONNX file. A path selects the file explicitly. The manifest takes over the repository's declarations (pooling,
//! normalisation, window, prompts as prefixes, dense layers after the pooling) and invents nothing. A model whose authors mention its
//! prefixes only in prose gets none, and a model that needs more than mean or first-token pooling is refused. A network that
//! classifies its input counts as a reranker.
//!
//! Downloads go to a temporary folder inside the models directory and move into place only after they are checked.
//! Nothing is written anywhere else, and no name from the hub becomes a file name.

mod choice;
mod client;
mod known;
mod listing;
mod modules;
mod settings;
mod spec;
mod staging;

use std::fmt;
use std::path::Path;
use std::time::Duration;

use self::choice::Fetch;
use self::client::Client;
use self::listing::Listing;
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

/// A model to pull.
#[derive(Debug, Clone, Copy)]
pub struct Pull<'a> {
    /// `hf:OWNER/NAME[@REVISION][#PATH]`.
    pub spec: &'a str,
    /// Length to cut its vectors to; `None` for that of its authors.
    pub dimensions: Option<usize>,
}

impl<'a> From<&'a str> for Pull<'a> {
    fn from(spec: &'a str) -> Self {
        Self { spec, dimensions: None }
    }
}

/// Installs the model named by `wanted` in `catalog_dir` and returns its manifest. An installed model of the same id is
/// replaced only after the new one is checked. `progress` counts bytes.
///
/// # Errors
/// The hub's variants of [`EmbedError`], [`EmbedError::DiskFull`], [`EmbedError::Cancelled`].
pub fn pull<'a>(
    hub: &Hub,
    wanted: impl Into<Pull<'a>>,
    catalog_dir: &Path,
    progress: &dyn Progress,
) -> Result<Manifest, EmbedError> {
    let Pull { spec, dimensions } = wanted.into();
    let spec = Spec::parse(spec)?;
    let client = Client::new(hub)?;
    let listing = client.listing(&spec.repository, &spec.revision)?;
    let (mut settings, origin) = read_settings(&client, &listing, progress)?;
    if let Some(dimensions) = dimensions {
        settings.cut(dimensions).map_err(|reason| listing.unusable(reason))?;
    }

    let staging = Staging::new(catalog_dir)?;
    let new = staging.new_model();

    let fetch = Fetch { client: &client, listing: &listing, folder: &new, progress };
    let (weights, mut files) = fetch.model(&spec, settings.kind)?;
    let of_layers = Fetch { listing: origin.as_ref().unwrap_or(&listing), ..fetch };
    let (dense, more) = of_layers.dense(settings.dense)?;
    files.extend(more);

    let mut manifest = Manifest {
        id: spec::model_id(&spec.name, &weights.rfilename, dimensions),
        kind: settings.kind,
        dimensions: settings.dimensions,
        pooling: settings.pooling,
        normalize: settings.normalize,
        query_prefix: settings.query_prefix,
        passage_prefix: settings.passage_prefix,
        window: settings.window,
        languages: Vec::new(),
        full_dimensions: settings.full_dimensions,
        center: false,
        scale: None,
        licence: listing.licence(),
        source: Some(format!("hf:{}@{}#{}", spec.repository, listing.sha, weights.rfilename)),
        dense,
        files,
    };
    known::apply_corrections(&spec.repository, &mut manifest);
    manifest.check().map_err(|reason| listing.unusable(reason))?;
    manifest.write(&new)?;
    manifest.verify_cached(&new)?;
    let target = catalog_dir.join(&manifest.id);
    compare_with_installed(&target, &manifest, (&spec.repository, origin.as_ref()), progress)?;
    staging.install(&target)?;
    Ok(manifest)
}

/// Returns the repository's declarations about its model. If they do not include pooling, those of the model it was
/// converted from are used, and returned too.
fn read_settings(
    client: &Client<'_>,
    listing: &Listing,
    progress: &dyn Progress,
) -> Result<(Settings, Option<Listing>), EmbedError> {
    let mut used = None;
    let mut declared = PublishedFiles::read(client, listing, listing)?;
    if !declared.has_pooling()
        && !declared.is_cross_encoder()
        && let Some(origin) = listing.base_model()
    {
        let read = |origin: Listing| Ok((PublishedFiles::read(client, listing, &origin)?, origin));
        match client.listing(&origin, "main").and_then(read) {
            Ok((more, files)) if more.has_pooling() => {
                progress.warn(&format!("{} does not declare its pooling; taken from {origin}", listing.repository));
                (declared, used) = (more, Some(files));
            }
            Ok(_) | Err(EmbedError::Gated { .. } | EmbedError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let (settings, assumed) = Settings::of(&declared).map_err(|reason| listing.unusable(reason))?;
    for assumption in assumed {
        progress.warn(&format!("{}: {assumption}; if that is wrong, correct its manifest.toml", listing.repository));
    }
    Ok((settings, used))
}

/// Compares a model with the installed one that it replaces. Both may come from another commit, but a commit has only one set of files.
/// The layers of an `origin` that the model was converted from are not among them: that repository has commits of its own.
fn compare_with_installed(
    target: &Path,
    new: &Manifest,
    (repository, origin): (&str, Option<&Listing>),
    progress: &dyn Progress,
) -> Result<(), EmbedError> {
    let Ok(installed) = Manifest::read(target) else { return Ok(()) };
    let Some(source) = &installed.source else { return Ok(()) };
    if Some(source) != new.source.as_ref() {
        progress.warn(&format!("replaces {}, which came from {source}", target.display()));
        return Ok(());
    }
    let is_pinned = |name: &str| origin.is_none() || new.dense.iter().all(|layer| layer.file != name);
    for (name, file) in installed.files.iter().filter(|(name, _)| is_pinned(name)) {
        if let Some(found) = new.files.get(name).filter(|found| found.sha256 != file.sha256) {
            return Err(EmbedError::Repinned {
                repository: repository.to_owned(),
                path: target.join(name),
                expected: file.sha256.clone(),
                found: found.sha256.clone(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
