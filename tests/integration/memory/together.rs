//! Many who write at once.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use tars::vault::{MemoryFolder, Origin, Splice, WriteError, Writer};

use super::{MEMORY, answer, vault_with};
use crate::harness::TestVault;

const PROCESSES: usize = 8;
const ENTRIES: usize = 125;

#[test]
fn a_thousand_entries_of_eight_processes_are_there_once_each_and_whole() {
    let vault = vault_with("# Memory\n\n- of old\n");
    let text = |process: usize, number: usize| {
        let filler = "and on ".repeat((process * 31 + number * 17) % 12);
        format!("p{process} says n{number} {filler}to its end")
    };
    thread::scope(|scope| {
        for process in 0..PROCESSES {
            let (vault, text) = (&vault, &text);
            scope.spawn(move || {
                for number in 0..ENTRIES {
                    let text = text(process, number);
                    let arguments: &[&str] = match number % 8 {
                        0 => &["remember", "--force", &text],
                        1 => &["remember", "--type", "procedural", "--section", "How", "--force", &text],
                        2 => &["feedback", "wrong", &text],
                        3 => &["feedback", "good", &text],
                        4 => &["remember", "--type", "daily", "--force", &text],
                        _ => &["daily", "--append", &text],
                    };
                    // Two zones that never have the same day.
                    let zone = if number % 2 == 0 { "Etc/GMT+12" } else { "Etc/GMT-14" };
                    vault.tars(arguments).env("TZ", zone).run().success();
                }
            });
        }
    });
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let files =
        fs::read_dir(vault.path("tars")).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    for line in files.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()) {
        if let Some(said) = line.strip_prefix("- ") {
            let time = |character: char| character.is_ascii_digit() || "-: ".contains(character);
            *found.entry(said.trim_start_matches(time).to_owned()).or_default() += 1;
        } else {
            assert!(line.is_empty() || line.starts_with('#'), "a torn line: {line}");
        }
    }
    assert_eq!(found.remove("of old"), Some(1));
    for (process, number) in (0..PROCESSES).flat_map(|process| (0..ENTRIES).map(move |number| (process, number))) {
        let text = text(process, number);
        assert_eq!(found.remove(&text), Some(1), "{text}");
    }
    assert!(found.is_empty(), "{found:?}");
    let log = answer(&vault, &["log", "-n", "2000"]);
    let ids: Vec<u64> = log.as_array().unwrap().iter().map(|entry| entry["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, (1..=(PROCESSES * ENTRIES) as u64).rev().collect::<Vec<_>>());
}

#[test]
fn two_data_directories_with_one_vault_exclude_each_other() {
    let vault = vault_with("");
    thread::scope(|scope| {
        for data in ["one", "other"] {
            let vault = &vault;
            scope.spawn(move || {
                let data = vault.home().join(data);
                for number in 0..20 {
                    let text = format!("{number} of {}", data.display());
                    vault.tars(["remember", "--force", &text]).env("TARS_DATA_DIR", &data).run().success();
                }
            });
        }
    });
    assert_eq!(vault.read(MEMORY).lines().filter(|line| line.starts_with("- ")).count(), 40);
}

/// Adds a line to the file as an editor does that knows nothing of locks: reads it, writes another, renames that over it.
fn save(vault: &TestVault, saves: usize) {
    let text = vault.read(MEMORY);
    for earlier in 0..saves {
        assert!(text.contains(&format!("\n- saved {earlier}\n")), "save {earlier} was written over:\n{text}");
    }
    for line in text.lines() {
        assert!(
            line.is_empty() || line.starts_with(['#', '-']) && line.ends_with(char::is_alphanumeric),
            "torn: {line}"
        );
    }
    let beside = vault.path("tars/.editor");
    fs::write(&beside, text.replacen("# Memory\n\n", &format!("# Memory\n\n- saved {saves}\n"), 1)).unwrap();
    fs::rename(&beside, vault.path(MEMORY)).unwrap();
}

#[test]
fn an_editor_that_saves_again_and_again_loses_nothing() {
    let vault = vault_with("# Memory\n\n- of old\n");
    fs::create_dir_all(vault.data()).unwrap();
    let folder = MemoryFolder::new(&vault.root(), "tars").unwrap();
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let editor = scope.spawn(|| {
            let mut saves = 0;
            while !done.load(Ordering::Relaxed) {
                save(&vault, saves);
                saves += 1;
            }
            saves
        });
        let mut written = 0;
        for number in 0..150 {
            let origin = Origin { command: "test".into(), session: None };
            let result = Writer::open(&folder, &vault.data(), origin).unwrap().edit("Memory.md", |lines| {
                // At the end, in place, or in the middle, beside.
                let at = if number % 2 == 0 { lines.len() } else { 2.min(lines.len()) };
                vec![Splice { at, remove: 0, insert: vec![format!("- wrote {number}")] }]
            });
            match result {
                Ok(true) => written += 1,
                // The editor was faster each time: said, and nothing written.
                Err(WriteError::Restless { .. }) => {}
                other => panic!("{other:?}"),
            }
        }
        done.store(true, Ordering::Relaxed);
        let saves = editor.join().unwrap();
        save(&vault, saves);
        assert!(written > 0 && saves > 0, "{written} writes among {saves} saves");
    });
    let text = vault.read(MEMORY);
    assert!(text.ends_with('\n') && text.contains("- of old\n"), "{text}");
    for number in 0..150 {
        assert!(text.matches(&format!("- wrote {number}\n")).count() <= 1, "{number} came twice:\n{text}");
    }
    let left = fs::read_dir(vault.path("tars")).unwrap().count();
    assert_eq!(left, 1, "nothing is left beside");
}
