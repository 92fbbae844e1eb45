//! Where events wait for the thread that works through them, and questions for the changes that came before them.

use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{Batch, Coalescer};

/// A coalescer between the threads that bring events, the one that takes batches, and those that answer questions; bounded,
/// whatever happens on disk.
#[derive(Debug)]
pub struct Inbox {
    state: Mutex<State>,
    arrived: Condvar,
    answered: Condvar,
}

#[derive(Debug)]
struct State {
    coalescer: Coalescer,
    /// What was taken and is not in the index yet.
    in_hand: Waiting,
    /// Questions are numbered from 1. This is the last one that waits for what came before it.
    asked: u64,
    /// The last one whose changes have been taken.
    taken: u64,
    /// The last one that need not wait any more, and the last one whose changes are all in the index.
    released: u64,
    served: u64,
    /// Whether one of them wants the disk to be looked at.
    look: bool,
    /// Whether what has changed is to be taken without a pause.
    hurry: bool,
}

/// Changes that are not in the index yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    /// How many notes or folders.
    pub places: usize,
    /// Whether others may have changed too: everything is to be compared.
    pub everything: bool,
    /// Since when the oldest waits.
    pub since: Option<Instant>,
}

impl Waiting {
    /// Returns what a batch holds.
    pub fn of(batch: &Batch) -> Self {
        Self { places: batch.paths.len(), everything: batch.everything, since: batch.since }
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.places == 0 && !self.everything
    }

    /// Returns the number of places; "everything" counts as one.
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

/// What the loop is to do next.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Changes that are due, or that a question waits for.
    pub batch: Option<Batch>,
    /// Whether a question waits.
    pub is_asked: bool,
    /// Whether it wants the disk to be looked at.
    pub look: bool,
}

impl Inbox {
    /// Returns an empty inbox that waits for pauses of `debounce`.
    pub fn new(debounce: Duration) -> Self {
        let coalescer = Coalescer::new(debounce);
        let (asked, taken, released, served) = (0, 0, 0, 0);
        let in_hand = Waiting::default();
        let state = State { coalescer, in_hand, asked, taken, released, served, look: false, hurry: false };
        Self { state: Mutex::new(state), arrived: Condvar::new(), answered: Condvar::new() }
    }

    /// Notes a changed place.
    pub fn note(&self, path: PathBuf) {
        self.lock().coalescer.note(path, Instant::now());
        self.arrived.notify_all();
    }

    /// Notes places that are known to have been written whole: nothing is gained by waiting for a pause.
    pub fn note_due(&self, paths: impl Iterator<Item = PathBuf>) {
        let mut state = self.lock();
        let now = Instant::now();
        paths.for_each(|path| state.coalescer.note(path, now));
        state.hurry = !state.coalescer.open().is_empty();
        self.arrived.notify_all();
    }

    /// Notes that everything is to be compared.
    pub fn note_everything(&self) {
        self.lock().coalescer.note_everything(Instant::now());
        self.arrived.notify_all();
    }

    /// Wakes the thread that waits for events, without one.
    pub fn wake(&self) {
        // Taking the lock keeps the call from falling between the waiter's look and its wait.
        drop(self.lock());
        self.arrived.notify_all();
    }

    /// Takes what is due, or, for a question that waits, all there is. From then on it is in hand.
    pub fn take(&self) -> Taken {
        let mut state = self.lock();
        let is_asked = state.asked > state.taken;
        state.taken = state.asked;
        let at_once = std::mem::take(&mut state.hurry) || is_asked;
        let batch = if at_once { state.coalescer.take_now() } else { state.coalescer.take(Instant::now()) };
        if let Some(batch) = &batch {
            state.in_hand = state.in_hand.and(Waiting::of(batch));
        }
        Taken { batch, is_asked, look: std::mem::take(&mut state.look) }
    }

    /// Says what is still in hand of all that was taken.
    pub fn hold(&self, in_hand: Waiting) {
        self.lock().in_hand = in_hand;
    }

    /// Lets the questions go whose changes have been taken: these are in the index, or, where something is still in hand, cannot
    /// be brought in now.
    pub fn release(&self) {
        let mut state = self.lock();
        state.released = state.taken;
        if state.in_hand.is_empty() {
            state.served = state.taken;
        }
        self.answered.notify_all();
    }

