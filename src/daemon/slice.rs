//! A short while of the loop's work.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::Engine;
use super::throttle::Throttle;
use crate::domain::{Progress, Stage};
use crate::watch::{Batch, Waiting};

/// How long the loop works before it looks up. A process that waits for the index lock waits no longer.
const SLICE: Duration = Duration::from_secs(2);

/// Ends a run when something else is due, and tells how far it is.
pub(super) struct Slice<'a> {
    engine: &'a Engine,
    throttle: Throttle,
    until: Instant,
    /// What is being brought in.
    batch: Waiting,
    /// Notes that are still to be read.
    left: AtomicUsize,
    searchable: AtomicBool,
}

impl<'a> Slice<'a> {
    pub(super) fn new(engine: &'a Engine, throttle: Throttle, batch: &Batch) -> Self {
        let batch = Waiting::of(batch);
        let (until, left) = (Instant::now() + SLICE, AtomicUsize::new(0));
        Self { engine, throttle, until, batch, left, searchable: AtomicBool::new(batch.is_empty()) }
    }

    /// Whether all words were in when the run ended.
    pub(super) fn is_searchable(&self) -> bool {
        self.searchable.load(Ordering::SeqCst)
    }

    /// Of a batch of everything the number of notes is known once the last root has been looked at; until then others may follow.
    fn hold(&self, places: usize) {
        let everything = self.batch.everything && self.engine.app.roots().is_ok_and(|roots| roots.len() > 1);
        self.engine.inbox.hold(Waiting { places, everything, ..self.batch });
    }
}

impl Progress for Slice<'_> {
    fn start(&self, stage: Stage, total: usize) {
        if stage == Stage::Reading {
            self.left.store(total, Ordering::SeqCst);
            // What is gone leaves when all is read.
            self.hold(total.max(1));
        }
    }

    fn advance(&self, count: usize) {
        if !self.is_searchable() {
            let left = self.left.fetch_sub(count, Ordering::SeqCst) - count;
            self.hold(left.max(1));
        }
    }

    fn searchable(&self, missing: &[String]) {
        self.searchable.store(true, Ordering::SeqCst);
        self.engine.tell(|work| work.missing = (!missing.is_empty()).then(|| missing.join("; ")));
        self.engine.inbox.hold(Waiting::default());
        self.engine.inbox.release();
    }

    fn warn(&self, message: &str) {
        tracing::warn!("{message}");
    }

    fn cancelled(&self) -> bool {
        let due = self.engine.stopping() || Instant::now() >= self.until;
        due || (self.is_searchable() && (self.engine.inbox.is_due() || self.throttle.pause().is_some()))
    }
}
