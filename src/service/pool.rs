//! Threads that answer requests for doors that serve many at once.
//!
//! A door hands over a job, which calls the service and sends the answer back in the door's own way. Jobs are taken in the order
//! in which they came, so that none waits much longer than its neighbours.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, thread};

use super::Service;

/// Jobs that may wait. A door says that it is busy beyond that.
const WAITING: usize = 1024;

/// What is to be done with a service.
pub type Job = Box<dyn FnOnce(&Service<'_>) + Send>;

/// Threads, each with a service of its own.
#[derive(Clone)]
pub struct Pool {
    jobs: SyncSender<Job>,
}

/// The jobs of a pool, as one of its threads sees them.
pub struct Jobs {
    jobs: Arc<Mutex<Receiver<Job>>>,
}

/// So many jobs wait that another one would wait too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many requests wait for an answer")]
pub struct Busy;

impl Pool {
    /// Starts `threads` threads that do what `work` does with the jobs: it opens a service and calls [`Jobs::serve`]. They end
    /// once the last clone of the pool is dropped and all jobs are done.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub fn start(threads: usize, work: impl Fn(Jobs) + Send + Clone + 'static) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(WAITING);
        let jobs = Arc::new(Mutex::new(receiver));
        for _ in 0..threads.max(1) {
            let (work, jobs) = (work.clone(), Jobs { jobs: Arc::clone(&jobs) });
            thread::Builder::new().name("answer".into()).spawn(move || work(jobs))?;
        }
        Ok(Self { jobs: sender })
    }

    /// Hands over a job.
    ///
    /// # Errors
    /// Too many wait.
    pub fn submit(&self, job: Job) -> Result<(), Busy> {
        self.jobs.try_send(job).map_err(|error| match error {
            TrySendError::Full(_) | TrySendError::Disconnected(_) => Busy,
        })
    }
}

impl Jobs {
    /// Does one job after the other until there is no pool any more. A job that panics ends alone: who waits for its answer sees
    /// that none comes.
    pub fn serve(&self, service: &Service<'_>) {
        while let Some(job) = self.next() {
            if catch_unwind(AssertUnwindSafe(|| job(service))).is_err() {
                tracing::error!("a request ended in a panic");
                // What was said for that request alone must not hold for the next one.
                service.speak_for(None);
                service.expect_version(None);
            }
            service.renew();
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
    use crate::app::App;
    use crate::config::Environment;
    use crate::service::Reach;

    fn pool(threads: usize) -> Pool {
        let app = Arc::new(App::new(Environment::of_process(), &[]).unwrap());
        Pool::start(threads, move |jobs| jobs.serve(&Service::new(&app, Reach::Local))).unwrap()
    }

    #[test]
    fn jobs_are_done_in_order_and_a_panic_ends_one_of_them_alone() {
        let (pool, (sender, receiver)) = (pool(1), channel());
        for number in 0..100 {
            let sender = sender.clone();
            let job = move |_: &Service<'_>| {
                assert_ne!(number, 50, "as it should");
                sender.send(number).unwrap();
            };
            pool.submit(Box::new(job)).unwrap();
        }
        drop(sender);
        let done: Vec<u32> = receiver.iter().collect();
        assert_eq!(done, (0..100).filter(|number| *number != 50).collect::<Vec<_>>());
    }

    #[test]
    fn a_pool_that_is_behind_says_so() {
        let (pool, (sender, receiver)) = (pool(1), channel::<()>());
        let waits = Arc::new(Mutex::new(receiver));
        let job = || -> Job {
            let waits = Arc::clone(&waits);
            Box::new(move |_| assert!(waits.lock().unwrap().recv().is_err()))
        };
        let refused = (0..2 * WAITING).filter(|_| pool.submit(job()) == Err(Busy)).count();
        assert!((WAITING - 1..=WAITING).contains(&refused), "{refused}");
        drop(sender);
    }
}
