//! Freshness without a watcher: a search indexes what has changed, if it is little.

use std::fs;

use serde_json::Value;

use crate::harness::TestVault;

/// Returns the counts of the index in an answer.
fn index_state(vault: &TestVault, arguments: &[&str]) -> Value {
    vault.tars(arguments).arg("--json").run().json()["index"].clone()
}

fn indexed() -> TestVault {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").write("b.md", "otter\n").settle("a.md").settle("b.md").index();
    vault
}

#[test]
fn a_note_written_a_moment_ago_is_found() {
    let vault = indexed();
    vault.write("new/c.md", "puffin\n").append("a.md", "lynx\n");
    vault.tars(["sgrep", "puffin", "--no-sync"]).run().code(1);
    assert_eq!(vault.found(&["sgrep", "puffin"]), ["new/c.md"]);
    assert_eq!(vault.found(&["sgrep", "lynx", "--no-sync"]), ["a.md"]);
    let state = index_state(&vault, &["sgrep", "puffin"]);
    assert_eq!((&state["pending"], &state["lag_ms"]), (&0.into(), &0.into()));
}

#[test]
fn a_new_note_is_found_first_by_the_very_next_search_and_by_meaning_too() {
    let vault = TestVault::new();
    vault.write("a.md", "# A\n\nThe walrus rests on the ice.\n").index();
    vault.write("b.md", "# B\n\nPuffins breed in burrows.\n");
    // Keyword search needs no vectors and makes none.
    assert_eq!(vault.found(&["sgrep", "puffins"]), ["b.md"]);
    assert_eq!(vault.count("SELECT count(*) FROM passages WHERE vector_id IS NULL"), 1);
    vault.search(&["search", "puffins", "--no-sync"]);
    assert_eq!(vault.count("SELECT count(*) FROM passages WHERE vector_id IS NULL"), 1, "--no-sync writes nothing");
    let answer = vault.tars(["search", "puffins", "--json"]).run().success().json();
    let first = &answer["results"][0];
    assert_eq!((&first["path"], &first["matched_by"]), (&"b.md".into(), &serde_json::json!(["keyword", "vector"])));
    assert!(answer["degraded"].is_null(), "{answer}");
    vault.write("c.md", "# C\n\nThe goalkeeper caught the ball.\n");
    assert_eq!(vault.found(&["svec", "football match"])[0], "c.md");
    assert_eq!(vault.index()["embedded"], 0);
}

#[test]
fn a_new_note_without_a_vector_is_found_first() {
    let vault = TestVault::new();
    vault.write("a.md", "# A\n\nThe walrus rests on the ice.\n").index();
    vault.write("b.md", "# B\n\nPuffins breed in burrows.\n");
    vault.found(&["sgrep", "puffins"]);
    let answer = vault.tars(["search", "puffins", "--no-sync", "--json"]).run().success().json();
    assert_eq!(answer["results"][0]["path"], "b.md", "{answer}");
    assert!(answer["degraded"].as_str().unwrap().contains("1 of 2 passages are not embedded yet"), "{answer}");
}

#[test]
fn a_prompt_hook_does_not_embed_beyond_its_deadline() {
    let vault = TestVault::new().with("TARS_HOOKS_DEADLINE_MS", "10000");
    vault.write("a.md", "# A\n\nThe walrus rests on the ice.\n").index();
    vault.write("b.md", "# B\n\nPuffins breed in burrows.\n");
    let input = r#"{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"where do puffins breed"}"#;
    vault.tars(["search", "--hook"]).stdin(input).run().success();
    assert_eq!(vault.count("SELECT count(*) FROM passages"), 2, "its words are indexed");
    assert_eq!(vault.count("SELECT count(*) FROM passages WHERE vector_id IS NULL"), 1);
    vault.tars(["search", "puffins"]).run().success();
    assert_eq!(vault.count("SELECT count(*) FROM passages WHERE vector_id IS NULL"), 0);
}

#[test]
fn a_question_does_not_change_the_model() {
    let vault = TestVault::new();
    vault.write("a.md", "walrus\n").index();
    vault.write("b.md", "puffin\n");
    let other = vault.tars(["search", "puffin", "--json"]).env("TARS_EMBEDDING_QUERY_PREFIX", "query: ");
    let answer = other.run().success().json();
    assert!(answer["degraded"].as_str().unwrap().contains("the notes are embedded with"), "{answer}");
    assert_eq!(vault.count("SELECT count(*) FROM passages WHERE vector_id IS NOT NULL"), 1);
}

