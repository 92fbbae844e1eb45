//! How texts are shared out to threads.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::spare::SpareCores;
use super::{EmbedError, TextKind};

/// How long a passage gives way to questions: a stream of them slows indexing down, and does not stop it.
const GIVE_WAY: Duration = Duration::from_millis(200);

/// By how much threads in the background lower their priority below that of the thread that starts them (Linux): the watcher's has
/// lowered its own by half as much as the system lets it (`daemon::throttle`), and brings in words, which a question waits for.
#[cfg(target_os = "linux")]
const LOWER: i32 = 9;

/// With how many threads a model computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threads {
    most: usize,
    in_background: bool,
}

impl Threads {
    /// Returns so many, at least one, as a person waits for.
    pub fn of(most: usize) -> Self {
        Self { most: most.max(1), in_background: false }
    }

    /// Returns as many as nobody else has a use for at the moment, at most so many. They embed passages at a lower priority than the
    /// thread that asks for it (Linux). A question is embedded by the thread that asks.
    pub fn in_background(most: usize) -> Self {
        Self { most: most.max(1), in_background: true }
    }

    /// Returns as many as may have a session of ONNX Runtime each, which takes some hundred megabytes.
    #[cfg(feature = "onnx")]
    pub(super) fn of_sessions(self) -> Self {
        let most = if self.in_background { self.most.div_ceil(2) } else { self.most };
        Self { most, ..self }
    }

    /// Returns the most there can be.
    #[cfg(feature = "onnx")]
    pub(super) fn most(self) -> usize {
        self.most
    }
}

impl From<usize> for Threads {
    fn from(most: usize) -> Self {
        Self::of(most)
    }
}

/// Threads that embed one text at a time each, without padding: on a CPU that is faster than batches, and two threads with
/// a text each are faster than two with one between them.
pub(super) struct Workers {
    threads: Threads,
    spare: SpareCores,
    model: String,
    /// Questions under way: a worker that embeds passages lets them go first.
    questions: AtomicUsize,
    answered: (Mutex<()>, Condvar),
}

impl Workers {
    /// Returns the workers of the model that is named where one fails.
    pub(super) fn new(model: &str, threads: Threads) -> Self {
        Self {
            threads,
            spare: SpareCores::default(),
            model: model.into(),
            questions: AtomicUsize::new(0),
            answered: (Mutex::new(()), Condvar::new()),
        }
    }

    /// Returns how many had best work now.
    pub(super) fn count(&self) -> usize {
        match self.threads.in_background {
            true => self.spare.of(self.threads.most),
            false => self.threads.most,
        }
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
        let in_background = self.threads.in_background && kind == TextKind::Passage;
        let work = |worker: usize| -> Result<Vec<(usize, T)>, EmbedError> {
            if in_background {
                step_back();
            }
            let mut done = Vec::new();
            while let Some(index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.push((*index, self.in_turn(kind, || embed(worker, *index))?));
            }
            Ok(done)
        };
        // No more threads than texts. In the background, each is one of its own, whose priority nothing else has.
        let results = match self.count().min(order.len()) {
            0 => Vec::new(),
            1 if !in_background => vec![work(0)],
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

/// Lowers the priority of this thread; where the system refuses, nothing is lost. Elsewhere than on Linux all of a process has one.
fn step_back() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(LOWER) {
        tracing::debug!(%error, "the priority could not be lowered");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_are_embedded_in_the_background_by_threads_of_low_priority() {
        let priority = || rustix::process::nice(0).unwrap();
        let here = priority();
        let run = |threads, kind| {
            let workers = Workers::new("m", threads);
            workers.run(kind, &[3, 1, 2], |_, text| Ok((text, priority()))).unwrap()
        };
        for (threads, kind) in [
            (Threads::of(2), TextKind::Passage),
            (Threads::of(1), TextKind::Passage),
            (Threads::in_background(1), TextKind::Query),
        ] {
            assert_eq!(run(threads, kind), [(0, here), (1, here), (2, here)], "{threads:?}");
        }
        #[cfg(target_os = "linux")]
        for most in [1, 2] {
            let lower = (here + LOWER).min(19);
            assert_eq!(run(Threads::in_background(most), TextKind::Passage), [(0, lower), (1, lower), (2, lower)]);
        }
        assert_eq!(priority(), here);
    }

    #[test]
    fn a_worker_that_fails_is_told() {
        let workers = Workers::new("m", Threads::in_background(2));
        let fails = |_: usize, text: usize| match text {
            1 => Err(EmbedError::Runtime { model: "m".into(), reason: "no".into() }),
            other => Ok(other),
        };
        assert!(workers.run(TextKind::Passage, &[1, 1, 1], fails).is_err());
        assert_eq!(workers.run(TextKind::Passage, &[], fails).unwrap(), Vec::<usize>::new());
    }
}
