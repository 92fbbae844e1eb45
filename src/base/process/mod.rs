//! A child program: its process group and its output.
//!
//! No shell takes part. The program runs in a process group of its own. When the [`ProcessGroup`] ends, the whole group is
//! killed, and also the processes that have left it (`descendants`). `TARS_DISABLE=1` in its environment stops the
//! hooks of a nested agent from making notes about work that tars started.

mod descendants;

use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// Interval at which a program is polled.
pub const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How long to wait for the output after the program's end: a descendant may hold it open.
const DRAIN: Duration = Duration::from_secs(1);

/// A process whose group is killed when this value is dropped, together with everything that it started.
pub struct ProcessGroup {
    child: Child,
    /// The mark that identifies descendants outside the group.
    mark: String,
    is_over: bool,
}

impl ProcessGroup {
    /// Starts `command` in a group of its own.
    pub fn spawn(command: &mut Command) -> io::Result<Self> {
        let mark = descendants::mark();
        command.env("TARS_DISABLE", "1").env(descendants::MARK_VARIABLE, &mark).process_group(0);
        Ok(Self { child: command.spawn()?, mark, is_over: false })
    }

    /// Returns the process, for its streams.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Whether the program has ended.
    pub fn has_ended(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(Pid::from_child(&self.child)), options)?.is_some())
    }

    /// Kills the program, its group, and the processes that have left the group.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        if !self.is_over {
            self.is_over = true;
            // Nobody has waited for the program yet, so the number still is its group's. The group may be gone already.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            // The program may have changed to another group.
            let _ = self.child.kill();
            let _ = self.child.wait();
            descendants::end(&self.mark);
        }
        self.child.wait()
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// The output of a stream so far. A thread reads it, so that the process never blocks on its output.
pub struct OutputReader {
    bytes: Arc<Mutex<Vec<u8>>>,
    reader: Option<thread::JoinHandle<()>>,
}

impl OutputReader {
    /// Starts reading a stream and keeps its first `max_bytes` bytes.
    pub fn of(stream: Option<impl Read + Send + 'static>, max_bytes: usize) -> Self {
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let kept = bytes.clone();
        let reader = stream.map(|mut stream| {
            thread::spawn(move || {
                let mut block = [0; 8 << 10];
                while let Ok(read @ 1..) = stream.read(&mut block) {
                    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                    let room = max_bytes - kept.len();
                    kept.extend_from_slice(&block[..read.min(room)]);
                }
            })
        });
        Self { bytes, reader }
    }

    /// Returns the output so far.
    pub fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the end of the stream, for at most a second.
    pub fn drain(&self) {
        let started = Instant::now();
        while self.reader.as_ref().is_some_and(|reader| !reader.is_finished()) && started.elapsed() < DRAIN {
            thread::sleep(POLL_INTERVAL);
        }
    }
}
