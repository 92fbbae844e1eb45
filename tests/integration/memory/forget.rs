//! `tars forget`: it removes exactly the matching lines.

use super::{MEMORY, all, answer, run, vault_with};
use crate::bad_input::refused;
use crate::contract::{keys, text};

const TEXT: &str = "# Memory\n\n## Facts\n- Port is 8080\n  on the Pi\n  - since March\n    - the 3rd\n- Port is 9090\n\n\
                    Words of 8080.\n\n- The gate is green\n";

#[test]
fn a_listing_without_removal_does_not_exit_with_success() {
    let vault = vault_with(TEXT);
    let output = run(&vault, &["forget", "port"]).code(1).says(&["nothing was removed", "tars forget ID --yes"]);
    assert_eq!(output.stdout().lines().count(), 2, "{output}");
    let found = vault.tars(["forget", "port", "--json"]).run().code(1).json();
    assert_eq!(keys(&found), ["found", "removed"]);
    assert_eq!(all(&found["found"], "text"), ["Port is 8080\non the Pi", "Port is 9090"]);
    refused_with_list(&vault, &["forget", "port", "--yes"]);
    run(&vault, &["forget", "port", "--all"]).code(2);
    assert_eq!(vault.read(MEMORY), TEXT);
    run(&vault, &["forget", "nobody", "--yes"]).code(1).says(&["no line in the memory folder matches 'nobody'"]);
    let none = vault.tars(["forget", "nobody", "--json"]).run().code(1).json();
    assert_eq!(none["found"].as_array().unwrap().len(), 0);
    run(&vault, &["log"]).code(1);
}

#[track_caller]
fn refused_with_list(vault: &crate::harness::TestVault, arguments: &[&str]) {
    run(vault, arguments).code(2).says(&["2 lines match: nothing was removed", "try: tars forget ID --yes"]);
    refused(vault.tars(arguments).arg("--json").run(), &["2 lines match: nothing was removed"]);
}

#[test]
fn forget_removes_lines_with_their_nested_lines() {
    let vault = vault_with(TEXT);
    let removed = answer(&vault, &["forget", "port 8080", "--yes"]);
    assert_eq!(text(&removed["removed"][0], "text"), "Port is 8080\non the Pi");
    assert_eq!(vault.read(MEMORY), TEXT.replace("- Port is 8080\n  on the Pi\n  - since March\n    - the 3rd\n", ""));
    run(&vault, &["undo"]).success();
    run(&vault, &["forget", "since March", "--yes"]).success();
    assert_eq!(vault.read(MEMORY), TEXT.replace("  - since March\n    - the 3rd\n", ""));
    run(&vault, &["undo"]).success();
    run(&vault, &["forget", "port", "--yes", "--all"]).success().says(&["removed 2 lines"]);
    assert_eq!(vault.read(MEMORY), "# Memory\n\n## Facts\n\nWords of 8080.\n\n- The gate is green\n");
}

#[test]
fn an_id_names_one_line_and_exact_matches_come_first() {
    let vault = vault_with("- Port is 8080\n- Port is 8080\n- Port is 8080 in tests\n");
    let found = vault.tars(["forget", "port is 8080", "--json"]).run().code(1).json();
    let ids = all(&found["found"], "id");
    assert_eq!(ids.len(), 2, "equal lines have different ids");
    run(&vault, &["forget", &ids[1][..6], "--yes"]).success();
    assert_eq!(vault.read(MEMORY), "- Port is 8080\n- Port is 8080 in tests\n");
    run(&vault, &["forget", "port is 8080", "--yes"]).success();
    assert_eq!(vault.read(MEMORY), "- Port is 8080 in tests\n");
}

#[test]
fn forget_finds_lines_of_every_memory_file_but_not_notes() {
    let vault = vault_with("- walrus in memory\n");
    vault
        .write("tars/2026-03-14.md", "- 10:00 walrus of the day\n")
        .write("tars/sessions/a.md", "- walrus of a session\n");
    vault.write("Walrus.md", "- walrus outside\n").write("tars/.hidden.md", "- walrus hidden\n");
    let found = answer(&vault, &["forget", "walrus", "--yes", "--all"]);
    assert_eq!(all(&found["removed"], "path"), ["tars/2026-03-14.md", MEMORY, "tars/sessions/a.md"]);
    assert_eq!(
        (vault.read("Walrus.md"), vault.read("tars/.hidden.md")),
        ("- walrus outside\n".into(), "- walrus hidden\n".into())
    );
    run(&vault, &["undo"]).success();
    assert_eq!(vault.read("tars/2026-03-14.md"), "- 10:00 walrus of the day\n");
}

#[test]
fn forgetting_a_tag_keeps_the_front_matter_valid() {
    let text = "---\ntags:\n  - garden\n---\n- The garden gate\n";
    let vault = vault_with(text);
    run(&vault, &["forget", "garden", "--yes"]).success();
    assert_eq!(vault.read(MEMORY), "---\ntags:\n  - garden\n---\n");
}

#[test]
fn forget_keeps_the_text_right_below_a_line() {
    for below in ["---\n", "> A quotation\n", "```\n- code\n```\n", "<!-- tars:about x -->\n", "# Heading\n"] {
        let vault = vault_with(format!("- Port is 8080\n{below}- kept\n"));
        run(&vault, &["forget", "8080", "--yes"]).success();
        assert_eq!(vault.read(MEMORY), format!("{below}- kept\n"));
    }
}

#[cfg(feature = "test-clock")]
#[test]
fn an_open_end_is_ticked_by_its_words_or_its_id() {
    let vault = crate::harness::TestVault::of_words().with("TARS_TEST_CLOCK", "2026-03-17T10:40:00+00:00[UTC]");
    let day = "# 2026-03-15\n\n## Session 09:00 · pump\n<!-- tars:session other turns=x -->\n- 09:00 Found: The relay sticks.\n\
               - [ ] 09:00 Open: The shed pump runs the old build.\n- [ ] 09:10 Open: The manual of the pump lacks a page.\n";
    vault.write("tars/2026-03-15.md", day);
    let listed = run(&vault, &["done"]).success().stdout().to_owned();
    assert!(listed.lines().count() == 2 && listed.contains("[pump] The shed pump runs"), "{listed}");
    run(&vault, &["done", "pump"]).code(2).says(&["2 open ends match: nothing was ticked", "try: tars done ID"]);
    run(&vault, &["done", "printer"]).code(1).says(&["no open end with 'printer'"]);
    let ticked = answer(&vault, &["done", "shed"]);
    assert_eq!(ticked["ticked"].as_array().map(Vec::len), Some(1));
    let left = day.replace("- [ ] 09:00", "- [x] 09:00");
    assert_eq!(vault.read("tars/2026-03-15.md"), left);
    let id = answer(&vault, &["done"])["found"][0]["id"].as_str().unwrap().to_owned();
    run(&vault, &["done", &id]).success();
    assert_eq!(vault.read("tars/2026-03-15.md"), left.replace("- [ ]", "- [x]"));
    run(&vault, &["undo"]).success();
    assert_eq!(vault.read("tars/2026-03-15.md"), left);
}
