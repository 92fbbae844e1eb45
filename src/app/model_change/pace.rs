//! How far a change of the model is: told while a run embeds, and kept in the index for those who ask.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::locked;
use crate::domain::{Progress, Stage};
use crate::store::{Index, Reader, Store, StoreError};

/// The key of the index under which it is kept how far a change of its model is.
const KEY: &str = "model_change";
/// How often it is noted how far the change is.
const NOTED: Duration = Duration::from_secs(1);

/// How far a change is, as the index keeps it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Pace {
    /// Passages, as far as is known.
    pub(super) passages: usize,
    /// Those that have a vector of the new model.
    pub(super) embedded: usize,
    /// Passages a second in the latest run; 0 before there was one.
    pub(super) rate: f64,
}

/// Tells how far the copy is: to the caller, without what it was told of the index itself, and in the index.
pub(super) struct Observer<'a> {
    progress: &'a dyn Progress,
    is_embedding: AtomicBool,
    left: AtomicUsize,
    pace: Mutex<Paced>,
}

struct Paced {
    store: Index,
    known: Pace,
    /// When embedding began, and with how many passages left.
    began: Option<(Instant, usize)>,
    noted: Instant,
}

impl<'a> Observer<'a> {
    /// Returns one that notes in `store` what it sees, from what is `known` on.
    pub(super) fn new(progress: &'a dyn Progress, store: Index, known: Pace) -> Self {
        let pace = Mutex::new(Paced { store, known, began: None, noted: Instant::now() });
        Self { progress, is_embedding: AtomicBool::new(false), left: AtomicUsize::new(0), pace }
    }

    /// Returns the index and how many passages a second were embedded, by all that is known.
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
            Some((began, total)) if began.elapsed() >= NOTED => (total - left) as f64 / began.elapsed().as_secs_f64(),
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
        if paced.noted.elapsed() >= NOTED {
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

/// Returns what the index keeps.
pub(super) fn pace(index: &dyn Reader) -> Result<Pace, StoreError> {
    Ok(index.meta(KEY)?.and_then(|said| serde_json::from_str(&said).ok()).unwrap_or_default())
}

/// Has the index keep how far the change is.
pub(super) fn note(store: &mut dyn Store, pace: Pace) -> Result<(), StoreError> {
    let said = serde_json::to_string(&pace).expect("numbers that are finite have a form in JSON");
    store.set_meta(KEY, &said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Silent;
    use crate::store::{Engine, Sqlite};

    #[test]
    fn what_is_left_is_known_after_each_run_and_words_are_none_of_it() {
        let mut store = Sqlite.in_memory().unwrap();
        assert_eq!(pace(&*store.snapshot().unwrap()).unwrap(), Pace::default());
        let known = Pace { passages: 10, embedded: 2, rate: 4.0 };
        note(&mut *store, known).unwrap();
        let observer = Observer::new(&Silent, store, known);
        observer.start(Stage::Reading, 90);
        observer.advance(90);
        observer.finish();
        observer.start(Stage::Embedding, 8);
        // A second has passed in which half of it was done.
        {
            let mut paced = locked(&observer.pace);
            let second = Instant::now() - NOTED;
            (paced.noted, paced.began) = (second, Some((second, 8)));
        }
        observer.advance(4);
        let (store, rate) = observer.ended();
        assert!((3.0..=4.0).contains(&rate), "{rate}");
        let noted = pace(&*store.snapshot().unwrap()).unwrap();
        assert_eq!((noted.passages, noted.embedded), (10, 6));
        // A run that is too short to tell leaves the pace of the one before.
        let (_, rate) = Observer::new(&Silent, store, known).ended();
        assert_eq!(rate, known.rate);
    }
}