    /// Waits until all changes that were noted before this call are in the index, but not beyond `until`; with `look`, also those
    /// that a look at the disk finds. Returns whether they are.
    pub fn catch_up(&self, look: bool, until: Instant) -> bool {
        let mut state = self.lock();
        if !look && state.coalescer.open().is_empty() && state.in_hand.is_empty() {
            return true;
        }
        state.asked += 1;
        state.look |= look;
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

    /// Returns what is not in the index yet.
    pub fn waiting(&self) -> Waiting {
        let state = self.lock();
        Waiting::of(state.coalescer.open()).and(state.in_hand)
    }

    /// Whether something is to be taken.
    pub fn is_due(&self) -> bool {
        self.lock().is_due(Instant::now())
    }

    /// Waits until something is to be taken, something else calls [`Inbox::wake`], or `longest` has passed.
    pub fn wait(&self, longest: Duration) {
        let state = self.lock();
        let now = Instant::now();
        let due = state.coalescer.due().map_or(longest, |due| due.saturating_duration_since(now).min(longest));
        if !due.is_zero() && !state.is_due(now) {
            // An early return is harmless: the caller looks again.
            drop(self.arrived.wait_timeout(state, due));
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_due(&self, now: Instant) -> bool {
        self.hurry || self.asked > self.taken || self.coalescer.due().is_some_and(|due| due <= now)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// Long after any test has ended.
    const NEVER: Duration = Duration::from_secs(3600);

    /// Takes for a question, as the loop does, once there is one.
    fn take_when_asked(inbox: &Inbox) -> Taken {
        while !inbox.is_due() {
            inbox.wait(NEVER);
        }
        inbox.take()
    }

    #[test]
    fn a_question_does_not_wait_where_nothing_has_changed() {
        let inbox = Inbox::new(NEVER);
        assert!(inbox.catch_up(false, Instant::now()));
        assert!(!inbox.is_due());
    }

    #[test]
    fn a_question_ends_the_wait_for_a_pause_and_is_let_go_when_the_words_are_in() {
        let inbox = Inbox::new(NEVER);
        inbox.note("a.md".into());
        assert_eq!(inbox.take(), Taken::default(), "it is not due");
        thread::scope(|scope| {
            let question = scope.spawn(|| inbox.catch_up(false, Instant::now() + NEVER));
            let taken = take_when_asked(&inbox);
            assert!(taken.is_asked && !taken.look && taken.batch.unwrap().paths.len() == 1);
            assert_eq!(inbox.waiting().count(), 1, "it is in hand");
            inbox.hold(Waiting::default());
            inbox.release();
            assert!(question.join().unwrap());
        });
        assert!(inbox.catch_up(false, Instant::now()), "the next one need not wait");
    }

    #[test]
    fn a_question_waits_for_what_was_taken_before_it() {
        let inbox = Inbox::new(Duration::ZERO);
        inbox.note("a.md".into());
        assert!(inbox.take().batch.is_some());
        assert!(!inbox.catch_up(false, Instant::now()));
        assert!(inbox.is_due(), "an unfinished slice is to end");
        assert!(inbox.take().batch.is_none());
        inbox.hold(Waiting::default());
        inbox.release();
        assert!(inbox.catch_up(false, Instant::now()));
    }

    #[test]
    fn what_cannot_be_brought_in_is_not_waited_for_and_does_not_count_as_seen() {
        let inbox = Inbox::new(NEVER);
        inbox.note_everything();
        thread::scope(|scope| {
            let question = scope.spawn(|| inbox.catch_up(false, Instant::now() + NEVER));
            take_when_asked(&inbox);
            inbox.release();
            assert!(!question.join().unwrap());
        });
        let waiting = inbox.waiting();
        assert_eq!((waiting.count(), waiting.everything), (1, true));
    }

    #[test]
    fn what_another_process_says_it_wrote_is_due_at_once() {
        let inbox = Inbox::new(NEVER);
        inbox.note_due(std::iter::empty());
        assert!(!inbox.is_due());
        inbox.note_due(std::iter::once("a.md".into()));
        assert!(inbox.is_due() && inbox.take().batch.is_some() && !inbox.is_due());
    }

    #[test]
    fn questions_that_come_together_share_one_look_at_the_disk() {
        let inbox = Inbox::new(NEVER);
        thread::scope(|scope| {
            let questions: Vec<_> =
                (0..3).map(|_| scope.spawn(|| inbox.catch_up(true, Instant::now() + NEVER))).collect();
            while inbox.lock().asked < 3 {
                thread::yield_now();
            }
            assert!(inbox.take().look);
            inbox.release();
            assert!(questions.into_iter().all(|question| question.join().unwrap()));
        });
        assert_eq!(inbox.take(), Taken::default());
    }
}
