//! A thread pool for doors that serve many requests at once.
//!
//! A door submits a job, which calls the service and sends the answer back in the door's own way. The threads take jobs in the
//! order of submission, so that none waits much longer than its neighbours.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, thread};

use crate::Service;

/// Maximum number of queued jobs. Beyond it, a door reports that it is busy.
const QUEUE_LENGTH: usize = 1024;

/// Work to do with a service.
pub type Job = Box<dyn FnOnce(&Service<'_>) + Send>;

/// Threads, each with its own service.
#[derive(Clone)]
pub struct Pool {
    jobs: SyncSender<Job>,
}

/// The jobs of a pool, as one of its threads sees them.
pub struct Jobs {
    jobs: Arc<Mutex<Receiver<Job>>>,
}

/// The queue is full: another job would wait too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many requests wait for an answer")]
pub struct Busy;

impl Pool {
    /// Starts `threads` threads that each call `work`, which opens a service and calls [`Jobs::serve`]. The threads end once the
    /// last clone of the pool is dropped and all jobs are done.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub fn start(threads: usize, work: impl Fn(Jobs) + Send + Clone + 'static) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(QUEUE_LENGTH);
        let jobs = Arc::new(Mutex::new(receiver));
        for _ in 0..threads.max(1) {
            let (work, jobs) = (work.clone(), Jobs { jobs: Arc::clone(&jobs) });
            thread::Builder::new().name("answer".into()).spawn(move || work(jobs))?;
        }
        Ok(Self { jobs: sender })
    }

    /// Queues a job.
    ///
    /// # Errors
    /// The queue is full.
    pub fn submit(&self, job: Job) -> Result<(), Busy> {
        self.jobs.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) | TrySendError::Disconnected(_) => Busy,
        })
    }
}

impl Jobs {
    /// Runs one job after the other until the pool is dropped. A job that panics ends alone: its requester sees that no answer comes.
    pub fn serve(&self, service: &Service<'_>) {
        while let Some(job) = self.next() {
            if catch_unwind(AssertUnwindSafe(|| job(service))).is_err() {
                tracing::error!("a request ended in a panic");
                // The channel and the version of that request must not carry over to the next one.
                service.set_client(None);
                service.expect_version(None);
            }
            service.mark_stale();
        }
    }

    fn next(&self) -> Option<Job> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::{App, Backend};
    use tars_config::Environment;

    fn pool(threads: usize) -> Pool {
        let app = Arc::new(App::new(Environment::of_process(), &[]).unwrap());
        Pool::start(threads, move |jobs| jobs.serve(&Service::new(&app, Backend::Local))).unwrap()
    }

    #[test]
    fn jobs_run_in_order_and_a_panic_ends_only_its_own_job() {
        let (pool, (sender, receiver)) = (pool(1), channel());
        for number in 0..100 {
            let sender = sender.clone();
            let job = move |_: &Service<'_>| {
                assert_ne!(number, 50, "an expected panic");
                sender.send(number).unwrap();
            };
            pool.submit(Box::new(job)).unwrap();
        }
        drop(sender);
        let done: Vec<u32> = receiver.iter().collect();
        assert_eq!(done, (0..100).filter(|number| *number != 50).collect::<Vec<_>>());
    }

    #[test]
    fn a_full_queue_refuses_further_jobs() {
        let (pool, (sender, receiver)) = (pool(1), channel::<()>());
        let waits = Arc::new(Mutex::new(receiver));
        let job = || -> Job {
            let waits = Arc::clone(&waits);
            Box::new(move |_| assert!(waits.lock().unwrap().recv().is_err()))
        };
        let refused = (0..2 * QUEUE_LENGTH).filter(|_| pool.submit(job()) == Err(Busy)).count();
        assert!((QUEUE_LENGTH - 1..=QUEUE_LENGTH).contains(&refused), "{refused}");
        drop(sender);
    }
}
