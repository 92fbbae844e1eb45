//! Changes of notes while a watcher runs.

use std::fs;
use std::io::Write;

use super::{Watcher, known};
use crate::harness::{TestVault, eventually};
use crate::permissions::{as_ordinary_person, set_mode};

const VECTORS: &str = "SELECT count(*) FROM vectors";

#[test]
fn a_saved_note_is_searchable_by_words_and_by_meaning() {
    let vault = TestVault::new();
    let watcher = Watcher::start(&vault);
    vault.write("sea.md", "# Sea\n\nThe walrus rests on the ice.\n");
    watcher.finds("walrus", &["sea.md"]);
    eventually("it is found by its meaning", || {
        vault.found(&["svec", "arctic animal", "--no-sync"]) == ["sea.md"]
            && vault.count("SELECT count(*) FROM passages WHERE vector_id IS NULL") == 0
    });
    watcher.eventually("the model is loaded", |state| state["model_loaded"] == true);
}

#[test]
fn many_files_written_at_once_are_all_indexed() {
    let vault = TestVault::of_words();
    let watcher = Watcher::start(&vault);
    for round in 0..20 {
        let mut notes: Vec<String> = (0..100).map(|number| format!("storm/{number}.md")).collect();
        for note in &notes {
            vault.write(note, format!("walrus{round} in {note}\n"));
        }
        notes.sort();
        eventually("all are searchable", || known(&vault, &format!("walrus{round}")) == notes);
    }
    let output = watcher.stop().success();
    assert!(!output.stderr().contains("WARN"), "{output}");
}

#[test]
fn new_folders_with_files_in_them_are_seen() {
    let vault = TestVault::of_words();
    let watcher = Watcher::start(&vault);
    let mut notes: Vec<String> = (0..30).map(|number| format!("deep/{}/of/{}/note.md", number / 5, number)).collect();
    for note in &notes {
        vault.write(note, "walrus\n");
    }
    notes.sort();
    eventually("all are searchable", || known(&vault, "walrus") == notes);
    vault.write("deep/0/of/0/later.md", "puffin\n").append("deep/5/of/29/note.md", "lynx\n");
    watcher.finds("puffin", &["deep/0/of/0/later.md"]);
    watcher.finds("lynx", &["deep/5/of/29/note.md"]);
}

#[test]
fn every_way_of_saving_is_noticed() {
    let vault = TestVault::of_words();
    vault.write("note.md", "first\n");
    let watcher = Watcher::start(&vault);
    watcher.finds("first", &["note.md"]);

    // Truncate and write.
    fs::write(vault.path("note.md"), "second\n").unwrap();
    watcher.finds("second", &["note.md"]);
    watcher.finds("first", &[]);

    // Write beside and rename.
    for (beside, word) in [(".note.md.tmp", "third"), ("note.md.tmp", "fourth"), ("other.md", "fifth")] {
        vault.write(beside, format!("{word}\n")).rename(beside, "note.md");
        watcher.finds(word, &["note.md"]);
    }

    // As Vim saves.
    vault.rename("note.md", "note.md~").write("note.md", "sixth\n").remove("note.md~");
    watcher.finds("sixth", &["note.md"]);
    watcher.finds("fifth", &[]);

    // In place, as Obsidian saves: open, overwrite, truncate.
    let mut file = fs::File::options().write(true).open(vault.path("note.md")).unwrap();
    file.write_all(b"seventh\n").unwrap();
    file.set_len(8).unwrap();
    drop(file);
    watcher.finds("seventh", &["note.md"]);

    // Remove and create.
    vault.remove("note.md").write("note.md", "eighth\n");
    watcher.finds("eighth", &["note.md"]);
    assert_eq!(vault.count("SELECT count(*) FROM files"), 1);
}

#[test]
fn a_growing_file_is_indexed_completely() {
    let vault = TestVault::of_words();
    let watcher = Watcher::start(&vault);
    let mut file = fs::File::create(vault.path("log.md")).unwrap();
    for number in 0..200 {
        writeln!(file, "## Part {number}\n\nwalrus{number} came by.\n").unwrap();
        if number % 50 == 0 {
            watcher.finds(&format!("walrus{number}"), &["log.md"]);
        }
    }
    watcher.finds("walrus199", &["log.md"]);
    watcher.finds("walrus100", &["log.md"]);
}

