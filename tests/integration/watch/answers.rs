//! The answers of a watcher, and what commands do when it does not answer.

use rustix::process::Signal;

use super::Watcher;
use crate::harness::{TestVault, eventually};
use crate::{library, second_stage};

/// Runs a command until the watcher answers it, and returns its code and streams.
fn answered(watcher: &Watcher<'_>, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut said = None;
    eventually("the watcher answers", || {
        let before = watcher.status()["answered"].as_u64().unwrap();
        said = Some(own(watcher.vault, arguments));
        watcher.status()["answered"].as_u64().unwrap() > before
    });
    said.unwrap()
}

fn own(vault: &TestVault, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = vault.tars(arguments).run();
    (output.status.code(), output.stdout().to_owned(), output.stderr().to_owned())
}

/// Removes the size of the database: SQLite's log grows and shrinks as connections come and go.
fn sizeless((code, stdout, stderr): (Option<i32>, String, String)) -> (Option<i32>, String, String) {
    let without = |line: &str| match (line.strip_prefix("database "), line.split_once("\"bytes\":")) {
        (Some(database), _) => database.rsplit_once(" (").map_or_else(String::new, |(path, _)| path.to_owned()),
        (None, Some((before, after))) => {
            format!("{before}{}", after.trim_start_matches(|character: char| character.is_ascii_digit()))
        }
        _ => line.to_owned(),
    };
    (code, stdout.lines().map(|line| without(line) + "\n").collect(), stderr)
}

#[test]
fn answers_are_the_same_to_the_byte() {
    let vault = TestVault::new();
    for (path, text) in library::NOTES {
        vault.write(path, text).settle(path);
    }
    vault.index();
    let watcher = Watcher::start(&vault);
    watcher.settles();
    let id = vault.search(&["sgrep", "blight"])[0]["id"].as_str().unwrap().to_owned();
    let searches: &[&[&str]] = &[
        &["search", "how often should I water tomatoes"],
        &["search", "how often should I water tomatoes", "--json"],
        &["search", "bicycle", "-n", "3", "--window", "1", "--json"],
        &["search", "green tea", "--budget", "60"],
        &["search", "bicycle", "--type", "daily", "--since", "2024-01-01", "--json"],
        &["search", "tomatoes", "--path", "Garden/**", "--fusion", "rrf", "--json"],
        &["svec", "a place to visit in spring", "--json"],
        &["sgrep", "tomatoes"],
        &["sgrep", "战国", "--json"],
        &["sgrep", "nothingofthekind"],
        &["sgrep", "nothingofthekind", "--json"],
        &["search", "tomatoes", "--min-score", "1", "--json"],
        &["context", "--query", "how often should I water tomatoes"],
        &["context", "--query", "how often should I water tomatoes", "--json"],
        &["context", "--query", "nothingofthekind", "--json"],
    ];
    let others: &[&[&str]] = &[
        &["expand", &id],
        &["expand", &id, "--json"],
        &["expand", &id, "--window", "2", "--json"],
        &["expand", &id, "--file"],
        &["expand", "ffffffffffff"],
        &["status"],
        &["status", "--json"],
        &["search", " "],
        &["sgrep", "!!!"],
    ];
    let through: Vec<_> = searches.iter().map(|arguments| answered(&watcher, arguments)).collect();
    let rest: Vec<_> = others.iter().map(|arguments| own(&vault, arguments)).collect();
    // A stopped watcher answers nobody, and its open files change nothing on disk.
    watcher.signal(Signal::STOP);
    for (arguments, with) in searches.iter().chain(others).zip(through.into_iter().chain(rest)) {
        assert_eq!(sizeless(own(&vault, arguments)), sizeless(with), "{arguments:?}");
    }
    watcher.signal(Signal::CONT);
    answered(&watcher, &["search", "tomatoes"]);
}

