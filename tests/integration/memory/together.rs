//! Simultaneous writers.

use std::collections::BTreeMap;
use std::fs;
use std::thread;

use super::{MEMORY, answer, files, vault_with};
#[cfg(target_os = "linux")]
use crate::harness::{TestVault, eventually};

const PROCESSES: usize = 8;
const ENTRIES: usize = 125;

#[test]
#[ignore = "nightly: a thousand processes, 20 s"]
fn eight_processes_write_a_thousand_whole_entries() {
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
                    // Two time zones that never have the same day.
                    let zone = if number % 2 == 0 { "Etc/GMT+12" } else { "Etc/GMT-14" };
                    vault.tars(arguments).env("TZ", zone).run().success();
                }
            });
        }
    });
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let texts = files(&vault).into_iter().map(|name| vault.read(&format!("tars/{name}")));
    for line in texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()) {
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
fn two_data_directories_share_the_lock_of_a_vault() {
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

/// An editor that ignores locks: it reads the file, writes another one, and renames it into place.
#[cfg(target_os = "linux")]
struct Editor<'a> {
    vault: &'a TestVault,
    saves: usize,
    /// Lines that were written between its reading and its saving, so that it overwrote them.
    overwritten: String,
}

#[cfg(target_os = "linux")]
impl Editor<'_> {
    fn save(&mut self) {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        let (path, beside) = (self.vault.path(MEMORY), self.vault.path("tars/.editor"));
        let saves: Vec<String> = (0..self.saves).map(|save| format!("\n- saved {save}\n")).collect();
        let mut text = String::new();
        // A write that lost the race is visible for a moment before it is reverted.
        eventually("all that was saved is there", || {
            text = self.vault.read(MEMORY);
            saves.iter().all(|save| text.contains(save))
        });
        for line in text.lines() {
            let whole = line.starts_with(['#', '-']) && line.ends_with(char::is_alphanumeric);
            assert!(line.is_empty() || whole, "torn: {line}");
        }
        let heading = "# Memory\n\n";
        fs::write(&beside, text.replacen(heading, &format!("{heading}- saved {}\n", self.saves), 1)).unwrap();
        renameat_with(CWD, &beside, CWD, &path, RenameFlags::EXCHANGE).unwrap();
        self.overwritten += &fs::read_to_string(&beside).unwrap();
        fs::remove_file(beside).unwrap();
        self.saves += 1;
    }
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "nightly: hundreds of saves, 40 s"]
fn a_saving_editor_loses_nothing_and_overwrites_only_its_own_text() {
    use std::sync::atomic::{AtomicBool, Ordering};

    use tars_vault::{MemoryFolder, Origin, Splice, WriteError, Writer};

    let vault = vault_with("# Memory\n\n- of old\n");
    fs::create_dir_all(vault.data()).unwrap();
    let folder = MemoryFolder::new(&vault.root(), "tars").unwrap();
    let done = AtomicBool::new(false);
    let (written, editor) = thread::scope(|scope| {
        let editor = scope.spawn(|| {
            let mut editor = Editor { vault: &vault, saves: 0, overwritten: String::new() };
            while !done.load(Ordering::Relaxed) {
                editor.save();
            }
            editor.save();
            editor
        });
        let mut written = Vec::new();
        for number in 0..150 {
            let origin = Origin::of("test");
            let result = Writer::open(&folder, &vault.data(), origin, tars_base::clock::Clock::default())
                .unwrap()
                .edit("Memory.md", |lines| {
                    // The editor writes at the end in place, or in the middle by renaming.
                    let at = if number % 2 == 0 { lines.len() } else { 2.min(lines.len()) };
                    vec![Splice { at, remove: 0, insert: vec![format!("- wrote {number}")] }]
                });
            match result {
                Ok(true) => written.push(number),
                // The editor was faster each time: the command reports it and writes nothing.
                Err(WriteError::KeepsChanging { .. }) => {}
                other => panic!("{other:?}"),
            }
        }
        done.store(true, Ordering::Relaxed);
        (written, editor.join().unwrap())
    });
    let text = vault.read(MEMORY);
    assert!(!written.is_empty() && text.contains("- of old\n"), "{text}");
    for number in 0..150 {
        let line = format!("- wrote {number}\n");
        assert!(text.matches(&line).count() <= 1, "{number} came twice:\n{text}");
        let there = text.contains(&line) || editor.overwritten.contains(&line);
        assert!(there || !written.contains(&number), "{number} is said to be written:\n{text}");
    }
    assert_eq!(files(&vault), ["Memory.md"], "no temporary file is left");
}
