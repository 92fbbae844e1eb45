//! The progress of a change of the model: observed during a run, and stored in the index for other processes.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::locked;
use tars_base::domain::{Progress, Stage};
use tars_store::{Index, Reader, Store, StoreError};

/// The key of the index for the progress.
const KEY: &str = "model_change";
/// How often the progress is stored.
const STORE_INTERVAL: Duration = Duration::from_secs(1);

/// The progress of a change, as stored in the index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Pace {
    /// Number of passages, as far as known.
    pub(super) passages: usize,
    /// Number of passages with a vector of the new model.
    pub(super) embedded: usize,
    /// Passages per second in the latest run; 0 before the first run.
    pub(super) rate: f64,
}

/// Observes a run on the copy: stores its progress in the index, and passes only the embedding stage on to the caller.
pub(super) struct Observer<'a> {
    progress: &'a dyn Progress,
    is_embedding: AtomicBool,
    left: AtomicUsize,
    pace: Mutex<Paced>,
}

struct Paced {
    store: Index,
    known: Pace,
    /// The start of embedding, and the number of passages left then.
    began: Option<(Instant, usize)>,
    noted: Instant,
}

impl<'a> Observer<'a> {
    /// Returns an observer that stores progress in `store`, starting from `known`.
    pub(super) fn new(progress: &'a dyn Progress, store: Index, known: Pace) -> Self {
        let pace = Mutex::new(Paced { store, known, began: None, noted: Instant::now() });
        Self { progress, is_embedding: AtomicBool::new(false), left: AtomicUsize::new(0), pace }
    }

    /// Returns the index and the rate in passages per second.
    pub(super) fn ended(self) -> (Index, f64) {
        let left = self.left.load(Ordering::SeqCst);
        let paced = self.pace.into_inner().unwrap_or_else(PoisonError::into_inner);
        let rate = paced.rate(left);
        (paced.store, rate)
    }

    fn is_embedding(&self) -> bool {
        self.is_embedding.load(Ordering::SeqCst)
    }
}

impl Paced {
    fn rate(&self, left: usize) -> f64 {
        match self.began {
            Some((began, total)) if began.elapsed() >= STORE_INTERVAL => {
                (total - left) as f64 / began.elapsed().as_secs_f64()
            }
            _ => self.known.rate,
        }
    }
}

impl Progress for Observer<'_> {
    fn start(&self, stage: Stage, total: usize) {
        self.is_embedding.store(stage == Stage::Embedding, Ordering::SeqCst);
        if self.is_embedding() {
            self.left.store(total, Ordering::SeqCst);
            locked(&self.pace).began = Some((Instant::now(), total));
            self.progress.start(stage, total);
        }
    }

    fn advance(&self, count: usize) {
        if !self.is_embedding() {
            return;
        }
        self.progress.advance(count);
        let left = self.left.load(Ordering::SeqCst).saturating_sub(count);
        self.left.store(left, Ordering::SeqCst);
        let mut paced = locked(&self.pace);
        if paced.noted.elapsed() >= STORE_INTERVAL {
            paced.noted = Instant::now();
            let passages = paced.known.passages.max(left);
            let now = Pace { passages, embedded: passages - left, rate: paced.rate(left) };
            if let Err(error) = note(&mut *paced.store, now) {
                tracing::debug!(%error, "how far the change of the model is was not noted");
            }
        }
    }

    fn finish(&self) {
        if self.is_embedding() {
            self.progress.finish();
        }
    }

    fn cancelled(&self) -> bool {
        self.progress.cancelled()
    }
}

/// Returns the stored progress.
pub(super) fn pace(index: &dyn Reader) -> Result<Pace, StoreError> {
    Ok(index.meta(KEY)?.and_then(|said| serde_json::from_str(&said).ok()).unwrap_or_default())
}

/// Stores the progress.
pub(super) fn note(store: &mut dyn Store, pace: Pace) -> Result<(), StoreError> {
    let said = serde_json::to_string(&pace).expect("numbers that are finite have a form in JSON");
    store.set_meta(KEY, &said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_base::domain::NoProgress;
    use tars_store::{Engine, Sqlite};

    #[test]
    fn progress_is_stored_after_each_run_and_only_embedding_counts() {
        let mut store = Sqlite.in_memory().unwrap();
        assert_eq!(pace(&*store.snapshot().unwrap()).unwrap(), Pace::default());
        let known = Pace { passages: 10, embedded: 2, rate: 4.0 };
        note(&mut *store, known).unwrap();
        let observer = Observer::new(&NoProgress, store, known);
        observer.start(Stage::Reading, 90);
        observer.advance(90);
        observer.finish();
        observer.start(Stage::Embedding, 8);
        // Simulates that half of the work took one second.
        {
            let mut paced = locked(&observer.pace);
            let second = Instant::now() - STORE_INTERVAL;
            (paced.noted, paced.began) = (second, Some((second, 8)));
        }
        observer.advance(4);
        let (store, rate) = observer.ended();
        assert!((3.0..=4.0).contains(&rate), "{rate}");
        let noted = pace(&*store.snapshot().unwrap()).unwrap();
        assert_eq!((noted.passages, noted.embedded), (10, 6));
        // A run that is too short to measure keeps the earlier rate.
        let (_, rate) = Observer::new(&NoProgress, store, known).ended();
        assert_eq!(rate, known.rate);
    }
}
