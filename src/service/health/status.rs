//! The state of the index, and whether it is up to date.

use std::fs::{OpenOptions, TryLockError};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::data_dir_audit::{DataDirectory, NotesReport};
use crate::daemon::ANSWER_TIMEOUT;
use crate::models::{LanguageReport, ModelAdvice, ModelChange, with_hint};
use crate::protocol::{Request as Message, Response as Reply};
use crate::{App, Backend, Daemon, Pause, Result, Service, UseCase};
use tars_base::domain::{ModelId, pluralize};
use tars_base::private;
use tars_config::{Kernel, Provider};
use tars_embed::{EmbedError, Preparation};
use tars_engine::index::{IndexLock, KnownFiles, LeftOut, Root, RootComparison};
use tars_store::{Reader, Statistics};
use tars_text::formats::is_pdf;
use tars_text::languages::LanguageShares;
use tars_vault::PdfRefusal;

/// Asks what is indexed, and how far the index is behind the notes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StatusRequest {}

/// The answer to `tars status`, and its JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatusReport {
    /// The indexed folders.
    pub collections: Vec<CollectionReport>,
    /// Number of files in the index.
    pub files: usize,
    /// Number of chunks.
    pub chunks: usize,
    /// Number of passages.
    pub passages: usize,
    /// Number of passages with a vector.
    pub embedded: usize,
    /// Number of files with opaque data, such as a picture in base64, which is not indexed.
    #[serde(default)]
    pub opaque_files: usize,
    /// Bytes of opaque data in them.
    #[serde(default)]
    pub opaque_bytes: usize,
    /// Number of files that differ on disk or wait for their vectors.
    pub pending: usize,
    /// When all notes were last compared, RFC 3339.
    pub last_index: Option<String>,
    /// The embedding model.
    pub model: ModelReport,
    /// The running change of the embedding model; the former model answers until it is complete.
    #[serde(default)]
    pub model_change: Option<ModelChange>,
    /// The database.
    pub database: DatabaseReport,
    /// Whether a watcher runs.
    pub watcher: bool,
    /// Keys of settings that were changed since the watcher or the server started, which goes on with the former values.
    #[serde(default)]
    pub unapplied_settings: Vec<String>,
    /// Whether a process is indexing right now.
    #[serde(default)]
    pub indexing: bool,
    /// Session notes that have not been written.
    pub notes: NotesReport,
    /// The pauses in force; the pause of all sessions comes first.
    pub paused: Vec<Pause>,
    /// The languages of the notes, the most common first.
    pub languages: Vec<LanguageReport>,
    /// An embedding model that fits these languages better than the current one.
    pub advice: Option<ModelAdvice>,
}

/// An indexed folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CollectionReport {
    /// Its name.
    pub name: String,
    /// Its path.
    pub root: String,
    /// Number of files in the index.
    pub files: usize,
    /// Number of files that differ on disk and can be read.
    pub pending: usize,
    /// Number of files and folders that are not indexed, or not wholly, because of their content or permissions.
    pub unreadable: usize,
    /// These, by path.
    #[serde(default)]
    pub unindexed: Vec<UnindexedFile>,
    /// Paths of links to notes and folders outside the folder that are left out; those of folders end with a slash.
    #[serde(default)]
    pub links: Vec<String>,
    /// Number of notes whose text iCloud has evicted from this disk.
    pub evicted: usize,
    /// Paths of notes that are excluded as conflict copies of a sync program.
    pub conflict_copies: Vec<String>,
    /// Why it cannot be read.
    pub problem: Option<String>,
}

/// A file that is not indexed, or not wholly.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct UnindexedFile {
    /// Path relative to the collection's root.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// The embedding model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelReport {
    /// The provider of embeddings.
    pub provider: Provider,
    /// The model's name.
    pub id: String,
    /// Fingerprint of the model that made the stored vectors.
    pub indexed_with: Option<String>,
    /// Whether tars' own kernel runs it: `ready`, or why ONNX Runtime does; `None` if the model is not on this machine.
    pub kernel: Option<String>,
    /// Why it is unusable.
    pub problem: Option<String>,
}

/// The database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DatabaseReport {
    /// Its path.
    pub path: String,
    /// Its size including its write-ahead log, in bytes.
    pub bytes: u64,
}

impl UseCase for StatusRequest {
    type Response = StatusReport;

