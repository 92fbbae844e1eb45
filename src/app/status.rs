//! What is indexed, and whether it is up to date.

use std::fs::{OpenOptions, TryLockError};
use std::path::Path;

use anyhow::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{App, ENGINE, LanguageReport, ModelAdvice, ModelChange, Pause};
use crate::config::{Kernel, Provider};
use crate::domain::{ModelId, count};
use crate::embed::{EmbedError, Preparation};
use crate::index::{IndexLock, Known, LookedAt, Root};
use crate::languages::LanguageShares;
use crate::private;
use crate::store::{Reader, Statistics, StoreError};

/// The answer to `tars status`, and its JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatusReport {
    /// The folders that are indexed.
    pub collections: Vec<CollectionReport>,
    /// Files in the index.
    pub files: usize,
    /// Chunks in them.
    pub chunks: usize,
    /// Passages in those.
    pub passages: usize,
    /// Passages that have a vector.
    pub embedded: usize,
    /// Files that differ on disk or wait for their vectors.
    pub pending: usize,
    /// When everything was last compared, RFC 3339.
    pub last_index: Option<String>,
    /// The embedding model.
    pub model: ModelReport,
    /// The change of the embedding model that is under way, during which the former model answers.
    #[serde(default)]
    pub model_change: Option<ModelChange>,
    /// The database.
    pub database: DatabaseReport,
    /// Whether a watcher runs.
    pub watcher: bool,
    /// Whether a process is bringing notes into the index right now.
    #[serde(default)]
    pub indexing: bool,
    /// Notes of sessions that have not been made.
    pub notes: NotesReport,
    /// The pauses that are in force, that of all sessions first.
    pub paused: Vec<Pause>,
    /// The languages of the notes, the commonest first.
    pub languages: Vec<LanguageReport>,
    /// An embedding model that suits them better than the one in use.
    pub advice: Option<ModelAdvice>,
}

/// Notes of sessions that have not been made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotesReport {
    /// Events that wait for their note.
    pub waiting: usize,
    /// Events of which no note could be made.
    pub given_up: usize,
}

/// A folder that is indexed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CollectionReport {
    /// Its name.
    pub name: String,
    /// Its path.
    pub root: String,
    /// Files in the index.
    pub files: usize,
    /// Files that differ on disk and can be read.
    pub pending: usize,
    /// Files that differ on disk, or are not indexed, and cannot be read.
    pub unreadable: usize,
    /// Notes whose text iCloud has taken off this disk.
    pub evicted: usize,
    /// Paths of notes that are left out as copies that a sync program made of a conflict.
    pub conflict_copies: Vec<String>,
    /// Why it cannot be looked into.
    pub problem: Option<String>,
}

/// The embedding model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelReport {
    /// Who embeds.
    pub provider: Provider,
    /// The model's name.
    pub id: String,
    /// Fingerprint of the model that made the stored vectors.
    pub indexed_with: Option<String>,
    /// Whether tars runs it itself: `ready`, or why ONNX Runtime does; `None` where it is not on this machine.
    pub kernel: Option<String>,
    /// Why it cannot be used.
    pub problem: Option<String>,
}

/// The database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DatabaseReport {
    /// Its path.
    pub path: String,
    /// Its size with its write-ahead log, bytes.
    pub bytes: u64,
}

