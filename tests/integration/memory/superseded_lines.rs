//! Superseded facts: replacing, history, searching as of a day, and questions about the past.

use std::fs;

use serde_json::Value;

use super::{MEMORY, all, answer, bytes, run, vault_with};
use crate::harness::TestVault;
use crate::watch::Watcher;

const ARCHIVE: &str = "tars/archive/superseded.md";
const BEFORE: &str = "# Memory\n\n## People\n- Anna works at the harbour office (2025-11-03)\n- The gate is green\n";

/// A vault with a fact that was replaced on 2026-03-14, and one that was added on 2026-05-02.
fn changed() -> TestVault {
    let vault = vault_with(BEFORE);
    run_on(&vault, "2026-03-14", &["remember", "--replace", "harbour office", "Anna works at the museum"]);
    run_on(&vault, "2026-05-02", &["remember", "--section", "People", "Anna works on Saturdays as well", "--force"]);
    vault.write("tars/2026-05-02.md", "# 2026-05-02\n\n- 10:00 [work] Anna works on the museum's new hall\n");
    vault.write("Work.md", "# Work\n\nWhere Anna works there is a canteen.\n");
    vault.index();
    vault
}

#[track_caller]
fn run_on(vault: &TestVault, day: &str, arguments: &[&str]) {
    vault.tars(arguments).env("TARS_TEST_CLOCK", format!("{day}T09:20:00+00:00[UTC]")).run().success();
}

/// Returns the texts of the results of a search, each with its successor.
fn found(vault: &TestVault, arguments: &[&str]) -> Vec<(String, Option<String>)> {
    let answer = vault.tars(["sgrep", "--json"]).args(arguments).run().json();
    let line = |hit: &Value| {
        (hit["content"].as_str().unwrap().to_owned(), hit["superseded"]["by"].as_str().map(str::to_owned))
    };
    answer["results"].as_array().unwrap().iter().map(line).collect()
}

fn holds(found: &[(String, Option<String>)], text: &str) -> bool {
    found.iter().any(|(line, _)| line.contains(text))
}

const MUSEUM: &str = "Anna works at the museum";

#[test]
fn a_replaced_fact_is_kept_and_one_undo_brings_it_back() {
    let vault = vault_with(BEFORE);
    run_on(&vault, "2026-03-14", &["remember", "--replace", "harbour office", MUSEUM]);
    let memory = fs::read_to_string(vault.path(MEMORY)).unwrap();
    assert_eq!(memory, BEFORE.replace("Anna works at the harbour office (2025-11-03)", MUSEUM));
    assert_eq!(
        fs::read_to_string(vault.path(ARCHIVE)).unwrap(),
        "# Superseded\n\n## 2026-03\n- Anna works at the harbour office (2025-11-03)\n  \
         - was so from 2025-11-03 to 2026-03-14; now: Anna works at the museum ([[tars/Memory#People]])\n"
    );
    run(&vault, &["undo"]).success();
    assert_eq!(bytes(&vault, MEMORY).unwrap(), BEFORE.as_bytes());
    assert_eq!(bytes(&vault, ARCHIVE), None);
}

#[test]
fn ambiguous_words_replace_no_line() {
    let memory = "# Memory\n\n- Tea in the morning\n- Tea in the evening\n";
    let vault = vault_with(memory);
    let refused = run(&vault, &["remember", "--replace", "tea", "Coffee"]).code(2);
    assert!(refused.stderr().contains("Tea in the morning") && refused.stderr().contains("Tea in the evening"));
    assert_eq!(bytes(&vault, MEMORY).unwrap(), memory.as_bytes());
}

#[test]
fn tidy_keeps_what_a_newer_fact_supersedes() {
    let vault = vault_with("# Memory\n\n- Deploys: Friday (2026-01-10)\n- Deploys: Tuesday (2026-03-01)\n");
    run(&vault, &["tidy", "--yes"]).success();
    let archive = fs::read_to_string(vault.path(ARCHIVE)).unwrap();
    assert!(archive.contains("- Deploys: Friday (2026-01-10)\n  - was so from 2026-01-10 to "), "{archive}");
    assert!(archive.contains("; now: Deploys: Tuesday (2026-03-01) ([[tars/Memory#"), "{archive}");
}

#[test]
fn a_promoted_line_supersedes_the_line_it_replaces() {
    let vault = vault_with(BEFORE);
    run(&vault, &["feedback", "wrong", "Anna works at the museum now"]).success();
    let waiting = answer(&vault, &["review"]);
    let id = waiting[0]["id"].as_str().unwrap();
    run(&vault, &["review", "--promote", id, "--text", MUSEUM, "--replace", "harbour office"]).success();
    assert!(vault.read(MEMORY).contains(&format!("- {MUSEUM}\n")) && !vault.read(MEMORY).contains("harbour"));
    assert!(vault.read(ARCHIVE).contains("; now: Anna works at the museum ([[tars/Memory#People]])"));
    assert_eq!(answer(&vault, &["history", "harbour"])[0]["now"]["text"], MUSEUM);
    run(&vault, &["undo"]).success();
    assert_eq!(bytes(&vault, MEMORY).unwrap(), BEFORE.as_bytes());
}

