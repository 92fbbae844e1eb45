//! Measures how much of the processor other programs leave.

use std::fs;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Interval between measurements. The system counts in hundredths of a second.
const INTERVAL: Duration = Duration::from_millis(250);

/// Measures the processor time of other programs by Linux's counters (`/proc/stat`). On other systems there is no measurement.
#[derive(Debug, Default)]
pub(super) struct IdleCores(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    before: Option<(Instant, Ticks)>,
    /// Share of the processor that other programs use, in [0, 1].
    others: f64,
}

/// The system's counters since boot, summed over all cores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Ticks {
    all: u64,
    busy: u64,
    /// The part of `busy` that this process used.
    own: u64,
}

impl IdleCores {
    /// Returns how many of `cores` other programs leave, at least one. Before the second measurement, returns all.
    pub(super) fn of(&self, cores: usize) -> usize {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.before.is_none_or(|(looked, _)| looked.elapsed() >= INTERVAL)
            && let Some(now) = Ticks::now()
        {
            if let Some((_, before)) = state.before {
                state.others = now.others_since(before);
            }
            state.before = Some((Instant::now(), now));
        }
        left(cores, state.others)
    }
}

impl Ticks {
    /// Returns `None` if the system has no such counters.
    fn now() -> Option<Self> {
        Self::read(&fs::read_to_string("/proc/stat").ok()?, &fs::read_to_string("/proc/self/stat").ok()?)
    }

    /// Parses the counters of the machine and of this process (proc_stat(5), proc_pid_stat(5)).
    fn read(machine: &str, process: &str) -> Option<Self> {
        let numbers = machine.lines().next()?.strip_prefix("cpu ")?.split_whitespace();
        // user, nice, system, idle, iowait, irq, softirq. Stolen time is left out: it is neither idle nor used by a program here.
        let numbers: Vec<u64> = numbers.take(7).map(|number| number.parse().ok()).collect::<Option<_>>()?;
        let &[user, nice, system, idle, waiting, interrupts, soft] = &numbers[..] else { return None };
        let busy = user + nice + system + interrupts + soft;
        // The name in brackets may contain anything. utime and stime are fields 14 and 15; field 3 follows the name.
        let (_, fields) = process.rsplit_once(')')?;
        let own: Vec<u64> =
            fields.split_whitespace().skip(11).take(2).map(|number| number.parse().ok()).collect::<Option<_>>()?;
        Some(Self { all: busy + idle + waiting, busy, own: own.iter().sum() })
    }

    /// Returns the share of the processor that other programs used since `before`.
    fn others_since(self, before: Self) -> f64 {
        let since = |now: u64, then: u64| now.saturating_sub(then) as f64;
        let others = since(self.busy, before.busy) - since(self.own, before.own);
        (others / since(self.all, before.all).max(1.0)).clamp(0.0, 1.0)
    }
}

/// Returns how many of `cores` are left if other programs use this share of the processor. Half a core or less costs no
/// core: threads of lower priority give way to that.
fn left(cores: usize, others: f64) -> usize {
    let left = (cores as f64 * (1.0 - others)).round() as usize;
    left.clamp(1, cores.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_cores_are_left_to_other_programs() {
        for (cores, others, wanted) in [
            (8, 0.0, 8),
            (8, 0.05, 8),
            (8, 0.4, 5),
            (8, 1.0, 1),
            (2, 0.2, 2),
            (2, 0.3, 1),
            (2, 1.0, 1),
            (1, 0.9, 1),
            (0, 0.0, 1),
        ] {
            assert_eq!(left(cores, others), wanted, "{cores} cores, of which {others} are taken");
        }
    }

    #[test]
    fn time_of_this_process_does_not_count_as_others() {
        let process = |own: u64| format!("7 (a b) c) S 1 7 7 0 -1 4194560 1 0 0 0 {own} 5 0 0 20 10 3 0 99 1 1");
        let read = |machine: &str, own| Ticks::read(machine, &process(own)).unwrap();
        let before = read("cpu  100 10 20 500 30 1 2 9 0 0\ncpu0 1 1\n", 40);
        assert_eq!(before, Ticks { all: 663, busy: 133, own: 45 });
        let after = read("cpu  150 60 20 600 30 1 2 9 0 0\n", 90);
        assert!((after.others_since(before) - 50.0 / 200.0).abs() < 1e-9);
        assert_eq!(before.others_since(before), 0.0, "no time has passed");
        assert_eq!(Ticks::read("intr 1\n", &process(1)), None);
        assert_eq!(Ticks::read("cpu  100 10 x 500 30 1 2\n", &process(1)), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_has_the_counters() {
        let (before, idle_cores) = (Ticks::now().unwrap(), IdleCores::default());
        assert!(before.all >= before.busy && before.busy >= before.own);
        assert!((1..=4).contains(&idle_cores.of(4)));
    }
}
