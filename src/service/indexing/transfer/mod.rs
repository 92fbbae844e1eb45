//! Export and import of an index between machines: a small machine takes hours to embed what a laptop embeds in minutes.
//!
//! The export is the whole index in one file (`file`). It fits if the model and the settings for cutting notes are the same; the
//! path of the vault does not matter. The notes themselves are not exported: the next `tars index` compares each note by its hash
//! with the index, and embeds only the differences.

mod error;
mod file;

use std::collections::HashSet;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{App, ENGINE, Error, IndexScope, Interrupted, Model, Result, Service, UseCase};
pub use error::IndexTransferError;
use file::{ChunkingParameters, ExportReader, Header};
use tars_base::domain::{Stage, pluralize};
use tars_config::Provider;
use tars_store::StoreError;
use tars_text::{chunker, redact};
use tars_vault::walk;

/// The result of an export or an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CarriedIndex")]
pub struct TransferredIndex {
    /// The file.
    pub file: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// Number of notes in the index.
    pub notes: usize,
    /// Number of passages.
    pub passages: usize,
    /// Number of passages with a vector.
    pub embedded: usize,
    /// When the notes were last compared with it, RFC 3339.
    pub indexed_at: Option<String>,
    /// The new path of an existing file that was not an index of tars.
    pub set_aside: Option<PathBuf>,
    /// Remarks for the person, a line each.
    pub remarks: Vec<String>,
}

/// Exports the index into one file, for another machine: whole or not at all.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExportIndexRequest {
    /// The file; an existing exported index at this path is replaced.
    pub file: PathBuf,
}

impl UseCase for ExportIndexRequest {
    type Response = TransferredIndex;

    fn run(&self, service: &Service<'_>) -> Result<TransferredIndex> {
        let (app, file) = (service.app, &self.file);
        if file.exists() && !file::is_export(file) {
            return Err(IndexTransferError::Taken { path: file.clone() }.into());
        }
        let index = app.open_index()?;
        let scratch = tempfile::Builder::new().prefix(".export-").tempdir_in(app.data_dir()?);
        let scratch = scratch.map_err(IndexTransferError::io("write in", &app.settings.config.data.dir))?;
        let copy = scratch.path().join("index.db");
        index.copy_to(&copy)?;
        drop(index);
        // The figures describe the copy, whatever is indexed meanwhile.
        let copied = ENGINE.open_existing(&copy)?;
        let snapshot = copied.snapshot()?;
        let (statistics, indexed_at) = (snapshot.statistics()?, snapshot.meta("indexed_at")?);
        let indexed_with = snapshot.meta("model")?;
        drop(snapshot);
        drop(copied);
        let mut remarks = Vec::new();
        if statistics.pending > 0 {
            let waiting = pluralize(statistics.pending, "passage");
            remarks.push(format!(
                "{waiting} lack a vector: the other machine embeds them, unless 'tars index' runs here first"
            ));
        }
        let (bytes, blake3) = file::measured(&copy).map_err(IndexTransferError::io("read", &copy))?;
        let header = Header {
            tars: env!("CARGO_PKG_VERSION").into(),
            made: app.environment.clock.timestamp().to_string(),
            indexed_at: indexed_at.clone(),
            schema: ENGINE.version(),
            model: indexed_with,
            cutting: app.chunking(&app.model(1)),
            processor: processor(),
            notes: statistics.files,
            passages: statistics.passages,
            embedded: statistics.embedded,
            bytes,
            blake3,
        };
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let failed = || IndexTransferError::io("write", file);
        // Only the owner may read it, because it holds the text of the notes.
        let private = std::fs::Permissions::from_mode(0o600);
        let mut out = tempfile::Builder::new()
            .prefix(".tars-export-")
            .permissions(private)
            .tempfile_in(folder)
            .map_err(failed())?;
        file::write(out.as_file_mut(), &header, &copy).map_err(failed())?;
        out.as_file().sync_all().map_err(failed())?;
        let bytes = out.as_file().metadata().map_err(failed())?.len();
        out.persist(file).map_err(|error| failed()(error.error))?;
        Ok(TransferredIndex {
            file: file.clone(),
            bytes,
            notes: header.notes,
            passages: header.passages,
            embedded: header.embedded,
            indexed_at,
            set_aside: None,
            remarks,
        })
    }
}

/// Replaces the index with one that another machine exported, whole or not at all. See [`IndexTransferError`] for refusals.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ImportIndexRequest {
    /// The file.
    pub file: PathBuf,
    /// Whether to import an index that does not fit this machine, or that replaces a newer one.
    pub force: bool,
}

impl UseCase for ImportIndexRequest {
    type Response = TransferredIndex;

