//! Facts of the memory, asked for in other words: the set of tests/facts, beside other notes.
//!
//! What is asserted are shares with room to spare: docs/quality.md holds the figures.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::harness::{TestVault, kept};
use crate::ranking::copy;

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn questions(file: &str) -> Vec<Value> {
    let text = fs::read_to_string(tests().join("facts").join(file)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What was found of the 40 facts and for the 30 questions that nothing answers.
struct Found {
    /// Facts whose line a result names.
    lines: usize,
    /// Those of them whose result counts as relevant.
    relevant: usize,
    /// Questions without an answer that have a relevant result all the same.
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
fn a_fact_is_found_by_meaning_among_many_and_beside_other_notes() {
    for beside in ["nothing", "quality", "everyday"] {
        let vault = kept(&format!("facts-beside-{beside}"), |vault| {
            if beside != "nothing" {
                copy(&tests().join(beside).join("vault"), &vault.root());
            }
            // In place of a memory that is there.
            copy(&tests().join("facts/vault"), &vault.root());
        });
        let Found { lines, relevant, wrong } = ask(&vault);
        println!(
            "beside {beside}: the line of {lines} of 40 facts, {relevant} of them relevant; {wrong} of 30 answered wrongly"
        );
        assert!(lines >= 24 && relevant >= 10 && wrong <= 10, "beside {beside}: {lines} {relevant} {wrong}");
    }
}