#[test]
fn renames_embed_nothing() {
    let vault = TestVault::new();
    vault.write("a.md", "# A\n\nwalrus\n").write("folder/b.md", "# B\n\notter\n").write("folder/deep/c.md", "puffin\n");
    let watcher = Watcher::start(&vault);
    watcher.settles();
    let vectors = vault.count(VECTORS);
    assert_eq!(vectors, 3);
    vault.rename("a.md", "sub/z.md");
    watcher.finds("walrus", &["sub/z.md"]);
    fs::rename(vault.path("folder"), vault.path("moved")).unwrap();
    watcher.finds("otter", &["moved/b.md"]);
    watcher.finds("puffin", &["moved/deep/c.md"]);
    fs::rename(vault.path("moved/b.md"), vault.path("moved/B.md")).unwrap();
    watcher.finds("otter", &["moved/B.md"]);
    assert_eq!(vault.count(VECTORS), vectors);
    assert_eq!(vault.count("SELECT count(*) FROM passages WHERE vector_id IS NULL"), 0);
    // The watcher follows a folder to its new place.
    vault.write("moved/deep/d.md", "lynx\n");
    watcher.finds("lynx", &["moved/deep/d.md"]);
}

#[test]
fn a_folder_moved_out_and_back_takes_its_notes_along() {
    let vault = TestVault::of_words();
    vault.write("folder/a.md", "walrus\n").write("folder/deep/b.md", "walrus\n").write("c.md", "otter\n");
    let watcher = Watcher::start(&vault);
    watcher.finds("walrus", &["folder/a.md", "folder/deep/b.md"]);
    let outside = vault.home().join("outside");
    fs::rename(vault.path("folder"), &outside).unwrap();
    watcher.finds("walrus", &[]);
    fs::rename(&outside, vault.path("back")).unwrap();
    watcher.finds("walrus", &["back/a.md", "back/deep/b.md"]);
    vault.append("back/deep/b.md", "puffin\n");
    watcher.finds("puffin", &["back/deep/b.md"]);
}

#[test]
fn deleted_notes_and_folders_leave_the_index() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").write("b.md", "otter\n").write("sub/deep/c.md", "otter\n");
    let watcher = Watcher::start(&vault);
    watcher.finds("otter", &["b.md", "sub/deep/c.md"]);
    vault.remove("b.md");
    watcher.finds("otter", &["sub/deep/c.md"]);
    fs::remove_dir_all(vault.path("sub")).unwrap();
    watcher.finds("otter", &[]);
    watcher.finds("walrus", &["a.md"]);
}

#[test]
fn ignore_files_take_effect_while_it_runs() {
    let vault = TestVault::of_words();
    vault.write("drafts/a.md", "walrus\n").write("b.md", "walrus\n");
    let watcher = Watcher::start(&vault);
    watcher.finds("walrus", &["b.md", "drafts/a.md"]);
    vault.write(".tarsignore", "drafts/\n");
    watcher.finds("walrus", &["b.md"]);
    vault.write(".tarsignore", "b.md\n");
    watcher.finds("walrus", &["drafts/a.md"]);
    vault.remove(".tarsignore");
    watcher.finds("walrus", &["b.md", "drafts/a.md"]);
}

#[test]
fn settings_of_obsidian_take_effect_while_it_runs() {
    let vault = TestVault::of_words();
    vault.write("drafts/a.md", "walrus\n").write("b.md", "walrus\n").write(".obsidian/app.json", "{}");
    let watcher = Watcher::start(&vault);
    watcher.finds("walrus", &["b.md", "drafts/a.md"]);
    vault.write(".obsidian/app.json", r#"{"userIgnoreFilters":["drafts/"]}"#);
    watcher.finds("walrus", &["b.md"]);
    vault.write(".obsidian/app.json", "{}");
    watcher.finds("walrus", &["b.md", "drafts/a.md"]);
    vault.write(".obsidian/templates.json", r#"{"folder":"drafts"}"#);
    watcher.finds("walrus", &["b.md"]);
}

#[test]
fn a_note_that_icloud_evicts_while_it_runs_stays_until_its_placeholder_goes() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").write("b.md", "walrus\n");
    let watcher = Watcher::start(&vault);
    watcher.finds("walrus", &["a.md", "b.md"]);
    vault.write(".a.md.icloud", "bplist00").remove("a.md").write("c.md", "walrus\n");
    watcher.finds("walrus", &["a.md", "b.md", "c.md"]);
    vault.remove(".a.md.icloud");
    watcher.finds("walrus", &["b.md", "c.md"]);
}

#[test]
fn a_note_that_turns_private_leaves_the_index() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").write("b.md", "otter\n");
    let watcher = Watcher::start(&vault);
    watcher.finds("walrus", &["a.md"]);
    vault.write("a.md", "---\ntars: private\n---\nwalrus\n");
    watcher.finds("walrus", &[]);
    vault.write("a.md", "walrus again\n");
    watcher.finds("walrus", &["a.md"]);
}