    fn run(&self, service: &Service<'_>) -> Result<StatusReport> {
        let mut report = match service.ask_daemon(&Message::Status)? {
            Some(Reply::Status(status)) => *status,
            _ => {
                let mut report = service.app.status()?;
                if service.backend == Backend::Fallback && report.watcher {
                    // A watcher with other settings does not answer for this process, but it knows which ones it lacks.
                    let other = Daemon::of(service.app).ask_any(&Message::Status, ANSWER_TIMEOUT);
                    if let Some(Reply::Status(other)) = other {
                        report.unapplied_settings = other.unapplied_settings;
                    }
                }
                report
            }
        };
        report.collections.retain(|collection| service.app.shows(&collection.name));
        Ok(report)
    }
}

impl App {
    /// Returns the state of the index, and whether it is up to date. Neither a model nor its runtime is loaded.
    ///
    /// # Errors
    /// No vault is configured; or the database is unusable. A missing database counts as empty.
    pub fn status(&self) -> Result<StatusReport> {
        let database = self.database();
        let store = self.existing_index()?;
        let index = store.as_ref().map(|store| store.snapshot()).transpose()?;
        let index = index.as_deref();
        let statistics = index.map(|index| index.statistics()).transpose()?.unwrap_or_default();
        let meta = |key| index.map_or(Ok(None), |index| index.meta(key));
        let roots = self.roots()?.into_iter();
        let collections: Vec<CollectionReport> =
            roots.map(|root| self.collection(index, &root)).collect::<Result<_>>()?;
        let Statistics { files, chunks, passages, embedded, opaque_files, opaque_bytes, .. } = statistics;
        // A file that waits for its vectors is already indexed: it counts once, not among those that differ on disk.
        let indexed_with = meta("model")?;
        let change = match (index, &indexed_with) {
            (Some(index), Some(indexed_with)) => self.model_change(index, indexed_with)?,
            _ => None,
        };
        let (model, foreign) = self.model_report(indexed_with, change.is_some());
        let waiting = match self.settings.config.embedding.provider {
            Provider::None => 0,
            _ if foreign => files,
            Provider::Onnx | Provider::OpenAi => {
                index.map(|index| index.pending_file_count()).transpose()?.unwrap_or_default()
            }
        };
        let shares: LanguageShares = meta(LanguageShares::KEY)?.and_then(|said| said.parse().ok()).unwrap_or_default();
        let (languages, advice) = self.report_languages(&shares);
        Ok(StatusReport {
            languages,
            advice,
            pending: collections.iter().map(|collection| collection.pending).sum::<usize>() + waiting,
            collections,
            files,
            chunks,
            passages,
            embedded,
            opaque_files,
            opaque_bytes,
            last_index: meta("indexed_at")?,
            model,
            model_change: change,
            database: DatabaseReport { path: database.display().to_string(), bytes: on_disk(&database) },
            watcher: is_held(&self.settings.config.data.dir.join("watch.lock")),
            unapplied_settings: self.unapplied_settings(),
            indexing: IndexLock::is_held(&self.settings.config.data.dir),
            notes: DataDirectory::of(self).notes(),
            paused: self.pauses().in_force(self.environment.clock.timestamp())?,
        })
    }

    fn collection(&self, index: Option<&dyn Reader>, root: &Root) -> Result<CollectionReport> {
        let collections = index.map(|index| index.collections()).transpose()?.unwrap_or_default();
        let collection = collections.into_iter().find(|collection| collection.name == root.name);
        let damaged = match (index, &collection) {
            (Some(index), Some(collection)) => index.damaged_files(collection.id)?,
            _ => Vec::new(),
        };
        let known = || match (index, collection) {
            (Some(index), Some(collection)) => KnownFiles::read(index, collection.id, None),
            _ => Ok(KnownFiles::default()),
        };
        let (files, found) = match std::fs::read_dir(&root.path) {
            Err(error) => (known()?.files.len(), Err(format!("not there: {error}"))),
            Ok(_) => {
                let RootComparison { known, compared: look } = self.look_at(root, known)?;
                (known, look.map_err(|error| error.to_string()))
            }
        };
        let (mut differences, mut evicted, mut conflict_copies) = (Vec::new(), 0, Vec::new());
        let (mut unindexed, mut links) = (Vec::new(), Vec::new());
        let named = |(path, reason)| UnindexedFile { path, reason };
        let problem = match found {
            Err(problem) => Some(problem),
            Ok(mut look) => {
                evicted = look.walk.evicted.len();
                conflict_copies = std::mem::take(&mut look.walk.conflict_copies);
                links = std::mem::take(&mut look.walk.links);
                unindexed.extend(look.left_out().into_iter().map(|file| named(self.exclusion(file))));
                unindexed.extend(look.walk.skipped.iter().map(|place| named(place.within(&root.path))));
                let is_emptied = look.is_emptied();
                if !is_emptied {
                    differences = look.differences();
                }
                is_emptied.then(|| format!("empty, but the index knows {}", pluralize(files, "note")))
            }
        };
        let unreadable = differences.iter().filter(|one| one.unreadable);
        unindexed.extend(unreadable.map(|one| named((one.path.clone(), "permission denied".into()))));
        // A changed file is read again, and may be mended.
        let is_pending = |path: &String| differences.iter().any(|one| one.path == *path && !one.doubtful);
        unindexed.extend(damaged.into_iter().filter(|(path, _)| !is_pending(path)).map(named));
        unindexed.sort();
        unindexed.dedup_by(|one, other| one.path == other.path);
        let pending = differences.iter().filter(|one| !one.unreadable && !one.doubtful).count();
        let root_path = root.path.display().to_string();
        Ok(CollectionReport {
            name: root.name.clone(),
            root: root_path,
            files,
            pending,
            unreadable: unindexed.len(),
            unindexed,
            links,
            evicted,
            conflict_copies,
            problem,
        })
    }

