//! The index follows the files and repeats no work.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::harness::{TestVault, models};

const VECTORS: &str = "SELECT count(*) FROM vectors";

/// Asserts some fields of a report.
#[track_caller]
pub(crate) fn reported(report: &Value, expected: &[(&str, u64)]) {
    for (key, value) in expected {
        assert_eq!(report[key], *value, "{key} in {report}");
    }
}

/// A note of many different paragraphs.
fn long_note() -> String {
    let subjects = ["walrus", "otter", "puffin", "whale", "lynx", "heron", "badger", "stoat", "marten", "grebe"];
    let paragraphs = (0..40).map(|n| {
        let subject = subjects[n % subjects.len()];
        format!(
            "In year {n} the {subject} was seen {} times near the northern shore, mostly at dawn, feeding on what the \
             tide had left behind, and it was written into the log of the station by whoever held the watch.\n\n",
            3 * n + 1
        )
    });
    format!("# Log of the station\n\n{}", paragraphs.collect::<String>())
}

#[test]
fn a_second_run_embeds_nothing() {
    let vault = TestVault::new();
    vault.write("a.md", "# A\n\nwalrus\n").write("sub/b.md", "# B\n\notter\n");
    reported(&vault.index(), &[("files", 2), ("added", 2), ("embedded", 2), ("pending", 0)]);
    reported(&vault.index(), &[("files", 2), ("added", 0), ("changed", 0), ("unchanged", 2), ("embedded", 0)]);
}

#[test]
#[ignore = "nightly: embeds a long note, 14 s"]
fn touching_one_paragraph_embeds_at_most_three_passages() {
    let vault = TestVault::new();
    vault.write("long.md", long_note());
    let all = vault.index()["embedded"].as_u64().unwrap();
    assert!(all >= 8, "{all} passages are too few to tell");
    for (from, to) in
        [("In year 0", "In the year 0"), ("In year 19", "In that year 19"), ("In year 39", "In the last year")]
    {
        vault.write("long.md", vault.read("long.md").replace(from, to));
        let report = vault.index();
        reported(&report, &[("changed", 1), ("pending", 0)]);
        let embedded = report["embedded"].as_u64().unwrap();
        assert!((1..=3).contains(&embedded), "{embedded} passages after '{to}'");
    }
}

#[test]
fn a_renamed_file_embeds_nothing() {
    let vault = TestVault::new();
    // One title comes from the text, one from the file name.
    vault.write("a.md", "# A\n\nwalrus\n").write("plain.md", "otter\n").index();
    vault.rename("a.md", "b.md").rename("plain.md", "deep/er/simple.md");
    reported(&vault.index(), &[("moved", 2), ("added", 0), ("removed", 0), ("embedded", 0), ("pending", 0)]);
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["b.md"]);
    assert_eq!(vault.found(&["sgrep", "otter"]), ["deep/er/simple.md"]);
    assert_eq!(vault.found(&["sgrep", "simple"]), ["deep/er/simple.md"]);
    assert_eq!(vault.search(&["svec", "walrus"]).len(), 2);
}

#[test]
fn a_moved_folder_embeds_nothing() {
    let vault = TestVault::new();
    vault.write("old/a.md", "# A\n\nwalrus\n").write("old/b.md", "# B\n\notter\n").index();
    fs::rename(vault.path("old"), vault.path("new")).unwrap();
    reported(&vault.index(), &[("moved", 2), ("embedded", 0)]);
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["new/a.md"]);
    assert_eq!(vault.found(&["sgrep", "otter"]), ["new/b.md"]);
}

#[test]
fn a_case_only_rename_is_followed() {
    let vault = TestVault::new();
    vault.write("note.md", "# N\n\nwalrus\n").index();
    vault.rename("note.md", "Note.md");
    reported(&vault.index(), &[("files", 1), ("moved", 1), ("embedded", 0)]);
    assert_eq!(vault.found(&["search", "walrus"]), ["Note.md"]);
}

