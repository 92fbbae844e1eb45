//! Stub for builds without the feature `onnx`: every attempt to use ONNX Runtime fails with [`EmbedError::WithoutOnnx`].

use std::convert::Infallible;
use std::path::{Path, PathBuf};

use super::{EmbedError, Embedder, InstalledModel, Reranker, Threads};

/// The ONNX Runtime library. This build cannot construct a value, so code that needs one compiles but never runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeLibrary {
    /// The file.
    pub path: PathBuf,
    never: Infallible,
}

impl RuntimeLibrary {
    /// Always fails, whatever is configured or installed.
    ///
    /// # Errors
    /// [`EmbedError::WithoutOnnx`], always.
    pub fn find(_configured: Option<&Path>, _models: &Path) -> Result<Self, EmbedError> {
        Err(EmbedError::WithoutOnnx)
    }

    /// Checks the library.
    ///
    /// # Errors
    /// Never: this build cannot construct a library.
    pub fn verify(&self) -> Result<(), EmbedError> {
        match self.never {}
    }

    /// Loads an installed model.
    ///
    /// # Errors
    /// Never: this build cannot construct a library.
    pub fn embedder(&self, _model: &InstalledModel, _threads: Threads) -> Result<Box<dyn Embedder>, EmbedError> {
        match self.never {}
    }

    /// Loads an installed reranker.
    ///
    /// # Errors
    /// Never: this build cannot construct a library.
    pub fn reranker(&self, _model: &InstalledModel, _threads: usize) -> Result<Box<dyn Reranker>, EmbedError> {
        match self.never {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_a_build_without_onnx_names_the_feature_and_a_way_out() {
        let error = RuntimeLibrary::find(Some(Path::new("/lib/libonnxruntime.so")), Path::new("models")).unwrap_err();
        assert!(error.to_string().contains("feature 'onnx'"), "{error}");
        let hint = error.hint().unwrap();
        assert!(hint.contains("kernel.bin") && hint.contains("--features onnx"), "{hint}");
    }
}