    /// Returns the path of a note and why it is excluded by its content.
    fn exclusion(&self, LeftOut { path, size, reason }: LeftOut) -> (String, String) {
        let limit = self.settings.config.index.max_file_size;
        let of_text = || match size > limit {
            // A larger PDF has a reason of its own.
            _ if is_pdf(&path) => PdfRefusal::TooMuchText.to_string(),
            true => format!("{size} bytes, more than index.max_file_size ({limit})"),
            false => "holds binary data, not text".into(),
        };
        let reason = reason.unwrap_or_else(of_text);
        (path, reason)
    }

    /// Returns the state of the model, and whether the vectors in the index come from another model, or another form of it, than
    /// the settings name. Unless the former model answers, no vector is usable then. Servers are not contacted.
    fn model_report(&self, indexed_with: Option<String>, former_answers: bool) -> (ModelReport, bool) {
        let settings = &self.settings.config.embedding;
        let (mut kernel, mut problem, mut foreign) = (None, None, false);
        match settings.provider {
            Provider::Onnx => match self.local_vectors() {
                Ok((state, vectors)) => {
                    kernel = Some(state);
                    if let Some(known) = indexed_with.as_ref().filter(|known| *known != vectors.as_str()) {
                        foreign = true;
                        let vectors = vectors.as_str();
                        problem = (!former_answers).then(|| {
                            format!("the notes are embedded with {known}, not with {vectors} (fix it with: tars index)")
                        });
                    }
                }
                Err(error) => problem = Some(with_hint(error.to_string(), error.hint())),
            },
            Provider::OpenAi if settings.base_url.is_none() => problem = Some("embedding.base_url is not set".into()),
            Provider::OpenAi | Provider::None => {}
        }
        (
            ModelReport { provider: settings.provider, id: settings.model.clone(), indexed_with, kernel, problem },
            foreign,
        )
    }

    /// Returns the state of the local model in a few words, and the fingerprint of the vectors that it would make.
    fn local_vectors(&self) -> Result<(String, ModelId), EmbedError> {
        let model = self.installed_model()?;
        model.verify(false)?;
        let preparation = match self.settings.config.embedding.kernel {
            Kernel::Auto => Some(model.preparation()),
            Kernel::Off => None,
        };
        if !matches!(preparation, Some(Preparation::Ready { .. })) {
            match (model.needs_kernel(), &preparation) {
                (true, None) => return Err(EmbedError::NeedsKernel { model: model.manifest.id }),
                (_, Some(_)) => model.check_runnable()?,
                (false, None) => {}
            }
            if !model.needs_kernel() {
                self.runtime()?;
            }
        }
        let vectors = model.vectors(preparation.as_ref());
        Ok((preparation.map_or_else(|| "off".into(), |preparation| preparation.to_string()), vectors))
    }
}

/// Whether a process holds the watcher's lock, which the system releases when the process ends.
fn is_held(lock: &Path) -> bool {
    let lock = private::open(lock, OpenOptions::new().read(true));
    // As `daemon::DaemonLock` expects of callers: a short shared lock does not prevent a watcher from starting.
    lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Returns the size of the database including its write-ahead log.
fn on_disk(database: &Path) -> u64 {
    let beside = |suffix: &str| {
        let mut name = database.as_os_str().to_owned();
        name.push(suffix);
        std::fs::metadata(name).map_or(0, |metadata| metadata.len())
    };
    beside("") + beside("-wal")
}
