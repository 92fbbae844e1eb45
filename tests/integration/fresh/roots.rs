//! A missing root is reported with every answer, and the index does not count as up to date.

use std::fs;

use crate::harness::TestVault;
use crate::watch::Watcher;

/// Moves the vault away, and puts an empty folder in its place if `emptied`. Both report it, and stop reporting it afterwards.
fn gone(watched: bool, emptied: bool) {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").write("b.md", "walrus and otter\n").settle("a.md").settle("b.md").index();
    let watcher = watched.then(|| Watcher::start(&vault));
    if let Some(watcher) = &watcher {
        watcher.eventually("it is at rest", |state| state["pending"] == 0 && state["events"] == true);
    }
    let away = vault.home().join("away");
    fs::rename(vault.root(), &away).unwrap();
    if emptied {
        fs::create_dir(vault.root()).unwrap();
    }
    let said = if emptied { "holds no notes, but the index knows 2" } else { "(collection 'vault') is not there" };
    let (plain, json) = (["sgrep", "walrus"], ["search", "walrus", "--json"]);
    for _ in 0..2 {
        let output = vault.tars(plain).run().success().says(&[said]);
        assert!(!output.stderr().contains("not in this answer yet"), "{output}");
        let answer = vault.tars(json).run().success().json();
        assert!(answer["degraded"].as_str().is_some_and(|degraded| degraded.contains(said)), "{answer}");
        assert_eq!((answer["index"]["pending"].as_u64(), answer["results"].as_array().unwrap().len()), (Some(0), 2));
        let answer = vault.tars(["context", "--json", "--query", "walrus"]).run().json();
        assert!(answer["degraded"].as_str().is_some_and(|degraded| degraded.contains(said)), "{answer}");
    }
    let status = vault.tars(["status"]).run().success();
    assert!(!status.stdout().contains("up to date") && !status.stdout().contains("changed on disk"), "{status}");
    assert!(status.stdout().contains("state        not known: vault is "), "{status}");
    if emptied {
        fs::remove_dir(vault.root()).unwrap();
    }
    fs::write(away.join("c.md"), "walrus again\n").unwrap();
    fs::rename(&away, vault.root()).unwrap();
    let answer = vault.tars(json).run().success().json();
    assert_eq!((&answer["degraded"], answer["results"].as_array().unwrap().len()), (&serde_json::Value::Null, 3));
}

#[test]
fn a_missing_root_is_reported_without_a_watcher() {
    gone(false, false);
}

#[test]
fn a_missing_root_is_reported_by_the_watcher() {
    gone(true, false);
}

#[test]
fn an_emptied_root_is_reported_without_a_watcher() {
    gone(false, true);
}

#[test]
fn an_emptied_root_is_reported_by_the_watcher() {
    gone(true, true);
}
