//! A watcher waits before it answers, and reports what is missing after its timeout.

use std::sync::{Arc, Condvar, Mutex};

use crate::harness::{TestVault, eventually};
use crate::models::{embeddings, inputs};
use crate::watch::Watcher;
use tars_testing::loopback::Loopback;

/// Saves notes and searches for each until the watcher itself answers: a command gives up on a slow watcher.
fn answered_by(watcher: &Watcher<'_>, vault: &TestVault) {
    let answered = || watcher.status()["answered"].as_u64().unwrap();
    let mut number = 0;
    eventually("the watcher answers", || {
        number += 1;
        let (note, word) = (format!("{number}.md"), format!("walrus{number}"));
        let before = answered();
        vault.write(&note, format!("{word}\n"));
        assert_eq!(vault.found(&["sgrep", &word]), [note.as_str()]);
        let middle = answered();
        vault.remove(&note);
        vault.tars(["sgrep", &word]).run().code(1).says(&["nothing found"]);
        before < middle && middle < answered()
    });
}

#[test]
fn a_watcher_answers_with_fresh_saves() {
    // No debounce is that long: the search made the watcher index.
    let vault = TestVault::of_words().with("TARS_WATCH_DEBOUNCE_MS", "10000");
    vault.write("a.md", "otter\n");
    let watcher = Watcher::start(&vault);
    watcher.eventually("it is at rest", |state| state["pending"] == 0 && state["events"] == true);
    answered_by(&watcher, &vault);
    // The watcher reads a new folder after it watches it.
    for number in 0..20 {
        let note = format!("new{number}/deep/er/note.md");
        vault.write(&note, format!("lynx{number}\n"));
        assert_eq!(vault.found(&["sgrep", &format!("lynx{number}")]), [note.as_str()]);
        vault.append(&note, &format!("heron{number}\n"));
        assert_eq!(vault.found(&["sgrep", &format!("heron{number}")]), [note.as_str()]);
    }
}

#[test]
fn a_watcher_without_events_checks_the_disk_for_each_question() {
    let vault = TestVault::of_words().with("TARS_WATCH_POLLING", "always").with("TARS_WATCH_POLL_SECONDS", "600");
    vault.write("a.md", "otter\n").settle("a.md");
    let watcher = Watcher::start(&vault);
    watcher.finds("otter", &["a.md"]);
    answered_by(&watcher, &vault);
}

#[test]
fn answers_come_without_the_cookie_folder() {
    let vault = TestVault::of_words();
    vault.write("a.md", "otter\n");
    let watcher = Watcher::start(&vault);
    watcher.eventually("it is at rest", |state| state["pending"] == 0 && state["events"] == true);
    assert_eq!(crate::watch::mode(&vault.data().join("watch.cookies")), 0o700);
    std::fs::remove_dir(vault.data().join("watch.cookies")).unwrap();
    answered_by(&watcher, &vault);
}

#[test]
fn a_busy_watcher_reports_what_it_has_not_indexed() {
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let closed = Arc::clone(&gate);
    let server = Loopback::start(move |asked| {
        if inputs(asked).iter().any(|text| text.contains("tarry")) {
            let open = closed.0.lock().unwrap();
            drop(closed.1.wait_while(open, |open| !*open).unwrap());
        }
        embeddings(asked, 64)
    });
    let vault = TestVault::new()
        .with("TARS_EMBEDDING_PROVIDER", "openai")
        .with("TARS_EMBEDDING_MODEL", "small")
        .with("TARS_EMBEDDING_DIMENSIONS", "64")
        .with("TARS_EMBEDDING_BASE_URL", format!("{}/v1", server.url()));
    vault.write("a.md", "otter\n").settle("a.md");
    let watcher = Watcher::start(&vault);
    watcher.settles();
    vault.write("slow.md", "Let it tarry.\n");
    watcher.finds("tarry", &["slow.md"]);
    eventually("it is being embedded", || {
        server.received().iter().any(|asked| inputs(asked).concat().contains("tarry"))
    });
    vault.write("b.md", "puffin\n");
    let output = vault.tars(["sgrep", "otter"]).run().success();
    output.says(&["1 changed note is not in this answer yet"]);
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
    watcher.finds("puffin", &["b.md"]);
    vault.tars(["sgrep", "otter"]).run().success().quiet();
}
