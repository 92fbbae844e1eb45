//! Measures how far the index is behind the files, and closes small gaps.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::deadline::Deadline;
use crate::{App, IndexScope, Model, Result};
use tars_base::domain::SearchAnswer;
use tars_engine::index::{
    self, ChangeRules, Difference, IndexError, IndexLock, KnownFiles, Report, Root, RootComparison, RunPart,
};
use tars_store::{DataVersion, Index, Reader, Store, StoreError};
use tars_text::formats::is_pdf;

/// How long a question waits for changed notes: shorter than a command waits for a daemon, and than a hook may take.
pub const CATCH_UP: Duration = Duration::from_millis(400);
/// Above this number of differences, a question skips notes whose stat data is inconclusive.
const MANY_DIFFERENCES: usize = 50;
/// A larger changed note, in bytes, is left to the indexer, because it takes too long to cut. One that has probably not changed is read and
/// compared.
const LARGEST_NOTE: u64 = 2 << 20;

/// How changed notes are handled before a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CatchUp {
    /// The notes on disk are not checked.
    Nothing,
    /// Changed notes are indexed by words.
    Words,
    /// In addition, the newest passages without a vector are embedded for a short time.
    WordsAndVectors,
}

impl CatchUp {
    /// Whether the notes on disk are compared with the index.
    pub fn looks_at_disk(self) -> bool {
        self != Self::Nothing
    }
}

/// The index belongs to another folder than the configured one.
#[derive(Debug, thiserror::Error)]
#[error("the index holds {known} as '{name}', not {path}")]
pub struct VaultMismatch {
    name: String,
    known: String,
    path: String,
}

/// The result of comparing the disk with the index.
#[derive(Debug, Clone, Default)]
pub struct DiskComparison {
    /// Readable notes that differ from the index, with their roots.
    pub differences: Vec<(Root, Difference)>,
    /// Remarks about missing folders, a line each.
    pub missing: Vec<String>,
}

/// How far the index is behind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freshness {
    /// Number of notes that differ from the index.
    pub pending: usize,
    /// Age of the oldest of these changes, in milliseconds.
    pub lag_ms: u64,
    /// Why answers are degraded, if they are: the replacement for the index, or changes that are missing.
    pub said: Option<String>,
}

impl Freshness {
    /// Adds to an answer how far the index was behind, and why the answer is degraded.
    pub fn date(&self, answer: &mut SearchAnswer) {
        answer.index.pending += self.pending;
        answer.index.lag_ms = self.lag_ms;
        answer.degrade(self.said.clone());
    }
}

/// An opened index.
pub struct FreshIndex<T> {
    /// The index.
    pub store: Index,
    /// How far it is behind the notes.
    pub freshness: Freshness,
    /// The answer to the first question, if it is still valid because nothing has changed.
    pub first: Option<T>,
}

/// An answer, and the version of the index that it came from.
type ProvisionalAnswer<T> = (T, DataVersion);

impl App {
    /// Opens the index, loads the model meanwhile, and handles changed notes as `catch_up` says. Returns the model even if the
    /// index cannot be opened, so that [`App::replacement_index`] can use it.
    ///
    /// Checking the notes takes a good part of the time of an answer, and mostly nothing has changed. So `first` runs on the current
    /// index while other threads check the notes. Its result is valid if they find no change and the index still has the same version.
    ///
    /// # Errors
    /// There is no index; or it is unusable. A failure to load the model is no error.
    pub fn open_fresh<T>(
        &self,
        load: impl FnOnce() -> Model + Send,
        catch_up: CatchUp,
        first: impl FnOnce(&dyn Reader, &Model) -> Option<T>,
    ) -> (Model, Result<FreshIndex<T>>) {
        thread::scope(|scope| {
            let loading = scope.spawn(load);
            let store = match self.open_checked() {
                Ok(store) => store,
                Err(error) => return (joined(loading), Err(error)),
            };
            // A connection belongs to one thread, so the comparison uses another connection.
            let looking = catch_up.looks_at_disk().then(|| scope.spawn(|| self.compared(&*self.open_index()?, true)));
            let model = joined(loading);
            let asked = self.provisional_answer(&*store, catch_up, &model, first);
            let compared = looking.map_or_else(|| self.compared(&*store, false), joined);
            let opened = compared.and_then(|compared| self.caught_up(store, compared, catch_up, &model, asked));
            (model, opened)
        })
    }

