//! Distributes texts to threads.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::idle_cores::IdleCores;
use super::{EmbedError, TextKind};

/// Maximum time that a passage waits for questions. A stream of questions thus slows indexing down but never stops it.
const MAX_YIELD: Duration = Duration::from_millis(200);

/// Niceness that background threads add to that of the thread that starts them (Linux). The watcher has already lowered its own priority by
/// half of what the system allows (`daemon::throttle`); it indexes words, which questions depend on, so it stays ahead of these threads.
#[cfg(target_os = "linux")]
const NICE_INCREMENT: i32 = 9;

/// Number and priority of the threads that a model computes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threads {
    most: usize,
    in_background: bool,
}

impl Threads {
    /// Returns `most` threads, at least one, for work that somebody waits for.
    pub fn of(most: usize) -> Self {
        Self { most: most.max(1), in_background: false }
    }

    /// Returns up to `most` threads, limited to the cores that other programs leave idle. They embed passages at a
    /// lower priority than the calling thread (Linux). The calling thread itself embeds questions.
    pub fn in_background(most: usize) -> Self {
        Self { most: most.max(1), in_background: true }
    }

    /// Returns the number of threads that may each have a session of ONNX Runtime, which takes about 100 MB.
    #[cfg(feature = "onnx")]
    pub(super) fn for_sessions(self) -> Self {
        let most = if self.in_background { self.most.div_ceil(2) } else { self.most };
        Self { most, ..self }
    }

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

/// Threads that each embed one text at a time, without padding. On a CPU that is faster than batches, and two threads
/// with a text each are faster than two threads that share one.
pub(super) struct Workers {
    threads: Threads,
    idle_cores: IdleCores,
    model: String,
    /// Number of questions in progress. Workers with passages let them go first.
    questions: AtomicUsize,
    answered: (Mutex<()>, Condvar),
}

impl Workers {
    /// Returns the workers of a model; errors name the model.
    pub(super) fn new(model: &str, threads: Threads) -> Self {
        Self {
            threads,
            idle_cores: IdleCores::default(),
            model: model.into(),
            questions: AtomicUsize::new(0),
            answered: (Mutex::new(()), Condvar::new()),
        }
    }

    /// Returns the best number of workers at the moment.
    pub(super) fn count(&self) -> usize {
        match self.threads.in_background {
            true => self.idle_cores.of(self.threads.most),
            false => self.threads.most,
        }
    }

    /// Calls `embed` with the index of a worker and of a text, for texts of these lengths. Returns the results in the order of the texts.
    ///
    /// # Errors
    /// The first error of `embed`.
    pub(super) fn run<T: Send>(
        &self,
        kind: TextKind,
        lengths: &[usize],
        embed: impl Fn(usize, usize) -> Result<T, EmbedError> + Sync,
    ) -> Result<Vec<T>, EmbedError> {
        // Longest texts first, so that no worker ends with a long text alone.
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        order.sort_by_key(|index| Reverse(lengths[*index]));
        let next = AtomicUsize::new(0);
        let in_background = self.threads.in_background && kind == TextKind::Passage;
        let work = |worker: usize| -> Result<Vec<(usize, T)>, EmbedError> {
            if in_background {
                lower_priority();
            }
            let mut done = Vec::new();
            while let Some(index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.push((*index, self.run_with_priority(kind, || embed(worker, *index))?));
            }
            Ok(done)
        };
        // At most one thread per text. In the background every worker is a new thread, because its lowered priority
        // must not affect other work.
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

    /// Runs one text. A passage waits while questions are in progress, because somebody waits for those.
    fn run_with_priority<T>(&self, kind: TextKind, embed: impl FnOnce() -> T) -> T {
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
                    answered.wait_timeout_while(guard, MAX_YIELD, |()| self.questions.load(Ordering::SeqCst) > 0);
                drop(waited);
                embed()
            }
        }
    }

    fn panicked(&self) -> EmbedError {
        EmbedError::Runtime { model: self.model.clone(), reason: "a worker panicked".into() }
    }
}

/// Lowers the priority of this thread, and ignores a refusal by the system. On other systems than Linux, priority
/// applies to the whole process, so nothing changes.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(NICE_INCREMENT) {
        tracing::debug!(%error, "cannot lower the priority");
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
            let lower = (here + NICE_INCREMENT).min(19);
            assert_eq!(run(Threads::in_background(most), TextKind::Passage), [(0, lower), (1, lower), (2, lower)]);
        }
        assert_eq!(priority(), here);
    }

    #[test]
    fn a_failing_worker_fails_the_call() {
        let workers = Workers::new("m", Threads::in_background(2));
        let fails = |_: usize, text: usize| match text {
            1 => Err(EmbedError::Runtime { model: "m".into(), reason: "no".into() }),
            other => Ok(other),
        };
        assert!(workers.run(TextKind::Passage, &[1, 1, 1], fails).is_err());
        assert_eq!(workers.run(TextKind::Passage, &[], fails).unwrap(), Vec::<usize>::new());
    }
}
