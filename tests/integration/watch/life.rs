//! Starting, querying and stopping a watcher.

use std::fs;

use rustix::process::Signal;

use super::{Watcher, is_gone, known, mode};
use crate::harness::{TestVault, eventually};

#[test]
fn a_detached_watcher_answers_once_the_command_returns() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let watcher = Watcher::detach(&vault, &[]);
    assert_eq!(watcher.status()["pid"], watcher.pid);
    watcher.finds("walrus", &["a.md"]);
    let log = vault.data().join("watch.log");
    assert_eq!(mode(&log), 0o600);
    eventually("the log tells of the work", || fs::read_to_string(&log).unwrap().contains("indexed"));
    let stopped = vault.tars(["watch", "--stop"]).run().success().quiet();
    assert_eq!(stopped.stdout(), "stopped\n");
    eventually("it is gone", || is_gone(watcher.pid));
    assert!(!vault.data().join("watch.sock").exists());
}

#[test]
fn a_second_start_names_the_running_watcher() {
    let vault = TestVault::of_words();
    let watcher = Watcher::start(&vault);
    for arguments in [&["watch"][..], &["watch", "--detach"]] {
        let output = vault.tars(arguments).run().success().quiet();
        let told = format!("already watching (process {}, started ", watcher.pid);
        assert!(output.stdout().starts_with(&told), "{output}");
    }
    assert_eq!(watcher.status()["pid"], watcher.pid);
}

#[test]
fn simultaneous_starts_leave_one_watcher() {
    let vault = TestVault::of_words();
    let starts: Vec<_> = (0..4).map(|_| vault.tars(["watch", "--detach"]).start()).collect();
    for start in starts {
        start.finish().success();
    }
    let pid = vault.tars(["watch", "--status", "--json"]).run().success().json()["pid"].as_u64().unwrap();
    let watcher = Watcher { vault: &vault, pid: u32::try_from(pid).unwrap(), process: None };
    vault.tars(["watch", "--stop"]).run().success();
    eventually("it is gone", || is_gone(watcher.pid));
    vault.tars(["watch", "--status"]).run().code(1);
}

#[test]
fn status_and_stop_report_whether_a_watcher_runs() {
    let vault = TestVault::of_words();
    for question in ["--status", "--stop"] {
        let output = vault.tars(["watch", question]).run().code(1).quiet();
        assert_eq!(output.stdout(), "not watching\n");
    }
    assert_eq!(vault.tars(["watch", "--status", "--json"]).run().code(1).json(), serde_json::Value::Null);
    let watcher = Watcher::start(&vault);
    let output = vault.tars(["watch", "--status"]).run().success().quiet();
    assert!(output.stdout().contains(&format!("process {}", watcher.pid)), "{output}");
    let state = watcher.status();
    for key in
        ["pid", "uptime_seconds", "events", "model_loaded", "pending", "lag_ms", "clients", "answered", "problem"]
    {
        assert!(state.get(key).is_some(), "{key} is missing in {state}");
    }
    watcher.eventually("it listens to events", |state| state["events"] == true);
    watcher.stop().success();
    vault.tars(["watch", "--status"]).run().code(1);
}

#[test]
fn signals_end_the_watcher_cleanly() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    for which in [Signal::TERM, Signal::INT, Signal::HUP] {
        let watcher = Watcher::start(&vault);
        watcher.finds("walrus", &["a.md"]);
        watcher.signal(which);
        watcher.finish().success().says(&["ended"]);
        assert!(!vault.data().join("watch.sock").exists(), "{which:?}");
        vault.tars(["watch", "--status"]).run().code(1);
    }
}

#[test]
fn a_signal_during_many_changes_ends_the_watcher_cleanly() {
    let vault = TestVault::of_words();
    for number in 0..500 {
        vault.write(&format!("{number}.md"), format!("walrus {number}\n"));
    }
    let watcher = Watcher::start(&vault);
    watcher.signal(Signal::TERM);
    watcher.finish().success();
    assert_eq!(vault.index()["failed"], 0);
    assert_eq!(known(&vault, "walrus").len(), 500);
}

#[test]
fn a_killed_watcher_blocks_nothing() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    for detached in [false, true] {
        let watcher = if detached { Watcher::detach(&vault, &[]) } else { Watcher::start(&vault) };
        watcher.finds("walrus", &["a.md"]);
        watcher.kill();
        assert!(vault.data().join("watch.sock").exists());
        // A command now answers by itself.
        assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
        vault.tars(["watch", "--status"]).run().code(1).quiet();
        vault.tars(["watch", "--stop"]).run().code(1).quiet();
    }
    let watcher = Watcher::start(&vault);
    vault.write("b.md", "puffin\n");
    watcher.finds("puffin", &["b.md"]);
}

#[test]
fn the_socket_is_private() {
    let vault = TestVault::of_words();
    let watcher = Watcher::start(&vault);
    assert_eq!((mode(&vault.data().join("watch.sock")), mode(&vault.data())), (0o600, 0o700));
    watcher.stop().success();
    let runtime = vault.home().join("run");
    fs::create_dir(&runtime).unwrap();
    let vault = vault.with("XDG_RUNTIME_DIR", runtime.clone());
    let watcher = Watcher::start(&vault);
    let folder = runtime.join("tars");
    let entries = || {
        let mut entries: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        entries
    };
    // The watcher answers before it has a folder for cookies.
    eventually("there is a folder beside the socket", || entries().len() > 1);
    let entries = entries();
    let [cookies, socket] = &entries[..] else { panic!("{entries:?}") };
    assert_eq!((mode(cookies), mode(socket), mode(&folder)), (0o700, 0o600, 0o700));
    assert!(!vault.data().join("watch.sock").exists());
    watcher.stop().success();
    assert!(!socket.exists());
    assert_eq!(fs::read_dir(cookies).unwrap().count(), 0, "the folder stays for the next watcher");
}

#[test]
fn each_data_directory_has_a_watcher_of_its_own() {
    let (one, two) = (TestVault::of_words(), TestVault::of_words());
    one.write("a.md", "walrus\n");
    two.write("b.md", "walrus\n");
    let (first, second) = (Watcher::start(&one), Watcher::start(&two));
    assert_ne!(first.status()["pid"], second.status()["pid"]);
    first.stop().success();
    assert_eq!(second.status()["pid"], second.pid);
    second.finds("walrus", &["b.md"]);
}

#[test]
fn the_watcher_does_not_start_without_a_vault() {
    let vault = TestVault::of_words().without("TARS_VAULT");
    for arguments in [&["watch"][..], &["watch", "--detach"]] {
        vault.tars(arguments).run().code(2).says(&["no vault is set", "try: tars init"]);
    }
}

#[test]
fn arguments_that_contradict_each_other_are_refused() {
    let vault = TestVault::of_words();
    for arguments in [
        &["--status", "--stop"][..],
        &["--detach", "--stop"],
        &["--json"],
        &["--idle-exit", "soon"],
        &["--idle-exit", "-1s"],
    ] {
        vault.tars(["watch"]).args(arguments).run().code(2);
    }
}