    /// Opens the index, if it belongs to the configured folders.
    fn open_checked(&self) -> Result<Index> {
        let store = self.open_index()?;
        self.check_roots(&*store)?;
        Ok(store)
    }

    /// Asks the question on the current index, unless passages must be embedded first. A failure gives `None`: the caller asks
    /// again and reports the error then.
    fn provisional_answer<T>(
        &self,
        store: &dyn Store,
        catch_up: CatchUp,
        model: &Model,
        question: impl FnOnce(&dyn Reader, &Model) -> Option<T>,
    ) -> Option<ProvisionalAnswer<T>> {
        let index = store.snapshot().ok()?;
        let known = index.statistics().ok()?;
        let embeds = catch_up == CatchUp::WordsAndVectors && model.embedder().is_some();
        if embeds && known.embedded < known.passages {
            return None;
        }
        Some((question(&*index, model)?, index.data_version().ok()?))
    }

    /// Handles the changes as `catch_up` says.
    fn caught_up<T>(
        &self,
        store: Index,
        compared: DiskComparison,
        catch_up: CatchUp,
        model: &Model,
        asked: Option<ProvisionalAnswer<T>>,
    ) -> Result<FreshIndex<T>> {
        let version = store.snapshot()?.data_version()?;
        let holds = |(_, of): &ProvisionalAnswer<T>| compared.differences.is_empty() && *of == version;
        let first = asked.filter(holds).map(|(answer, _)| answer);
        let (store, freshness) = self.up_to_date(store, compared, model)?;
        if first.is_none() && catch_up == CatchUp::WordsAndVectors && freshness.said.is_none() {
            self.embed_newest(&*store, model);
        }
        Ok(FreshIndex { store, freshness, first })
    }

    /// Refuses to answer from the notes of another folder than the configured one.
    fn check_roots(&self, store: &dyn Store) -> Result<()> {
        let known = store.snapshot()?.collections()?;
        for root in self.roots()? {
            let path = root.path.to_string_lossy();
            let other = known.iter().find(|collection| collection.name == root.name && collection.root != path);
            if let (Some(_), Err(error)) = (other, std::fs::read_dir(&root.path)) {
                let (collection, path, detail) = (root.name.clone(), root.path.clone(), error.to_string());
                return Err(IndexError::RootMissing { collection, path, detail }.into());
            }
            if let Some(collection) = other {
                return Err(VaultMismatch {
                    name: root.name.clone(),
                    known: collection.root.clone(),
                    path: path.into(),
                }
                .into());
            }
        }
        Ok(())
    }

    /// Indexes changed notes by words as far as time allows, newest first, unless another process is indexing. Returns the store
    /// to ask, and the remaining gap. `model` cuts the notes as `tars index` would, if it is available.
    fn up_to_date(&self, store: Index, compared: DiskComparison, model: &Model) -> Result<(Index, Freshness)> {
        let DiskComparison { mut differences, missing } = compared;
        if differences.len() > MANY_DIFFERENCES {
            differences.retain(|(_, difference)| !difference.doubtful);
        }
        // A question does not wait for PDFs.
        differences.retain(|(_, one)| !(one.doubtful && is_pdf(&one.path)));
        let is_quick = |one: &Difference| (one.size <= LARGEST_NOTE || one.doubtful) && !is_pdf(&one.path);
        let (small, large): (Vec<_>, Vec<_>) = differences.iter().cloned().partition(|(_, one)| is_quick(one));
        let done = if small.is_empty() { Ok(Some(Report::default())) } else { self.bring_in(&small, model) };
        let (left, why) = match done {
            // The store that was opened before is the damaged one.
            Ok(Some(report)) if report.set_aside.is_some() => return self.open_rebuilt(&report),
            Ok(Some(Report { failed: 0, interrupted: false, .. })) => (large, None),
            Ok(Some(_)) => (certain(self.compared(&*store, true)?.differences), None),
            Ok(None) => (differences, Some("another process is indexing".to_owned())),
            Err(error) if error.store_cause().is_some_and(StoreError::is_busy) => {
                (differences, Some("another program has locked the index".to_owned()))
            }
            Err(error) => (differences, Some(format!("{error:#}"))),
        };
        let left = lag_of(&left);
        let missing_notes_remark = (left.pending > 0).then(|| {
            let why = why.map(|why| format!(": {why}")).unwrap_or_default();
            missing_notes_remark(left.pending) + &why
        });
        let said: Vec<String> = missing.into_iter().chain(missing_notes_remark).collect();
        Ok((store, Freshness { said: (!said.is_empty()).then(|| said.join("; ")), ..left }))
    }

