//! The daemon's timers: a list of jobs, each with the time when it is due and a backoff after failures. The caller supplies the current
//! time.

use std::time::{Duration, Instant};

/// Backoff after the first failure of a job; it doubles with each further failure in a row, up to [`MAX_BACKOFF`].
const FIRST_BACKOFF: Duration = Duration::from_millis(250);
const MAX_BACKOFF: Duration = Duration::from_secs(60);

/// Longest rest of the loop where no job is due to wake it.
const MAX_REST: Duration = Duration::from_secs(24 * 3600);

/// The jobs that run by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Job {
    /// Compares everything with the disk.
    Reconcile,
    /// Tries again to listen to events. It runs together with a comparison and wakes nobody.
    Listen,
    /// Indexes the pending changes. [`Job::Recheck`] wakes the loop for it.
    Index,
    /// Checks whether the obstacle to indexing is gone.
    Recheck,
    /// Unloads an idle model.
    Unload,
    /// Checks whether the daemon still has a reason to run.
    Lifetime,
}

impl Job {
    /// Every job, in the order of its discriminant.
    const ALL: [Self; 6] = [Self::Reconcile, Self::Listen, Self::Index, Self::Recheck, Self::Unload, Self::Lifetime];

    fn wakes(self) -> bool {
        !matches!(self, Self::Listen | Self::Index)
    }
}

/// The jobs with their due times.
#[derive(Debug, Default)]
pub(super) struct Schedule {
    entries: [Entry; Job::ALL.len()],
}

#[derive(Debug, Default)]
struct Entry {
    /// Time from which the job is due; `None`: not scheduled.
    due: Option<Instant>,
    /// Failures in a row.
    failures: u32,
}

impl Schedule {
    /// Schedules a job for a time; `None` cancels it.
    pub(super) fn set(&mut self, job: Job, due: impl Into<Option<Instant>>) {
        self.entry(job).due = due.into();
    }

    /// Schedules a job for this time unless it is due earlier.
    pub(super) fn bring_forward(&mut self, job: Job, due: Instant) {
        let entry = self.entry(job);
        entry.due = Some(entry.due.map_or(due, |known| known.min(due)));
    }

    /// Returns whether a job is due.
    pub(super) fn is_due(&self, job: Job, now: Instant) -> bool {
        self.due(job).is_some_and(|due| due <= now)
    }

    /// Returns the time from which a job is due; `None`: not scheduled.
    pub(super) fn due(&self, job: Job) -> Option<Instant> {
        self.entries[job as usize].due
    }

    /// Resets the failure count of a job.
    pub(super) fn succeeded(&mut self, job: Job) {
        self.entry(job).failures = 0;
    }

    /// Records a failure and postpones the job with exponential backoff.
    pub(super) fn failed(&mut self, job: Job, now: Instant) {
        let pause = FIRST_BACKOFF.saturating_mul(1 << self.failures(job).min(16)).min(MAX_BACKOFF);
        self.postpone(job, now + pause);
    }

    /// Records a failure and postpones the job until a given time.
    pub(super) fn postpone(&mut self, job: Job, until: Instant) {
        let entry = self.entry(job);
        entry.due = Some(until);
        entry.failures = entry.failures.saturating_add(1);
    }

    /// Returns the number of failures in a row.
    pub(super) fn failures(&self, job: Job) -> u32 {
        self.entries[job as usize].failures
    }

    /// Returns the time until the next job wakes the loop; zero if one is due.
    pub(super) fn time_until_next(&self, now: Instant) -> Duration {
        let next = Job::ALL.into_iter().filter(|job| job.wakes()).filter_map(|job| self.due(job)).min();
        next.map_or(MAX_REST, |next| next.saturating_duration_since(now))
    }

    fn entry(&mut self, job: Job) -> &mut Entry {
        &mut self.entries[job as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(start: Instant, seconds: u64) -> Instant {
        start + Duration::from_secs(seconds)
    }

    #[test]
    fn jobs_are_listed_by_their_discriminant() {
        for (number, job) in Job::ALL.into_iter().enumerate() {
            assert_eq!(job as usize, number);
        }
    }

    #[test]
    fn a_job_is_due_from_its_scheduled_time_on() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        assert!(!schedule.is_due(Job::Reconcile, after(start, 1_000_000)), "it was never scheduled");
        schedule.set(Job::Reconcile, after(start, 10));
        assert!(!schedule.is_due(Job::Reconcile, after(start, 9)));
        assert!(schedule.is_due(Job::Reconcile, after(start, 10)));
        assert!(!schedule.is_due(Job::Unload, after(start, 10)));
        schedule.set(Job::Reconcile, None);
        assert!(!schedule.is_due(Job::Reconcile, after(start, 10)));
    }

    #[test]
    fn a_job_is_brought_forward_but_never_postponed() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        for (asked, due) in [(20, 20), (30, 20), (10, 10)] {
            schedule.bring_forward(Job::Reconcile, after(start, asked));
            assert_eq!(schedule.due(Job::Reconcile), Some(after(start, due)));
        }
    }

    #[test]
    fn the_loop_rests_until_the_first_job_that_wakes_it() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        assert_eq!(schedule.time_until_next(start), MAX_REST);
        schedule.set(Job::Reconcile, after(start, 300));
        schedule.set(Job::Unload, after(start, 60));
        assert_eq!(schedule.time_until_next(start), Duration::from_secs(60));
        assert_eq!(schedule.time_until_next(after(start, 50)), Duration::from_secs(10));
        assert_eq!(schedule.time_until_next(after(start, 70)), Duration::ZERO);
        schedule.set(Job::Unload, None);
        assert_eq!(schedule.time_until_next(after(start, 70)), Duration::from_secs(230));
    }

    #[test]
    fn index_and_listen_jobs_do_not_wake_the_loop() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        schedule.set(Job::Index, start);
        schedule.set(Job::Listen, start);
        assert_eq!(schedule.time_until_next(start), MAX_REST);
        schedule.set(Job::Recheck, after(start, 2));
        assert_eq!(schedule.time_until_next(start), Duration::from_secs(2));
    }

    #[test]
    fn backoff_doubles_up_to_a_minute() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        let mut pauses = Vec::new();
        for _ in 0..10 {
            schedule.failed(Job::Index, start);
            pauses.push(schedule.due(Job::Index).unwrap().duration_since(start).as_millis());
        }
        assert_eq!(pauses, [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
        assert_eq!(schedule.failures(Job::Index), 10);
        schedule.succeeded(Job::Index);
        schedule.failed(Job::Index, start);
        assert_eq!(schedule.due(Job::Index), Some(start + FIRST_BACKOFF));
    }

    #[test]
    fn a_postponed_job_counts_as_failed() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        schedule.postpone(Job::Index, after(start, 2));
        assert!(!schedule.is_due(Job::Index, after(start, 1)) && schedule.is_due(Job::Index, after(start, 2)));
        assert_eq!((schedule.failures(Job::Index), schedule.failures(Job::Reconcile)), (1, 0));
        schedule.failed(Job::Index, start);
        assert_eq!(schedule.due(Job::Index), Some(start + 2 * FIRST_BACKOFF));
    }
}