#[test]
fn two_files_that_swap_their_names_swap_their_text() {
    let vault = TestVault::new();
    vault.write("a.md", "# One\n\nwalrus\n").write("b.md", "# Two\n\notter\n").index();
    vault.rename("a.md", "c.md").rename("b.md", "a.md").rename("c.md", "b.md").index();
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["b.md"]);
    assert_eq!(vault.found(&["sgrep", "otter"]), ["a.md"]);
}

#[test]
fn a_copy_reuses_the_vectors_of_its_original() {
    let vault = TestVault::new();
    vault.write("a.md", "# A\n\nwalrus\n").index();
    vault.write("copy.md", vault.read("a.md"));
    reported(&vault.index(), &[("added", 1), ("embedded", 0), ("pending", 0)]);
    assert_eq!(vault.count(VECTORS), 1);
    vault.remove("a.md").index();
    assert_eq!((vault.count(VECTORS), vault.found(&["svec", "walrus"])), (1, vec!["copy.md".to_owned()]));
}

#[test]
fn deleted_files_leave_no_rows() {
    let vault = TestVault::new();
    vault.write("a.md", "# A\n\nwalrus #sea\n").write("b.md", "# B\n\notter\n").index();
    vault.remove("a.md");
    reported(&vault.index(), &[("files", 1), ("removed", 1), ("embedded", 0)]);
    vault.tars(["sgrep", "walrus"]).run().code(1);
    assert_eq!(vault.found(&["svec", "walrus"]), ["b.md"]);
    for table in ["files", "chunks", "passages", "vectors", "chunks_fts_docsize"] {
        assert_eq!(vault.count(&format!("SELECT count(*) FROM {table}")), 1, "{table}");
    }
    assert_eq!(vault.count("SELECT count(*) FROM tags"), 0);
}

#[test]
fn a_new_modification_time_alone_changes_nothing() {
    let vault = TestVault::new();
    vault.write("a.md", "# A\n\nwalrus\n").index();
    vault.settle("a.md");
    reported(&vault.index(), &[("unchanged", 1), ("changed", 0), ("embedded", 0)]);
    assert_eq!(vault.tars(["status", "--json"]).run().success().json()["pending"], 0);
}

#[test]
fn an_edit_of_equal_size_within_the_same_tick_is_noticed() {
    let vault = TestVault::of_words();
    // Ahead of the clock, however slow the machine is: indexing must not happen well after it.
    let moment = SystemTime::now() + Duration::from_secs(60);
    vault.write("a.md", "walrus\n").touch("a.md", moment).index();
    vault.write("a.md", "puffin\n").touch("a.md", moment);
    reported(&vault.index(), &[("changed", 1)]);
    assert_eq!(vault.found(&["sgrep", "puffin"]), ["a.md"]);
}

#[test]
fn a_file_replaced_by_another_of_equal_size_and_time_is_noticed() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").write("b.txt", "puffin\n").settle("a.md").index();
    let time = fs::metadata(vault.path("a.md")).unwrap().modified().unwrap();
    vault.touch("b.txt", time).rename("b.txt", "a.md");
    reported(&vault.index(), &[("changed", 1)]);
    assert_eq!(vault.found(&["sgrep", "puffin"]), ["a.md"]);
}

#[test]
fn full_rereads_and_re_embeds_everything() {
    let vault = TestVault::new();
    vault.write("a.md", "# A\n\nwalrus\n").write("b.md", "# B\n\notter\n").index();
    let report = vault.tars(["index", "--full", "--json"]).run().success().json();
    reported(&report, &[("files", 2), ("changed", 2), ("unchanged", 0), ("embedded", 2), ("pending", 0)]);
    assert_eq!(vault.count(VECTORS), 2);
}

