//! An index with missing vectors: keyword results do not depend on them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::harness::TestVault;
use crate::models::embeddings;
use crate::watch::{Watcher, signal};
use tars_testing::loopback::{Loopback, Reply};

/// More batches than any test requests.
const ALL: usize = usize::MAX / 2;

/// Holds back one reply of the server: the server signals that the request has come, and answers when the other side is dropped.
type Held = (Sender<()>, Receiver<()>);

/// Returns a server that embeds `batches` batches and then fails.
struct Frail {
    server: Loopback,
    left: Arc<AtomicUsize>,
    held: Arc<Mutex<Option<Held>>>,
}

impl Frail {
    fn start() -> Self {
        let left = Arc::new(AtomicUsize::new(ALL));
        let held = Arc::new(Mutex::new(None::<Held>));
        let (counted, holding) = (Arc::clone(&left), Arc::clone(&held));
        let server = Loopback::start(move |asked| {
            let hold = holding.lock().unwrap().take();
            if let Some((reached, released)) = hold {
                reached.send(()).unwrap();
                let _ = released.recv();
            }
            match counted.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)) {
                Ok(_) => embeddings(asked, 64),
                Err(_) => Reply::status(400, "no more"),
            }
        });
        Self { server, left, held }
    }

    fn embeds(&self, batches: usize) {
        self.left.store(batches, Ordering::SeqCst);
    }

    /// Interrupts a full run, as Ctrl-C does, while the server has its first batch.
    fn interrupts(&self, vault: &TestVault) {
        let ((reached, at_work), (release, released)) = (channel(), channel());
        *self.held.lock().unwrap() = Some((reached, released));
        let run = vault.tars(["index", "--full"]).start();
        at_work.recv_timeout(Duration::from_secs(60)).unwrap();
        signal(run.id(), Signal::INT);
        drop(release);
        run.finish().code(130);
    }

    fn vault(&self) -> TestVault {
        let vault = TestVault::new()
            .with("TARS_EMBEDDING_PROVIDER", "openai")
            .with("TARS_EMBEDDING_MODEL", "small")
            .with("TARS_EMBEDDING_DIMENSIONS", "64")
            .with("TARS_EMBEDDING_BATCH_SIZE", "2")
            .with("TARS_EMBEDDING_BASE_URL", format!("{}/v1", self.server.url()));
        for (number, word) in ["walrus", "otter", "puffin", "lynx", "heron", "badger"].into_iter().enumerate() {
            let note = format!("{word}.md");
            vault
                .write(&note, format!("# {word}\n\nThe {word} was seen {number} times on an ice floe.\n"))
                .settle(&note);
        }
        vault
    }
}

/// Returns the positions of keyword results, and asserts that no answer reports missing changes.
fn ranks(vault: &TestVault) -> Vec<String> {
    let answer = vault.tars(["sgrep", "walrus ice floe", "--json", "-n", "100"]).run().success().json();
    assert_eq!((&answer["degraded"], answer["index"]["pending"].as_u64()), (&Value::Null, Some(0)), "{answer}");
    let hits = answer["results"].as_array().unwrap();
    hits.iter().map(|hit| format!("{}:{}-{}", hit["path"], hit["start_line"], hit["end_line"])).collect()
}

/// Searches right after a change of a vault with an interrupted run, and again when everything is embedded.
fn compare(watched: bool, interrupted: impl Fn(&Frail, &TestVault)) {
    let frail = Frail::start();
    let vault = frail.vault();
    interrupted(&frail, &vault);
    assert!(vault.count("SELECT count(*) FROM passages WHERE vector_id IS NULL") > 0, "nothing was interrupted");
    frail.embeds(0);
    let watcher = watched.then(|| Watcher::start(&vault));
    if let Some(watcher) = &watcher {
        // A failing server is no pending change.
        watcher.eventually("it has compared everything", |state| state["pending"] == 0 && !state["problem"].is_null());
    }
    vault.write("new.md", "# New\n\nA walrus on a floe of ice.\n").remove("heron.md");
    let fresh = ranks(&vault);
    frail.embeds(ALL);
    vault.index();
    assert_eq!(vault.count("SELECT count(*) FROM passages WHERE vector_id IS NULL"), 0);
    assert_eq!(fresh, ranks(&vault), "watched: {watched}");
    assert!(fresh.iter().any(|hit| hit.contains("new.md")) && !fresh.iter().any(|hit| hit.contains("heron")));
}

#[test]
fn a_half_embedded_vault() {
    for watched in [false, true] {
        compare(watched, |frail, vault| {
            frail.embeds(1);
            vault.tars(["index"]).run().code(2);
        });
    }
}

#[test]
fn a_full_run_that_was_interrupted() {
    for watched in [false, true] {
        compare(watched, |frail, vault| {
            vault.index();
            // Passages of new text have no vector in either case.
            vault.write("later.md", "# Later\n\nNo floe today.\n").settle("later.md");
            frail.embeds(0);
            vault.tars(["index", "--full"]).run().code(2);
        });
    }
}

#[test]
fn a_full_run_that_a_signal_ends() {
    for watched in [false, true] {
        compare(watched, |frail, vault| {
            vault.index();
            // Enough batches that the signal comes before the last one.
            for number in 0..100 {
                let note = format!("later/{number}.md");
                vault.write(&note, format!("# Later {number}\n\nNo floe today.\n")).settle(&note);
            }
            frail.interrupts(vault);
        });
    }
}