#[test]
fn the_history_of_a_fact_comes_from_the_files_alone() {
    let vault = changed();
    run_on(&vault, "2026-06-01", &["remember", "--replace", "at the museum", "Anna works at the library"]);
    fs::remove_dir_all(vault.data()).unwrap();
    let answer = answer(&vault, &["history", "working", "LIBRARY"]);
    let before = &answer[0]["before"];
    assert_eq!(all(before, "text"), ["Anna works at the harbour office (2025-11-03)", MUSEUM]);
    assert_eq!(all(before, "until"), ["2026-03-14", "2026-06-01"]);
    assert_eq!(
        (&before[0]["since"], &answer[0]["now"]["text"]),
        (&"2025-11-03".into(), &"Anna works at the library".into())
    );
    let shown = run(&vault, &["history", "library"]).success().stdout().to_owned();
    assert!(shown.starts_with("2025-11-03 – 2026-03-14  Anna works at the harbour office"), "{shown}");
    run(&vault, &["history", "zeppelin"]).code(1);
}

#[test]
fn a_superseded_line_ranks_below_its_successor_and_is_marked() {
    let vault = changed();
    let found = found(&vault, &["Anna works harbour office"]);
    let at = |text: &str| found.iter().position(|(line, _)| line.contains(text)).unwrap();
    assert_eq!(found[at("harbour")].1.as_deref(), Some(MUSEUM));
    assert!(at("harbour") > found.iter().position(|(_, by)| by.is_none()).unwrap(), "{found:?}");
    let shown = vault.tars(["sgrep", "harbour office", "--all"]).run().success().stdout().to_owned();
    assert!(shown.contains("was so from 2025-11-03 to 2026-03-14; now: Anna works at the museum"), "{shown}");
}

#[test]
fn a_search_as_of_a_day_finds_the_facts_of_that_day() {
    let vault = changed();
    let earlier = found(&vault, &["Anna works", "--as-of", "2026-02-10"]);
    assert!(holds(&earlier, "harbour office") && holds(&earlier, "canteen"), "{earlier:?}");
    assert!(!holds(&earlier, "museum") && !holds(&earlier, "Saturdays"), "{earlier:?}");
    let month = found(&vault, &["Anna works", "--as-of", "2026-03"]);
    assert!(holds(&month, "harbour office") && holds(&month, MUSEUM) && !holds(&month, "hall"), "{month:?}");
    let later = found(&vault, &["Anna works", "--as-of", "2026-05-02"]);
    assert!(!holds(&later, "harbour office") && holds(&later, MUSEUM), "{later:?}");
    assert!(holds(&later, "Saturdays") && holds(&later, "hall"), "{later:?}");
    run(&vault, &["sgrep", "Anna", "--as-of", "soon"]).code(2);
}

#[test]
fn later_days_do_not_crowd_out_the_facts_of_that_day() {
    let vault = changed();
    for day in 1..=60 {
        let date = format!("2026-{:02}-{:02}", 6 + day / 28, 1 + day % 28);
        vault.write(&format!("tars/{date}.md"), format!("# {date}\n\n- 10:00 [work] Anna works at the desk {day}\n"));
    }
    vault.index();
    let question = ["Anna works", "--as-of", "2026-02-10"];
    let alone = found(&vault, &question);
    assert!(holds(&alone, "harbour office") && !holds(&alone, "desk"), "{alone:?}");
    let _watcher = Watcher::start(&vault);
    assert_eq!(found(&vault, &question), alone, "the watcher gives the same answer");
}

#[test]
fn questions_about_the_past_find_the_superseded_line_first() {
    let vault = changed();
    for question in ["where did Anna work before", "where did I work before?"] {
        let found = found(&vault, &[question]);
        assert!(found[0].0.contains("harbour office"), "{question}: {found:?}");
        assert_eq!(found[0].1.as_deref(), Some(MUSEUM));
    }
}

#[test]
fn agents_never_see_a_superseded_fact_as_current() {
    let vault = changed();
    let context = |question: &str| vault.tars(["context", question]).run().stdout().to_owned();
    let label = "- No longer true: Anna works at the harbour office (2025-11-03) \
                 (was so from 2025-11-03 to 2026-03-14; now: Anna works at the museum)";
    let past = context("where did Anna work before?");
    assert_eq!(past.matches("harbour").count(), 1, "{past}");
    assert!(past.contains(label), "{past}");
    for question in ["where does Anna work?", "harbour office", "what happened at the harbour office"] {
        let now = context(question);
        assert!(!now.contains("harbour"), "{question}: {now}");
    }
}

#[test]
fn a_question_is_answered_without_a_readable_history() {
    let vault = changed();
    let real = vault.path(ARCHIVE);
    fs::rename(&real, vault.path("superseded.md")).unwrap();
    std::os::unix::fs::symlink(vault.path("superseded.md"), &real).unwrap();
    let output = run(&vault, &["sgrep", "museum"]).success();
    assert!(output.stdout().contains(MUSEUM), "{output}");
    assert!(output.stderr().contains("superseded lines are missing from this answer"), "{output}");
    run(&vault, &["sgrep", "--as-of", "2026-04", "museum"]).code(2).says(&["is a link"]);
}