#[test]
fn paths_limit_the_work() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").write("sub/b.md", "otter\n").write("sub/c.md", "puffin\n").index();
    vault.append("a.md", "alpha\n").append("sub/b.md", "beta\n").remove("sub/c.md");
    let report = vault.tars(["index", "--json"]).arg(vault.path("sub")).run().success().json();
    reported(&report, &[("files", 1), ("changed", 1), ("removed", 1)]);
    vault.tars(["sgrep", "--no-sync", "alpha"]).run().code(1);
    assert_eq!(vault.found(&["sgrep", "--no-sync", "beta"]), ["sub/b.md"]);
    // A single file, from inside the vault.
    let report = vault.tars(["index", "--json", "a.md"]).within(&vault.root()).run().success().json();
    reported(&report, &[("files", 1), ("changed", 1)]);
    assert_eq!(vault.found(&["sgrep", "--no-sync", "alpha"]), ["a.md"]);
}

#[test]
fn a_note_that_turns_private_leaves_the_index() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").write("b.md", "otter\n").write("c.md", "puffin\n").index();
    vault.write("a.md", "---\ntars: private\n---\nwalrus\n");
    vault.write("b.md", "---\ntars:\n  private: true\n---\notter\n");
    reported(&vault.index(), &[("private", 2)]);
    vault.tars(["sgrep", "walrus otter"]).run().code(1);
    assert_eq!(vault.found(&["sgrep", "puffin"]), ["c.md"]);
    assert_eq!(vault.count("SELECT count(*) FROM files"), 1);
    vault.write("a.md", "walrus\n").index();
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
}

#[test]
fn excluded_notes_are_not_pending() {
    let vault = TestVault::of_words().with("TARS_INDEX_MAX_FILE_SIZE", "1 KiB");
    vault.write("a.md", "walrus\n").write("private.md", "---\ntars: private\n---\notter\n");
    vault.write("large.md", "x ".repeat(1000)).write("binary.md", b"a\0b");
    for note in ["a.md", "private.md", "large.md", "binary.md"] {
        vault.settle(note);
    }
    vault.index();
    assert_eq!(vault.tars(["status", "--json"]).run().success().json()["pending"], 0);
}

#[test]
fn an_unmounted_vault_loses_nothing() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").write("b.md", "otter\n").index();
    let aside = vault.home().join("aside");

    fs::rename(vault.root(), &aside).unwrap();
    vault.tars(["index"]).run().code(2).says(&["is not there", "try: mount it"]);
    let status = vault.tars(["status", "--json"]).run().success().json();
    assert!(status["collections"][0]["problem"].as_str().unwrap().contains("not there"));

    fs::create_dir(vault.root()).unwrap();
    vault.tars(["index"]).run().code(2).says(&["holds no notes, but the index knows 2", "tars index --full"]);
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);

    let report = vault.tars(["index", "--full", "--json"]).run().success().json();
    reported(&report, &[("files", 0), ("removed", 2)]);
    vault.tars(["sgrep", "walrus"]).run().code(1).says(&["the index is empty"]);
}

#[test]
fn without_a_model_words_are_indexed_and_vectors_follow_later() {
    let vault = TestVault::new();
    let empty = vault.home().join("no-models");
    vault.write("a.md", "# A\n\nwalrus\n").write("b.md", "# B\n\notter\n");
    let bare = |arguments: &[&str]| vault.tars(arguments).env("TARS_MODELS_DIR", &empty);

    let output = bare(&["index", "--json"]).run().success();
    let report = output.json();
    reported(&report, &[("added", 2), ("embedded", 0)]);
    assert!(report["degraded"].as_str().unwrap().contains("./scripts/install-models"), "{output}");
    assert_eq!(output.stderr().matches("no embedding model is installed").count(), 1, "{output}");
    assert_eq!(output.stderr().lines().count(), 1, "{output}");

    let output = bare(&["search", "walrus"]).run().success();
    assert!(output.stdout().contains("a.md"), "{output}");
    assert_eq!(output.stderr().matches("./scripts/install-models").count(), 1, "{output}");
    let answer = bare(&["search", "walrus", "--json"]).run().success().quiet().json();
    assert!(answer["degraded"].as_str().unwrap().contains("searched by words only"), "{answer}");
    bare(&["sgrep", "walrus"]).run().success().quiet();
    bare(&["svec", "walrus"]).run().code(2).says(&["search by meaning is not possible", "try:"]);
    assert!(bare(&["status", "--json"]).run().success().json()["model"]["problem"].is_string());

    let report = vault.index();
    reported(&report, &[("added", 0), ("removed", 0), ("embedded", 2), ("pending", 0)]);
    assert_eq!(report["degraded"], Value::Null);
    assert_eq!(vault.search(&["svec", "walrus"])[0]["path"], "a.md");
}

