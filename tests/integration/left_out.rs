//! Notes that are excluded or not on this disk: conflict copies, Obsidian's exclusions, files that iCloud evicted.

use std::fs;

use serde_json::Value;

use crate::harness::TestVault;

fn status(vault: &TestVault) -> Value {
    vault.tars(["status", "--json"]).run().success().json()["collections"][0].clone()
}

fn sorted(vault: &TestVault, word: &str) -> Vec<String> {
    let mut found = vault.found(&["sgrep", word]);
    found.sort();
    found
}

#[test]
fn conflict_copies_do_not_duplicate_results() {
    let vault = TestVault::of_words();
    vault.write("Note.md", "walrus\n");
    let copies = [
        "Note (Anna's conflicted copy 2026-11-22).md",
        "Note (Conflicted copy laptop 202611221011).md",
        "Note (conflicted copy 2026-11-22 101112).md",
        "Note.sync-conflict-20261122-101112-ABCDEFG.md",
    ];
    for copy in copies {
        vault.write(copy, "walrus\n");
    }
    // The copy that tars keeps of an overwritten save is no conflict copy.
    vault.write("Note (conflict 2026-11-22 16.45.01).md", "walrus\n");
    let report = vault.index();
    assert_eq!((&report["files"], &report["conflict_copies"]), (&2.into(), &4.into()));
    assert_eq!(sorted(&vault, "walrus"), ["Note (conflict 2026-11-22 16.45.01).md", "Note.md"]);
    let status_now = status(&vault);
    assert_eq!(status_now["conflict_copies"], serde_json::json!(copies));
    assert_eq!(status_now["pending"], 0);
    let shown = vault.tars(["status"]).run().success();
    assert!(shown.stdout().contains(&format!("left out as copies of a conflict: {} and 3 more", copies[0])), "{shown}");
    // Without the note, a copy is the only version left.
    vault.remove("Note.md").index();
    assert_eq!(sorted(&vault, "walrus").len(), 5);
}

#[test]
fn a_setting_indexes_conflict_copies() {
    let vault = TestVault::of_words();
    let copy = "Note.sync-conflict-20261122-101112-ABCDEFG.md";
    vault.write("Note.md", "walrus\n").write(copy, "walrus\n").index();
    assert_eq!(sorted(&vault, "walrus"), ["Note.md"]);
    let vault = vault.with("TARS_INDEX_CONFLICT_COPIES", "true");
    vault.index();
    assert_eq!(sorted(&vault, "walrus"), ["Note.md", copy]);
}

#[test]
fn a_note_that_icloud_evicts_stays_indexed() {
    let vault = TestVault::of_words();
    vault.write("a.md", "otter\n").write("sub/Note.md", "walrus\n").index();
    vault
        .rename("sub/Note.md", "elsewhere")
        .write("sub/.Note.md.icloud", "bplist00")
        .write(".New.md.icloud", "bplist00");
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["sub/Note.md"], "without another run");
    let report = vault.index();
    assert_eq!((&report["removed"], &report["evicted"], &report["failed"]), (&0.into(), &2.into(), &0.into()));
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["sub/Note.md"]);
    // The same for a single path, as a watcher indexes it.
    vault.tars(["index"]).arg(vault.root().canonicalize().unwrap().join("sub/Note.md")).run().success();
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["sub/Note.md"]);
    let now = status(&vault);
    assert_eq!((&now["evicted"], &now["pending"], &now["files"]), (&2.into(), &0.into(), &2.into()));
    // The note comes back changed; its placeholder disappears later.
    assert_eq!(vault.write("sub/Note.md", "walrus and puffin\n").index()["evicted"], 1);
    vault.remove("sub/.Note.md.icloud").index();
    assert_eq!(vault.found(&["sgrep", "puffin"]), ["sub/Note.md"]);
    vault.remove("sub/Note.md").index();
    vault.tars(["sgrep", "walrus"]).run().code(1);
}

#[test]
fn a_vault_that_icloud_evicts_completely_does_not_count_as_empty() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").index();
    vault.remove("a.md").write(".a.md.icloud", "bplist00");
    let report = vault.index();
    assert_eq!((&report["evicted"], &report["roots_missing"]), (&1.into(), &0.into()));
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
}