impl App {
    /// Returns what is indexed, and whether it is up to date. Neither a model nor its runtime is loaded.
    ///
    /// # Errors
    /// No vault is set, or the database cannot be used; a missing one is an empty one.
    pub fn status(&self) -> Result<StatusReport> {
        let database = self.database();
        let store = match ENGINE.open_existing(&database) {
            Ok(store) => Some(store),
            Err(StoreError::Missing { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let index = store.as_ref().map(|store| store.snapshot()).transpose()?;
        let index = index.as_deref();
        let statistics = index.map(|index| index.statistics()).transpose()?.unwrap_or_default();
        let meta = |key| index.map_or(Ok(None), |index| index.meta(key));
        let roots = self.roots()?.into_iter();
        let collections: Vec<CollectionReport> =
            roots.map(|root| self.collection(index, &root)).collect::<Result<_>>()?;
        let Statistics { files, chunks, passages, embedded, .. } = statistics;
        // A file that waits for its vectors has been read: it is counted once, not among those that differ on disk.
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
            last_index: meta("indexed_at")?,
            model,
            model_change: change,
            database: DatabaseReport { path: database.display().to_string(), bytes: on_disk(&database) },
            watcher: is_held(&self.settings.config.data.dir.join("watch.lock")),
            indexing: IndexLock::is_held(&self.settings.config.data.dir),
            notes: self.kept().notes(),
            paused: self.pauses().in_force(self.environment.clock.timestamp())?,
        })
    }

    fn collection(&self, index: Option<&dyn Reader>, root: &Root) -> Result<CollectionReport> {
        let collections = index.map(|index| index.collections()).transpose()?.unwrap_or_default();
        let collection = collections.into_iter().find(|collection| collection.name == root.name);
        let known = || match (index, collection) {
            (Some(index), Some(collection)) => Known::read(index, collection.id, None),
            _ => Ok(Known::default()),
        };
        let (files, found) = match std::fs::read_dir(&root.path) {
            Err(error) => (known()?.files.len(), Err(format!("not there: {error}"))),
            Ok(_) => {
                let LookedAt { known, look } = self.look_at(root, known)?;
                (known, look.map_err(|error| error.to_string()))
            }
        };
        let (mut differences, mut evicted, mut conflict_copies) = (Vec::new(), 0, Vec::new());
        let problem = match found {
            Err(problem) => Some(problem),
            Ok(mut look) => {
                evicted = look.found.evicted.len();
                conflict_copies = std::mem::take(&mut look.found.conflict_copies);
                let is_emptied = look.is_emptied();
                if !is_emptied {
                    differences = look.differences();
                }
                is_emptied.then(|| format!("empty, but the index knows {}", count(files, "note")))
            }
        };
        let unreadable = differences.iter().filter(|one| one.unreadable).count();
        let pending = differences.iter().filter(|one| !one.unreadable && !one.doubtful).count();
        let root_path = root.path.display().to_string();
        Ok(CollectionReport {
            name: root.name.clone(),
            root: root_path,
            files,
            pending,
            unreadable,
            evicted,
            conflict_copies,
            problem,
        })
    }

    /// Returns how it stands with the model, and whether the notes are embedded with another one, or with another form of
    /// it, than the settings name. Unless the former one answers meanwhile, no vector serves then. A server is not asked.
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
                            format!(
                                "the notes are embedded with {known}, not with {vectors} (mend it with: tars index)"
                            )
                        });
                    }
                }
                Err(error) => problem = Some(complaint(&error)),
            },
            Provider::OpenAi if settings.base_url.is_none() => problem = Some("embedding.base_url is not set".into()),
            Provider::OpenAi | Provider::None => {}
        }
        (
            ModelReport { provider: settings.provider, id: settings.model.clone(), indexed_with, kernel, problem },
            foreign,
        )
    }

    /// Returns who would run the model on this machine, in a few words, and the fingerprint of the vectors that it would make.
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

fn complaint(error: &EmbedError) -> String {
    match error.hint() {
        Some(hint) => format!("{error} (mend it with: {hint})"),
        None => error.to_string(),
    }
}

/// Whether a process holds the watcher's lock, which ends with it.
fn is_held(lock: &Path) -> bool {
    let lock = private::open(lock, OpenOptions::new().read(true));
    // As `daemon::DaemonLock` expects of those who ask: a shared lock for a moment keeps no watcher from its start.
    lock.is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Size of the database with its write-ahead log.
fn on_disk(database: &Path) -> u64 {
    let beside = |suffix: &str| {
        let mut name = database.as_os_str().to_owned();
        name.push(suffix);
        std::fs::metadata(name).map_or(0, |metadata| metadata.len())
    };
    beside("") + beside("-wal")
}