    /// Compares the vault's stat data with the index. A root that is missing, or that is empty while the index knows notes,
    /// counts as unchanged, because nothing is known about it, and is reported. Without `sync` the notes are not checked.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn compared(&self, store: &dyn Store, sync: bool) -> Result<DiskComparison> {
        let mut compared = DiskComparison::default();
        for root in self.roots()? {
            if let Err(error) = std::fs::read_dir(&root.path) {
                let (collection, path, detail) = (root.name, root.path, error.to_string());
                compared.missing.push(IndexError::RootMissing { collection, path, detail }.to_string());
                continue;
            }
            let Some(collection) =
                store.snapshot()?.collections()?.into_iter().find(|collection| collection.name == root.name)
            else {
                continue;
            };
            // An index of another folder says nothing about this one.
            if !sync || collection.root != root.path.to_string_lossy() {
                continue;
            }
            let RootComparison { known, compared: look } =
                self.look_at(&root, || KnownFiles::read(&*store.snapshot()?, collection.id, None))?;
            let Ok(look) = look else { continue };
            if look.is_emptied() {
                compared.missing.push(IndexError::RootEmpty { path: root.path, known }.to_string());
                continue;
            }
            let readable = look.differences().into_iter().filter(|one| !one.unreadable);
            compared.differences.extend(readable.map(|difference| (root.clone(), difference)));
        }
        Ok(compared)
    }

    /// Compares the notes of a root with the `known` ones, which are read while the system lists the notes.
    ///
    /// # Errors
    /// The known notes cannot be read.
    pub(crate) fn look_at(
        &self,
        root: &Root,
        known: impl FnOnce() -> Result<KnownFiles, StoreError>,
    ) -> Result<RootComparison, StoreError> {
        index::compare_root(&root.path, &self.walk_options(), ChangeRules::default(), known)
    }

    /// Whether each root can be listed and holds a visible entry: an unmounted folder does not.
    pub fn roots_hold_something(&self) -> bool {
        let is_visible = |name: &OsStr| !name.as_encoded_bytes().starts_with(b".");
        let holds = |root: &Root| {
            let mut entries = std::fs::read_dir(&root.path).into_iter().flatten().flatten();
            entries.any(|entry| is_visible(&entry.file_name()))
        };
        self.roots().unwrap_or_default().iter().all(holds)
    }

    /// Indexes these notes by words. Returns the report; `None` while another process is indexing.
    fn bring_in(&self, differences: &[(Root, Difference)], model: &Model) -> Result<Option<Report>> {
        let Some(lock) = IndexLock::try_acquire(&self.settings.config.data.dir)? else { return Ok(None) };
        let request = IndexScope {
            paths: places(differences),
            part: RunPart::Words,
            patience: Some(CATCH_UP),
            ..IndexScope::default()
        };
        self.index(&lock, &request, model, &Deadline::after(CATCH_UP)).map(Some)
    }
}

/// Returns the result of a thread.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Returns the remark that this number of changed notes is not in the index; 0 stands for an unknown number.
pub fn missing_notes_remark(notes: usize) -> String {
    match notes {
        0 => "some changed notes are not in this answer yet".into(),
        1 => "1 changed note is not in this answer yet".into(),
        notes => format!("{notes} changed notes are not in this answer yet"),
    }
}

fn certain(mut differences: Vec<(Root, Difference)>) -> Vec<(Root, Difference)> {
    differences.retain(|(_, difference)| !difference.doubtful);
    differences
}

/// Returns the absolute paths of these differences.
pub fn places(differences: &[(Root, Difference)]) -> Vec<PathBuf> {
    differences.iter().map(|(root, difference)| root.path.join(&difference.path)).collect()
}

pub(crate) fn lag_of(differences: &[(Root, Difference)]) -> Freshness {
    let oldest = differences.iter().filter_map(|(_, difference)| difference.mtime_ns).min();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64);
    let lag_ms = oldest.map_or(0, |oldest| u64::try_from((now - oldest) / 1_000_000).unwrap_or(0));
    Freshness { pending: differences.len(), lag_ms, said: None }
}
