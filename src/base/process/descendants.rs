//! Finds and kills everything that a program has started. A process that begins a session of its own leaves the group
//! of the program and outlives it.
//!
//! Processes inherit the environment of their parent, so a unique mark in it identifies the processes of a call. A
//! child with a cleared environment is found by its parent, as long as the parent lives. A process id may be reused at
//! any time: each process is therefore held by a pidfd before it is checked, and the pidfd receives the signal, so that
//! no other process can. On systems without `/proc` or pidfds nothing is found.

use std::sync::atomic::{AtomicU64, Ordering};

/// The variable that holds the mark.
pub(super) const MARK_VARIABLE: &str = "TARS_SUMMARY_CALL";

/// Returns a unique mark.
pub(super) fn mark() -> String {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let now = jiff::Timestamp::now().as_nanosecond();
    format!("{}-{now}-{}", std::process::id(), CALLS.fetch_add(1, Ordering::Relaxed))
}

#[cfg(target_os = "linux")]
pub(super) use linux::end;

/// Does nothing: such a system does not list its processes.
#[cfg(not(target_os = "linux"))]
pub(super) fn end(_mark: &str) {}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::fs;
    use std::os::fd::OwnedFd;
    use std::thread;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    use super::MARK_VARIABLE;

    /// Retry limit for processes started meanwhile, and the pause between two attempts.
    const ROUNDS: usize = 100;
    const PAUSE: Duration = Duration::from_millis(10);

    /// Kills the processes with the mark, and their children.
    pub(in crate::process) fn end(mark: &str) {
        for _ in 0..ROUNDS {
            let family = family(mark);
            if family.is_empty() {
                return;
            }
            for process in family.values() {
                // A process that has ended meanwhile needs no signal.
                let _ = pidfd_send_signal(process, Signal::KILL);
            }
            thread::sleep(PAUSE);
        }
        tracing::warn!("the processes of a program do not end");
    }

    /// Returns the processes of the call by id. Each is held, so none of the ids can be reused.
    fn family(mark: &str) -> BTreeMap<u32, OwnedFd> {
        let entry = format!("{MARK_VARIABLE}={mark}");
        let all = processes();
        let mut family: BTreeMap<u32, OwnedFd> = BTreeMap::new();
        for pid in all.iter().copied().filter(|pid| is_marked(*pid, &entry)) {
            if let Some(held) = hold(pid).filter(|_| is_marked(pid, &entry)) {
                family.insert(pid, held);
            }
        }
        if family.is_empty() {
            return family;
        }
        loop {
            let mut more = BTreeMap::new();
            for pid in all.iter().copied().filter(|pid| !family.contains_key(pid)) {
                if !parent(pid).is_some_and(|parent| family.contains_key(&parent)) {
                    continue;
                }
                let held = hold(pid);
                // The parent still lives after its id was read, so the id was the parent's all the time.
                let is_child = parent(pid).and_then(|parent| family.get(&parent)).is_some_and(lives);
                more.extend(held.filter(|_| is_child).map(|held| (pid, held)));
            }
            if more.is_empty() {
                return family;
            }
            family.append(&mut more);
        }
    }

    fn processes() -> Vec<u32> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
    }

    fn hold(pid: u32) -> Option<OwnedFd> {
        pidfd_open(Pid::from_raw(i32::try_from(pid).ok()?)?, PidfdFlags::empty()).ok()
    }

    fn lives(process: &OwnedFd) -> bool {
        let mut waited = [PollFd::new(process, PollFlags::IN)];
        poll(&mut waited, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) == Ok(0)
    }

    fn is_marked(pid: u32, entry: &str) -> bool {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|one| one == entry.as_bytes())
    }

    fn parent(pid: u32) -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name stands in parentheses and may hold any character.
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
    }

    #[cfg(test)]
    mod tests {
        use std::process::Command;

        use super::*;

        #[test]
        fn processes_of_another_call_survive() {
            let (own, other) = (super::super::mark(), super::super::mark());
            assert_ne!(own, other);
            let start = |mark: &str| Command::new("sleep").arg("600").env(MARK_VARIABLE, mark).spawn().unwrap();
            // A mark that only begins with this one belongs to another call.
            let mut strangers = [start(&other), start(&format!("{own}0"))];
            let mut child = start(&own);
            // `spawn` may return before the system has set up the program's environment.
            while !is_marked(child.id(), &format!("{MARK_VARIABLE}={own}")) {
                thread::yield_now();
            }
            end(&own);
            assert!(!child.wait().unwrap().success());
            for stranger in &mut strangers {
                assert!(stranger.try_wait().unwrap().is_none(), "it was killed");
                stranger.kill().unwrap();
                stranger.wait().unwrap();
            }
        }
    }
}