#[test]
fn notes_that_obsidian_excludes_are_not_indexed() {
    let vault = TestVault::of_words();
    for note in
        ["a.md", "Archive/b.md", "Archived.md", "x/Archive/c.md", "Templates/d.md", "sub/Templater/e.md", "f.draft.md"]
    {
        vault.write(note, "walrus\n");
    }
    vault.index();
    assert_eq!(sorted(&vault, "walrus").len(), 7);
    vault.write(".obsidian/app.json", r#"{"userIgnoreFilters":[" archive/ ","/\\.DRAFT\\.md$/",""],"x":1}"#);
    vault.write(".obsidian/templates.json", r#"{"folder":"/Templates/"}"#);
    vault.write(".obsidian/plugins/templater-obsidian/data.json", r#"{"templates_folder":"sub/Templater"}"#);
    let left = ["Archived.md", "a.md", "x/Archive/c.md"];
    assert_eq!(sorted(&vault, "walrus"), left, "without another run");
    let report = vault.index();
    assert_eq!(report["warnings"], serde_json::json!([]));
    assert_eq!(sorted(&vault, "walrus"), left);
    let vault = vault.with("TARS_INDEX_OBSIDIAN", "false");
    vault.index();
    assert_eq!(sorted(&vault, "walrus").len(), 7);
}

#[test]
fn the_memory_is_indexed_although_obsidian_excludes_its_folder() {
    let vault = TestVault::of_words().with("TARS_VAULT_MEMORY_FOLDER", "agents/tars");
    vault.write("agents/tars/Memory.md", "- walrus\n").write("agents/other.md", "walrus\n").write("a.md", "otter\n");
    vault.write(".obsidian/app.json", r#"{"userIgnoreFilters":["agents/"]}"#).index();
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["agents/tars/Memory.md"]);
}

#[test]
fn links_to_excluded_or_evicted_notes_are_not_broken() {
    let vault = TestVault::of_words();
    vault
        .write("tars/Memory.md", "- see [[Weekly]] and [[Note]] and [[Nowhere]]\n")
        .write("Templates/Weekly.md", "x\n");
    vault.write(".Note.md.icloud", "bplist00").write(".obsidian/templates.json", r#"{"folder":"Templates"}"#);
    let found = vault.tars(["tidy", "--json"]).run().stdout().to_owned();
    assert!(found.contains("Nowhere") && !found.contains("\"Weekly\"") && !found.contains("\"Note\""), "{found}");
}

#[test]
fn unusable_obsidian_settings_give_a_warning_and_stop_nothing() {
    let said = |name: &str, text: &str| {
        let vault = TestVault::of_words();
        vault.write("a.md", "walrus\n").write(name, text);
        let report = vault.index();
        assert_eq!((&report["files"], &report["failed"]), (&1.into(), &0.into()), "{report}");
        let warnings = report["warnings"].as_array().unwrap();
        assert_eq!(warnings.len(), 1, "{report}");
        // A search does not repeat the warning.
        vault.append("a.md", "otter\n");
        vault.tars(["sgrep", "otter"]).run().success().quiet();
        warnings[0].as_str().unwrap().to_owned()
    };
    assert!(said(".obsidian/app.json", "{").contains("app.json: ignored"));
    assert!(said(".obsidian/app.json", r#"{"userIgnoreFilters":"a.md"}"#).contains("not what Obsidian writes"));
    assert!(said(".obsidian/app.json", r#"{"userIgnoreFilters":["/^(?!b)/"]}"#).contains("look-around"));
    assert!(
        said(".obsidian/app.json", r#"{"userIgnoreFilters":["/(((a{99}){99}){99}){99}/"]}"#).contains("size limit")
    );
    assert!(
        said(".obsidian/app.json", &format!(r#"{{"userIgnoreFilters":["a.md{}"]}}"#, "x".repeat(2000)))
            .contains("more than 1000")
    );
    assert!(said(".obsidian/templates.json", &" ".repeat(2 << 20)).contains("longer than a megabyte"));
    assert!(said(".obsidian/templates.json", "[]").contains("no settings"));
    // A folder outside of the configured one does not count.
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").write(".obsidian/templates.json", r#"{"folder":"/"}"#);
    assert_eq!(vault.index()["files"], 1);
}

#[test]
fn settings_of_obsidian_are_not_read_through_a_link() {
    use std::os::unix::fs::symlink;
    let vault = TestVault::of_words();
    let outside = vault.home().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("app.json"), r#"{"userIgnoreFilters":["a.md"]}"#).unwrap();
    vault.write("a.md", "walrus\n");
    symlink(&outside, vault.path(".obsidian")).unwrap();
    let report = vault.tars(["index", "--json"]).run().success().says(&[".obsidian", "it is a link"]).json();
    assert_eq!(report["files"], 1);
    fs::remove_file(vault.path(".obsidian")).unwrap();
    fs::create_dir(vault.path(".obsidian")).unwrap();
    symlink(outside.join("app.json"), vault.path(".obsidian/app.json")).unwrap();
    vault.tars(["index"]).run().success().says(&["app.json", "it is a link"]);
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
}