#[test]
fn conflict_copies_are_excluded_until_their_note_goes() {
    let vault = TestVault::of_words();
    vault.write("note.md", "walrus\n");
    let watcher = Watcher::start(&vault);
    vault.write("note (conflicted copy).md", "walrus, changed elsewhere\n");
    vault.write("note.sync-conflict-20240203-101112-ABCDEFG.md", "walrus, changed elsewhere too\n");
    vault.write("other.md", "walrus\n");
    watcher.finds("walrus", &["note.md", "other.md"]);
    vault.remove("note.sync-conflict-20240203-101112-ABCDEFG.md").rename("note (conflicted copy).md", "note.md");
    vault.remove("other.md");
    watcher.finds("walrus", &["note.md"]);
    watcher.finds("elsewhere", &["note.md"]);
}

#[test]
fn a_note_that_becomes_readable_is_indexed() {
    let vault = TestVault::of_words();
    vault.write("a.md", "walrus\n").write("b.md", "otter\n");
    let watcher = Watcher::of(&vault, as_ordinary_person(&vault, &["watch"]).start());
    eventually("it is indexed", || vault.count("SELECT count(*) FROM files") == 2);
    vault.append("a.md", "puffin\n");
    set_mode(&vault.path("a.md"), 0o000);
    vault.append("b.md", "lynx\n");
    watcher.finds("lynx", &["b.md"]);
    watcher.finds("walrus", &["a.md"]);
    set_mode(&vault.path("a.md"), 0o644);
    watcher.finds("puffin", &["a.md"]);
}

#[test]
fn without_events_the_watcher_polls() {
    let vault = TestVault::of_words().with("TARS_WATCH_POLLING", "always").with("TARS_WATCH_POLL_SECONDS", "1");
    vault.write("a.md", "walrus\n").write("sub/b.md", "otter\n");
    let watcher = Watcher::start(&vault);
    watcher.finds("walrus", &["a.md"]);
    assert_eq!(watcher.status()["events"], false);
    vault.write("new/c.md", "puffin\n").append("a.md", "lynx\n");
    watcher.finds("puffin", &["new/c.md"]);
    watcher.finds("lynx", &["a.md"]);
    vault.remove("a.md");
    fs::rename(vault.path("sub"), vault.path("moved")).unwrap();
    watcher.finds("walrus", &[]);
    watcher.finds("otter", &["moved/b.md"]);
}

/// A user namespace has its own limit, so that the system's limit stays unchanged.
#[cfg(target_os = "linux")]
#[test]
fn with_no_inotify_watches_left_the_watcher_polls_and_names_the_setting() {
    use std::process::Command;
    const LIMIT: &str = "/proc/sys/user/max_inotify_watches";
    let may = Command::new("unshare").args(["-Ur", "sh", "-c", &format!("echo 20 > {LIMIT}")]).output();
    if !may.is_ok_and(|output| output.status.success()) {
        println!("skipped: this system gives no namespace with a limit of its own");
        return;
    }
    let vault = TestVault::of_words().with("TARS_WATCH_POLL_SECONDS", "1");
    for number in 0..40 {
        vault.write(&format!("{number}/note.md"), "walrus\n");
    }
    let limited = |command: &mut Command| {
        let mut other = Command::new("unshare");
        other.args(["-Ur", "sh", "-c", &format!("echo 20 > {LIMIT} && exec \"$0\" watch"), env!("CARGO_BIN_EXE_tars")]);
        other.env_clear().current_dir(vault.home());
        other.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        *command = other;
    };
    let watcher = Watcher::of(&vault, vault.tars(["watch"]).adjust(limited).start());
    watcher.eventually("it says what is missing", |state| {
        state["events"] == false
            && state["problem"].as_str().is_some_and(|text| text.contains("fs.inotify.max_user_watches"))
    });
    vault.write("33/new.md", "otter\n");
    watcher.finds("otter", &["33/new.md"]);
    let output = watcher.stop().success();
    assert!(output.stderr().contains("sysctl"), "{output}");
}
