//! `tars remember`: it adds a line once, in its place, and overwrites nothing.

use serde_json::Value;

use super::{MEMORY, all, answer, run, vault_with};
use crate::bad_input::refused;
use crate::contract::{keys, text};
use crate::harness::TestVault;

fn status(answer: &Value) -> &str {
    text(answer, "status")
}

#[test]
fn a_fact_is_added_once() {
    let vault = TestVault::of_words();
    let added = answer(&vault, &["remember", "The", "port", "is", "8080"]);
    let shape = ["status", "id", "path", "line", "heading", "text", "removed", "near", "overgrown"];
    assert_eq!(keys(&added), shape);
    assert_eq!((status(&added), text(&added, "path"), added["line"].as_u64()), ("added", MEMORY, Some(4)));
    let memory = vault.read(MEMORY);
    assert_eq!(memory, "# Memory\n\n## Facts\n- The port is 8080\n");
    for again in ["The port is 8080", "the **port** is `8080`.", "- The port is 8080", "  The port\tis 8080\n"] {
        let known = answer(&vault, &["remember", "--", again]);
        assert_eq!((status(&known), &known["id"]), ("known", &added["id"]), "{again}");
    }
    assert_eq!(vault.read(MEMORY), memory);
    assert_eq!(status(&answer(&vault, &["remember", "--force", "The port is 8080"])), "added");
    assert_eq!(vault.read(MEMORY), memory + "- The port is 8080\n");
}

#[test]
fn a_similar_line_is_shown_and_nothing_written() {
    let vault = vault_with("- Backups are encrypted every night on the Pi\n");
    let memory = vault.read(MEMORY);
    let close = vault.tars(["remember", "--json", "Backups are encrypted every night"]).run().code(1).json();
    assert_eq!(keys(&close), ["status", "removed", "near", "nearest", "overgrown"]);
    assert_eq!(text(&close["nearest"][0], "relation"), "close");
    assert_eq!((status(&close), text(&close["near"][0], "relation")), ("close", "close"));
    assert_eq!(keys(&close["near"][0]), ["relation", "similarity", "id", "path", "line", "heading", "text"]);
    let output = run(&vault, &["remember", "Backups are encrypted every night"]).code(1);
    let output = output.says(&["nearly the same: tars/Memory.md:1", "--force", "--replace ID"]);
    assert!(output.stdout().is_empty(), "{output}");
    assert_eq!(vault.read(MEMORY), memory);
    let id = text(&close["near"][0], "id");
    let replaced = answer(&vault, &["remember", "--replace", id, "Backups are encrypted every night"]);
    assert_eq!(status(&replaced), "replaced");
    assert_eq!(vault.read(MEMORY), "- Backups are encrypted every night\n");
    refused(run(&vault, &["remember", "--replace", id, "Another"]), &["no line", id, "try: tars forget QUERY"]);
    run(&vault, &["remember", "--force", "--replace", "abcd", "x"]).code(2);
}

#[test]
fn a_contradiction_is_written_and_shown() {
    let vault = vault_with("- The port is 8080\n");
    let conflict = answer(&vault, &["remember", "The port is 9090"]);
    assert_eq!((status(&conflict), text(&conflict["near"][0], "relation")), ("added", "conflict"));
    run(&vault, &["remember", "The port is 7070"]).success().says(&["says otherwise: tars/Memory.md:1"]);
    assert!(vault.read(MEMORY).ends_with("## Facts\n- The port is 9090\n- The port is 7070\n"));
}

#[test]
fn paraphrases_are_similar_with_a_model() {
    let vault = TestVault::new();
    vault.write(MEMORY, "- Jonas can't eat celery\n");
    let close = answer(&vault, &["remember", "Jonas is allergic to celery"]);
    assert_eq!((status(&close), text(&close["near"][0], "relation")), ("added", "close"), "its words are new");
    let known = vault.tars(["remember", "--json", "Jonas can't eat any celery"]).run().code(1).json();
    assert_eq!(status(&known), "close", "it adds nothing");
}

#[test]
fn a_contradiction_in_close_words_is_written_and_shown() {
    let vault = TestVault::new();
    for (old, new) in [
        ("My sister plays the cello.", "My sister gave up the cello and plays bass now."),
        ("The sensor reports every two minutes.", "The sensor reports every fifteen minutes."),
        ("Mails to customers are signed with the first name.", "Sign customer mails with the full name."),
    ] {
        vault.write(MEMORY, format!("- {old}\n"));
        run(&vault, &["remember", new]).success().says(&["tars/Memory.md:1", old.trim_end_matches('.')]);
        assert!(vault.read(MEMORY).contains(new), "{}", vault.read(MEMORY));
    }
}

