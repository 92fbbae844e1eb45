//! A thread pool for jobs that create further jobs.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The queue of waiting jobs.
pub(super) struct JobQueue<J> {
    state: Mutex<State<J>>,
    changed: Condvar,
}

struct State<J> {
    /// The newest job is last and taken first, so that few folders are open at once.
    jobs: Vec<J>,
    /// Unfinished jobs, including the waiting ones.
    open: usize,
    /// Threads that wait for a job.
    idle: usize,
}

/// Runs `first` and all jobs that it leads to on `threads` threads, including the calling one. Returns each thread's result,
/// unordered.
pub(super) fn run<J: Send, R: Default + Send>(
    first: J,
    threads: usize,
    work: impl Fn(&mut R, J, &JobQueue<J>) + Sync,
) -> Vec<R> {
    let state = State { jobs: vec![first], open: 1, idle: 0 };
    let queue = JobQueue { state: Mutex::new(state), changed: Condvar::new() };
    let part = || {
        let mut result = R::default();
        while let Some(job) = queue.take() {
            // A panicking job must count as done, or the others would wait forever.
            let _done = Done(&queue);
            work(&mut result, job, &queue);
        }
        result
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(part)).collect();
        let mut results = vec![part()];
        let others = others.into_iter().map(|other| other.join());
        results.extend(others.map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))));
        results
    })
}

impl<J> JobQueue<J> {
    /// Adds jobs; the last one is taken first.
    pub(super) fn add(&self, jobs: Vec<J>) {
        let mut state = self.lock();
        let (added, idle) = (jobs.len(), state.idle);
        state.open += added;
        state.jobs.extend(jobs);
        drop(state);
        for _ in 0..idle.min(added) {
            self.changed.notify_one();
        }
    }

    /// Waits for the next job and returns it; `None` once all jobs are done.
    fn take(&self) -> Option<J> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop() {
                return Some(job);
            }
            if state.open == 0 {
                return None;
            }
            state.idle += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Marks a job as done when dropped.
struct Done<'a, J>(&'a JobQueue<J>);

impl<J> Drop for Done<'_, J> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.open -= 1;
        if state.open == 0 {
            self.0.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_runs_exactly_once() {
        for threads in [1, 3] {
            // Each number leads to its two extensions by a digit, up to four digits.
            let results = run(1u32, threads, |sum: &mut Vec<u32>, job, queue: &JobQueue<u32>| {
                sum.push(job);
                if job < 1000 {
                    queue.add(vec![10 * job, 10 * job + 1]);
                }
            });
            assert_eq!(results.len(), threads);
            let mut all: Vec<u32> = results.into_iter().flatten().collect();
            all.sort_unstable();
            assert_eq!(all, [1, 10, 11, 100, 101, 110, 111, 1000, 1001, 1010, 1011, 1100, 1101, 1110, 1111]);
        }
    }

    #[test]
    fn a_panicking_job_does_not_block_the_others() {
        let result = std::panic::catch_unwind(|| {
            run(2u32, 3, |_: &mut (), job, queue: &JobQueue<u32>| match job {
                0 => panic!("on purpose"),
                job => queue.add(vec![job - 1]),
            })
        });
        assert!(result.is_err());
    }
}
