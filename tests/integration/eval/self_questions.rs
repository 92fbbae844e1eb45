//! `tars eval --self`.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use super::{FIGURES, mode};
use crate::contract::{keys, text};
use crate::harness::{TarsCommand, TestVault};
use crate::untouched::contents;

/// A vault whose names occur only as names, apart from two texts of links, and a folder for temporary files.
fn vault(vault: TestVault) -> TestVault {
    vault.write(
        "Bees/Hive 1.md",
        "---\naliases: [Zebrafish]\ntags: [bees]\n---\n# Walrus\n\nThe colony under the linden is the calm kind and never follows anybody.\n\n\
         ## Quokka\n\nFifteen kilos of sugar for each box, all of it inside by the middle of September.\n",
    );
    vault.write(
        "Kitchen/Bread.md",
        "# Narwhal\n\nFlour, water and salt, kneaded for ten minutes and left alone over night in a cool room.\n\n\
         ## Capybara\n\nThe oven must be as hot as it gets, with a dish of water on its floor for the steam.\n",
    );
    vault.write(
        "Journal.md",
        "Visited [[Hive 1|the calm kind]] before lunch and forgot about [[Bread|aardvark]] until the evening bells rang.\n",
    );
    for note in ["Bees/Hive 1.md", "Kitchen/Bread.md", "Journal.md"] {
        vault.settle(note);
    }
    fs::create_dir(vault.home().join("temporary")).unwrap();
    vault.index();
    vault
}

fn own(vault: &TestVault) -> TarsCommand {
    vault.tars(["eval", "--self"]).env("TMPDIR", vault.home().join("temporary"))
}

#[track_caller]
fn nothing_is_left(vault: &TestVault) {
    for entry in fs::read_dir(vault.home().join("temporary")).unwrap() {
        // ONNX Runtime keeps its own file there.
        assert_eq!(entry.unwrap().file_name(), ".ses");
    }
}

#[test]
fn eval_hides_names_that_reveal_the_answer() {
    let vault = vault(TestVault::of_words());
    let kept = vault.home().join("run.jsonl");
    let output = own(&vault).args(["--json", "--out"]).arg(&kept).run().success();
    let answer = output.json();
    assert_eq!((&answer["questions"], &answer["astray"]), (&json!(8), &json!(0)));
    let records: Vec<Value> =
        fs::read_to_string(&kept).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: BTreeSet<&str> = records.iter().map(|record| text(record, "id")).collect();
    let expected = [
        "alias vault/Bees/Hive 1.md: Zebrafish",
        "heading vault/Bees/Hive 1.md: Quokka",
        "heading vault/Kitchen/Bread.md: Capybara",
        "link vault/Bees/Hive 1.md: the calm kind",
        "link vault/Kitchen/Bread.md: aardvark",
        "title vault/Bees/Hive 1.md: Walrus",
        "title vault/Journal.md: Journal",
        "title vault/Kitchen/Bread.md: Narwhal",
    ];
    assert_eq!(ids, BTreeSet::from(expected));
    // Keywords find only what the text of a note itself says; the note with the link does not count.
    for record in &records {
        let found = if record["id"] == "link vault/Bees/Hive 1.md: the calm kind" { 1.0 } else { 0.0 };
        assert_eq!([&record["recall@1"], &record["recall@10"]], [found, found], "{record}");
    }
    // In the index itself every name is found.
    for name in ["walrus", "zebrafish", "quokka", "narwhal", "capybara", "aardvark", "journal"] {
        assert!(!vault.found(&["sgrep", name]).is_empty(), "{name}");
    }
    nothing_is_left(&vault);
}

#[test]
fn vault_and_index_stay_unchanged() {
    let vault = vault(TestVault::new());
    let before = (contents(&vault.root()), contents(&vault.data()));
    let output = own(&vault).run().success();
    let index = contents(&vault.data());
    assert_eq!(contents(&vault.root()), before.0);
    assert_eq!(index.keys().collect::<Vec<_>>(), before.1.keys().collect::<Vec<_>>());
    for (path, (bytes, _)) in &index {
        assert!(*bytes == before.1[path].0, "{} has changed", path.display());
    }
    nothing_is_left(&vault);
    // Every mode is measured, and a remark explains the figures.
    let first: Vec<&str> = output.stdout().lines().next().unwrap().split_whitespace().collect();
    assert_eq!(first, ["all", "8", "hybrid", "keyword", "vector", "grep"], "{output}");
    let firsts: Vec<&str> = output
        .stdout()
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .skip_while(|first| *first != "alias")
        .collect();
    assert_eq!(
        firsts,
        ["alias", "heading", "link", "title", "first", "relevant", "kinda", "maybe", "not", "Each", "Names"],
        "{output}"
    );
    output.says(&["no more than 8 questions"]);
}

#[test]
fn notes_with_hidden_names_are_re_embedded() {
    let vault = vault(TestVault::new());
    let answer = own(&vault).args(["--json", "--mode", "vector"]).run().success().json();
    assert_eq!((&answer["left_out"], &answer["degraded"]), (&json!(null), &json!([])));
    assert_eq!(keys(&mode(&answer, "vector")["overall"]), FIGURES);
    assert_eq!(mode(&answer, "vector")["overall"]["recall@10"], 1.0, "each of three notes is near enough");
}

#[test]
fn a_sample_has_the_requested_size() {
    let vault = vault(TestVault::of_words());
    let asked =
        |arguments: &[&str]| own(&vault).arg("--json").args(arguments).run().success().json()["questions"].clone();
    assert_eq!((asked(&["--sample", "3"]), asked(&["--seed", "7"])), (json!(3), json!(8)));
    for arguments in [&["--sample", "0"][..], &["questions.jsonl"]] {
        own(&vault).args(arguments).run().code(2);
    }
    vault.tars(["eval", "questions.jsonl", "--sample", "3"]).run().code(2);
    vault.tars(["eval"]).run().code(2).says(&["QUERIES.jsonl"]);
}

#[test]
fn changed_notes_are_skipped() {
    let vault = vault(TestVault::of_words());
    vault.append("Bees/Hive 1.md", "\nOne more line.\n");
    let output = own(&vault).arg("--json").run().success();
    // Its title, heading and alias are no questions, nor is the text of a link to it.
    assert_eq!(output.json()["questions"], 4);
    output.says(&["passed over: 1 note that changed"]);
}

#[test]
fn notes_without_a_question_are_reported() {
    let vault = TestVault::of_words();
    own(&vault).run().code(2).says(&["try: tars index"]);
    vault.write("2024-01-01.md", "Hardly a word.\n").index();
    own(&vault).run().code(2).says(&["at least two unchanged notes, and the index holds 1", "try: tars index"]);
    vault.write("2024-01-02.md", "Nor here.\n").index();
    own(&vault).run().code(2).says(&["no question can be made of these notes", "try: tars eval QUERIES.jsonl"]);
}

#[test]
fn a_failed_run_leaves_nothing_behind() {
    let vault = vault(TestVault::of_words());
    own(&vault).args(["--mode", "vector"]).run().code(2).says(&["search by meaning is not possible"]);
    nothing_is_left(&vault);
    let missing = vault.home().join("missing");
    let output = vault.tars(["eval", "--self"]).env("TMPDIR", &missing).run().code(2);
    output.says(&["cannot make a temporary folder"]);
}
