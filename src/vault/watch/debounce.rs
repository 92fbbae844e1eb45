//! Debounces events: collects many of them into few batches.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Above this number of paths, a full comparison is cheaper. The limit also bounds memory during a burst of events.
const MAX_PATHS: usize = 2_000;
/// Longest delay of a batch during a stream of events without a pause, in multiples of the debounce time.
const MAX_DELAY: u32 = 20;

/// Paths to compare with the index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// Absolute paths of files and folders. A removed folder stands for everything that was below it.
    pub paths: BTreeSet<PathBuf>,
    /// Whether to compare everything.
    pub everything: bool,
    /// When the oldest of these changes was observed.
    pub since: Option<Instant>,
}

impl Batch {
    /// Whether the batch holds no change.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && !self.everything
    }

    /// Merges another batch into this one.
    pub fn merge(&mut self, other: Self) {
        self.everything |= other.everything;
        self.paths.extend(other.paths);
        if self.everything || self.paths.len() > MAX_PATHS {
            self.everything = true;
            self.paths.clear();
        }
        self.since = self.since.into_iter().chain(other.since).min();
    }
}

/// Debounces changes: collects them until they pause. The caller passes the time in.
#[derive(Debug)]
pub struct Debouncer {
    debounce: Duration,
    open: Batch,
    last: Option<Instant>,
}

impl Debouncer {
    /// Returns an empty debouncer with a debounce time of `debounce`.
    pub fn new(debounce: Duration) -> Self {
        Self { debounce, open: Batch::default(), last: None }
    }

    /// Records a changed path.
    pub fn record(&mut self, path: PathBuf, now: Instant) {
        self.add(Batch { paths: BTreeSet::from([path]), everything: false, since: Some(now) }, now);
    }

    /// Records that events were lost, or that a change affects everything.
    pub fn record_everything(&mut self, now: Instant) {
        self.add(Batch { paths: BTreeSet::new(), everything: true, since: Some(now) }, now);
    }

    fn add(&mut self, batch: Batch, now: Instant) {
        self.open.merge(batch);
        self.last = Some(now);
    }

    /// Returns when the open batch becomes due; `None` if it is empty.
    pub fn due(&self) -> Option<Instant> {
        let (last, since) = (self.last?, self.open.since?);
        Some((last + self.debounce).min(since + self.debounce * MAX_DELAY))
    }

    /// Returns the batch if it is due.
    pub fn take(&mut self, now: Instant) -> Option<Batch> {
        if self.due()? > now { None } else { self.take_now() }
    }

    /// Returns the batch without waiting until it is due; `None` if nothing has changed.
    pub fn take_now(&mut self) -> Option<Batch> {
        self.last.take()?;
        Some(std::mem::take(&mut self.open))
    }

    /// Returns the changes collected so far.
    pub fn open(&self) -> &Batch {
        &self.open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEBOUNCE: Duration = Duration::from_millis(100);

    fn at(start: Instant, millis: u64) -> Instant {
        start + Duration::from_millis(millis)
    }

    #[test]
    fn changes_are_released_once_after_a_pause() {
        let start = Instant::now();
        let mut debouncer = Debouncer::new(DEBOUNCE);
        assert_eq!(debouncer.due(), None);
        for millis in [0, 20, 40] {
            debouncer.record("a.md".into(), at(start, millis));
        }
        assert_eq!(debouncer.due(), Some(at(start, 140)));
        assert_eq!(debouncer.take(at(start, 139)), None);
        let batch = debouncer.take(at(start, 140)).unwrap();
        assert_eq!((batch.paths.len(), batch.everything, batch.since), (1, false, Some(start)));
        assert_eq!(debouncer.take(at(start, 999)), None);
    }

    #[test]
    fn a_stream_without_pauses_is_still_released() {
        let start = Instant::now();
        let mut debouncer = Debouncer::new(DEBOUNCE);
        let first = (0..).step_by(50).map(|millis| {
            debouncer.record(format!("{millis}.md").into(), at(start, millis));
            (millis, debouncer.take(at(start, millis)))
        });
        let (millis, _) = first.into_iter().find(|(_, batch)| batch.is_some()).unwrap();
        assert_eq!(millis, 2_000);
    }

    #[test]
    fn a_burst_becomes_one_full_comparison() {
        let start = Instant::now();
        let mut debouncer = Debouncer::new(DEBOUNCE);
        for number in 0..5_000 {
            debouncer.record(format!("{number}.md").into(), at(start, number / 100));
        }
        assert!(debouncer.open().paths.is_empty(), "memory stays bounded");
        let batch = debouncer.take(at(start, 500)).unwrap();
        assert!(batch.everything && batch.paths.is_empty());
    }

    #[test]
    fn take_now_skips_the_debounce() {
        let start = Instant::now();
        let mut debouncer = Debouncer::new(DEBOUNCE);
        assert_eq!(debouncer.take_now(), None);
        debouncer.record("a.md".into(), start);
        assert_eq!(debouncer.take_now().unwrap().paths.len(), 1);
        assert_eq!((debouncer.take_now(), debouncer.due()), (None, None));
    }

    #[test]
    fn lost_events_request_a_full_comparison() {
        let start = Instant::now();
        let mut debouncer = Debouncer::new(DEBOUNCE);
        debouncer.record("a.md".into(), start);
        debouncer.record_everything(start);
        assert!(debouncer.take(at(start, 100)).unwrap().everything);
    }
}
