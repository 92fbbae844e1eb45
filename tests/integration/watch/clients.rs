//! A watcher that a client started, and its end.

use super::{Sleeper, Watcher, is_gone};
use crate::harness::{TestVault, eventually};

#[test]
fn the_watcher_ends_when_idle() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let watcher = Watcher::start_with(&vault, &["--idle-exit", "1s"]);
    watcher.finish().success().says(&["nobody needs the watcher any more"]);
    assert!(!vault.data().join("watch.sock").exists());
    assert_eq!(vault.count("SELECT count(*) FROM files"), 1);
}

#[test]
fn a_detached_watcher_ends_when_idle() {
    let vault = TestVault::of_words();
    let watcher = Watcher::detach(&vault, &["--idle-exit", "2s"]);
    eventually("it ends", || is_gone(watcher.pid));
}

#[test]
#[ignore = "nightly: waits for a timeout, 10 s"]
fn the_watcher_lives_as_long_as_any_of_its_clients() {
    let vault = TestVault::of_words();
    let (first, second) = (Sleeper::start(), Sleeper::start());
    // The idle timeout alone would end it long before its clients end.
    let watcher = Watcher::detach(&vault, &["--with-client", &first.id(), "--idle-exit", "1ms"]);
    assert_eq!(watcher.status()["clients"], 1);
    vault.tars(["watch", "--detach", "--with-client", &second.id()]).run().success();
    vault.tars(["watch", "--with-client", &second.id()]).run().success();
    assert_eq!(watcher.status()["clients"], 2);
    drop(first);
    watcher.eventually("it notices that one is gone", |state| state["clients"] == 1);
    vault.write("a.md", "walrus\n");
    watcher.finds("walrus", &["a.md"]);
    assert!(!is_gone(watcher.pid));
    drop(second);
    eventually("it ends", || is_gone(watcher.pid));
    vault.tars(["watch", "--status"]).run().code(1);
}

#[test]
#[ignore = "nightly: waits for a timeout, 15 s"]
fn a_watcher_started_for_a_client_that_has_ended_stops() {
    let vault = TestVault::of_words();
    let client = Sleeper::start().id();
    let watcher = Watcher::start_with(&vault, &["--with-client", &client]);
    watcher.finish().success();
}
