//! One short slice of the loop's work.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::Engine;
use super::throttle::Throttle;
use tars_base::domain::{Progress, Stage};
use tars_vault::watch::{Batch, PendingChanges};

/// Length of a slice. It also bounds the wait of a process that wants the index lock.
const SLICE: Duration = Duration::from_secs(2);

/// Ends an indexing run when something else is due, and publishes its progress.
pub(super) struct Slice<'a> {
    engine: &'a Engine,
    throttle: Throttle,
    until: Instant,
    /// The batch being indexed.
    batch: PendingChanges,
    /// Notes still to be read.
    left: AtomicUsize,
    searchable: AtomicBool,
}

impl<'a> Slice<'a> {
    pub(super) fn new(engine: &'a Engine, throttle: Throttle, batch: &Batch) -> Self {
        let batch = PendingChanges::of(batch);
        let (until, left) = (Instant::now() + SLICE, AtomicUsize::new(0));
        Self { engine, throttle, until, batch, left, searchable: AtomicBool::new(batch.is_empty()) }
    }

    /// Returns whether all text was searchable when the run ended.
    pub(super) fn is_searchable(&self) -> bool {
        self.searchable.load(Ordering::SeqCst)
    }

    /// Publishes the remaining places. With several roots, the total is unknown until the last one is scanned: until then others may
    /// follow.
    fn hold(&self, places: usize) {
        let everything = self.batch.everything && self.engine.app.roots().is_ok_and(|roots| roots.len() > 1);
        self.engine.inbox.set_in_hand(PendingChanges { places, everything, ..self.batch });
    }
}

impl Progress for Slice<'_> {
    fn start(&self, stage: Stage, total: usize) {
        if stage == Stage::Reading {
            self.left.store(total, Ordering::SeqCst);
            // Removed notes leave the index only after everything is read, so at least one place stays pending.
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
        self.engine.update_status(|status| status.missing_warning = (!missing.is_empty()).then(|| missing.join("; ")));
        self.engine.inbox.set_in_hand(PendingChanges::default());
        self.engine.inbox.release_questions();
    }

    fn warn(&self, message: &str) {
        tracing::warn!("{message}");
    }

    fn cancelled(&self) -> bool {
        let due = self.engine.is_stopping() || Instant::now() >= self.until;
        due || (self.is_searchable() && (self.engine.inbox.is_due() || self.throttle.pause().is_some()))
    }
}
