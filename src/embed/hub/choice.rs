//! Chooses the files of a repository that make up the model: named weights if the kernel can run them, otherwise an ONNX graph.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::client::{Client, Download};
use super::listing::{Listing, RepositoryFile};
use super::modules::DenseModule;
use super::spec::Spec;
use crate::manifest::{CONFIG_FILE, MAX_FILE_SIZE, TOKENIZER_FILE};
use crate::{DenseLayer, EmbedError, ModelFile, ModelKind, WeightsForm, bert};
use tars_base::domain::{Progress, Stage};

const MAX_TOKENIZER_SIZE: u64 = 128 << 20;
const MAX_CONFIG_SIZE: u64 = 4 << 20;
const MAX_DENSE_SIZE: u64 = 256 << 20;

/// Usual path of the weights.
const SAFETENSORS: &str = "model.safetensors";

/// A download of repository files into a folder.
#[derive(Clone, Copy)]
pub(super) struct Fetch<'a> {
    pub(super) client: &'a Client<'a>,
    pub(super) listing: &'a Listing,
    pub(super) folder: &'a Path,
    pub(super) progress: &'a dyn Progress,
}

/// A file of the repository, its name in the local folder, and its maximum size in bytes.
type Wanted<'a> = (&'static str, &'a RepositoryFile, u64);

impl<'a> Fetch<'a> {
    /// Fetches the files of the model. Returns the weights' entry in the repository, and the fetched files.
    ///
    /// # Errors
    /// No form of the model is usable, or a file cannot be fetched.
    pub(super) fn model(
        &self,
        spec: &Spec,
        kind: ModelKind,
    ) -> Result<(&'a RepositoryFile, BTreeMap<String, ModelFile>), EmbedError> {
        let wanted = spec.path.as_deref();
        if wanted.is_some_and(|path| path.ends_with(WeightsForm::Onnx.suffix())) {
            return self.onnx(wanted);
        }
        let listing = self.listing;
        let weights = listing.file(wanted.unwrap_or(SAFETENSORS));
        let Some(weights) = weights.filter(|weights| wanted.is_some() || weights.bytes() <= MAX_FILE_SIZE) else {
            return match wanted {
                Some(path) => Err(listing.missing(&format!("file {path}"))),
                None => self.onnx(None),
            };
        };
        let read = match (listing.file(TOKENIZER_FILE), listing.file(CONFIG_FILE)) {
            (Some(tokenizer), Some(config)) => {
                let files = [(TOKENIZER_FILE, tokenizer, MAX_TOKENIZER_SIZE), (CONFIG_FILE, config, MAX_CONFIG_SIZE)];
                let files = self.files(&files)?;
                self.check_supported(kind)?.map(|()| files)
            }
            (None, _) => Err(format!("it holds no {TOKENIZER_FILE}")),
            (_, None) => Err(format!("it holds no {CONFIG_FILE}")),
        };
        match read {
            Ok(mut files) => {
                files.extend(self.files(&[(SAFETENSORS, weights, MAX_FILE_SIZE)])?);
                Ok((weights, files))
            }
            Err(reason) if wanted.is_some() => Err(listing.unusable(reason)),
            Err(reason) => {
                tracing::debug!(reason, "falling back from named weights to an ONNX file");
                self.onnx(None).map_err(|error| match error {
                    EmbedError::Unusable { repository, reason: other } => {
                        let reason = format!("tars cannot run {SAFETENSORS} ({reason}), and {other}");
                        EmbedError::Unusable { repository, reason }
                    }
                    other => other,
                })
            }
        }
    }

    /// Fetches the weights of the layers after the pooling.
    ///
    /// # Errors
    /// A layer has no file of named weights, or it cannot be fetched.
    pub(super) fn dense(
        &self,
        modules: Vec<DenseModule>,
    ) -> Result<(Vec<DenseLayer>, BTreeMap<String, ModelFile>), EmbedError> {
        let (mut layers, mut files) = (Vec::new(), BTreeMap::new());
        for (number, DenseModule { folder, outputs, activation }) in (1..).zip(modules) {
            let path = format!("{folder}/{SAFETENSORS}");
            let missing = || self.listing.unusable(format!("its dense layer has no {path}"));
            let weights = self.listing.file(&path).ok_or_else(missing)?;
            let file = format!("dense-{number}{}", WeightsForm::Safetensors.suffix());
            let download = Download { file: weights, to: &self.folder.join(&file), limit: MAX_DENSE_SIZE };
            self.progress.start(Stage::Downloading, weights.bytes() as usize);
            let fetched = self.client.download(self.listing, &download, self.progress);
            self.progress.finish();
            files.insert(file.clone(), fetched?);
            layers.push(DenseLayer { file, outputs, activation });
        }
        Ok((layers, files))
    }

    fn onnx(&self, wanted: Option<&str>) -> Result<(&'a RepositoryFile, BTreeMap<String, ModelFile>), EmbedError> {
        let onnx = self.listing.onnx(wanted, std::env::consts::ARCH)?;
        let tokenizer = self.listing.tokenizer(&onnx.rfilename)?;
        let files = [(TOKENIZER_FILE, tokenizer, MAX_TOKENIZER_SIZE), ("model.onnx", onnx, MAX_FILE_SIZE)];
        // The other form's configuration does not belong to an ONNX model.
        let _ = fs::remove_file(self.folder.join(CONFIG_FILE));
        Ok((onnx, self.files(&files)?))
    }

    fn files(&self, wanted: &[Wanted<'_>]) -> Result<BTreeMap<String, ModelFile>, EmbedError> {
        let total = wanted.iter().map(|(_, file, _)| file.bytes()).fold(0, u64::saturating_add);
        self.progress.start(Stage::Downloading, total as usize);
        let fetch = |(name, file, limit): &Wanted<'_>| {
            let download = Download { file, to: &self.folder.join(name), limit: *limit };
            Ok(((*name).to_owned(), self.client.download(self.listing, &download, self.progress)?))
        };
        let files = wanted.iter().map(fetch).collect();
        self.progress.finish();
        files
    }

    /// Checks in the fetched files whether the kernel can run the model. The inner error is the reason why it cannot.
    fn check_supported(&self, kind: ModelKind) -> Result<Result<(), String>, EmbedError> {
        let read = |name: &str| {
            let path = self.folder.join(name);
            fs::read(&path).map_err(EmbedError::io("read", &path))
        };
        Ok(bert::check_supported(&read(CONFIG_FILE)?, &read(TOKENIZER_FILE)?, kind))
    }
}
