//! A root that disappears and comes back: an unmounted vault is not an empty one.

use std::fs;

use super::Watcher;
use crate::harness::TestVault;

#[test]
fn nothing_is_deleted_while_the_root_is_missing() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").write("b.md", "otter\n");
    let watcher = Watcher::start(&vault);
    watcher.finds("walrus", &["a.md"]);
    watcher.finds("otter", &["b.md"]);
    let away = vault.home().join("away");
    fs::rename(vault.root(), &away).unwrap();
    watcher.eventually("it says that the root is missing", |state| !state["problem"].is_null());
    watcher.finds("walrus", &["a.md"]);
    assert_eq!(vault.count("SELECT count(*) FROM files"), 2);
    fs::write(away.join("c.md"), "puffin\n").unwrap();
    fs::remove_file(away.join("b.md")).unwrap();
    fs::rename(&away, vault.root()).unwrap();
    watcher.finds("puffin", &["c.md"]);
    watcher.finds("otter", &[]);
    watcher.eventually("all is well", |state| state["problem"].is_null() && state["events"] == true);
    vault.write("d.md", "lynx\n");
    watcher.finds("lynx", &["d.md"]);
}

#[test]
fn an_empty_folder_in_place_of_the_root_does_not_empty_the_index() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let watcher = Watcher::start(&vault);
    watcher.finds("walrus", &["a.md"]);
    let away = vault.home().join("away");
    fs::rename(vault.root(), &away).unwrap();
    fs::create_dir(vault.root()).unwrap();
    watcher.eventually("it says what is wrong", |state| !state["problem"].is_null());
    watcher.finds("walrus", &["a.md"]);
    fs::remove_dir(vault.root()).unwrap();
    fs::write(away.join("b.md"), "puffin\n").unwrap();
    fs::rename(&away, vault.root()).unwrap();
    watcher.finds("puffin", &["b.md"]);
    watcher.finds("walrus", &["a.md"]);
}

#[test]
fn a_root_replaced_by_another_folder_is_watched() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let watcher = Watcher::start(&vault);
    watcher.finds("walrus", &["a.md"]);
    let (next, old) = (vault.home().join("next"), vault.home().join("old"));
    fs::create_dir(&next).unwrap();
    fs::write(next.join("b.md"), "otter\n").unwrap();
    fs::rename(vault.root(), &old).unwrap();
    fs::rename(&next, vault.root()).unwrap();
    watcher.finds("otter", &["b.md"]);
    watcher.finds("walrus", &[]);
    vault.write("c.md", "puffin\n");
    watcher.finds("puffin", &["c.md"]);
}

#[test]
fn the_watcher_waits_for_a_root_that_is_missing_at_the_start() {
    let vault = TestVault::of_words();
    fs::remove_dir(vault.root()).unwrap();
    let watcher = Watcher::start(&vault);
    watcher.eventually("it says that the root is missing", |state| !state["problem"].is_null());
    vault.write("a.md", "walrus\n");
    watcher.finds("walrus", &["a.md"]);
    watcher.eventually("all is well", |state| state["problem"].is_null() && state["events"] == true);
    vault.write("b.md", "otter\n");
    watcher.finds("otter", &["b.md"]);
}
