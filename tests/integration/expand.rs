//! The surroundings of a result, and where an id leads after its chunk has changed.

use serde_json::Value;

use crate::contract::{keys, lines, text};
use crate::harness::TestVault;

/// A note of three sections, the middle one long enough for several chunks.
fn sections() -> TestVault {
    let vault = TestVault::of_words();
    let middle: String = (1..=60)
        .map(|n| format!("Paragraph {n} tells of the walrus and its tusks, and of the sea ice in year {n}.\n\n"))
        .collect();
    vault.write("Long.md", format!("# Long\n\nIntroduction.\n\n## Middle\n\n{middle}## End\n\nThe otter sleeps.\n"));
    vault.write("Other.md", "# Other\n\nA lone puffin.\n");
    vault.index();
    vault
}

fn id_of(vault: &TestVault, query: &str) -> String {
    text(&vault.search(&["sgrep", query])[0], "id").to_owned()
}

#[test]
fn an_expansion_shows_the_section_the_window_or_the_file() {
    let vault = sections();
    let note = vault.read("Long.md");
    let id = id_of(&vault, "otter");
    let expand =
        |arguments: &[&str]| vault.tars(["expand", "--json", &id]).args(arguments).run().success().quiet().json();

    let section = expand(&[]);
    assert_eq!(
        keys(&section),
        ["id", "replaced", "collection", "path", "title", "heading", "start_line", "end_line", "content"]
    );
    assert_eq!((text(&section, "id"), &section["replaced"]), (id.as_str(), &Value::Null));
    assert_eq!(text(&section, "path"), "Long.md");
    assert!(text(&section, "content").contains("## End\n\nThe otter sleeps."), "{section}");

    let file = expand(&["--file"]);
    assert_eq!((file["start_line"].as_u64(), text(&file, "content")), (Some(1), note.trim_end()));

    let window = expand(&["--window", "1"]);
    let (first, last) = (window["start_line"].as_u64().unwrap(), window["end_line"].as_u64().unwrap());
    assert!(1 < first && last == note.lines().count() as u64, "{window}");
    assert_eq!(text(&window, "content"), lines(&note, first, last));

    let of_one = vault.tars(["expand", &id, "--window", "0", "--json"]).run().success().json();
    assert!(of_one["start_line"].as_u64().unwrap() > first);
    vault.tars(["expand", &id, "--window", "1", "--file"]).run().code(2);
}

#[test]
fn an_id_may_be_shortened_as_long_as_it_is_unique() {
    let vault = sections();
    let id = id_of(&vault, "puffin");
    for prefix in [&id[..8], &id[..], &id.to_uppercase()[..12]] {
        let output = vault.tars(["expand", prefix]).run().success();
        assert!(output.stdout().contains("A lone puffin."), "{output}");
    }
    for malformed in ["abc", "nothexadecimal", "", &format!("{id}0")] {
        vault.tars(["expand", malformed]).run().code(2).says(&["is no chunk id", "try:"]);
    }
    let unknown = if id.starts_with("0000") { "ffffffff" } else { "00000000" };
    vault.tars(["expand", unknown]).run().code(2).says(&["no chunk has an id beginning with", "try:"]);
}

#[test]
fn an_ambiguous_id_names_its_candidates() {
    let vault = TestVault::of_words();
    for n in 0..3 {
        vault.write(&format!("{n}.md"), format!("note {n}\n"));
    }
    vault.index();
    // Two random ids with the same beginning would need tens of thousands of notes.
    let database = vault.open_database();
    database
        .execute("UPDATE chunks SET chunk_key = unhex('abcd' || substr(hex(chunk_key), 5)) WHERE id < 3", [])
        .unwrap();
    let keys: Vec<String> = database
        .prepare("SELECT lower(hex(chunk_key)) FROM chunks WHERE id < 3")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    drop(database);
    vault.tars(["expand", "abcd"]).run().code(2).says(&[
        "several chunks have an id beginning with 'abcd'",
        &keys[0][..8],
        &keys[1][..8],
        "give more of its digits",
    ]);
    vault.tars(["expand", &keys[0]]).run().success();
}

#[test]
fn the_id_of_a_changed_chunk_leads_to_its_successor() {
    let vault = TestVault::of_words();
    vault.write("a.md", "# A\n\nThe walrus has tusks.\n\nThe otter has a stone.\n").index();
    let old = id_of(&vault, "otter");
    vault.append("a.md", "\nThe puffin has a beak.\n").index();
    let answer = vault.tars(["expand", &old, "--json"]).run().success().json();
    assert_eq!(text(&answer, "replaced"), old);
    assert_ne!(text(&answer, "id"), old);
    assert!(text(&answer, "content").contains("puffin"));
    vault.tars(["expand", &old]).run().success().says(&["has changed since", text(&answer, "id").get(..8).unwrap()]);

    // After a second change and a move.
    vault.append("a.md", "\nThe whale has baleen.\n").index();
    vault.rename("a.md", "sea/b.md").index();
    let answer = vault.tars(["expand", &old, "--json"]).run().success().json();
    assert_eq!((text(&answer, "path"), text(&answer, "replaced")), ("sea/b.md", old.as_str()));
}

#[test]
fn the_id_of_deleted_text_is_an_error_that_says_so() {
    let vault = TestVault::of_words();
    vault.write("a.md", "The walrus has tusks.\n").write("b.md", "The otter has a stone.\n").index();
    let (walrus, otter) = (id_of(&vault, "walrus"), id_of(&vault, "otter"));
    vault.remove("a.md").write("b.md", "Something else entirely.\n").index();
    vault.tars(["expand", &walrus]).run().code(2).says(&["is no longer in a.md", "try:"]);
    vault.tars(["expand", &otter]).run().code(2).says(&["is no longer in b.md"]);
}

#[test]
fn text_moved_down_by_an_insertion_keeps_its_id() {
    let vault = sections();
    let old = id_of(&vault, "otter");
    let longer = vault.read("Long.md").replace("Introduction.", "Introduction.\n\nOne more line.");
    vault.write("Long.md", longer).index();
    assert_eq!(id_of(&vault, "otter"), old);
}
