//! Many events to few batches.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// So many places at once are cheaper to find by comparing everything; it also bounds the memory of a storm.
const MANY: usize = 2_000;
/// A stream of events that never pauses is still served this often, in multiples of the debounce time.
const PATIENCE: u32 = 20;

/// Places to compare with the index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// Absolute paths of files and folders; one that is gone stands for all that was below it.
    pub paths: BTreeSet<PathBuf>,
    /// Whether everything is to be compared.
    pub everything: bool,
    /// When the oldest of these changes was noticed.
    pub since: Option<Instant>,
}

impl Batch {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && !self.everything
    }

    /// Adds another batch to this one.
    pub fn merge(&mut self, other: Self) {
        self.everything |= other.everything;
        self.paths.extend(other.paths);
        if self.everything || self.paths.len() > MANY {
            self.everything = true;
            self.paths.clear();
        }
        self.since = self.since.into_iter().chain(other.since).min();
    }
}

/// Collects changes until they pause. Time comes in from outside.
#[derive(Debug)]
pub struct Coalescer {
    debounce: Duration,
    open: Batch,
    last: Option<Instant>,
}

impl Coalescer {
    /// Returns an empty collector that waits for a pause of `debounce`.
    pub fn new(debounce: Duration) -> Self {
        Self { debounce, open: Batch::default(), last: None }
    }

    /// Notes a changed place.
    pub fn note(&mut self, path: PathBuf, now: Instant) {
        self.add(Batch { paths: BTreeSet::from([path]), everything: false, since: Some(now) }, now);
    }

    /// Notes that events were lost, or that a change concerns everything.
    pub fn note_everything(&mut self, now: Instant) {
        self.add(Batch { paths: BTreeSet::new(), everything: true, since: Some(now) }, now);
    }

    fn add(&mut self, batch: Batch, now: Instant) {
        self.open.merge(batch);
        self.last = Some(now);
    }

    /// Returns when the batch that is open will be due; `None` if none is.
    pub fn due(&self) -> Option<Instant> {
        let (last, since) = (self.last?, self.open.since?);
        Some((last + self.debounce).min(since + self.debounce * PATIENCE))
    }

    /// Returns the batch if it is due.
    pub fn take(&mut self, now: Instant) -> Option<Batch> {
        if self.due()? > now { None } else { self.take_now() }
    }

    /// Returns the batch, due or not; `None` if nothing has changed.
    pub fn take_now(&mut self) -> Option<Batch> {
        self.last.take()?;
        Some(std::mem::take(&mut self.open))
    }

    /// Returns the changes that are collected at the moment.
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
    fn changes_are_given_out_once_after_a_pause() {
        let start = Instant::now();
        let mut coalescer = Coalescer::new(DEBOUNCE);
        assert_eq!(coalescer.due(), None);
        for millis in [0, 20, 40] {
            coalescer.note("a.md".into(), at(start, millis));
        }
        assert_eq!(coalescer.due(), Some(at(start, 140)));
        assert_eq!(coalescer.take(at(start, 139)), None);
        let batch = coalescer.take(at(start, 140)).unwrap();
        assert_eq!((batch.paths.len(), batch.everything, batch.since), (1, false, Some(start)));
        assert_eq!(coalescer.take(at(start, 999)), None);
    }

    #[test]
    fn a_stream_without_a_pause_is_served_all_the_same() {
        let start = Instant::now();
        let mut coalescer = Coalescer::new(DEBOUNCE);
        let first = (0..).step_by(50).map(|millis| {
            coalescer.note(format!("{millis}.md").into(), at(start, millis));
            (millis, coalescer.take(at(start, millis)))
        });
        let (millis, _) = first.into_iter().find(|(_, batch)| batch.is_some()).unwrap();
        assert_eq!(millis, 2_000);
    }

    #[test]
    fn a_storm_becomes_one_comparison_of_everything() {
        let start = Instant::now();
        let mut coalescer = Coalescer::new(DEBOUNCE);
        for number in 0..5_000 {
            coalescer.note(format!("{number}.md").into(), at(start, number / 100));
        }
        assert!(coalescer.open().paths.is_empty(), "memory stays bounded");
        let batch = coalescer.take(at(start, 500)).unwrap();
        assert!(batch.everything && batch.paths.is_empty());
    }

    #[test]
    fn a_question_is_given_what_there_is_without_a_pause() {
        let start = Instant::now();
        let mut coalescer = Coalescer::new(DEBOUNCE);
        assert_eq!(coalescer.take_now(), None);
        coalescer.note("a.md".into(), start);
        assert_eq!(coalescer.take_now().unwrap().paths.len(), 1);
        assert_eq!((coalescer.take_now(), coalescer.due()), (None, None));
    }

    #[test]
    fn lost_events_ask_for_everything() {
        let start = Instant::now();
        let mut coalescer = Coalescer::new(DEBOUNCE);
        coalescer.note("a.md".into(), start);
        coalescer.note_everything(start);
        assert!(coalescer.take(at(start, 100)).unwrap().everything);
    }
}
