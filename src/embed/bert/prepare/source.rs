//! The files that a model is prepared from, in any of the three forms.

use super::compare::{of_embedder, of_reranker};
use super::from_packed::{self, PackedWeights};
use super::from_safetensors::{self, Files, NamedWeights};
use super::{Loaded, from_onnx};
use crate::bert::map::FileMap;
use crate::{EmbedError, InstalledModel, RuntimeLibrary, WeightsForm};

/// A model's files, mapped if tars reads them directly.
pub(super) enum Source {
    Onnx,
    Packed(FileMap),
    Safetensors(Files),
}

impl Source {
    pub(super) fn open(model: &InstalledModel) -> Result<Self, EmbedError> {
        Ok(match model.manifest.form() {
            WeightsForm::Onnx => Self::Onnx,
            WeightsForm::Packed => Self::Packed(from_packed::open(model)?),
            WeightsForm::Safetensors => Self::Safetensors(Files::open(model)?),
        })
    }

    /// Returns the bytes of the prepared file, not yet compared with the original. The inner error is what the kernel does not support.
    pub(super) fn convert(&self, model: &InstalledModel) -> Result<Result<Vec<u8>, String>, EmbedError> {
        match self {
            Self::Onnx => from_onnx::convert(model),
            Self::Packed(map) => Ok(from_packed::convert(map, model)),
            Self::Safetensors(files) => from_safetensors::convert(files, model),
        }
    }

    /// Returns the cosine of each reference text's vectors with the original's. The inner error is how the kernel differs.
    pub(super) fn compare(
        &self,
        kernel: &Loaded,
        model: &InstalledModel,
        library: impl FnOnce() -> Result<RuntimeLibrary, EmbedError>,
    ) -> Result<Result<Vec<f32>, String>, EmbedError> {
        let manifest = &model.manifest;
        match (self, kernel) {
            (Self::Onnx, Loaded::Embedder(kernel)) => from_onnx::compare(kernel, model, library),
            (Self::Packed(map), Loaded::Embedder(kernel)) => match PackedWeights::read(map) {
                Ok(original) => of_embedder(kernel, manifest, &original),
                Err(reason) => Ok(Err(reason)),
            },
            (Self::Safetensors(files), _) => {
                if let Err(reason) = from_safetensors::check_tokenizer(kernel.tokenizer(), model)? {
                    return Ok(Err(reason));
                }
                match (NamedWeights::read(files, kernel.tokenizer().pieces()), kernel) {
                    (Ok(original), Loaded::Embedder(kernel)) => of_embedder(kernel, manifest, &original),
                    (Ok(original), Loaded::Reranker(kernel)) => Ok(of_reranker(kernel, manifest, &original)),
                    (Err(reason), _) => Ok(Err(reason)),
                }
            }
            (Self::Onnx | Self::Packed(_), Loaded::Reranker(_)) => Ok(Err("it is not an embedding model".into())),
        }
    }
}