#[test]
fn a_run_without_the_model_keeps_existing_vectors() {
    let vault = TestVault::new();
    vault.write("a.md", "# A\n\nwalrus\n").write("b.md", "# B\n\notter\n").write("c.md", "# C\n\npuffin\n").index();
    let bare = vault.tars(["index", "--json"]).env("TARS_MODELS_DIR", vault.home());
    vault.rename("b.md", "moved.md").write("new.md", "# New\n\nwhale\n");
    reported(&bare.run().success().json(), &[("moved", 1), ("added", 1)]);
    assert_eq!(vault.count(VECTORS), 3);
    let answer = vault.tars(["search", "walrus", "--no-sync", "--json"]).run().success().json();
    assert!(answer["degraded"].as_str().unwrap().contains("1 of 4 passages are not embedded yet"), "{answer}");
    reported(&vault.index(), &[("embedded", 1), ("pending", 0)]);
}

#[test]
fn a_full_run_without_the_model_keeps_existing_vectors() {
    let vault = TestVault::new();
    vault.write("a.md", "# A\n\nwalrus\n").write("b.md", "# B\n\notter\n").index();
    vault.tars(["index", "--full"]).env("TARS_MODELS_DIR", vault.home()).run().success();
    assert_eq!(vault.count(VECTORS), 2);
    reported(&vault.index(), &[("embedded", 0), ("pending", 0)]);
}

#[test]
fn a_file_over_the_limit_is_left_out() {
    let vault = TestVault::of_words().with("TARS_INDEX_MAX_FILE_SIZE", "1 KiB");
    vault.write("a.md", "walrus\n").write("b.md", "otter\n").index();
    vault.append("a.md", &"x ".repeat(1000)).append("b.md", "puffin\n");
    let output = vault.tars(["index", "--json"]).run().success().says(&["a.md", "more than index.max_file_size"]);
    reported(&output.json(), &[("skipped", 1), ("changed", 1), ("failed", 0)]);
    vault.tars(["sgrep", "walrus"]).run().code(1);
    assert_eq!(vault.found(&["sgrep", "puffin"]), ["b.md"]);
}

#[test]
fn a_file_that_holds_no_text_is_left_out() {
    let vault = TestVault::of_words();
    vault.write("a.md", b"PNG\0\0walrus").write("b.md", "otter\n");
    let output = vault.tars(["index", "--json"]).run().success().says(&["a.md", "binary"]);
    reported(&output.json(), &[("skipped", 1), ("added", 1)]);
    vault.tars(["sgrep", "walrus"]).run().code(1);
}

#[test]
fn a_file_in_another_encoding_is_read() {
    let vault = TestVault::of_words();
    vault.write("a.md", b"the caf\xe9 walrus\n").index();
    let hit = vault.search(&["sgrep", "walrus"]).remove(0);
    assert_eq!(hit["content"], "the café walrus");
}

