//! The inbox between the event threads, the indexing thread, and questions that wait for earlier changes.

use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Batch, Debouncer};

/// A debouncer shared by the threads that deliver events, the thread that takes batches, and the threads that answer questions. Its
/// memory is bounded, whatever happens on disk.
#[derive(Debug)]
pub struct Inbox {
    state: Mutex<State>,
    arrived: Condvar,
    answered: Condvar,
}

#[derive(Debug)]
struct State {
    debouncer: Debouncer,
    /// Changes that were taken but are not in the index yet.
    in_hand: PendingChanges,
    /// Questions are numbered from 1. This is the last one that waits for earlier changes.
    asked: u64,
    /// The last question whose changes have been taken.
    taken: u64,
    /// The last question that no longer waits, and the last one whose changes are all in the index.
    released: u64,
    served: u64,
    /// Whether a question requests a scan of the disk.
    scan_requested: bool,
    /// Whether to skip the debounce.
    skip_debounce: bool,
}

/// Changes that are not in the index yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PendingChanges {
    /// The number of changed notes and folders.
    pub places: usize,
    /// Whether a full comparison is pending, because others may have changed too.
    pub everything: bool,
    /// When the oldest pending change was observed.
    pub since: Option<Instant>,
}

impl PendingChanges {
    /// Summarises a batch.
    pub fn of(batch: &Batch) -> Self {
        Self { places: batch.paths.len(), everything: batch.everything, since: batch.since }
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.places == 0 && !self.everything
    }

    /// Returns the number of places; a full comparison counts as one.
    pub fn count(&self) -> usize {
        self.places + usize::from(self.everything)
    }

    fn and(self, other: Self) -> Self {
        Self {
            places: self.places + other.places,
            everything: self.everything || other.everything,
            since: self.since.into_iter().chain(other.since).min(),
        }
    }
}

/// The next work of the watch loop.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct InboxWork {
    /// Changes that are due, or that a question waits for.
    pub batch: Option<Batch>,
    /// Whether a question waits.
    pub question_waits: bool,
    /// Whether that question requests a scan of the disk.
    pub scan_requested: bool,
}

impl Inbox {
    /// Returns an empty inbox with a debounce time of `debounce`.
    pub fn new(debounce: Duration) -> Self {
        let debouncer = Debouncer::new(debounce);
        let (asked, taken, released, served) = (0, 0, 0, 0);
        let in_hand = PendingChanges::default();
        let state =
            State { debouncer, in_hand, asked, taken, released, served, scan_requested: false, skip_debounce: false };
        Self { state: Mutex::new(state), arrived: Condvar::new(), answered: Condvar::new() }
    }

    /// Records a changed path.
    pub fn record(&self, path: PathBuf) {
        self.lock().debouncer.record(path, Instant::now());
        self.arrived.notify_all();
    }

    /// Records paths that are known to be completely written, so that they skip the debounce.
    pub fn record_complete(&self, paths: impl Iterator<Item = PathBuf>) {
        let mut state = self.lock();
        let now = Instant::now();
        paths.for_each(|path| state.debouncer.record(path, now));
        state.skip_debounce = !state.debouncer.open().is_empty();
        self.arrived.notify_all();
    }

    /// Requests a full comparison.
    pub fn record_everything(&self) {
        self.lock().debouncer.record_everything(Instant::now());
        self.arrived.notify_all();
    }

    /// Wakes the thread that waits for events, without an event.
    pub fn wake(&self) {
        // The lock prevents a wake-up between the waiter's check and its wait.
        drop(self.lock());
        self.arrived.notify_all();
    }

    /// Takes the changes that are due, or all changes if a question waits. They count as in hand from then on.
    pub fn take(&self) -> InboxWork {
        let mut state = self.lock();
        let is_asked = state.asked > state.taken;
        state.taken = state.asked;
        let at_once = std::mem::take(&mut state.skip_debounce) || is_asked;
        let batch = if at_once { state.debouncer.take_now() } else { state.debouncer.take(Instant::now()) };
        if let Some(batch) = &batch {
            state.in_hand = state.in_hand.and(PendingChanges::of(batch));
        }
        InboxWork { batch, question_waits: is_asked, scan_requested: std::mem::take(&mut state.scan_requested) }
    }

    /// Updates which of the taken changes are still in hand.
    pub fn set_in_hand(&self, in_hand: PendingChanges) {
        self.lock().in_hand = in_hand;
    }

    /// Releases the questions whose changes have been taken. These changes are in the index, or, if some are still in hand, cannot
    /// be indexed now.
    pub fn release_questions(&self) {
        let mut state = self.lock();
        state.released = state.taken;
        if state.in_hand.is_empty() {
            state.served = state.taken;
        }
        self.answered.notify_all();
    }

