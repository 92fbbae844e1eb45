//! Updates the index.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::{Context, Error, IndexScope, Result, Service, UseCase, bail};
use tars_base::domain::Stage;
use tars_embed::{HAS_ONNX, Preparation};
use tars_engine::index::{Report, RunPart};
use tars_text::names::composed;

/// Updates the index with the notes. A model that still needs preparation is prepared first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IndexRequest {
    /// If not empty, only these files and folders are indexed. They need not exist any more.
    pub paths: Vec<PathBuf>,
    /// Whether to read and embed everything again.
    pub full: bool,
    /// Which parts of the work to do.
    #[serde(skip)]
    pub part: RunPart,
}

/// The result of the run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct IndexResponse {
    /// The counts.
    #[serde(flatten)]
    pub report: Report,
    /// Why notes were indexed by words only, if they were.
    pub degraded: Option<String>,
    /// Duration in seconds; three decimals in JSON.
    #[serde(serialize_with = "to_milliseconds")]
    pub seconds: f64,
    /// Number of folders to index, including missing ones.
    #[serde(skip)]
    pub roots: usize,
}

impl UseCase for IndexRequest {
    type Response = IndexResponse;

    fn run(&self, service: &Service<'_>) -> Result<IndexResponse> {
        let started = Instant::now();
        let Service { app, observer, .. } = service;
        let paths = self.paths.iter().map(|path| located(path)).collect::<Result<_>>()?;
        let scope = IndexScope { paths, full: self.full, part: self.part, patience: None };
        let roots = app.roots()?.len();
        let lock = service.lock_index()?;
        service.close();
        prepare(service);
        let model = app.model(app.workers());
        let degraded = model.unavailable_reason();
        if let Some(reason) = &degraded {
            observer.warn(&format!("indexing by words only: {reason}"));
        }
        let mut report = app.index(&lock, &scope, &model, *observer)?;
        if app.hides_collections() && !report.warnings.is_empty() {
            // A warning names a note, not its collection.
            report.warnings = vec!["there are warnings, which 'tars index' shows: a collection is private".into()];
        }
        if let Some(path) = scope.paths.iter().find(|path| !path.exists())
            && report.files + report.removed + report.evicted == 0
        {
            bail!("cannot index {}: it does not exist and is not in the index", path.display());
        }
        Ok(IndexResponse { report, degraded, seconds: started.elapsed().as_secs_f64(), roots })
    }
}

/// Prepares the model, if necessary, before the first vector is computed.
fn prepare(service: &Service<'_>) {
    let Service { app, observer, .. } = service;
    if !app.needs_preparation() {
        return;
    }
    let id = &app.settings.config.embedding.model;
    let needs_kernel = app.catalog().get(id).is_ok_and(|model| model.needs_kernel());
    observer.start(Stage::Preparing, 1);
    let prepared = app.prepare(id, false);
    observer.finish();
    match prepared {
        Ok(Preparation::Ready { .. }) => {}
        // A model that only the kernel can run fails later by itself, with the reason.
        Ok(other) if HAS_ONNX && !needs_kernel => observer.warn(&format!("the model is run by ONNX Runtime: {other}")),
        Ok(_) => {}
        Err(error) => observer.warn(&format!("the model could not be prepared: {:#}", Error::from(error))),
    }
}

/// Returns the absolute path of a file or folder, with links resolved. For a missing one, the path that it would have.
fn located(path: &Path) -> Result<PathBuf> {
    let failed = || format!("cannot index {}", path.display());
    match (fs::canonicalize(path), path.parent(), path.file_name()) {
        (Ok(found), _, _) => Ok(found),
        (Err(error), Some(folder), Some(name)) if error.kind() == ErrorKind::NotFound => {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let folder = fs::canonicalize(folder).with_context(failed)?;
            Ok(folder.join(name_on_disk(&folder, name).unwrap_or_else(|| name.to_owned())))
        }
        (Err(error), _, _) => Err(error).with_context(failed),
    }
}

/// Returns the name of the file in `folder` that differs from `name` only in its composition: keyboards compose letters, macOS does not.
fn name_on_disk(folder: &Path, name: &OsStr) -> Option<OsString> {
    let wanted = composed(name.to_str()?);
    let names = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.file_name());
    names.into_iter().find(|known| known.to_str().is_some_and(|known| composed(known) == wanted))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn to_milliseconds<S: Serializer>(seconds: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((seconds * 1000.0).round() / 1000.0)
}