    fn run(&self, service: &Service<'_>) -> Result<TransferredIndex> {
        let _lock = service.lock_index()?;
        service.close();
        let (Self { file, force }, Service { app, observer, .. }) = (self, service);
        let roots = app.roots()?;
        let carried = ExportReader::open(file)?;
        let header = carried.header.clone();
        if header.schema != ENGINE.version() {
            let (path, theirs) = (file.clone(), header.tars);
            return Err(IndexTransferError::OtherForm { path, theirs, ours: env!("CARGO_PKG_VERSION") }.into());
        }
        let mut remarks = app.fits(file, &header, *force)?;
        app.may_replace(&header, *force)?;
        let data = app.data_dir()?;
        let free = rustix::fs::statvfs(data).map_or(u64::MAX, |disk| disk.f_bavail.saturating_mul(disk.f_frsize));
        if header.bytes > free {
            return Err(IndexTransferError::NoRoom { path: data.to_owned(), needed: header.bytes, free }.into());
        }
        let scratch = tempfile::Builder::new()
            .prefix(".import-")
            .tempdir_in(data)
            .map_err(IndexTransferError::io("write in", data))?;
        let unpacked = scratch.path().join("index.db");
        let private = std::fs::Permissions::from_mode(0o600);
        let mut out = std::fs::File::create_new(&unpacked).map_err(IndexTransferError::io("write", &unpacked))?;
        out.set_permissions(private).map_err(IndexTransferError::io("write", &unpacked))?;
        observer.start(Stage::Unpacking, usize::try_from(header.bytes).unwrap_or(usize::MAX));
        let step = |bytes: usize| {
            observer.advance(bytes);
            !observer.cancelled()
        };
        let whole = carried.unpack(&mut out, &step);
        observer.finish();
        if !whole? {
            return Err(Interrupted.into());
        }
        out.flush().and_then(|()| out.sync_all()).map_err(IndexTransferError::io("write", &unpacked))?;
        drop(out);
        let places: Vec<(String, String)> =
            roots.iter().map(|root| (root.name.clone(), root.path.to_string_lossy().into_owned())).collect();
        ENGINE.check_import(&unpacked, &places).map_err(|error| match error {
            // The error must not name the scratch file, which is deleted at once.
            StoreError::Corrupt { detail, .. } => IndexTransferError::Damaged { path: file.clone(), detail }.into(),
            StoreError::Foreign { .. } => IndexTransferError::NotAnExport { path: file.clone() }.into(),
            other => Error::from(other),
        })?;
        remarks.extend(app.same_notes(file, &unpacked, *force)?);
        if observer.cancelled() {
            return Err(Interrupted.into());
        }
        // A running change of the model belongs to the replaced index.
        app.discard_copy()?;
        let set_aside = ENGINE.replace(&app.database(), &unpacked, app.environment.clock.timestamp())?;
        let bytes = std::fs::metadata(file).map_or(0, |metadata| metadata.len());
        let Header { notes, passages, embedded, indexed_at, .. } = header;
        Ok(TransferredIndex { file: file.clone(), bytes, notes, passages, embedded, indexed_at, set_aside, remarks })
    }
}

impl App {
    /// Compares the machine that wrote `header` with this one. Returns harmless differences as remarks.
    fn fits(&self, file: &Path, header: &Header, force: bool) -> Result<Vec<String>> {
        let mut remarks = Vec::new();
        if self.settings.config.embedding.provider == Provider::None {
            remarks.push("embedding.provider is 'none' here: questions are answered by words alone".to_owned());
            return Ok(remarks);
        }
        let model = self.model(self.workers());
        let (mut differences, mut mends) = (Vec::new(), Vec::new());
        match (&header.model, model.embedder().map(|embedder| embedder.model().as_str().to_owned())) {
            (None, _) => remarks.push("it holds no vectors: 'tars index' makes them".to_owned()),
            (Some(theirs), None) => {
                let why = model.unavailable_reason().unwrap_or_default();
                differences.push(format!("its vectors are of {theirs}, and that model cannot be used here: {why}"));
                mends.push("install the model".to_owned());
            }
            (Some(theirs), Some(ours)) if *theirs != ours => {
                let id = theirs.split('@').next().unwrap_or(theirs);
                differences.push(format!("its vectors are of {theirs}, and questions here would be of {ours}"));
                mends.push(match ours.split('@').next() == Some(id) {
                    // The same id, but other files or another way to run them.
                    true => {
                        "have the same files of the model on both machines, prepared (tars models prepare)".to_owned()
                    }
                    false => format!("tars models use {id}"),
                });
            }
            (Some(_), Some(_)) => {}
        }
        if let (Some(theirs), Some(ours)) = (&header.cutting, self.chunking(&model)) {
            for (key, theirs, ours) in theirs.differences(&ours) {
                differences.push(format!("{key} is {theirs} there and {ours} here"));
                mends.push(match key.starts_with("chunk.") {
                    true => format!("tars config set {key} {theirs}"),
                    false => "have the same version of tars and the same model on both machines".to_owned(),
                });
            }
        }
        if header.processor != processor() {
            remarks.push(format!(
                "its vectors were made by {}, those of this machine by {}: they differ in their last bits, and scores by less than 0.01",
                header.processor,
                processor()
            ));
        }
        mends.dedup();
        match (differences.is_empty(), force) {
            (true, _) => Ok(remarks),
            (false, true) => {
                remarks.extend(differences);
                Ok(remarks)
            }
            (false, false) => Err(IndexTransferError::Differs {
                path: file.to_owned(),
                differences: differences.join("; "),
                mend: mends.join(", "),
            }
            .into()),
        }
    }

