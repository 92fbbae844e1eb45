//! The order of the answers to the questions in tests/quality.
//!
//! `queries.jsonl` is a file of questions for `tars eval` with two more fields: `within` is the rank among the notes that
//! a relevant one must reach (1 if absent), `directory` names the
//! repository in which the question is asked. `offtopic.jsonl` holds questions that no note answers.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use jiff::ToSpan;
use jiff::civil::Date;
use serde_json::Value;

use crate::contract::text;
use crate::fixture::{notes_of, shared};
use crate::harness::{Output, TestVault, today};

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/quality")
}

/// Returns the questions of a file.
fn questions(file: &str) -> Vec<Value> {
    let lines = fs::read_to_string(folder().join(file)).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the indexed notes.
pub(crate) fn notes() -> &'static TestVault {
    static NOTES: OnceLock<TestVault> = OnceLock::new();
    NOTES.get_or_init(|| shared("quality", &notes_of(&folder().join("vault"))))
}

/// Returns the paths of an answer, best first, each once.
fn paths(answer: &Value) -> Vec<&str> {
    let mut paths: Vec<&str> = Vec::new();
    for hit in answer["results"].as_array().unwrap_or_else(|| panic!("{answer}")) {
        let path = text(hit, "path");
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// Asks all questions, grouped by directory, and returns each with its answer.
fn asked<'a>(questions: &'a [Value], arguments: &[&str]) -> Vec<(&'a Value, Value)> {
    let mut places: Vec<&str> = questions.iter().filter_map(|question| question["directory"].as_str()).collect();
    places.push("");
    places.sort_unstable();
    places.dedup();
    let mut answered = Vec::new();
    for place in places {
        let here: Vec<&Value> =
            questions.iter().filter(|question| question["directory"].as_str().unwrap_or("") == place).collect();
        if !here.is_empty() {
            let answers = batch(&here, place, arguments).json_lines();
            assert_eq!(answers.len(), here.len());
            answered.extend(here.into_iter().zip(answers));
        }
    }
    answered
}

fn batch(questions: &[&Value], directory: &str, arguments: &[&str]) -> Output {
    let lines: Vec<String> = questions.iter().map(|question| question["query"].to_string()).collect();
    let command = notes().tars(["search", "--json", "--batch", "-"]).args(arguments).stdin(lines.join("\n"));
    let repositories = tempfile::tempdir().unwrap();
    let repository = repositories.path().join("repositories").join(directory);
    fs::create_dir_all(repository.join(".git")).unwrap();
    command.within(&repository).run().success().quiet()
}

/// Returns a line for each question that misses its rank.
fn misses(questions: &[Value]) -> Vec<String> {
    let mut misses = Vec::new();
    for (question, answer) in asked(questions, &[]) {
        let within = question["within"].as_u64().unwrap_or(1) as usize;
        let wanted: Vec<&str> =
            question["relevant"].as_array().unwrap().iter().map(|place| text(place, "path")).collect();
        let found = paths(&answer);
        if !found.iter().take(within).any(|path| wanted.contains(path)) {
            let rank = found.iter().position(|path| wanted.contains(path)).map(|index| index + 1);
            misses.push(format!(
                "[{}] {}\n    wanted {} within {within}, found it {}\n    first: {}",
                text(question, "category"),
                text(question, "query"),
                wanted.join(" or "),
                rank.map_or("nowhere".into(), |rank| format!("at {rank}")),
                found[..found.len().min(3)].join(", "),
            ));
        }
    }
    misses
}

#[test]
fn the_relevant_note_comes_first() {
    let questions = questions("queries.jsonl");
    assert!(questions.len() >= 100);
    let misses = misses(&questions);
    assert!(
        misses.is_empty(),
        "{} of {} questions are answered out of order:\n{}",
        misses.len(),
        questions.len(),
        misses.join("\n")
    );
}

#[test]
fn questions_name_existing_notes() {
    for question in questions("queries.jsonl") {
        for place in question["relevant"].as_array().unwrap() {
            assert!(folder().join("vault").join(text(place, "path")).is_file(), "{question}");
        }
    }
}

#[test]
fn off_topic_questions_get_no_answer() {
    let questions = questions("offtopic.jsonl");
    assert!(questions.len() >= 10);
    let answered: Vec<String> = asked(&questions, &["--min-score", "gate"])
        .iter()
        .filter(|(_, answer)| !paths(answer).is_empty())
        .map(|(question, answer)| {
            let best = &answer["results"][0];
            format!(
                "[{}] {}: {} at {}",
                text(question, "category"),
                text(question, "query"),
                best["path"],
                best["score"]
            )
        })
        .collect();
    assert!(answered.is_empty(), "answered nevertheless:\n{}", answered.join("\n"));
}

#[test]
fn days_may_be_named_from_today() {
    let today = today();
    let back = |days: i64| today - days.days();
    let vault = TestVault::new().dated();
    let note = |date: Date| format!("Journal/{date}.md");
    for (days, line) in [
        (0, "Repaired the chain of the bicycle."),
        (1, "The cat was at the vet, nothing serious."),
        (3, "Painted the kitchen door green."),
        (7, "Visited the museum of clocks."),
        (200, "Yesterday and today it rained, and all of last week as well."),
    ] {
        vault.write(&note(back(days)), line);
    }
    vault.index();
    for (query, days, within) in [
        ("what did I do today", 0, 1),
        ("yesterday", 1, 1),
        ("what happened yesterday", 1, 1),
        ("3 days ago", 3, 1),
        ("where was I last week", 7, 3),
    ] {
        let found = vault.found(&["search", query]);
        let wanted = note(back(days));
        assert!(found.iter().take(within).any(|path| *path == wanted), "'{query}' finds {found:?}, not {wanted}");
    }
}
