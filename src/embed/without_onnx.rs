//! What takes the place of ONNX Runtime in a build without the feature `onnx`: nothing can be run with it, and every attempt fails with [`EmbedError::WithoutOnnx`].

use std::convert::Infallible;
use std::path::{Path, PathBuf};

use super::{EmbedError, Embedder, InstalledModel, Reranker, Threads};

/// The ONNX Runtime library, of which this build has no value: what needs one can be written down and is never reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeLibrary {
    /// The file.
    pub path: PathBuf,
    never: Infallible,
}

impl RuntimeLibrary {
    /// Finds no library, whatever is configured or installed.
    ///
    /// # Errors
    /// [`EmbedError::WithoutOnnx`], always.
    pub fn find(_configured: Option<&Path>, _models: &Path) -> Result<Self, EmbedError> {
        Err(EmbedError::WithoutOnnx)
    }

    /// Checks the library.
    ///
    /// # Errors
    /// None, since there is no library to check.
    pub fn verify(&self) -> Result<(), EmbedError> {
        match self.never {}
    }

    /// Loads an installed model.
    ///
    /// # Errors
    /// None, since there is no library to load it with.
    pub fn embedder(&self, _model: &InstalledModel, _threads: Threads) -> Result<Box<dyn Embedder>, EmbedError> {
        match self.never {}
    }

    /// Loads an installed reranker.
    ///
    /// # Errors
    /// None, since there is no library to load it with.
    pub fn reranker(&self, _model: &InstalledModel, _threads: usize) -> Result<Box<dyn Reranker>, EmbedError> {
        match self.never {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_onnx_says_what_is_missing_and_what_to_do() {
        let error = RuntimeLibrary::find(Some(Path::new("/lib/libonnxruntime.so")), Path::new("models")).unwrap_err();
        assert!(error.to_string().contains("feature 'onnx'"), "{error}");
        let hint = error.hint().unwrap();
        assert!(hint.contains("kernel.bin") && hint.contains("--features onnx"), "{hint}");
    }
}
