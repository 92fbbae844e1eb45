//! One test for each kind of change.
//!
//! A vault is indexed and settles; the change is made; the first command after it must give the results,
//! with their lines and in their order, that the same command gives once everything is indexed. Each command is the
//! first one in a vault of its own.

use std::fs;
use std::io::Write;
use std::process::Command;

use serde_json::Value;

use crate::harness::TestVault;
use crate::watch::Watcher;

/// The possible first commands. Notes that contain several of the words tell their results apart.
const COMMANDS: [&[&str]; 3] = [
    &["search", "walrus ice floe", "--json", "-n", "100"],
    &["sgrep", "walrus ice floe", "-n", "100"],
    &["context", "--query", "walrus on the ice floe", "--json"],
];

/// Returns a settled vault that is indexed by words.
fn settled() -> TestVault {
    let vault = TestVault::of_words();
    vault.write("walrus.md", "# Walrus\n\nThe walrus rests on the ice floe.\n");
    vault.write("ice.md", "# Ice\n\nSea ice melts in June.\n\n## Floe\n\nA floe is a sheet of floating ice.\n");
    vault.write("garden/tomato.md", "# Tomatoes\n\nWater them in the morning, and never with ice.\n");
    for (number, word) in ["otter", "puffin", "lynx", "heron", "badger", "stoat"].into_iter().enumerate() {
        vault.write(&format!("birds/{word}.md"), format!("# {word}\n\nThe {word} was seen {number} times.\n"));
    }
    for note in ["walrus.md", "ice.md", "garden/tomato.md"] {
        vault.settle(note);
    }
    vault.index();
    vault
}

/// Returns the output of a command.
fn answer(vault: &TestVault, command: &[&str]) -> Vec<String> {
    let output = vault.tars(command).run();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output}");
    if !command.contains(&"--json") {
        return output.stdout().lines().map(str::to_owned).collect();
    }
    let answer = output.json();
    assert_eq!((&answer["degraded"], &answer["index"]["pending"]), (&Value::Null, &Value::from(0)), "{output}");
    let hits = answer["results"].as_array().or(answer["pieces"].as_array()).unwrap();
    hits.iter().map(|hit| format!("{}:{}-{}", hit["path"], hit["start_line"], hit["end_line"])).collect()
}

/// Makes a change and runs each command after it, with a watcher and without.
fn compare(prepare: impl Fn(&TestVault), change: impl Fn(&TestVault)) {
    for watched in [false, true] {
        for command in COMMANDS {
            let vault = settled();
            prepare(&vault);
            let watcher = watched.then(|| {
                let watcher = Watcher::start(&vault);
                watcher.eventually("it is at rest", |state| state["pending"] == 0);
                watcher
            });
            let before = answer(&vault, command);
            change(&vault);
            let fresh = answer(&vault, command);
            vault.index();
            if let Some(watcher) = &watcher {
                watcher.eventually("it is at rest again", |state| state["pending"] == 0);
            }
            assert_eq!(fresh, answer(&vault, command), "{command:?}, watched: {watched}");
            assert_ne!(fresh, before, "the change makes no difference to {command:?}");
        }
    }
}

#[test]
fn a_new_note() {
    compare(
        |_| {},
        |vault| {
            vault.write("new/floe.md", "# Floes\n\nA walrus and another walrus share an ice floe.\n");
        },
    );
}

#[test]
fn a_note_edited_in_place() {
    compare(
        |_| {},
        |vault| {
            let mut file = fs::File::options().write(true).open(vault.path("garden/tomato.md")).unwrap();
            file.write_all(b"# Walrus\n\nOn an ice floe, the walrus.\n").unwrap();
            file.set_len(38).unwrap();
        },
    );
}

#[test]
fn a_note_edited_by_a_rename() {
    compare(
        |_| {},
        |vault| {
            vault.write(".ice.md.tmp", "# Ice\n\nNo more of it.\n").rename(".ice.md.tmp", "ice.md");
        },
    );
}

#[test]
fn a_renamed_note() {
    compare(
        |_| {},
        |vault| {
            vault.rename("walrus.md", "sea/mammals.md");
        },
    );
}

#[test]
fn a_renamed_folder() {
    compare(
        |vault| {
            vault
                .write("north/floe.md", "# Floe\n\nThe walrus sleeps on a floe of ice.\n")
                .settle("north/floe.md")
                .index();
        },
        |vault| fs::rename(vault.path("north"), vault.path("south")).unwrap(),
    );
}

#[test]
fn a_deleted_note() {
    compare(
        |_| {},
        |vault| {
            vault.remove("walrus.md");
        },
    );
}

#[test]
fn a_remembered_fact() {
    compare(
        |_| {},
        |vault| {
            vault.tars(["remember", "--force", "The walrus likes the ice floe best"]).run().success();
        },
    );
}

#[test]
fn a_line_of_the_day() {
    compare(
        |_| {},
        |vault| {
            vault.tars(["daily", "--append", "Saw a walrus on an ice floe"]).run().success();
        },
    );
}

#[test]
fn seventy_notes_at_once() {
    compare(
        |_| {},
        |vault| {
            for number in 0..70 {
                let note = format!("pulled/{}/{number}.md", number / 10);
                vault.write(&note, format!("# Pulled {number}\n\nA walrus, number {number}, on the ice floe.\n"));
            }
        },
    );
}

#[test]
fn another_branch() {
    let git = |vault: &TestVault, arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]);
        let done = command.args(arguments).current_dir(vault.root()).env("HOME", vault.home()).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    if Command::new("git").arg("--version").output().is_err() {
        println!("skipped: there is no git");
        return;
    }
    compare(
        |vault| {
            git(vault, &["init", "-q"]);
            git(vault, &["add", "."]);
            git(vault, &["commit", "-qm", "first"]);
            git(vault, &["checkout", "-qb", "other"]);
            vault.remove("walrus.md").rename("ice.md", "frozen.md");
            vault.write("far/floe.md", "# Floe\n\nOn this floe of ice lies a walrus.\n");
            git(vault, &["add", "-A"]);
            git(vault, &["commit", "-qm", "second"]);
            git(vault, &["checkout", "-q", "main"]);
            vault.index();
        },
        |vault| git(vault, &["checkout", "-q", "other"]),
    );
}

#[test]
fn a_half_indexed_vault() {
    compare(
        |vault| {
            // A watcher that has not indexed the rest yet has both changes in one batch.
            vault.write("later/floe.md", "# Floe\n\nThe floe of ice is empty.\n");
        },
        |vault| {
            vault.write("later/walrus.md", "# Walrus\n\nA walrus came to the floe of ice.\n");
            let _ = vault.tars(["index"]).arg(vault.path("later/floe.md")).run();
        },
    );
}