#[test]
fn only_notes_are_indexed() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").write("B.MARKDOWN", "walrus\n").write("c.txt", "walrus\n");
    vault.write(".hidden.md", "walrus\n").write(".obsidian/d.md", "walrus\n").write(".trash/e.md", "walrus\n");
    vault.write("build/f.md", "walrus\n").write("drafts/g.md", "walrus\n").write("sub/h.md", "walrus\n");
    vault.write(".gitignore", "build/\n").write(".tarsignore", "drafts\n").write("sub/.tarsignore", "h.md\n");
    vault.index();
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["B.MARKDOWN", "a.md"]);
    // A new rule excludes notes, a removed one includes them.
    vault.write(".tarsignore", "a.md\n").index();
    let mut found = vault.found(&["sgrep", "walrus"]);
    found.sort();
    assert_eq!(found, ["B.MARKDOWN", "drafts/g.md"]);
}

#[test]
fn links_never_lead_out_of_the_vault() {
    use std::os::unix::fs::symlink;
    let vault = TestVault::of_words();
    let outside = vault.home().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret.md"), "walrus\n").unwrap();
    vault.write("a.md", "otter\n").write("sub/b.md", "puffin\n");
    symlink(&outside, vault.path("folder")).unwrap();
    symlink(outside.join("secret.md"), vault.path("note.md")).unwrap();
    symlink(vault.path("a.md"), vault.path("again.md")).unwrap();
    symlink(vault.root(), vault.path("sub/loop")).unwrap();
    symlink("nowhere.md", vault.path("dangling.md")).unwrap();
    reported(&vault.index(), &[("files", 2), ("failed", 0)]);
    vault.tars(["sgrep", "walrus"]).run().code(1);
    assert_eq!(vault.found(&["sgrep", "otter"]), ["a.md"]);
    // The same for a path on the command line.
    vault.tars(["index"]).arg(vault.path("note.md")).run().code(2).says(&["lies outside"]);
}

#[test]
fn a_vault_that_is_itself_a_link_is_followed() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let link = vault.home().join("link");
    std::os::unix::fs::symlink(vault.root(), &link).unwrap();
    let vault = vault.with("TARS_VAULT", link);
    vault.index();
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
}

#[test]
fn a_removed_collection_leaves_the_index() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let other = vault.home().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("b.md"), "otter\n").unwrap();
    vault.tars(["config", "set", "collections.work", "other"]).run().success();
    reported(&vault.index(), &[("files", 2), ("added", 2)]);
    let hit = vault.search(&["sgrep", "otter"]).remove(0);
    assert_eq!((&hit["collection"], &hit["path"]), (&json!("work"), &json!("b.md")));
    vault.tars(["config", "unset", "collections.work"]).run().success();
    vault.index();
    vault.tars(["sgrep", "otter"]).run().code(1);
}

#[test]
fn a_removed_collection_stops_answering_at_once() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n");
    let other = vault.home().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("b.md"), "walrus and otter\n").unwrap();
    vault.tars(["config", "set", "collections.work", "other"]).run().success();
    vault.index();
    assert_eq!(vault.search(&["sgrep", "walrus"]).len(), 2);
    vault.tars(["config", "unset", "collections.work"]).run().success();
    assert_eq!(vault.found(&["sgrep", "walrus"]), ["a.md"]);
    assert_eq!(vault.found(&["sgrep", "walrus", "--no-sync"]), ["a.md"]);
    vault.tars(["sgrep", "otter"]).run().code(1);
    vault.tars(["sgrep", "walrus", "--collection", "work"]).run().code(2).says(&["no collection 'work'", "vault"]);
}

#[test]
#[ignore = "nightly: embeds a long note twice, 13 s"]
fn a_new_chunk_size_rechunks_the_notes() {
    let vault = TestVault::new();
    vault.write("long.md", long_note()).index();
    let before = vault.count("SELECT count(*) FROM chunks");
    let smaller = vault.tars(["index", "--json"]).env("TARS_CHUNK_TARGET_TOKENS", "100");
    reported(&smaller.run().success().json(), &[("changed", 1), ("pending", 0)]);
    assert!(vault.count("SELECT count(*) FROM chunks") > 2 * before);
}

#[test]
fn the_models_are_installed() {
    assert!(models().join("all-minilm-l6-v2-int8/manifest.toml").is_file(), "run ./scripts/test");
}