    /// Waits until all changes recorded before this call are in the index, at most until `until`; with `look`, includes the changes
    /// that a scan of the disk finds. Returns whether they are in the index.
    pub fn catch_up(&self, look: bool, until: Instant) -> bool {
        let mut state = self.lock();
        if !look && state.debouncer.open().is_empty() && state.in_hand.is_empty() {
            return true;
        }
        state.asked += 1;
        state.scan_requested |= look;
        let number = state.asked;
        self.arrived.notify_all();
        while state.released < number {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.answered.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.served >= number
    }

    /// Returns the changes that are not in the index yet.
    pub fn pending(&self) -> PendingChanges {
        let state = self.lock();
        PendingChanges::of(state.debouncer.open()).and(state.in_hand)
    }

    /// Whether there is work to take.
    pub fn is_due(&self) -> bool {
        self.lock().is_due(Instant::now())
    }

    /// Waits until there is work to take, a call of [`Inbox::wake`], or `longest` has passed.
    pub fn wait(&self, longest: Duration) {
        let state = self.lock();
        let now = Instant::now();
        let due = state.debouncer.due().map_or(longest, |due| due.saturating_duration_since(now).min(longest));
        if !due.is_zero() && !state.is_due(now) {
            // An early return is harmless: the caller checks again.
            drop(self.arrived.wait_timeout(state, due));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_due(&self, now: Instant) -> bool {
        self.skip_debounce || self.asked > self.taken || self.debouncer.due().is_some_and(|due| due <= now)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// Far longer than any test.
    const NEVER: Duration = Duration::from_secs(3600);

    /// Waits for a question, then takes its changes, as the watch loop does.
    fn take_when_asked(inbox: &Inbox) -> InboxWork {
        while !inbox.is_due() {
            inbox.wait(NEVER);
        }
        inbox.take()
    }

    #[test]
    fn a_question_does_not_wait_without_changes() {
        let inbox = Inbox::new(NEVER);
        assert!(inbox.catch_up(false, Instant::now()));
        assert!(!inbox.is_due());
    }

    #[test]
    fn a_question_skips_the_debounce_and_is_released_after_indexing() {
        let inbox = Inbox::new(NEVER);
        inbox.record("a.md".into());
        assert_eq!(inbox.take(), InboxWork::default(), "the debounce has not passed");
        thread::scope(|scope| {
            let question = scope.spawn(|| inbox.catch_up(false, Instant::now() + NEVER));
            let taken = take_when_asked(&inbox);
            assert!(taken.question_waits && !taken.scan_requested && taken.batch.unwrap().paths.len() == 1);
            assert_eq!(inbox.pending().count(), 1, "it is in hand");
            inbox.set_in_hand(PendingChanges::default());
            inbox.release_questions();
            assert!(question.join().unwrap());
        });
        assert!(inbox.catch_up(false, Instant::now()), "the next one need not wait");
    }

    #[test]
    fn a_question_waits_for_changes_already_in_hand() {
        let inbox = Inbox::new(Duration::ZERO);
        inbox.record("a.md".into());
        assert!(inbox.take().batch.is_some());
        assert!(!inbox.catch_up(false, Instant::now()));
        assert!(inbox.is_due(), "the waiting question makes it due");
        assert!(inbox.take().batch.is_none());
        inbox.set_in_hand(PendingChanges::default());
        inbox.release_questions();
        assert!(inbox.catch_up(false, Instant::now()));
    }

    #[test]
    fn a_question_is_released_unserved_if_changes_cannot_be_indexed() {
        let inbox = Inbox::new(NEVER);
        inbox.record_everything();
        thread::scope(|scope| {
            let question = scope.spawn(|| inbox.catch_up(false, Instant::now() + NEVER));
            take_when_asked(&inbox);
            inbox.release_questions();
            assert!(!question.join().unwrap());
        });
        let waiting = inbox.pending();
        assert_eq!((waiting.count(), waiting.everything), (1, true));
    }

    #[test]
    fn completely_written_paths_are_due_at_once() {
        let inbox = Inbox::new(NEVER);
        inbox.record_complete(std::iter::empty());
        assert!(!inbox.is_due());
        inbox.record_complete(std::iter::once("a.md".into()));
        assert!(inbox.is_due() && inbox.take().batch.is_some() && !inbox.is_due());
    }

    #[test]
    fn simultaneous_questions_share_one_scan_of_the_disk() {
        let inbox = Inbox::new(NEVER);
        thread::scope(|scope| {
            let questions: Vec<_> =
                (0..3).map(|_| scope.spawn(|| inbox.catch_up(true, Instant::now() + NEVER))).collect();
            while inbox.lock().asked < 3 {
                thread::yield_now();
            }
            assert!(inbox.take().scan_requested);
            inbox.release_questions();
            assert!(questions.into_iter().all(|question| question.join().unwrap()));
        });
        assert_eq!(inbox.take(), InboxWork::default());
    }
}