#[test]
fn a_line_that_the_rules_miss_is_among_the_nearest_and_is_replaced_by_its_id() {
    let vault = TestVault::new();
    let facts =
        "- The printer is on the second floor\n- minimap2 is our short-read mapper\n- Ilse owns the billing code\n";
    vault.write(MEMORY, format!("# Memory\n\n## Facts\n{facts}"));
    let said = "Short reads are mapped by bwa-mem2";
    let added = answer(&vault, &["remember", said]);
    assert_eq!((status(&added), added["near"].as_array().map(Vec::len)), ("added", Some(0)));
    let nearest = added["nearest"].as_array().unwrap();
    // A line that is near in no respect is left out.
    assert!((1..=3).contains(&nearest.len()), "{nearest:?}");
    assert_eq!(text(&nearest[0], "text"), "minimap2 is our short-read mapper");
    let replaced = answer(&vault, &["remember", "--replace", text(&nearest[0], "id"), said]);
    assert_eq!((status(&replaced), &replaced["id"], &replaced["nearest"]), ("replaced", &added["id"], &Value::Null));
    let memory = vault.read(MEMORY);
    assert_eq!((memory.matches(said).count(), memory.contains("minimap2")), (1, false), "{memory}");
    assert_eq!(replaced["line"], memory.lines().position(|line| line.contains(said)).unwrap() + 1);
    assert!(vault.read("tars/archive/superseded.md").contains("minimap2"));
}

#[test]
fn each_kind_has_its_place() {
    let vault = TestVault::of_words();
    let rule = answer(&vault, &["remember", "--type", "procedural", "Run the tests first"]);
    assert_eq!((text(&rule, "path"), text(&rule, "heading")), ("tars/Procedural.md", "Rules"));
    let fact = answer(&vault, &["remember", "--section", "## Machines", "The Pi boots from NVMe"]);
    assert_eq!((text(&fact, "path"), text(&fact, "heading")), (MEMORY, "Machines"));
    answer(&vault, &["remember", "--section", "machines", "The router is blue"]);
    answer(&vault, &["remember", "--section", "Person", "Likes tea"]);
    answer(&vault, &["remember", "--section", "Machines", "The printer is loud"]);
    let expected = "# Memory\n\n## Machines\n- The Pi boots from NVMe\n- The router is blue\n- The printer is loud\n\n## \
                    Person\n- Likes tea\n";
    assert_eq!(vault.read(MEMORY), expected);
    for kind in ["note", "episodic"] {
        refused(run(&vault, &["remember", "--type", kind, "x"]), &["not written line by line"]);
    }
    for section in ["", "  ", "#", "a\nb"] {
        refused(run(&vault, &["remember", "--section", section, "x"]), &["a section is"]);
    }
}

#[test]
fn a_section_with_markup_in_its_name_is_reused() {
    let vault = TestVault::of_words();
    for (section, fact) in
        [("C#", "Records are immutable"), ("C#", "Spans live on the stack"), ("C# ##", "Tasks are hot")]
    {
        answer(&vault, &["remember", "--section", section, fact]);
    }
    assert_eq!(vault.read(MEMORY).matches("## C#").count(), 1, "{}", vault.read(MEMORY));
}

#[test]
fn text_comes_from_standard_input_too() {
    let vault = TestVault::of_words();
    for arguments in [&["remember", "-", "--json"][..], &["remember", "--json"]] {
        let added = vault.tars(arguments).stdin("Tea in the morning\r\nnever coffee\r\n").run().success().json();
        assert_eq!(text(&added, "text"), "Tea in the morning\nnever coffee");
    }
    assert_eq!(vault.read(MEMORY), "# Memory\n\n## Facts\n- Tea in the morning\n  never coffee\n");
    refused(vault.tars(["remember"]).stdin("").run(), &["nothing to remember"]);
    refused(run(&vault, &["remember"]), &["nothing to remember"]);
}

#[test]
fn a_long_file_gives_a_warning() {
    let facts: String = (0..100).map(|number| format!("- 2026-01-{:02}: thing {number}\n", 31 - number % 28)).collect();
    let vault = vault_with(facts);
    let added = answer(&vault, &["remember", "The garden gate is green"]);
    assert_eq!(keys(&added["overgrown"]), ["path", "lines", "tokens", "oldest"]);
    assert_eq!(all(&added["overgrown"]["oldest"], "text").len(), 3);
    run(&vault, &["remember", "Ilse travels along"]).success().says(&["has grown long", "oldest: ", "tars tidy"]);
}

#[test]
fn a_remembered_line_is_found_at_once() {
    let vault = vault_with("- Tea\n");
    vault.index();
    run(&vault, &["remember", "The walrus lives in the garden"]).success();
    assert_eq!(vault.found(&["sgrep", "walrus"]), [MEMORY]);
    run(&vault, &["forget", "walrus", "--yes"]).success();
    assert_eq!(vault.found(&["sgrep", "walrus"]), [""; 0]);
    run(&vault, &["undo"]).success();
    assert_eq!(vault.found(&["sgrep", "walrus"]), [MEMORY]);
}

#[test]
fn remembering_works_without_the_model_and_says_how_it_compared() {
    let vault = TestVault::new();
    vault.write(MEMORY, "# Memory\n\n- Jonas is allergic to celery\n");
    let models = vault.home().join("no-models");
    std::fs::create_dir(&models).unwrap();
    let vault = vault.with("TARS_MODELS_DIR", models);
    let output = vault.tars(["remember", "The garden gate is green"]).run().success();
    assert!(output.stderr().contains("compared by words only"), "{output}");
    assert!(vault.read(MEMORY).contains("- The garden gate is green"));
    let request = r#"{"remember":{"text":"The fence is blue"}}"#;
    let output = vault.tars(["ask", "--json-lines"]).stdin(request).run().success();
    assert!(output.stderr().contains("compared by words only"), "{output}");
}
