//! A real `tars watch` over temporary vaults.

mod answers;
mod changes;
mod clients;
mod life;
mod roots;
mod service;
mod strangers;
mod together;
mod without;

use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::Value;

use crate::harness::{Output, Running, TestVault, eventually};

/// Sends a signal to a process that this test has started.
pub(crate) fn signal(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), signal).unwrap();
}

/// Returns whether a process has ended; one that nobody has waited for yet counts as ended.
fn is_gone(pid: u32) -> bool {
    if let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        return stat.rsplit_once(')').is_some_and(|(_, fields)| fields.trim_start().starts_with('Z'));
    }
    test_kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()).is_err()
}

/// A running `tars watch`. Dropping it ends the process and checks that it is gone.
pub(crate) struct Watcher<'a> {
    vault: &'a TestVault,
    pid: u32,
    /// The process in the foreground.
    process: Option<Running>,
}

impl<'a> Watcher<'a> {
    /// Starts a watcher in the foreground and returns when it answers.
    pub(crate) fn start(vault: &'a TestVault) -> Self {
        Self::start_with(vault, &[])
    }

    fn start_with(vault: &'a TestVault, arguments: &[&str]) -> Self {
        Self::of(vault, vault.tars(["watch"]).args(arguments).start())
    }

    fn of(vault: &'a TestVault, process: Running) -> Self {
        process.wait_for("watching");
        Self { vault, pid: process.id(), process: Some(process) }
    }

    /// Starts a watcher in the background.
    fn detach(vault: &'a TestVault, arguments: &[&str]) -> Self {
        let output = vault.tars(["watch", "--detach"]).args(arguments).run().success().quiet();
        let text = output.stdout().trim_end().strip_prefix("watching in the background (process ");
        let pid = text.and_then(|text| text.strip_suffix(')')).and_then(|pid| pid.parse().ok());
        Self { vault, pid: pid.unwrap_or_else(|| panic!("no process is named by\n{output}")), process: None }
    }

    pub(crate) fn signal(&self, which: Signal) {
        signal(self.pid, which);
    }

    /// Returns whether it has ended.
    #[cfg(feature = "serve")]
    #[cfg(feature = "serve")]
    pub(crate) fn has_ended(&self) -> bool {
        is_gone(self.pid)
    }

    /// Waits for the end of a watcher in the foreground.
    fn finish(mut self) -> Output {
        let output = self.process.take().unwrap().finish();
        assert!(is_gone(self.pid));
        output
    }

    /// Ends it by a signal and returns its output.
    pub(crate) fn stop(self) -> Output {
        self.vault.tars(["watch", "--stop"]).run().success();
        self.finish()
    }

    /// Ends it as `kill -9` does.
    fn kill(mut self) {
        signal(self.pid, Signal::KILL);
        if let Some(process) = self.process.take() {
            process.kill();
        }
        eventually("the killed watcher is gone", || is_gone(self.pid));
    }

    /// Returns the output of `tars watch --status --json`.
    #[track_caller]
    pub(crate) fn status(&self) -> Value {
        self.vault.tars(["watch", "--status", "--json"]).run().success().json()
    }

    /// Waits for the wanted status; on a machine under load single questions may time out.
    #[track_caller]
    pub(crate) fn eventually(&self, what: &str, wanted: impl Fn(&Value) -> bool) {
        eventually(what, || {
            let output = self.vault.tars(["watch", "--status", "--json"]).run();
            output.status.success() && wanted(&output.json())
        });
    }

    /// Waits until the word finds exactly these notes; only the watcher indexes meanwhile.
    #[track_caller]
    pub(crate) fn finds(&self, word: &str, notes: &[&str]) {
        eventually(&format!("'{word}' is found in {notes:?}"), || known(self.vault, word) == notes);
    }

    /// Waits until all files are compared and every passage has its vector.
    #[track_caller]
    pub(crate) fn settles(&self) {
        self.eventually("the watcher comes to rest", |state| state["pending"] == 0);
        let waiting = "SELECT count(*) FROM passages WHERE vector_id IS NULL";
        eventually("everything is embedded", || {
            self.vault.count("SELECT count(*) FROM meta WHERE key = 'indexed_at'") == 1
                && self.vault.count(waiting) == 0
        });
    }
}

impl Drop for Watcher<'_> {
    fn drop(&mut self) {
        if is_gone(self.pid) {
            return;
        }
        let pid = Pid::from_raw(i32::try_from(self.pid).unwrap()).unwrap();
        if std::thread::panicking() {
            let _ = kill_process(pid, Signal::KILL);
            return;
        }
        for which in [Signal::CONT, Signal::TERM] {
            let _ = kill_process(pid, which);
        }
        eventually("the watcher ends when it is asked to", || match &mut self.process {
            Some(process) => process.has_ended(),
            None => is_gone(self.pid),
        });
    }
}

/// Returns the paths of the notes whose words are in the index now; none without an index.
#[track_caller]
pub(crate) fn known(vault: &TestVault, word: &str) -> Vec<String> {
    if vault.count("SELECT count(*) FROM sqlite_master WHERE name = 'chunks_fts'") == 0 {
        return Vec::new();
    }
    let mut paths = vault.found(&["sgrep", word, "--no-sync", "-n", "1000"]);
    paths.sort();
    paths
}

/// A process that watchers take for their client.
struct Sleeper(Child);

impl Sleeper {
    fn start() -> Self {
        let mut command = Command::new("sleep");
        Self(command.arg("1000").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    fn id(&self) -> String {
        self.0.id().to_string()
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the permissions of a file.
pub(crate) fn mode(path: &Path) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&std::fs::symlink_metadata(path).unwrap().permissions()) & 0o777
}
