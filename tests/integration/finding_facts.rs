//! Facts of the memory in other words than the question: the set of tests/facts, with other notes beside it.
//!
//! The asserted shares leave a margin: docs/quality.md holds the figures.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::fixture::{Notes, notes_of, shared};
use crate::harness::TestVault;

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn questions(file: &str) -> Vec<Value> {
    let text = fs::read_to_string(tests().join("facts").join(file)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The results for the 40 facts and for the 30 questions without an answer.
struct Found {
    /// Facts whose line is a result.
    lines: usize,
    /// Those whose result counts as relevant.
    relevant: usize,
    /// Questions without an answer that have a relevant result.
    wrong: usize,
}

fn ask(vault: &TestVault) -> Found {
    let answers = |file: &str| {
        let questions = tests().join("facts").join(file);
        vault.tars(["search", "--batch", questions.to_str().unwrap(), "--json"]).run().success().json_lines()
    };
    let is_relevant = |hit: &Value| hit["relevance"] != "not relevant";
    let (mut lines, mut relevant) = (0, 0);
    for (question, answer) in questions("queries.jsonl").iter().zip(answers("queries.jsonl")) {
        let hits = answer["results"].as_array().unwrap();
        let fact = &question["relevant"][0];
        let of_memory = hits.iter().find(|hit| hit["path"] == fact["path"] && hit["line"] == fact["start_line"]);
        lines += usize::from(of_memory.is_some());
        relevant += usize::from(of_memory.is_some_and(is_relevant));
    }
    let unanswered = answers("unanswerable.jsonl");
    assert_eq!(unanswered.len(), 30);
    let wrong =
        unanswered.iter().filter(|answer| answer["results"].as_array().unwrap().iter().any(is_relevant)).count();
    Found { lines, relevant, wrong }
}

#[test]
#[ignore = "nightly: embeds three large vaults, 2 minutes"]
fn facts_are_found_by_meaning_among_other_notes() {
    for beside in ["nothing", "quality", "everyday"] {
        let mut notes = if beside == "nothing" { Notes::new() } else { notes_of(&tests().join(beside).join("vault")) };
        // These replace the memory of the other vault.
        notes.extend(notes_of(&tests().join("facts/vault")));
        let vault = shared(&format!("facts-beside-{beside}"), &notes);
        let Found { lines, relevant, wrong } = ask(&vault);
        println!(
            "beside {beside}: the line of {lines} of 40 facts, {relevant} of them relevant; {wrong} of 30 answered wrongly"
        );
        assert!(lines >= 24 && relevant >= 10 && wrong <= 10, "beside {beside}: {lines} {relevant} {wrong}");
    }
}
