//! Checks a model's files against its manifest.
//!
//! Hashing a model at every start would cost more than loading it. A stamp records the hashed files: `.verified` in the model's
//! folder, JSON, `{"FILE": {"size": …, "mtime_ns": …, "inode": …, "sha256": …}}`, times in nanoseconds since 1970, inode 0 if the
//! system has none. The stamp protects against damage and mix-ups, not against somebody with write access to the folder.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{EmbedError, Manifest, ModelFile};
use tars_base::domain::hex;

const STAMP_FILE: &str = ".verified";
const MAX_STAMP_SIZE: u64 = 64 << 10;

/// How a model was verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verified {
    /// Every file was read and hashed.
    Hashed,
    /// No file has changed since it was hashed.
    Remembered,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    size: u64,
    mtime_ns: u64,
    inode: u64,
    sha256: String,
}

impl Manifest {
    /// Checks that each of the model's files exists in `dir` with its size and, if `deep`, its sha256.
    ///
    /// # Errors
    /// The first file that differs: [`EmbedError::SizeMismatch`], [`EmbedError::HashMismatch`] or [`EmbedError::Io`].
    pub fn verify(&self, dir: &Path, deep: bool) -> Result<(), EmbedError> {
        for (name, file) in &self.files {
            let path = dir.join(name);
            check_size(&path, file)?;
            if deep {
                check_hash(&path, &file.sha256)?;
            }
        }
        Ok(())
    }

    /// Checks the model's files in `dir` like a deep [`Manifest::verify`], but trusts the stamp for files whose size,
    /// time and inode are unchanged. Failure to write the stamp is ignored.
    ///
    /// # Errors
    /// As [`Manifest::verify`].
    pub fn verify_cached(&self, dir: &Path) -> Result<Verified, EmbedError> {
        verify_cached(dir, &self.files)
    }
}

/// Checks `files` in `dir` like [`Manifest::verify_cached`].
pub(super) fn verify_cached(dir: &Path, files: &BTreeMap<String, ModelFile>) -> Result<Verified, EmbedError> {
    let before = stamps(dir, files)?;
    if read_stamps(dir).is_some_and(|remembered| remembered == before) {
        return Ok(Verified::Remembered);
    }
    for (name, file) in files {
        check_hash(&dir.join(name), &file.sha256)?;
    }
    // A file that changed while it was hashed gets no stamp.
    if stamps(dir, files)? == before
        && let Err(error) = write_stamps(dir, &before)
    {
        tracing::debug!(dir = %dir.display(), %error, "cannot write the verification stamp");
    }
    Ok(Verified::Hashed)
}

/// Checks the file sizes and returns the stamps that the files have if their hashes are right.
fn stamps(dir: &Path, files: &BTreeMap<String, ModelFile>) -> Result<BTreeMap<String, Stamp>, EmbedError> {
    let stamp = |(name, file): (&String, &ModelFile)| {
        let path = dir.join(name);
        let metadata = check_size(&path, file)?;
        let modified = metadata.modified().map_err(EmbedError::io("read", &path))?;
        let mtime_ns = modified.duration_since(UNIX_EPOCH).map_or(0, |age| age.as_nanos() as u64);
        let inode = metadata.ino();
        Ok((name.clone(), Stamp { size: metadata.len(), mtime_ns, inode, sha256: file.sha256.clone() }))
    };
    files.iter().map(stamp).collect()
}

/// Checks one file's sha256.
pub(super) fn check_hash(path: &Path, expected: &str) -> Result<(), EmbedError> {
    let found = sha256_of(path)?;
    if found != expected {
        return Err(EmbedError::HashMismatch { path: path.into(), expected: expected.into(), found });
    }
    Ok(())
}

fn check_size(path: &Path, file: &ModelFile) -> Result<fs::Metadata, EmbedError> {
    let metadata = fs::metadata(path).map_err(EmbedError::io("read", path))?;
    if metadata.len() != file.size {
        return Err(EmbedError::SizeMismatch { path: path.into(), expected: file.size, found: metadata.len() });
    }
    Ok(metadata)
}

fn sha256_of(path: &Path) -> Result<String, EmbedError> {
    let mut file = File::open(path).map_err(EmbedError::io("read", path))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 128 << 10];
    loop {
        match file.read(&mut buffer).map_err(EmbedError::io("read", path))? {
            0 => return Ok(hex(&hasher.finalize())),
            count => hasher.update(&buffer[..count]),
        }
    }
}