#[test]
fn the_watcher_runs_no_second_stage() {
    let server = second_stage::model_that_says("rewrite: otter\n");
    let vault = second_stage::shelf()
        .with("TARS_SEARCH_RERANK", "true")
        .with("TARS_SEARCH_EXPAND", "true")
        .with("TARS_SUMMARY_PROVIDER", "openai")
        .with("TARS_SUMMARY_BASE_URL", format!("{}/v1", server.url()))
        .with("TARS_SUMMARY_MODEL", "small");
    let without = second_stage::answer(&vault, &[]);
    assert_eq!((&without["results"][0]["path"], server.received().len()), (&"a.md".into(), 1));
    let watcher = Watcher::start(&vault);
    watcher.eventually("the watcher comes to rest", |state| state["pending"] == 0);
    let before = watcher.status()["answered"].clone();
    assert_eq!(second_stage::answer(&vault, &[]), without);
    assert_eq!((watcher.status()["answered"].clone(), server.received().len()), (before, 2));
    // Its own answers have none.
    let (_, context, _) = answered(&watcher, &["context", "--json", "--query", "walrus tusk ice"]);
    assert!(context.contains("\"degraded\":null") && context.contains("ice.md"), "{context}");
    assert_eq!(server.received().len(), 2);
}

#[test]
fn settings_that_decide_about_the_index_must_agree() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").write("b.md", "walrus too\n");
    let watcher = Watcher::start(&vault);
    watcher.finds("walrus", &["a.md", "b.md"]);
    // The flags of a question go with it.
    eventually("the watcher answers", || {
        let before = watcher.status()["answered"].as_u64().unwrap();
        let asked = vault.tars(["sgrep", "walrus", "--json"]).env("TARS_SEARCH_LIMIT", "1").run().success();
        assert_eq!(asked.json()["results"].as_array().unwrap().len(), 1);
        watcher.status()["answered"].as_u64().unwrap() > before
    });
    let before = watcher.status()["answered"].clone();
    for (name, value) in [
        ("TARS_EMBEDDING_MODEL", "another-model"),
        ("TARS_CHUNK_TARGET_TOKENS", "100"),
        ("TARS_INDEX_EXTENSIONS", "md,txt"),
    ] {
        let output = vault.tars(["sgrep", "walrus", "--no-sync", "--json"]).env(name, value).run().success();
        assert_eq!(output.json()["results"].as_array().unwrap().len(), 2, "{name}");
        assert_eq!(watcher.status()["answered"], before, "{name}");
    }
}

#[test]
fn a_search_goes_on_without_a_stuck_watcher() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let watcher = Watcher::start(&vault);
    watcher.finds("walrus", &["a.md"]);
    // A watcher stopped while it indexes would keep the index locked.
    let lock = std::fs::File::open(vault.data().join("index.lock")).unwrap();
    eventually("it is stopped with nothing in hand", || {
        watcher.signal(Signal::STOP);
        let free = lock.try_lock().is_ok();
        if free {
            lock.unlock().unwrap();
        } else {
            watcher.signal(Signal::CONT);
        }
        free
    });
    vault.write("b.md", "otter\n");
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
    assert_eq!(vault.found(&["sgrep", "otter"]), ["b.md"]);
    vault.tars(["status"]).run().success();
    let pid = watcher.pid.to_string();
    vault.tars(["watch", "--status"]).run().code(2).says(&[&pid, "does not answer"]);
    watcher.signal(Signal::CONT);
    answered(&watcher, &["sgrep", "walrus"]);
}

#[test]
fn searches_work_after_the_watcher_stopped() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let watcher = Watcher::start(&vault);
    watcher.finds("walrus", &["a.md"]);
    watcher.stop().success();
    vault.write("b.md", "otter\n");
    assert_eq!(vault.found(&["sgrep", "otter"]), ["b.md"]);
}

#[test]
fn the_watcher_recreates_a_removed_database() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let watcher = Watcher::start(&vault);
    watcher.finds("walrus", &["a.md"]);
    for name in ["index.db", "index.db-wal", "index.db-shm"] {
        let _ = std::fs::remove_file(vault.data().join(name));
    }
    vault.tars(["index"]).run().success();
    vault.write("b.md", "otter\n");
    watcher.finds("otter", &["b.md"]);
    watcher.finds("walrus", &["a.md"]);
}
