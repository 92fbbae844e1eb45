//! The ONNX Runtime library: finding it, and its one environment in this process.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use ort::environment::Environment;
use serde::Deserialize;

use crate::manifest::RUNTIME_FOLDER;
use crate::{EmbedError, ModelFile, verify};

/// The installed library, as described in `onnxruntime/manifest.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RuntimeManifest {
    /// Version of ONNX Runtime.
    pub version: String,
    /// Name of the library file beside the manifest.
    pub library: String,
    /// sha256 of the library.
    pub sha256: String,
    /// Its size in bytes.
    pub size: u64,
}

/// An ONNX Runtime library that was found but not yet loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeLibrary {
    /// The file.
    pub path: PathBuf,
    /// Its manifest; `None` for a library that the configuration names.
    pub manifest: Option<RuntimeManifest>,
}

impl RuntimeLibrary {
    /// Returns the library to use: the configured one, otherwise the one installed in the models directory.
    ///
    /// # Errors
    /// There is no library, its manifest is invalid, or its size differs from the manifest.
    pub fn find(configured: Option<&Path>, models: &Path) -> Result<Self, EmbedError> {
        if let Some(path) = configured {
            if !path.is_file() {
                return Err(EmbedError::NoRuntime {
                    reason: format!("embedding.runtime names {}, which is no file", path.display()),
                });
            }
            return Ok(Self { path: path.to_owned(), manifest: None });
        }
        let folder = models.join(RUNTIME_FOLDER);
        let file = folder.join("manifest.toml");
        let text = fs::read_to_string(&file)
            .map_err(|error| EmbedError::NoRuntime { reason: format!("{}: {error}", file.display()) })?;
        let invalid = |reason: String| EmbedError::Manifest { path: file.clone(), reason };
        let manifest: RuntimeManifest = toml::from_str(&text).map_err(|error| invalid(error.to_string()))?;
        if Path::new(&manifest.library).file_name() != Some(manifest.library.as_ref()) {
            return Err(invalid(format!("library = '{}' is not a plain file name", manifest.library)));
        }
        let path = folder.join(&manifest.library);
        let size = fs::metadata(&path)
            .map_err(|error| EmbedError::NoRuntime { reason: format!("{}: {error}", path.display()) })?
            .len();
        if size != manifest.size {
            return Err(EmbedError::SizeMismatch { path, expected: manifest.size, found: size });
        }
        Ok(Self { path, manifest: Some(manifest) })
    }

    /// Reads the whole library and compares its hash with the manifest, if there is one.
    ///
    /// # Errors
    /// The library cannot be read, or its hash differs.
    pub fn verify(&self) -> Result<(), EmbedError> {
        match &self.manifest {
            Some(manifest) => verify::check_hash(&self.path, &manifest.sha256),
            None => Ok(()),
        }
    }

    /// Checks the library like [`RuntimeLibrary::verify`], but reads it only if it has changed since the last check.
    /// The library is code, and tars never runs code of unknown origin.
    fn verify_cached(&self) -> Result<(), EmbedError> {
        let (Some(manifest), Some(folder)) = (&self.manifest, self.path.parent()) else { return Ok(()) };
        let file = ModelFile { sha256: manifest.sha256.clone(), size: manifest.size };
        verify::verify_cached(folder, &BTreeMap::from([(manifest.library.clone(), file)])).map(|_| ())
    }

    /// Returns the environment of this process. The first call loads the library; later calls ignore their own.
    pub(super) fn environment(&self) -> Result<&'static Environment, EmbedError> {
        static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
        static LOADING: Mutex<()> = Mutex::new(());
        let _one_at_a_time = LOADING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(environment) = ENVIRONMENT.get() {
            return Ok(environment);
        }
        self.verify_cached()?;
        let failed = |reason: String| EmbedError::NoRuntime { reason };
        let environment = ort::init_from(&self.path)
            .map_err(|error| failed(error.to_string()))?
            .with_name("tars")
            .with_telemetry(false)
            .build()
            .map_err(|error| failed(error.to_string()))?;
        environment.set_log_level(ort::logging::LogLevel::Error);
        Ok(ENVIRONMENT.get_or_init(|| environment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_wrong_libraries_are_reported() {
        let models = tempfile::tempdir().unwrap();
        let none = RuntimeLibrary::find(None, models.path()).unwrap_err();
        assert!(none.to_string().contains("onnxruntime") && none.hint().is_some());
        let folder = models.path().join(RUNTIME_FOLDER);
        fs::create_dir(&folder).unwrap();
        let manifest = |library: &str| format!("version='1'\nlibrary='{library}'\nsha256='00'\nsize=3\n");
        fs::write(folder.join("manifest.toml"), manifest("../../evil.so")).unwrap();
        assert!(matches!(RuntimeLibrary::find(None, models.path()), Err(EmbedError::Manifest { .. })));
        fs::write(folder.join("manifest.toml"), manifest("lib.so")).unwrap();
        fs::write(folder.join("lib.so"), "four").unwrap();
        assert!(matches!(RuntimeLibrary::find(None, models.path()), Err(EmbedError::SizeMismatch { .. })));
        fs::write(folder.join("lib.so"), "abc").unwrap();
        let found = RuntimeLibrary::find(None, models.path()).unwrap();
        assert!(matches!(found.verify(), Err(EmbedError::HashMismatch { .. })));
        assert!(RuntimeLibrary::find(Some(Path::new("/nowhere/lib.so")), models.path()).is_err());
    }
}
