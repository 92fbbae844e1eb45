//! Everyday questions over the manual in tests/everyday, and what their scores promise.
//!
//! The asserted orders and shares leave a margin: docs/quality.md holds the figures.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::Value;

use crate::contract::text;
use crate::fixture::{notes_of, shared};
use crate::harness::TestVault;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/everyday")
}

/// Returns the manual.
fn manual() -> &'static TestVault {
    static MANUAL: OnceLock<TestVault> = OnceLock::new();
    MANUAL.get_or_init(|| shared("everyday", &notes_of(&folder().join("vault"))))
}

/// Runs all questions in every mode, once for all tests of a process.
fn evaluation() -> &'static Value {
    static ANSWER: OnceLock<Value> = OnceLock::new();
    ANSWER.get_or_init(|| {
        let questions = folder().join("queries.jsonl");
        manual().tars(["eval", questions.to_str().unwrap(), "--json"]).run().success().json()
    })
}

fn mode(name: &str) -> &'static Value {
    evaluation()["modes"].as_array().unwrap().iter().find(|mode| mode["mode"] == name).unwrap()
}

/// Returns nDCG@10 of the everyday questions.
fn everyday(name: &str) -> f64 {
    let categories = mode(name)["categories"].as_array().unwrap();
    let everyday = categories.iter().find(|one| one["category"] == "everyday").unwrap();
    assert!(everyday["questions"].as_u64().unwrap() >= 80);
    everyday["ndcg@10"].as_f64().unwrap()
}

/// Returns how many hits with this relevance are right, and their number.
fn called(relevance: &str) -> (f64, f64) {
    let bands = mode("hybrid")["reliability"].as_array().unwrap();
    let band = bands.iter().find(|band| band["relevance"] == relevance).unwrap();
    (band["right"].as_f64().unwrap(), band["questions"].as_f64().unwrap())
}

#[test]
#[ignore = "nightly: embeds and evaluates a manual, 90 s"]
fn hybrid_search_answers_everyday_questions() {
    let (hybrid, keyword, vector) = (everyday("hybrid"), everyday("keyword"), everyday("vector"));
    assert!(hybrid >= keyword.max(vector) - 0.02, "hybrid {hybrid}, keyword {keyword}, vector {vector}");
}

#[test]
#[ignore = "nightly: embeds and evaluates a manual, 90 s"]
fn hits_called_relevant_are_right() {
    let ((right, called_relevant), (kinda, called_kinda)) = (called("relevant"), called("kinda relevant"));
    assert!(called_relevant >= 20.0, "too few are called relevant: {called_relevant}");
    assert!(right >= 0.8 * called_relevant, "{right} of {called_relevant} are right");
    assert!(right / called_relevant > kinda / called_kinda.max(1.0), "{kinda} of {called_kinda} are kinda relevant");
}

#[test]
#[ignore = "nightly: embeds a manual, a minute"]
fn stop_words_alone_score_low() {
    for (question, most) in [("the of", 0.5), ("does Fernleaf read my notes", 0.9)] {
        let answer = manual().tars(["search", question, "--json"]).run().success().json();
        let best = &answer["results"][0];
        assert!(best["score"].as_f64().unwrap() < most, "{question}: {} at {}", text(best, "path"), best["score"]);
    }
}