/// Reads the stamps. A missing, damaged or incompatible stamp file counts as none.
fn read_stamps(dir: &Path) -> Option<BTreeMap<String, Stamp>> {
    let mut text = String::new();
    File::open(dir.join(STAMP_FILE)).ok()?.take(MAX_STAMP_SIZE).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

fn write_stamps(dir: &Path, stamps: &BTreeMap<String, Stamp>) -> std::io::Result<()> {
    let mut builder = tempfile::Builder::new();
    // Everyone who can read the model may read its stamp; a temporary file would be readable only by its owner.
    builder.permissions(fs::Permissions::from_mode(0o644));
    let mut file = builder.prefix(STAMP_FILE).tempfile_in(dir)?;
    file.write_all(&serde_json::to_vec(stamps)?)?;
    file.persist(dir.join(STAMP_FILE))?;
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::PathBuf;
    use std::time::{Duration, SystemTime};

    use super::super::manifest::tests::example;
    use super::*;

    pub(crate) fn file_of(bytes: &[u8]) -> ModelFile {
        ModelFile { sha256: hex(&Sha256::digest(bytes)), size: bytes.len() as u64 }
    }

    /// Makes a folder with a model of two small files that verifies.
    pub(crate) fn install(dir: &Path, id: &str) -> Manifest {
        fs::create_dir_all(dir).unwrap();
        let mut manifest = Manifest { id: id.into(), ..example() };
        for (name, bytes) in [("model.onnx", b"weights".as_slice()), ("tokenizer.json", b"{}")] {
            fs::write(dir.join(name), bytes).unwrap();
            manifest.files.insert(name.into(), file_of(bytes));
        }
        manifest.write(dir).unwrap();
        manifest
    }

    fn model() -> (tempfile::TempDir, PathBuf, Manifest) {
        let dir = tempfile::tempdir().unwrap();
        let manifest = install(dir.path(), "small");
        let path = dir.path().to_path_buf();
        (dir, path, manifest)
    }

    fn set_modified(path: &Path, age: Duration) {
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    }

    #[test]
    fn a_changed_file_is_named_with_both_hashes() {
        let (_guard, dir, manifest) = model();
        manifest.verify(&dir, true).unwrap();
        fs::write(dir.join("model.onnx"), "weighty").unwrap();
        manifest.verify(&dir, false).unwrap();
        let error = manifest.verify(&dir, true).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("model.onnx"), "{text}");
        assert!(text.contains(&file_of(b"weights").sha256) && text.contains(&file_of(b"weighty").sha256), "{text}");
        assert_eq!(error.hint().as_deref(), Some("tars models verify"));
    }

    #[test]
    fn missing_and_cut_files_are_named() {
        let (_guard, dir, manifest) = model();
        fs::write(dir.join("model.onnx"), "weight").unwrap();
        let error = manifest.verify(&dir, false).unwrap_err();
        assert!(matches!(error, EmbedError::SizeMismatch { expected: 7, found: 6, .. }), "{error}");
        fs::remove_file(dir.join("model.onnx")).unwrap();
        let error = manifest.verify(&dir, true).unwrap_err();
        assert!(error.to_string().contains("cannot read") && error.to_string().contains("model.onnx"), "{error}");
    }

    #[test]
    fn unchanged_files_are_hashed_once() {
        let (_guard, dir, manifest) = model();
        assert_eq!(manifest.verify_cached(&dir).unwrap(), Verified::Hashed);
        assert_eq!(manifest.verify_cached(&dir).unwrap(), Verified::Remembered);
        set_modified(&dir.join("model.onnx"), Duration::from_secs(100));
        assert_eq!(manifest.verify_cached(&dir).unwrap(), Verified::Hashed);
        assert_eq!(manifest.verify_cached(&dir).unwrap(), Verified::Remembered);
    }

    #[test]
    fn a_file_changed_after_the_stamp_is_found() {
        let (_guard, dir, manifest) = model();
        manifest.verify_cached(&dir).unwrap();
        fs::write(dir.join("model.onnx"), "weighty").unwrap();
        set_modified(&dir.join("model.onnx"), Duration::from_secs(100));
        assert!(matches!(manifest.verify_cached(&dir), Err(EmbedError::HashMismatch { .. })));
    }

    #[test]
    fn a_manifest_with_another_hash_voids_the_stamp() {
        let (_guard, dir, mut manifest) = model();
        manifest.verify_cached(&dir).unwrap();
        manifest.files.get_mut("model.onnx").unwrap().sha256 = "0".repeat(64);
        assert!(matches!(manifest.verify_cached(&dir), Err(EmbedError::HashMismatch { .. })));
    }

    #[test]
    fn damaged_and_unwritable_stamps_only_cost_time() {
        let (_guard, dir, manifest) = model();
        fs::write(dir.join(STAMP_FILE), "{").unwrap();
        assert_eq!(manifest.verify_cached(&dir).unwrap(), Verified::Hashed);
        fs::remove_file(dir.join(STAMP_FILE)).unwrap();
        fs::create_dir(dir.join(STAMP_FILE)).unwrap();
        assert_eq!(manifest.verify_cached(&dir).unwrap(), Verified::Hashed);
        assert_eq!(manifest.verify_cached(&dir).unwrap(), Verified::Hashed);
    }
}
