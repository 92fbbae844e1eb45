//! tars tells the watcher about its own writes.

use crate::harness::{TestVault, eventually};
use crate::watch::{Watcher, known};

#[test]
fn memory_writes_reach_a_watcher_without_events() {
    let vault = TestVault::of_words().with("TARS_WATCH_POLLING", "always").with("TARS_WATCH_POLL_SECONDS", "600");
    vault.write("a.md", "walrus\n").settle("a.md");
    let watcher = Watcher::start(&vault);
    watcher.finds("walrus", &["a.md"]);
    vault.write("unseen.md", "lynx\n");
    // tars waits only a few milliseconds for a busy watcher: on a loaded machine a message may be missed.
    let mut number = 0;
    eventually("a fact is known without a question that brings it in", || {
        number += 1;
        vault.tars(["remember", "--force", &format!("The otter eats urchin{number}")]).run().success();
        known(&vault, "otter") == ["tars/Memory.md"]
    });
    number = 0;
    eventually("a fact that is forgotten is gone", || {
        number += 1;
        vault.tars(["daily", "--append", &format!("Saw puffin{number}")]).run().success();
        !known(&vault, "puffin1").is_empty()
    });
    assert!(known(&vault, "lynx").is_empty(), "nothing else was indexed");
}

#[test]
fn a_stuck_watcher_does_not_block_remembering() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let watcher = Watcher::start(&vault);
    watcher.finds("walrus", &["a.md"]);
    watcher.signal(rustix::process::Signal::STOP);
    vault.tars(["remember", "The otter eats urchins"]).run().success().quiet();
    watcher.signal(rustix::process::Signal::CONT);
    watcher.finds("urchins", &["tars/Memory.md"]);
}
