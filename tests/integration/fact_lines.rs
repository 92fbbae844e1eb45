//! A question to `tars context` brings the lines of fact files that answer.

use serde_json::{Value, json};

use crate::contract::text;
use crate::harness::TestVault;

const PEOPLE: &str = "# Memory\n\n## People\n\n- Anna works at the museum\n- Ben is a dentist in Gdansk\n\n## Home\n\n- The boiler is in the cellar\n- The ladder is in the shed\n";

fn vault() -> TestVault {
    TestVault::of_words().with("TARS_SEARCH_GATE", "0.05").dated()
}

fn pieces(vault: &TestVault, arguments: &[&str]) -> Vec<Value> {
    let output = vault.tars(["context", "--json"]).args(arguments).run();
    output.json()["pieces"].as_array().unwrap().clone()
}

/// The place, the heading and the text of each piece.
fn told(pieces: &[Value]) -> Vec<(&str, &str, &str)> {
    pieces.iter().map(|piece| (text(piece, "path"), text(piece, "heading"), text(piece, "text"))).collect()
}

#[test]
fn a_question_brings_the_lines_that_answer_and_not_the_files() {
    let vault = vault();
    vault
        .write("tars/Memory.md", PEOPLE)
        .write("tars/Procedural.md", "# Procedural\n\n- Releases are tagged on Fridays\n");
    vault.write("tars/context/health.md", "# Health\n\n- The dentist is closed in August\n- Blood group B\n").index();
    let shown = pieces(&vault, &["where is the boiler"]);
    assert_eq!(told(&shown), [("tars/Memory.md", "Memory > Home", "- The boiler is in the cellar")]);
    assert_eq!((&shown[0]["line"], &shown[0]["start_line"]), (&json!(10), &json!(10)));
    assert!(shown[0]["score"].as_f64().unwrap() > 0.0, "{shown:?}");

    let shown = pieces(&vault, &["dentist"]);
    let mut found = told(&shown);
    found.sort_unstable();
    let memory = ("tars/Memory.md", "Memory > People", "- Ben is a dentist in Gdansk");
    assert_eq!(found, [memory, ("tars/context/health.md", "Health", "- The dentist is closed in August")]);
    assert_eq!(pieces(&vault, &["when are releases tagged"]).len(), 1);
}

#[test]
fn without_a_question_the_files_come_whole() {
    let vault = vault();
    vault.write("tars/Memory.md", PEOPLE).write("tars/Procedural.md", "- Metric units\n").index();
    let shown = pieces(&vault, &[]);
    assert_eq!(shown.len(), 2);
    assert!(text(&shown[0], "text").contains("Anna") && text(&shown[0], "text").contains("ladder"), "{shown:?}");
    assert!(shown.iter().all(|piece| piece["line"].is_null() && piece["score"].is_null()), "{shown:?}");
    // The start of a conversation has a question, but the next one may be about something else.
    let asked =
        vault.tars(["ask", "--json-lines"]).stdin("{\"context\":{\"query\":\"boiler\",\"whole_memory\":true}}\n");
    let answer = asked.run().success().json();
    let all = answer["context"]["pieces"].as_array().unwrap();
    assert!(text(&all[0], "text").contains("Anna") && text(&all[1], "text").contains("Metric units"), "{all:?}");
}

#[test]
fn a_question_that_no_fact_answers_brings_no_facts() {
    let vault = vault();
    vault.write("tars/Memory.md", PEOPLE).write("Boat.md", "# Boat\n\nThe walrus sleeps on the deck.\n").index();
    assert_eq!(pieces(&vault, &["walrus"]).iter().map(|piece| text(piece, "path")).collect::<Vec<_>>(), ["Boat.md"]);
    vault.tars(["context", "zeppelin"]).run().code(1).says(&["nothing relevant"]);
}

/// Before, a line under one heading was shown, and weighed, under that of another line of the same passage.
#[test]
fn each_line_belongs_to_its_own_heading() {
    let vault = vault();
    vault
        .write(
            "tars/Memory.md",
            "# Memory\n\n## Falcon\n\n- Deploys go to Hetzner\n\n## Heron\n\n- Deploys go to a Pi\n",
        )
        .index();
    let shown = pieces(&vault, &["deploys"]);
    let falcon = ("tars/Memory.md", "Memory > Falcon", "- Deploys go to Hetzner");
    let heron = ("tars/Memory.md", "Memory > Heron", "- Deploys go to a Pi");
    assert_eq!(told(&shown), [falcon, heron]);
    assert_eq!(told(&pieces(&vault, &["deploys of heron"])), [heron]);
}

#[test]
fn facts_of_the_project_at_hand_come_first() {
    let vault = vault();
    vault.write("tars/projects/falcon.md", "# falcon\n\n- The database is Postgres\n");
    vault.write("tars/context/falcon.md", "# Notes\n\n- The database is copied to Gdansk\n");
    vault.write("tars/projects/heron.md", "# heron\n\n- The database is MySQL\n- The queue is Redis\n");
    vault.write(
        "tars/Memory.md",
        "# Memory\n\n- The database is dumped every night\n\n## Falcon\n\n- The database is owned by Ilse\n",
    );
    vault.index();
    let paths = |arguments: &[&str]| -> Vec<(String, String)> {
        let all = pieces(&vault, arguments);
        all.iter().map(|piece| (text(piece, "path").to_owned(), text(piece, "heading").to_owned())).collect()
    };
    let place = |path: &str, heading: &str| (path.to_owned(), heading.to_owned());
    let mut of_falcon = paths(&["--project", "falcon", "database"]);
    assert_eq!(of_falcon.pop(), Some(place("tars/Memory.md", "Memory")), "general facts come after the project's");
    of_falcon.sort_unstable();
    let (section, topic) = (place("tars/Memory.md", "Memory > Falcon"), place("tars/context/falcon.md", "Notes"));
    assert_eq!(of_falcon, [section, topic, place("tars/projects/falcon.md", "falcon")]);
    // Facts of another project come only if no line at hand answers, or if the question names it.
    assert_eq!(paths(&["--project", "falcon", "queue"]), [place("tars/projects/heron.md", "heron")]);
    assert_eq!(paths(&["database of heron"])[0], place("tars/projects/heron.md", "heron"));
    assert_eq!(paths(&["database"]).len(), 5);
}

#[test]
fn a_section_that_is_asked_for_by_its_name_comes_whole() {
    let vault = vault();
    let lines = "- works at the museum\n- likes tea\n- sister of Ben\n- afraid of geese\n- lives in Gdansk";
    vault
        .write("tars/Memory.md", format!("# Memory\n\n## Anna\n\n{lines}\n\n## Home\n\n- The ladder is in the shed\n"))
        .index();
    assert_eq!(told(&pieces(&vault, &["anna"])), [("tars/Memory.md", "Memory > Anna", lines)]);
}