#[test]
fn a_deleted_or_renamed_note_is_gone_from_the_next_answer() {
    let vault = indexed();
    vault.remove("a.md").rename("b.md", "c.md");
    assert_eq!(vault.found(&["sgrep", "walrus", "--no-sync"]), ["a.md"]);
    vault.tars(["sgrep", "walrus"]).run().code(1);
    assert_eq!(vault.found(&["sgrep", "otter"]), ["c.md"]);
}

#[test]
fn a_search_indexes_more_than_a_few_changes() {
    let vault = indexed();
    for number in 0..300 {
        vault.write(&format!("many/{number}.md"), "puffin\n").settle(&format!("many/{number}.md"));
    }
    let state = index_state(&vault, &["sgrep", "walrus", "--no-sync"]);
    assert_eq!((&state["files"], &state["pending"], &state["lag_ms"]), (&2.into(), &0.into(), &0.into()));
    // Each search continues where the previous one stopped, however slow the machine is.
    vault.tars(["sgrep", "puffin"]).run().success();
    let state = index_state(&vault, &["sgrep", "puffin"]);
    assert_eq!((&state["files"], &state["pending"]), (&302.into(), &0.into()));
}

#[test]
fn an_answer_reports_changes_that_are_not_indexed() {
    let vault = indexed();
    vault.write("large.md", "puffin walks on ice\n".repeat(150_000)).settle("large.md").write("c.md", "lynx\n");
    assert_eq!(vault.found(&["sgrep", "lynx"]), ["c.md"]);
    let answer = vault.tars(["sgrep", "walrus", "--json"]).run().success().json();
    assert_eq!(answer["index"]["pending"], 1);
    assert!(answer["index"]["lag_ms"].as_u64().unwrap() >= 3_600_000, "{answer}");
    assert_eq!(answer["degraded"], "1 changed note is not in this answer yet");
    vault.tars(["sgrep", "walrus"]).run().success().says(&["1 changed note is not in this answer yet"]);
    vault.index();
    vault.tars(["sgrep", "walrus"]).run().success().quiet();
    assert!(vault.found(&["sgrep", "puffin"]).contains(&"large.md".to_owned()));
}

#[test]
fn a_search_skips_private_notes_and_drops_one_that_turns_private() {
    let vault = indexed();
    vault.write("secret.md", "---\ntars: private\n---\npuffin\n");
    vault.tars(["sgrep", "puffin"]).run().code(1);
    assert_eq!(index_state(&vault, &["sgrep", "walrus"])["pending"], 0);
    assert_eq!(vault.count("SELECT count(*) FROM files"), 2);
    vault.write("a.md", "---\ntars: private\n---\nwalrus\n");
    vault.tars(["sgrep", "walrus"]).run().code(1);
}

#[test]
fn a_missing_or_empty_root_takes_nothing_away() {
    let vault = indexed();
    let away = vault.home().join("away");
    fs::rename(vault.root(), &away).unwrap();
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
    fs::create_dir(vault.root()).unwrap();
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
    fs::remove_dir(vault.root()).unwrap();
    fs::rename(&away, vault.root()).unwrap();
    vault.remove("b.md");
    vault.tars(["sgrep", "otter"]).run().code(1);
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
}

#[test]
fn an_answer_reports_what_is_missing_while_another_process_indexes() {
    let vault = indexed();
    let lock = fs::File::options().write(true).open(vault.data().join("index.lock")).unwrap();
    lock.lock().unwrap();
    vault.write("c.md", "puffin\n");
    vault.tars(["sgrep", "puffin"]).run().code(1);
    assert_eq!(index_state(&vault, &["sgrep", "walrus"])["pending"], 1);
    let said = "1 changed note is not in this answer yet: another process is indexing";
    vault.tars(["sgrep", "walrus"]).run().success().says(&[said]);
    lock.unlock().unwrap();
    assert_eq!(vault.found(&["sgrep", "puffin"]), ["c.md"]);
}
