//! How far the index is behind the files, and closing the gap where it is small.

use std::path::PathBuf;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;

use super::rescue::Deadline;
use super::{App, IndexRequest, Model};
use crate::index::{self, Difference, IndexLock, Part, Report, Root};
use crate::store::{SqliteStore, Store};
use crate::vault::walk_while;

/// Changed notes that a question brings in before it is answered: parsing so many takes a few milliseconds.
const FEW: usize = 50;
/// Bytes in them.
const SMALL: u64 = 2 << 20;

/// The index is of another folder than the configured one.
#[derive(Debug, thiserror::Error)]
#[error("the index holds {known} as '{name}', not {path}")]
pub struct OtherVault {
    name: String,
    known: String,
    path: String,
}

/// How far the index is behind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Freshness {
    /// Notes that differ from the index.
    pub pending: usize,
    /// How long ago the oldest of these changes was made, milliseconds.
    pub lag_ms: u64,
    /// Why answers are less than they could be, if they are: what they rest on in place of the index.
    pub said: Option<String>,
}

impl App {
    /// Opens the index to ask it and returns it with how far it is behind, after closing a small gap if `sync` says so.
    ///
    /// # Errors
    /// There is none, or it cannot be used.
    pub fn open_fresh(&self, model: &Model, sync: bool) -> Result<(SqliteStore, Freshness)> {
        let (store, differences) = self.open_compared(sync)?;
        self.up_to_date(store, differences, model)
    }

    /// As [`App::open_fresh`], and loads the model while the notes are compared: a cold question waits for the longer of the
    /// two alone. New notes get their vectors too, as far as the time allows (see [`App::embed_newest`]). Where the index on disk cannot be used, another takes its place (see [`App::rescue`]).
    ///
    /// # Errors
    /// There is no index, or neither it nor the notes can be read; what the model lacks is no error.
    pub fn open_fresh_with(
        &self,
        load: impl FnOnce() -> Model + Send,
        sync: bool,
    ) -> Result<(SqliteStore, Model, Freshness)> {
        let (opened, model) = thread::scope(|scope| {
            let loading = scope.spawn(load);
            let opened = self.open_compared(sync);
            (opened, loading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let fresh = opened.and_then(|(store, differences)| self.up_to_date(store, differences, &model));
        let (store, freshness) = fresh.or_else(|error| self.rescue(error, &model, sync))?;
        if sync && freshness.said.is_none() {
            self.embed_newest(&store, &model);
        }
        Ok((store, model, freshness))
    }

    /// Opens the index and, if `sync` says so, finds what differs from it.
    fn open_compared(&self, sync: bool) -> Result<(SqliteStore, Vec<(Root, Difference)>)> {
        let store = self.open_index()?;
        self.check_roots(&store)?;
        let differences = if sync { self.differences(&store)? } else { Vec::new() };
        Ok((store, differences))
    }

    /// Refuses to answer from the notes of another folder than the one that is configured.
    fn check_roots(&self, store: &dyn Store) -> Result<()> {
        let known = store.collections()?;
        for root in self.roots()? {
            let path = root.path.to_string_lossy();
            let other = known.iter().find(|collection| collection.name == root.name && collection.root != path);
            if let Some(collection) = other {
                return Err(
                    OtherVault { name: root.name.clone(), known: collection.root.clone(), path: path.into() }.into()
                );
            }
        }
        Ok(())
    }

    /// Brings changed notes in by their words, if they are few and no other process is indexing. Returns the store to ask, with
    /// what is left. `model` cuts them as `tars index` would, if it is there.
    fn up_to_date(
        &self,
        store: SqliteStore,
        mut differences: Vec<(Root, Difference)>,
        model: &Model,
    ) -> Result<(SqliteStore, Freshness)> {
        if differences.len() > FEW {
            differences.retain(|(_, difference)| !difference.doubtful);
        }
        if differences.is_empty() {
            return Ok((store, Freshness::default()));
        }
        let size: u64 = differences.iter().map(|(_, difference)| difference.size).sum();
        if differences.len() > FEW || size > SMALL {
            return Ok((store, behind(&differences)));
        }
        Ok(match self.bring_in(&differences, model) {
            // The store that was opened before is the damaged one.
            Ok(Some(report)) if report.set_aside.is_some() => self.opened_anew(&report)?,
            Ok(Some(Report { failed: 0, interrupted: false, .. })) => (store, Freshness::default()),
            Ok(_) => (store, behind(&differences)),
            Err(error) => {
                let said = format!("changed notes were not brought in: {error:#}");
                (store, Freshness { said: Some(said), ..behind(&differences) })
            }
        })
    }

    /// Compares the vault's stat data with the index. Returns the places that differ and can be read, with their roots. A root that is
    /// missing or empty while the index knows notes counts as unchanged: nothing is known of it.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn differences(&self, store: &dyn Store) -> Result<Vec<(Root, Difference)>> {
        let mut all = Vec::new();
        for root in self.roots()? {
            let Some(collection) = store.collections()?.into_iter().find(|collection| collection.name == root.name)
            else {
                continue;
            };
            // The index of another folder says nothing about this one.
            if collection.root != root.path.to_string_lossy() || std::fs::read_dir(&root.path).is_err() {
                continue;
            }
            let known = || (store.files(collection.id), store.left_out(collection.id));
            let (walked, (known, out)) = walk_while(&root.path, &self.walk_options(), known);
            let (Ok(found), known, out) = (walked, known?, out?) else { continue };
            if found.notes.is_empty() && !known.is_empty() {
                continue;
            }
            let readable = index::differences(found, known, &out).into_iter().filter(|one| !one.unreadable);
            all.extend(readable.map(|difference| (root.clone(), difference)));
        }
        Ok(all)
    }

    /// Brings these notes in by their words. Returns what was done; `None` while another process is indexing.
    fn bring_in(&self, differences: &[(Root, Difference)], model: &Model) -> Result<Option<Report>> {
        let Some(lock) = IndexLock::try_acquire(&self.settings.config.data.dir)? else { return Ok(None) };
        let request = IndexRequest { paths: places(differences), part: Part::Words, ..IndexRequest::default() };
        self.index(&lock, &request, model, &Deadline::of_a_question()).map(Some)
    }
}

/// Returns the absolute paths of these differences.
pub(crate) fn places(differences: &[(Root, Difference)]) -> Vec<PathBuf> {
    differences.iter().map(|(root, difference)| root.path.join(&difference.path)).collect()
}

pub(super) fn behind(differences: &[(Root, Difference)]) -> Freshness {
    let oldest = differences.iter().filter_map(|(_, difference)| difference.mtime_ns).min();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64);
    let lag_ms = oldest.map_or(0, |oldest| u64::try_from((now - oldest) / 1_000_000).unwrap_or(0));
    Freshness { pending: differences.len(), lag_ms, said: None }
}
