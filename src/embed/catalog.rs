//! The models installed on this machine: folders with a manifest in the models directory, and models that came with tars.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::bert::STAMP_FILE;
use super::manifest::{RUNTIME_FOLDER, check_name};
use super::{EmbedError, InstalledModel, MANIFEST_FILE, Manifest, ModelKind, Preparation, prepared_stamp};

/// The models directory, and the folders of the models that came with tars. If they do not exist, no model is installed.
///
/// If both have a model of the same id, the one in the person's models directory is used.
#[derive(Debug, Clone)]
pub struct Catalog {
    dir: PathBuf,
    shipped: Vec<PathBuf>,
}

/// An entry of the list of models.
#[derive(Debug, Clone, PartialEq)]
pub struct CatalogEntry {
    /// Name of its folder.
    pub id: String,
    /// Its kind; `None` if the manifest is unreadable.
    pub kind: Option<ModelKind>,
    /// Length of its vectors; `None` for a reranker or an unreadable manifest.
    pub dimensions: Option<usize>,
    /// Licence; `None` if the manifest is unreadable.
    pub licence: Option<String>,
    /// Languages, as in [`Manifest::languages`]; empty if unknown.
    pub languages: Vec<String>,
    /// Total size of its files in bytes, from the manifest; 0 if the manifest is unreadable.
    pub size: u64,
    /// State of its prepared file; `None` for a reranker that ONNX Runtime runs, and for an unreadable manifest.
    pub preparation: Option<Preparation>,
    /// Whether it came with tars.
    pub shipped: bool,
    /// Reasons why it is unusable; empty if it is usable.
    pub problems: Vec<String>,
}

impl Catalog {
    /// Returns the catalog of the models in `dir`.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into(), shipped: Vec::new() }
    }

    /// Adds folders of models that came with tars; earlier folders take precedence. The catalog uses only prepared
    /// models from there and never writes to these folders.
    #[must_use]
    pub fn with_shipped(self, folders: impl Into<Vec<PathBuf>>) -> Self {
        Self { shipped: folders.into(), ..self }
    }

    /// Returns the models directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns the installed models, sorted by id. Unusable models are included with the reason. File sizes are checked, but not hashes.
    ///
    /// # Errors
    /// [`EmbedError::Io`] if the directory exists but cannot be read.
    pub fn list(&self) -> Result<Vec<CatalogEntry>, EmbedError> {
        Ok(self.ids()?.into_iter().map(|id| self.entry(id)).collect())
    }

    /// Returns the model with this id without checking its files; see [`Manifest::verify_cached`].
    ///
    /// # Errors
    /// [`EmbedError::NoModel`] if nothing is installed, [`EmbedError::UnknownModel`] if this model is not, and the
    /// errors of [`Manifest::read`].
    pub fn get(&self, id: &str) -> Result<InstalledModel, EmbedError> {
        let Some((dir, shipped)) = self.find(id) else {
            let installed = self.ids()?;
            return Err(match installed.is_empty() {
                true => EmbedError::NoModel { dir: self.dir.clone() },
                false => EmbedError::UnknownModel { id: id.into(), dir: self.dir.clone(), installed },
            });
        };
        let manifest = Manifest::read(&dir)?;
        if manifest.id != id {
            let reason = format!("id is '{}', but the folder is '{id}'", manifest.id);
            return Err(EmbedError::Manifest { path: dir.join(MANIFEST_FILE), reason });
        }
        let stamp = match shipped {
            true => self.dir.join(format!(".{id}.verified")),
            false => dir.join(STAMP_FILE),
        };
        Ok(InstalledModel { dir, manifest, shipped, stamp })
    }

    /// Returns a value that changes when the model's prepared file is replaced or removed; see [`prepared_stamp`].
    pub fn stamp(&self, id: &str) -> Option<(u64, SystemTime)> {
        prepared_stamp(&self.find(id)?.0)
    }

    /// Returns the folder of the model with this id, and whether it came with tars.
    fn find(&self, id: &str) -> Option<(PathBuf, bool)> {
        // Only a plain name is safe: any other id could lead out of the directory.
        if check_name(id).is_err() || id == RUNTIME_FOLDER {
            return None;
        }
        let own = self.dir.join(id);
        if own.join(MANIFEST_FILE).is_file() {
            return Some((own, false));
        }
        let shipped = self.shipped.iter().map(|folder| folder.join(id)).find(|folder| holds_shipped(folder));
        shipped.map(|folder| (folder, true))
    }

    /// Returns the reranker with this id; without an id, the only installed reranker.
    ///
    /// # Errors
    /// [`EmbedError::NoReranker`] if none is installed, [`EmbedError::SeveralRerankers`] if several are installed and no id
    /// is given, [`EmbedError::WrongKind`] if the id belongs to an embedding model, and the errors of [`Catalog::get`].
    pub fn reranker(&self, id: Option<&str>) -> Result<InstalledModel, EmbedError> {
        let model = match id {
            Some(id) => self.get(id)?,
            None => {
                let mut found = Vec::new();
                for id in self.ids()? {
                    // Folders that are not valid models are skipped here; `tars models list` shows them.
                    found.extend(self.get(&id).ok().filter(|model| model.manifest.kind == ModelKind::Reranker));
                }
                match found.len() {
                    0 => return Err(EmbedError::NoReranker { dir: self.dir.clone() }),
                    1 => found.remove(0),
                    _ => {
                        let installed = found.into_iter().map(|model| model.manifest.id).collect();
                        return Err(EmbedError::SeveralRerankers { installed });
                    }
                }
            }
        };
        model.check_kind(ModelKind::Reranker)?;
        Ok(model)
    }

    fn entry(&self, id: String) -> CatalogEntry {
        match self.get(&id) {
            Ok(model) => {
                let has_one = model.needs_kernel() || model.manifest.kind == ModelKind::Embedding;
                let preparation = has_one.then(|| model.preparation());
                let damage = model.verify(false).err();
                CatalogEntry {
                    id,
                    kind: Some(model.manifest.kind),
                    dimensions: (model.manifest.kind == ModelKind::Embedding).then_some(model.manifest.dimensions),
                    licence: Some(model.manifest.licence.clone()),
                    languages: model.manifest.languages.clone(),
                    size: model.size(),
                    preparation,
                    shipped: model.shipped,
                    problems: damage.into_iter().chain(model.check_runnable().err()).map(describe).collect(),
                }
            }
            Err(error) => CatalogEntry {
                id,
                kind: None,
                dimensions: None,
                licence: None,
                languages: Vec::new(),
                size: 0,
                preparation: None,
                shipped: false,
                problems: vec![describe(error)],
            },
        }
    }

    fn ids(&self) -> Result<Vec<String>, EmbedError> {
        let mut ids = ids_in(&self.dir, |folder| folder.join(MANIFEST_FILE).is_file())?;
        for folder in &self.shipped {
            ids.extend(ids_in(folder, holds_shipped)?);
        }
        ids.sort();
        ids.dedup();
        Ok(ids)
    }
}