    /// Refuses to replace a newer index, or a file that is not an index of tars.
    fn may_replace(&self, header: &Header, force: bool) -> Result<()> {
        let path = self.database();
        let refused = |reason: String| Err(IndexTransferError::Replaces { path: path.clone(), reason }.into());
        let index = match ENGINE.open_existing(&path) {
            _ if force => return Ok(()),
            Err(StoreError::Missing { .. }) => return Ok(()),
            Err(error) => return refused(error.to_string()),
            Ok(index) => index,
        };
        let (notes, ours) = {
            let snapshot = index.snapshot()?;
            (snapshot.statistics()?.files, snapshot.meta("indexed_at")?)
        };
        let time = |text: Option<&String>| text.and_then(|text| text.parse::<Timestamp>().ok());
        match (time(ours.as_ref()), time(header.indexed_at.as_ref())) {
            _ if notes == 0 => Ok(()),
            (Some(ours), Some(theirs)) if ours <= theirs => Ok(()),
            (Some(_), theirs) => refused(format!(
                "it was brought up to date at {}, later than the one in the file ({})",
                ours.unwrap_or_default(),
                theirs.map_or_else(|| "never".to_owned(), |theirs| theirs.to_string())
            )),
            (None, _) => Ok(()),
        }
    }

    /// Compares the notes in an index with the notes here; at least half of them must match.
    fn same_notes(&self, file: &Path, index: &Path, force: bool) -> Result<Vec<String>> {
        let index = ENGINE.open_existing(index)?;
        let snapshot = index.snapshot()?;
        let collections = snapshot.collections()?;
        let mut differences = Vec::new();
        for root in self.roots()? {
            let Some(collection) = collections.iter().find(|collection| collection.name == root.name) else { continue };
            let known = snapshot.files(collection.id)?;
            let Ok(found) = walk(&root.path, &self.walk_options()) else { continue };
            let here: HashSet<&str> = found.notes.iter().map(|note| note.path.as_str()).collect();
            let there = known.iter().filter(|record| here.contains(record.path.as_str())).count();
            if 2 * there < known.len() {
                let notes = pluralize(known.len(), "note");
                differences.push(format!("of {notes} of '{}', {there} are in {}", root.name, root.path.display()));
            }
        }
        if differences.is_empty() || force {
            return Ok(differences);
        }
        let (path, differences) = (file.to_owned(), differences.join("; "));
        let mend =
            "bring the notes to this machine first, or name their folder: tars config set vault.path FOLDER".to_owned();
        Err(IndexTransferError::Differs { path, differences, mend }.into())
    }

    /// Returns the parameters for cutting notes; `None` if the model that counts their tokens is missing.
    fn chunking(&self, model: &Model) -> Option<ChunkingParameters> {
        let (counter, options) = self.index_options(&IndexScope::default()).chunking(Some(model.embedder()?));
        Some(ChunkingParameters {
            chunker: chunker::VERSION,
            redact: redact::VERSION,
            target_tokens: options.target_tokens,
            passage_tokens: options.passage_tokens,
            overlap: options.overlap,
            context_prefix: options.context_prefix,
            window_tokens: options.window_tokens,
            counter: counter.name().to_owned(),
        })
    }
}

impl ChunkingParameters {
    /// Returns the parameters that differ: the name, the value in `self`, and the value in `other`.
    fn differences(&self, other: &Self) -> Vec<(&'static str, String, String)> {
        let pairs = [
            ("chunk.target_tokens", self.target_tokens.to_string(), other.target_tokens.to_string()),
            ("chunk.passage_tokens", self.passage_tokens.to_string(), other.passage_tokens.to_string()),
            ("chunk.overlap", self.overlap.to_string(), other.overlap.to_string()),
            ("chunk.context_prefix", self.context_prefix.to_string(), other.context_prefix.to_string()),
            ("the model's window", self.window_tokens.to_string(), other.window_tokens.to_string()),
            ("the counter of tokens", self.counter.clone(), other.counter.clone()),
            ("the version of the chunker", self.chunker.to_string(), other.chunker.to_string()),
            ("the version of the redaction", self.redact.to_string(), other.redact.to_string()),
        ];
        pairs.into_iter().filter(|(_, one, other)| one != other).collect()
    }
}

/// Returns the architecture of this processor, and the instruction set that tars embeds with.
fn processor() -> String {
    format!("{} with {}", std::env::consts::ARCH, tars_embed::instructions())
}
