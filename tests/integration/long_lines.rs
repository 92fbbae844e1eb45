//! Notes that are one line: transcripts, clippings, and what machines write.

use serde_json::Value;

use crate::harness::TestVault;

/// Returns a talk of some 9 kB on one line, in which one sentence answers.
fn talk(end: &str) -> String {
    let said = |number: usize| format!("Then speaker {number} tells the others about the weather of that year{end} ");
    let before: String = (0..70).map(said).collect();
    let behind: String = (70..140).map(said).collect();
    format!("{before}the ferry to Juist leaves at half past nine from the eastern pier{end} {behind}\n")
}

fn vault() -> TestVault {
    let vault = TestVault::of_words();
    vault.write("Talk.md", talk("."));
    for number in 0..20 {
        vault
            .write(&format!("Note {number}.md"), format!("# Note {number}\n\nThe weather on day {number} was fair.\n"));
    }
    for note in vault.root().read_dir().unwrap() {
        vault.settle(note.unwrap().file_name().to_str().unwrap());
    }
    vault.index();
    vault
}

#[test]
fn a_sentence_in_a_long_line_is_found_like_a_line() {
    let vault = vault();
    let hit = vault.search(&["search", "ferry to Juist"]).swap_remove(0);
    vault.write("Talk.md", talk(".\n"));
    let lines = vault.search(&["search", "ferry to Juist"]).swap_remove(0);
    assert_eq!((&hit["path"], &lines["path"]), (&Value::from("Talk.md"), &Value::from("Talk.md")));
    let score = |hit: &Value| hit["score"].as_f64().unwrap();
    assert!(score(&hit) > score(&lines) - 0.1, "{hit} {lines}");
    let content = hit["content"].as_str().unwrap();
    assert!(content.len() < 3_500 && content.contains("ferry to Juist"), "{content}");
    assert_eq!(hit["line"], 1);
    let column = hit["column"].as_u64().unwrap() as usize;
    let text = talk(".");
    assert!(text[column..].starts_with("the ferry to Juist"), "{}", &text[column..column + 40]);
    let start = hit["start_column"].as_u64().unwrap_or_default() as usize;
    assert!(text[start..].starts_with(content), "the columns are those of the file");
}

#[test]
fn a_terminal_shows_the_sentence_that_answers() {
    let vault = vault();
    let shown = vault.tars(["search", "ferry to Juist"]).run().success().stdout().to_owned();
    let second = shown.lines().nth(1).unwrap();
    assert!(second.trim().starts_with("…the ferry to Juist leaves at half past nine"), "{shown}");
    let place = shown.split_whitespace().next().unwrap();
    assert!(place.starts_with("Talk.md:1:"), "{shown}");
    let got = vault.tars(["get", place]).run().success().stdout().to_owned();
    assert!(got.contains("\nthe ferry to Juist leaves at half past nine"), "{got}");
}

#[test]
fn a_budget_cuts_a_long_line_at_a_sentence() {
    let vault = vault();
    let found = vault.tars(["search", "--json", "-n1", "--budget", "60", "ferry to Juist"]).run().success().json();
    let content = found["results"][0]["content"].as_str().unwrap();
    assert!(content.starts_with("the ferry to Juist leaves") && content.ends_with('.'), "{content}");
    let got = vault.tars(["get", "Talk.md", "--budget", "500"]).run().success().stdout().to_owned();
    assert!(got.len() > 1_500 && got.trim_end().ends_with("year."), "{got}");
}

#[test]
fn context_brings_the_sentence_of_a_long_line() {
    let vault = vault();
    for budget in ["120", "1500"] {
        let said = vault.tars(["context", "when does the ferry to Juist leave", "--budget", budget]).run().success();
        assert!(said.stdout().contains("the ferry to Juist leaves at half past nine"), "{budget}: {}", said.stdout());
    }
}

#[test]
fn each_piece_of_a_long_line_has_an_id_that_leads_back() {
    let vault = vault();
    let hit = vault.search(&["search", "ferry to Juist"]).swap_remove(0);
    let id = hit["id"].as_str().unwrap();
    let shown = vault.tars(["expand", id, "--window", "0", "--json"]).run().success().json();
    assert_eq!(shown["content"], hit["content"]);
    let wider = vault.tars(["expand", id, "--window", "1", "--json"]).run().success().json();
    let (own, around) = (hit["content"].as_str().unwrap(), wider["content"].as_str().unwrap());
    assert!(around.len() > own.len() && talk(".").contains(around), "{around}");
    let whole = vault.tars(["expand", id, "--json"]).run().success().json();
    assert_eq!(whole["content"].as_str().unwrap(), talk(".").trim_end());
}

#[test]
fn a_transcript_without_sentences_is_cut_between_words() {
    let vault = TestVault::of_words();
    vault.write("Talk.md", talk(""));
    vault.index();
    let hit = vault.search(&["search", "ferry to Juist"]).swap_remove(0);
    let content = hit["content"].as_str().unwrap();
    assert!(content.len() < 3_500 && content.contains("ferry to Juist"), "{content}");
    assert!(vault.count("SELECT count(*) FROM chunks") > 3);
}

/// Other programs write to the index only by accident, and a question must not wait for them.
#[test]
fn a_locked_index_delays_a_question_briefly() {
    let vault = vault();
    let other = vault.open_database();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    vault.write("New.md", "# New\n\nThe ferry to Borkum leaves at noon.\n");
    let said = vault.tars(["search", "ferry to Juist"]).run().success();
    let remarks: Vec<&str> = said.stderr().lines().collect();
    assert_eq!(remarks.len(), 1, "{said}");
    assert!(
        remarks[0].contains("1 changed note is not in this answer yet: another program has locked the index"),
        "{said}"
    );
    drop(other);
    assert_eq!(vault.found(&["search", "ferry to Borkum"])[0], "New.md");
}