/// Returns the names of the model folders in `dir`, in no particular order.
fn ids_in(dir: &Path, is_model: impl Fn(&Path) -> bool) -> Result<Vec<String>, EmbedError> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(EmbedError::io("read", dir)(error)),
    };
    let mut ids = Vec::new();
    for entry in entries {
        let entry = entry.map_err(EmbedError::io("read", dir))?;
        // Folders with a leading dot are unfinished downloads.
        if let Ok(name) = entry.file_name().into_string()
            && check_name(&name).is_ok()
            && name != RUNTIME_FOLDER
            && is_model(&entry.path())
        {
            ids.push(name);
        }
    }
    Ok(ids)
}

/// Whether a folder of shipped models holds a usable model. Without a prepared file it does not: in a copy of tars'
/// sources, the folder `models` holds only descriptions.
fn holds_shipped(folder: &Path) -> bool {
    folder.join(MANIFEST_FILE).is_file() && prepared_stamp(folder).is_some()
}

/// Returns the error with its cause, in one line.
fn describe(error: EmbedError) -> String {
    match &error {
        EmbedError::Io { source, .. } => format!("{error}: {source}"),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::verify::tests::install;
    use super::*;

    #[test]
    fn models_are_listed_in_order_with_their_problems() {
        let dir = tempfile::tempdir().unwrap();
        let catalog = Catalog::new(dir.path());
        install(&dir.path().join("beta"), "beta");
        install(&dir.path().join("alpha"), "alpha");
        install(&dir.path().join("broken"), "broken");
        install(&dir.path().join("renamed"), "original");
        install(&dir.path().join(".pull-123"), "hidden");
        fs::create_dir(dir.path().join("unrelated")).unwrap();
        fs::create_dir(dir.path().join("onnxruntime")).unwrap();
        fs::write(dir.path().join("onnxruntime/manifest.toml"), "version = \"1.23.2\"").unwrap();
        fs::remove_file(dir.path().join("alpha/tokenizer.json")).unwrap();
        fs::write(dir.path().join("broken/manifest.toml"), "id = 3").unwrap();
        let list = catalog.list().unwrap();
        let ids: Vec<_> = list.iter().map(|entry| entry.id.as_str()).collect();
        assert_eq!(ids, ["alpha", "beta", "broken", "renamed"]);
        assert!(list[0].problems[0].contains("tokenizer.json"), "{:?}", list[0]);
        assert_eq!((list[1].kind, list[1].dimensions), (Some(ModelKind::Embedding), Some(384)));
        assert_eq!(list[1].licence.as_deref(), Some("apache-2.0"));
        assert_eq!(list[1].size, 9);
        // Without ONNX Runtime, an unprepared model cannot run.
        assert_eq!(list[1].problems.is_empty(), crate::HAS_ONNX, "{:?}", list[1]);
        assert!(list[2].problems[0].contains("line 1"), "{:?}", list[2]);
        assert!(list[3].problems[0].contains("id is 'original'"), "{:?}", list[3]);
    }

    #[test]
    fn an_installed_model_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = install(&dir.path().join("alpha"), "alpha");
        let model = Catalog::new(dir.path()).get("alpha").unwrap();
        assert_eq!(model.manifest, manifest);
        assert_eq!(model.dir, dir.path().join("alpha"));
    }

    #[test]
    fn the_error_for_an_unknown_id_lists_the_installed_models() {
        let dir = tempfile::tempdir().unwrap();
        let catalog = Catalog::new(dir.path().join("models"));
        assert!(catalog.list().unwrap().is_empty());
        assert!(matches!(catalog.get("alpha"), Err(EmbedError::NoModel { .. })));
        install(&dir.path().join("models/alpha"), "alpha");
        install(&dir.path().join("outside"), "outside");
        for id in ["beta", "onnxruntime", "../outside", "", "alpha/../alpha"] {
            let error = catalog.get(id).unwrap_err();
            assert!(error.to_string().ends_with("installed: alpha"), "{error}");
            assert!(error.hint().is_some());
        }
    }

    #[test]
    fn shipped_models_need_a_prepared_file_and_the_persons_own_model_wins() {
        let dir = tempfile::tempdir().unwrap();
        let (own, share) = (dir.path().join("own"), dir.path().join("share"));
        let catalog = Catalog::new(&own).with_shipped([dir.path().join("none"), share.clone()]);
        install(&share.join("alpha"), "alpha");
        assert!(matches!(catalog.get("alpha"), Err(EmbedError::NoModel { .. })), "a manifest alone is no model");
        fs::write(share.join("alpha/kernel.bin"), "damaged").unwrap();
        let shipped = catalog.get("alpha").unwrap();
        assert_eq!((&shipped.dir, shipped.shipped, shipped.size()), (&share.join("alpha"), true, 7));
        assert!(catalog.stamp("alpha").is_some());
        let error = shipped.check_runnable().unwrap_err();
        assert!(error.to_string().starts_with("model 'alpha', which came with tars, cannot be used: "), "{error}");
        let list = catalog.list().unwrap();
        assert!(list[0].shipped && list[0].problems.len() == 1, "{list:?}");

        install(&own.join("alpha"), "alpha");
        let own_model = catalog.get("alpha").unwrap();
        assert_eq!((own_model.dir, own_model.shipped), (own.join("alpha"), false));
        assert_eq!(catalog.list().unwrap().len(), 1);
        assert_eq!(catalog.stamp("alpha"), None);
    }

    fn install_reranker(dir: &Path, id: &str) {
        let mut manifest = install(&dir.join(id), id);
        (manifest.kind, manifest.dimensions) = (ModelKind::Reranker, 0);
        (manifest.pooling, manifest.normalize) = (None, None);
        manifest.query_prefix.clear();
        manifest.write(&dir.join(id)).unwrap();
    }

    #[test]
    fn a_reranker_is_found_by_id_or_as_the_only_one() {
        let dir = tempfile::tempdir().unwrap();
        let catalog = Catalog::new(dir.path());
        install(&dir.path().join("alpha"), "alpha");
        assert!(matches!(catalog.reranker(None), Err(EmbedError::NoReranker { .. })));
        let error = catalog.reranker(Some("alpha")).unwrap_err();
        assert_eq!(error.to_string(), "'alpha' is an embedding model, not a reranker");
        install_reranker(dir.path(), "beta");
        fs::create_dir(dir.path().join("broken")).unwrap();
        fs::write(dir.path().join("broken/manifest.toml"), "id = 3").unwrap();
        for id in [None, Some("beta")] {
            assert_eq!(catalog.reranker(id).unwrap().manifest.id, "beta");
        }
        assert_eq!(catalog.list().unwrap()[1].dimensions, None);
        let error = catalog.get("beta").unwrap().check_kind(ModelKind::Embedding).unwrap_err();
        assert_eq!(error.to_string(), "'beta' is a reranker, not an embedding model");
        install_reranker(dir.path(), "gamma");
        let error = catalog.reranker(None).unwrap_err();
        assert!(error.to_string().contains("beta, gamma") && error.hint().unwrap().contains("tars models use"));
        assert_eq!(catalog.reranker(Some("gamma")).unwrap().manifest.id, "gamma");
        assert!(matches!(catalog.reranker(Some("delta")), Err(EmbedError::UnknownModel { .. })));
    }
}
