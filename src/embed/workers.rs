//! How texts are shared out to threads.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::{EmbedError, TextKind};

/// How long a passage gives way to questions: a stream of them slows indexing down, and does not stop it.
const GIVE_WAY: Duration = Duration::from_millis(200);

/// Threads that embed one text at a time each, without padding: on a CPU that is faster than batches, and two threads with
/// a text each are faster than two with one between them.
pub(super) struct Workers {
    count: usize,
    model: String,
    /// Questions under way: a worker that embeds passages lets them go first.
    questions: AtomicUsize,
    answered: (Mutex<()>, Condvar),
}

impl Workers {
    /// Returns `count` workers, at least one, of the model that is named where one fails.
    pub(super) fn new(model: &str, count: usize) -> Self {
        Self {
            count: count.max(1),
            model: model.into(),
            questions: AtomicUsize::new(0),
            answered: (Mutex::new(()), Condvar::new()),
        }
    }

    /// Returns how many there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Calls `embed` with a worker's number and a text's, for texts of these lengths, and returns what it makes of them in
    /// their order.
    ///
    /// # Errors
    /// The first that `embed` fails with.
    pub(super) fn run<T: Send>(
        &self,
        kind: TextKind,
        lengths: &[usize],
        embed: impl Fn(usize, usize) -> Result<T, EmbedError> + Sync,
    ) -> Result<Vec<T>, EmbedError> {
        // Longest first, so that no worker is left with a long text at the end.
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        order.sort_by_key(|index| Reverse(lengths[*index]));
        let next = AtomicUsize::new(0);
        let work = |worker: usize| -> Result<Vec<(usize, T)>, EmbedError> {
            let mut done = Vec::new();
            while let Some(index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.push((*index, self.in_turn(kind, || embed(worker, *index))?));
            }
            Ok(done)
        };
        // No more threads than texts.
        let results = match self.count.min(order.len()) {
            0 => Vec::new(),
            1 => vec![work(0)],
            busy => thread::scope(|scope| {
                let work = &work;
                let workers: Vec<_> = (0..busy).map(|worker| scope.spawn(move || work(worker))).collect();
                workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| Err(self.panicked()))).collect()
            }),
        };
        let mut made = Vec::with_capacity(order.len());
        for result in results {
            made.extend(result?);
        }
        made.sort_unstable_by_key(|(index, _)| *index);
        Ok(made.into_iter().map(|(_, value)| value).collect())
    }

    /// Runs one text. Between two passages, a question that waits is served: someone sits before it.
    fn in_turn<T>(&self, kind: TextKind, embed: impl FnOnce() -> T) -> T {
        let (lock, answered) = &self.answered;
        match kind {
            TextKind::Query => {
                self.questions.fetch_add(1, Ordering::SeqCst);
                let result = embed();
                drop(lock.lock().unwrap_or_else(PoisonError::into_inner));
                self.questions.fetch_sub(1, Ordering::SeqCst);
                answered.notify_all();
                result
            }
            TextKind::Passage => {
                let guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
                let waited =
                    answered.wait_timeout_while(guard, GIVE_WAY, |()| self.questions.load(Ordering::SeqCst) > 0);
                drop(waited);
                embed()
            }
        }
    }

    fn panicked(&self) -> EmbedError {
        EmbedError::Runtime { model: self.model.clone(), reason: "a worker panicked".into() }
    }
}
