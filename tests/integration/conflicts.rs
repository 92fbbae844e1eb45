//! Conflict copies of sync programs: `tars conflicts`.

use std::path::Path;

use crate::contract::text;
use crate::harness::TestVault;

const NOTE: &str = "# Backups\n\nThe key is on paper.\n\n- one\n- two\n";
const COPY: &str = "# Backups\n\nThe key is in the safe.\n\n- one\n- two\n- three\n";

fn synced() -> TestVault {
    let vault = TestVault::of_words();
    vault.write("Home/Backups.md", NOTE);
    vault.write("Home/Backups.sync-conflict-20261128-101112-ABCDEFG.md", COPY);
    vault.write("Home/Backups 2.md", COPY);
    vault.write("Home/Backups 3.md", "# Something else\n\nNo line in common.\n");
    vault.write("Home/Backups-LAPTOP.md", COPY);
    vault.write("Home/Plan.md", "---\ntars: private\n---\nsecret plan\n");
    vault.write("Home/Plan (Anna's conflicted copy 2026-11-28).md", "secret plan too\n");
    vault.index();
    vault
}

#[test]
fn copies_are_listed_with_their_notes_and_differences() {
    let vault = synced();
    let listed = vault.tars(["conflicts", "--json"]).run().success().json();
    let copies: Vec<(String, String)> = (listed["copies"].as_array().unwrap().iter())
        .map(|copy| (text(copy, "path").to_owned(), text(copy, "program").to_owned()))
        .collect();
    let expected = [
        ("Home/Backups 2.md", "iCloud"),
        ("Home/Backups-LAPTOP.md", "OneDrive"),
        ("Home/Backups.sync-conflict-20261128-101112-ABCDEFG.md", "Syncthing"),
    ];
    let expected: Vec<(String, String)> =
        expected.iter().map(|(path, program)| ((*path).to_owned(), (*program).to_owned())).collect();
    assert_eq!(copies, expected, "a private note and its copy are left out");
    let shown = vault.tars(["conflicts", "sync-conflict"]).run().success();
    for part in ["Home/Backups.md", "- The key is on paper.", "+ The key is in the safe.", "+ - three"] {
        assert!(shown.stdout().contains(part), "{part}: {shown}");
    }
    vault.tars(["conflicts", "Nowhere"]).run().code(1).says(&["no conflict copy was found"]);
    vault.tars(["conflicts", "--resolve"]).run().code(1).says(&["none of the copies lies in the memory folder"]);
    assert_eq!(vault.read("Home/Backups.md"), NOTE);
}

#[test]
fn a_merge_needs_a_person_and_one_undo_takes_it_back() {
    let vault = TestVault::of_words();
    vault.tars(["remember", "The router is at 192.168.1.1"]).run().success();
    let note = vault.read("tars/Memory.md");
    let copy = "tars/Memory (Conflicted copy laptop 202611281011).md";
    vault.write(copy, format!("{note}- The boiler was serviced in May\n"));
    vault.tars(["conflicts", "--resolve"]).run().code(2).says(&["nobody can be asked here"]);
    let refused = vault.at_terminal(["conflicts", "--resolve"], "n\n").run().code(1);
    assert!(refused.stdout().contains("+ - The boiler was serviced in May"), "{refused}");
    assert_eq!(vault.read("tars/Memory.md"), note);
    vault.at_terminal(["conflicts", "--resolve"], "y\n").run().success();
    let merged = vault.read("tars/Memory.md");
    assert!(merged.contains("192.168.1.1") && merged.contains("boiler"), "{merged}");
    assert!(!vault.path(copy).exists());
    vault.tars(["undo", "--yes"]).run().success();
    assert_eq!(vault.read("tars/Memory.md"), note);
    assert!(vault.read(copy).contains("boiler"));
}

#[test]
fn the_examples_of_conflicts_in_the_docs_run() {
    let vault = synced();
    let docs = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/conflicts.md")).unwrap();
    let folder = Path::new(env!("CARGO_BIN_EXE_tars")).parent().unwrap().to_owned();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let block = docs.split("```sh\n").nth(1).and_then(|block| block.split("\n```").next()).unwrap();
    for line in block.lines() {
        vault.program("sh").args(["-c", line]).env("PATH", &path).run().success();
    }
}
