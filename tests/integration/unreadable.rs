//! Files and folders without read permission.

use std::fs;

use serde_json::json;

use crate::freshness::reported;
use crate::harness::TestVault;
use crate::permissions::{as_ordinary_person, set_mode};

#[test]
fn a_file_that_cannot_be_read_is_reported_and_the_rest_done() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").write("b.md", "otter\n").settle("a.md");
    as_ordinary_person(&vault, &["index"]).run().success();
    vault.append("a.md", "more\n").append("b.md", "puffin\n");
    set_mode(&vault.path("a.md"), 0o000);
    let output = as_ordinary_person(&vault, &["index", "--json"]).run().code(2).says(&["a.md", "ermission denied"]);
    reported(&output.json(), &[("failed", 1), ("changed", 1)]);
    // The old version stays in the index.
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
    assert_eq!(vault.found(&["sgrep", "puffin"]), ["b.md"]);
    set_mode(&vault.path("a.md"), 0o644);
    as_ordinary_person(&vault, &["index"]).run().success();
    assert_eq!(vault.found(&["sgrep", "more"]), ["a.md"]);
}

#[test]
fn notes_in_an_unreadable_folder_stay_indexed() {
    let vault = TestVault::of_words();
    vault.write("sub/a.md", "walrus\n").write("b.md", "otter\n").write("c.md", "puffin\n");
    as_ordinary_person(&vault, &["index"]).run().success();
    vault.remove("c.md");
    set_mode(&vault.path("sub"), 0o000);
    let output = as_ordinary_person(&vault, &["index", "--json"]).run().code(2).says(&["sub"]);
    set_mode(&vault.path("sub"), 0o755);
    reported(&output.json(), &[("failed", 1), ("removed", 1)]);
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["sub/a.md"]);
    vault.tars(["sgrep", "puffin"]).run().code(1);
}

#[test]
fn notes_in_an_unreadable_folder_are_not_pending() {
    let vault = TestVault::of_words();
    vault.write("sub/a.md", "walrus\n").write("b.md", "otter\n").settle("b.md").settle("sub/a.md");
    as_ordinary_person(&vault, &["index"]).run().success();
    set_mode(&vault.path("sub"), 0o000);
    let status = as_ordinary_person(&vault, &["status", "--json"]).run().success().json();
    let answer = as_ordinary_person(&vault, &["sgrep", "walrus", "--json"]).run().success().quiet().json();
    set_mode(&vault.path("sub"), 0o755);
    assert_eq!((&status["pending"], &answer["index"]["pending"]), (&0.into(), &0.into()));
}

#[test]
fn an_unreadable_note_is_not_pending() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").settle("a.md").write("b.md", "otter\n").settle("b.md");
    as_ordinary_person(&vault, &["config", "path"]).run().success();
    set_mode(&vault.path("b.md"), 0o000);
    as_ordinary_person(&vault, &["index"]).run().code(2).says(&["b.md"]);
    let answer = as_ordinary_person(&vault, &["sgrep", "walrus", "--json"]).run().success().json();
    assert_eq!(answer["index"]["pending"], json!(0), "{answer}");
    let status = as_ordinary_person(&vault, &["status", "--json"]).run().success().json();
    let collection = &status["collections"][0];
    assert_eq!(
        (&status["pending"], &collection["pending"], &collection["unreadable"]),
        (&json!(0), &json!(0), &json!(1))
    );
    let output = as_ordinary_person(&vault, &["status"]).run().success();
    assert!(output.stdout().contains("1 note, 1 unreadable"), "{output}");
    assert!(output.stdout().contains("up to date"), "{output}");
    set_mode(&vault.path("b.md"), 0o644);
    assert_eq!(
        as_ordinary_person(&vault, &["sgrep", "otter", "--json"]).run().success().json()["results"][0]["path"],
        "b.md"
    );
}

#[test]
fn the_systems_error_is_printed_once() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    as_ordinary_person(&vault, &["index"]).run().success();
    let transcript = vault.home().join("session.jsonl");
    fs::write(&transcript, "{}\n").unwrap();
    set_mode(&vault.data().join("index.lock"), 0o000);
    as_ordinary_person(&vault, &["config", "path"]).run().success();
    set_mode(&transcript, 0o000);
    for arguments in [&["index"][..], &["transcript", transcript.to_str().unwrap()]] {
        let output = as_ordinary_person(&vault, arguments).run().code(2);
        assert_eq!(output.stderr().matches("ermission denied").count(), 1, "{output}");
    }
}
