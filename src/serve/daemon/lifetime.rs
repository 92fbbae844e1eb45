//! When a daemon ends for lack of a reason to run. The caller supplies the time and the liveness of processes.

use std::time::{Duration, Instant};

/// How long a daemon outlives its last client, so that the next one finds a loaded model.
const GRACE_PERIOD: Duration = Duration::from_secs(15);

/// A process that the daemon lives for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Client {
    pub(super) pid: u32,
    /// Start time, which distinguishes the process from a later one with the same id; 0 where the system does not report it.
    pub(super) started: u64,
}

/// The conditions that keep a daemon alive.
#[derive(Debug)]
pub(super) struct Lifetime {
    /// Time without a question or a change after which the daemon ends; `None`: never for idleness.
    idle_exit: Option<Duration>,
    /// Whether it was started for clients: it then ends when they are gone.
    for_clients: bool,
    clients: Vec<Client>,
    last_client: Instant,
    last_used: Instant,
}

impl Lifetime {
    /// Creates a lifetime. `for_clients`: the daemon was started for clients, which may be gone already.
    pub(super) fn new(idle_exit: Option<Duration>, for_clients: bool, clients: Vec<Client>, now: Instant) -> Self {
        Self { idle_exit, for_clients, clients, last_client: now, last_used: now }
    }

    /// Notes a question or a change.
    pub(super) fn record_use(&mut self, now: Instant) {
        self.last_used = now;
    }

    /// Adds a client. A daemon that was started without clients keeps running after this one ends.
    pub(super) fn add(&mut self, client: Client) {
        if !self.clients.contains(&client) {
            self.clients.push(client);
        }
    }

    pub(super) fn clients(&self) -> usize {
        self.clients.len()
    }

    /// Returns the process ids of the clients.
    pub(super) fn pids(&self) -> Vec<u32> {
        self.clients.iter().map(|client| client.pid).collect()
    }

    /// Returns whether the daemon has lost its last reason to run. `is_running` tells whether a client still runs.
    pub(super) fn has_ended(&mut self, now: Instant, is_running: impl Fn(&Client) -> bool) -> bool {
        self.clients.retain(|client| is_running(client));
        if !self.clients.is_empty() {
            self.last_client = now;
            return false;
        }
        if self.for_clients && now.duration_since(self.last_client) >= GRACE_PERIOD {
            return true;
        }
        let quiet_since = self.last_used.max(self.last_client);
        self.idle_exit.is_some_and(|idle| now.duration_since(quiet_since) >= idle)
    }

    /// Returns the longest useful pause before the next check; `None` if nothing will ever end the daemon.
    pub(super) fn next_check(&self) -> Option<Duration> {
        if self.for_clients || !self.clients.is_empty() {
            return Some(Duration::from_secs(5));
        }
        self.idle_exit.map(|idle| idle.min(Duration::from_secs(5)).max(Duration::from_millis(100)))
    }
}

impl Client {
    /// Returns the running process with this id; `None` if there is none.
    pub(super) fn of_process(pid: u32) -> Option<Self> {
        let client = Self { pid, started: started(pid) };
        client.is_running().then_some(client)
    }

    /// Returns whether the process still runs.
    pub(super) fn is_running(&self) -> bool {
        let Some(pid) = i32::try_from(self.pid).ok().and_then(rustix::process::Pid::from_raw) else { return false };
        // EPERM means that the process exists but belongs to another user.
        let there = !matches!(rustix::process::test_kill_process(pid), Err(rustix::io::Errno::SRCH));
        there && started(self.pid) == self.started
    }
}

/// Returns the start time of a process in clock ticks; a zombie counts as gone.
#[cfg(target_os = "linux")]
fn started(pid: u32) -> u64 {
    // The name in brackets may contain blanks and brackets; field 3 (state) follows the last closing bracket, field 22 is the start time.
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return 0 };
    let Some((_, fields)) = stat.rsplit_once(')') else { return 0 };
    let fields: Vec<&str> = fields.split_whitespace().collect();
    match fields.first() {
        Some(&"Z") => u64::MAX,
        _ => fields.get(19).and_then(|ticks| ticks.parse().ok()).unwrap_or(0),
    }
}

#[cfg(not(target_os = "linux"))]
fn started(_pid: u32) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Client = Client { pid: 1, started: 7 };
    const TWO: Client = Client { pid: 2, started: 7 };

    fn later(start: Instant, seconds: u64) -> Instant {
        start + Duration::from_secs(seconds)
    }

    #[test]
    fn a_daemon_without_conditions_never_ends() {
        let start = Instant::now();
        let mut lifetime = Lifetime::new(None, false, Vec::new(), start);
        assert!(!lifetime.has_ended(later(start, 1_000_000), |_| false));
        lifetime.add(ONE);
        assert!(
            !lifetime.has_ended(later(start, 2_000_000), |_| false),
            "a daemon not started for clients outlives one that leaves"
        );
    }

    #[test]
    fn idle_time_since_the_last_use_ends_the_daemon() {
        let start = Instant::now();
        let mut lifetime = Lifetime::new(Some(Duration::from_secs(60)), false, Vec::new(), start);
        lifetime.record_use(later(start, 50));
        assert!(!lifetime.has_ended(later(start, 109), |_| false));
        assert!(lifetime.has_ended(later(start, 110), |_| false));
    }

    #[test]
    fn the_daemon_outlives_its_last_client_by_the_grace_period() {
        let start = Instant::now();
        let mut lifetime = Lifetime::new(Some(Duration::from_secs(3600)), true, vec![ONE], start);
        lifetime.add(TWO);
        lifetime.add(TWO);
        assert_eq!(lifetime.clients(), 2);
        assert!(!lifetime.has_ended(later(start, 7200), |client| *client == TWO));
        assert!(!lifetime.has_ended(later(start, 7210), |_| false));
        assert!(lifetime.has_ended(later(start, 7216), |_| false));
    }

    #[test]
    fn a_daemon_whose_client_is_already_gone_ends_after_the_grace_period() {
        let start = Instant::now();
        let mut lifetime = Lifetime::new(None, true, Vec::new(), start);
        assert!(!lifetime.has_ended(later(start, 14), |_| true));
        assert!(lifetime.has_ended(later(start, 15), |_| true));
    }

    #[test]
    fn a_process_is_distinguished_from_a_later_one_with_the_same_id() {
        let own = Client::of_process(std::process::id()).unwrap();
        assert!(own.is_running());
        assert!(Client::of_process(u32::MAX).is_none());
        if cfg!(target_os = "linux") {
            assert!(!Client { started: own.started + 1, ..own }.is_running());
        }
    }
}
