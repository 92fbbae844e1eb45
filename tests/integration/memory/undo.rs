//! Undo, exact to the byte.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{MEMORY, answer, bytes, days, files, run, vault_with};
use crate::contract::keys;
use crate::harness::TestVault;
use crate::permissions::set_mode;

fn mode(vault: &TestVault) -> u32 {
    fs::metadata(vault.path(MEMORY)).unwrap().permissions().mode() & 0o777
}

#[test]
fn undo_restores_every_byte_and_the_mode() {
    let originals: [(&[u8], u32); 9] = [
        (b"# Memory\n\n## Facts\n- Tea, not coffee\n- The gate is green\n", 0o644),
        (b"# Memory\r\n\r\n## Facts\r\n- Tea, not coffee\r\n- The gate is green\r\n", 0o640),
        (b"# Memory\n\n- Tea, not coffee\n\n- The gate is green", 0o600),
        (b"\xef\xbb\xbf# Memory\r\n\r\n- Tea, not coffee\r\n- The gate is green", 0o640),
        (b"---\ntags:\n  - tea\n---\n- Tea, not coffee\n\n\n- The gate is green\n\n\n", 0o644),
        (b"- Tea, not coffee\n- The gate is green\r\n- mixed\r\n- ends", 0o644),
        (b"", 0o600),
        (b"\n\n", 0o644),
        (b"\xef\xbb\xbf", 0o644),
    ];
    for (original, bits) in originals {
        let shown = String::from_utf8_lossy(original);
        let vault = vault_with(original);
        set_mode(&vault.path(MEMORY), bits);
        let mut commands = 3;
        run(&vault, &["remember", "Port is 8080"]).success();
        let id = vault.tars(["forget", "8080", "--json"]).run().code(1).json()["found"][0]["id"]
            .as_str()
            .unwrap()
            .to_owned();
        run(&vault, &["remember", "--replace", &id, "Port is 9090\n\nand has been"]).success();
        run(&vault, &["remember", "--section", "New", "One more"]).success();
        for query in ["tea, not coffee", "the gate is green"] {
            commands += usize::from(run(&vault, &["forget", query, "--yes"]).status.success());
        }
        assert_eq!(mode(&vault), bits, "{shown}");
        let undone = answer(&vault, &["undo", &commands.to_string(), "--yes"]);
        // The replaced line also went into the archive.
        assert_eq!(undone["undone"].as_array().unwrap().len(), commands + 1);
        assert_eq!(bytes(&vault, MEMORY).unwrap(), original, "{shown}");
        assert_eq!(mode(&vault), bits, "{shown}");
        run(&vault, &["undo"]).code(1).says(&["nothing to take back"]);
    }
}

#[test]
fn undo_removes_a_file_that_was_new() {
    let vault = TestVault::of_words();
    for arguments in [
        &["remember", "a fact"][..],
        &["remember", "--type", "procedural", "a rule"],
        &["daily", "--append", "a line"],
        &["feedback", "wrong", "a correction"],
    ] {
        run(&vault, arguments).success();
    }
    run(&vault, &["undo", "4", "--yes"]).success();
    assert_eq!(files(&vault), [""; 0]);
}

#[test]
fn a_review_is_undone_as_a_whole() {
    let vault = vault_with("# Memory\n\n- of old\n");
    run(&vault, &["feedback", "wrong", "Use metric units"]).success();
    let (memory, corrections) = (vault.read(MEMORY), vault.read("tars/corrections.md"));
    let id = answer(&vault, &["review"])[0]["id"].as_str().unwrap().to_owned();
    run(&vault, &["review", "--promote", &id]).success();
    assert_eq!(fs::read_dir(vault.path("tars/archive")).unwrap().count(), 1);
    let undone = answer(&vault, &["undo"]);
    assert_eq!(undone["undone"].as_array().unwrap().len(), 3);
    assert_eq!((vault.read(MEMORY), vault.read("tars/corrections.md")), (memory, corrections));
    assert!(!vault.path("tars/archive").exists(), "the folder that tars created was left behind");
}

#[test]
fn undo_keeps_edits_elsewhere_in_the_file() {
    let vault = vault_with("# Memory\n\n## Facts\n- old\n\n## Other\n- kept\n");
    run(&vault, &["remember", "Port is 8080"]).success();
    run(&vault, &["forget", "kept", "--yes"]).success();
    let edited = "# Memory\r\n\r\nMy words.\r\n\r\n## Facts\r\n- older\r\n- Port is 8080\r\n\r\n## Other\r\n";
    vault.write(MEMORY, edited);
    run(&vault, &["undo", "2", "--yes"]).success();
    let expected = "# Memory\r\n\r\nMy words.\r\n\r\n## Facts\r\n- older\r\n\r\n## Other\r\n- kept\r\n";
    assert_eq!(vault.read(MEMORY), expected);
}

#[test]
fn undo_shows_an_edited_line_and_leaves_it_alone() {
    let vault = vault_with("# Memory\n\n- of old\n");
    run(&vault, &["remember", "--section", "Facts", "Port is 8080"]).success();
    let edited = vault.read(MEMORY).replace("8080", "9090");
    vault.write(MEMORY, &edited);
    let output = run(&vault, &["undo"]).code(2).says(&["not taken back", "tars/Memory.md", "nothing was changed"]);
    assert!(
        output.stdout().contains("\n-- Port is 8080\n") && output.stdout().contains("\n+- Port is 9090\n"),
        "{output}"
    );
    let told = vault.tars(["undo", "--json"]).run().code(2).json();
    assert_eq!((told["undone"].as_array().unwrap().len(), told["refused"]["id"].as_u64()), (0, Some(1)));
    assert_eq!(vault.read(MEMORY), edited);
    vault.remove(MEMORY);
    let output = run(&vault, &["undo"]).code(2);
    assert!(output.stdout().contains("+++ the file is gone"), "{output}");
    assert!(!vault.path(MEMORY).exists());
    // Later writes can still be undone; then undo stops.
    vault.write(MEMORY, &edited);
    run(&vault, &["remember", "A later fact"]).success();
    run(&vault, &["undo", "5", "--yes"]).code(2);
    assert_eq!(vault.read(MEMORY), edited);
}

#[test]
fn a_refused_undo_of_a_review_changes_nothing() {
    let vault = vault_with("");
    run(&vault, &["feedback", "wrong", "Use metric units"]).success();
    let id = answer(&vault, &["review"])[0]["id"].as_str().unwrap().to_owned();
    run(&vault, &["review", "--promote", &id]).success();
    vault.write(MEMORY, vault.read(MEMORY).replace("metric", "imperial"));
    let before = crate::untouched::contents(&vault.root());
    run(&vault, &["undo"]).code(2);
    assert_eq!(crate::untouched::contents(&vault.root()), before);
}

#[test]
fn redo_restores_what_undo_removed() {
    let vault = vault_with("# Memory\n\n- of old\n");
    run(&vault, &["undo", "--redo"]).code(1).says(&["nothing to do again"]);
    run(&vault, &["remember", "Port is 8080"]).success();
    run(&vault, &["daily", "--append", "Met Ilse"]).success();
    run(&vault, &["forget", "of old", "--yes"]).success();
    let contents = |vault: &TestVault| [vault.read(MEMORY), vault.read(&days(vault)[0])];
    let written = contents(&vault);
    for commands in 1..=3 {
        run(&vault, &["undo", &commands.to_string(), "--yes"]).success();
        for _ in 0..commands {
            run(&vault, &["undo", "--redo"]).success();
        }
        assert_eq!(contents(&vault), written, "{commands}");
        run(&vault, &["undo", "--redo"]).code(1);
    }
    run(&vault, &["undo"]).success();
    assert!(vault.read(MEMORY).contains("of old"), "a redone write can be undone again");
    // A person wrote another line meanwhile: the line of tars goes and theirs stays.
    vault.write(MEMORY, format!("{}- mine\n", vault.read(MEMORY)));
    run(&vault, &["undo", "--redo"]).success();
    assert!(!vault.read(MEMORY).contains("of old") && vault.read(MEMORY).ends_with("- mine\n"));
}

#[test]
fn redo_leaves_an_edited_line_alone() {
    let vault = vault_with("# Memory\n\n- of old\n");
    run(&vault, &["forget", "of old", "--yes"]).success();
    run(&vault, &["undo"]).success();
    vault.write(MEMORY, "# Memory\n\n- of late\n");
    run(&vault, &["undo", "--redo"]).code(2).says(&["not done again", "nothing was changed"]);
    assert_eq!(vault.read(MEMORY), "# Memory\n\n- of late\n");
}

#[test]
fn undoing_more_than_there_is_undoes_everything() {
    let vault = vault_with("");
    run(&vault, &["remember", "Port is 8080"]).success();
    run(&vault, &["daily", "--append", "Met Ilse"]).success();
    run(&vault, &["undo", "1000", "--yes"]).success().says(&["only 2 commands"]);
}

#[test]
fn several_commands_are_not_undone_unasked() {
    let vault = vault_with("");
    run(&vault, &["remember", "Port is 8080"]).success();
    run(&vault, &["undo", "99"]).success().says(&["only 1 command"]);
    run(&vault, &["remember", "Port is 8080"]).success();
    run(&vault, &["daily", "--append", "Met Ilse"]).success();
    let before = (vault.read(MEMORY), days(&vault));
    for arguments in [&["undo", "99"][..], &["undo", "2", "--json"]] {
        let refused = run(&vault, arguments).code(2);
        let hint = format!("tars undo {} --yes", arguments[1]);
        let refused = refused.says(&["nothing was taken back: 2 commands", &hint]);
        assert_eq!((refused.stdout(), (vault.read(MEMORY), days(&vault))), ("", before.clone()));
    }
    run(&vault, &["undo", "99", "--yes"]).success();
    assert_eq!((vault.read(MEMORY).as_str(), days(&vault).len()), ("", 0));
}

#[test]
fn a_failed_undo_of_several_commands_lists_what_it_undid() {
    for as_json in [false, true] {
        let vault = vault_with("- Tea\n");
        run(&vault, &["remember", "Port is 8080"]).success();
        run(&vault, &["daily", "--append", "Met Ilse"]).success();
        // An unreadable file ends it at the second command.
        vault.rename(MEMORY, "elsewhere.md");
        std::os::unix::fs::symlink(vault.path("elsewhere.md"), vault.path(MEMORY)).unwrap();
        let output = if as_json {
            vault.tars(["undo", "2", "--json", "--yes"]).run()
        } else {
            run(&vault, &["undo", "2", "--yes"])
        };
        let output = output.code(2).says(&["Memory.md"]);
        assert_eq!(days(&vault), [""; 0]);
        if as_json {
            let undone = output.json();
            assert_eq!(super::all(&undone["undone"], "command"), ["daily"], "{output}");
        } else {
            assert!(output.stdout().starts_with("taken back  just now  daily") && output.stdout().lines().count() == 1);
        }
    }
}

#[test]
fn the_log_shows_readable_times() {
    let vault = vault_with("");
    run(&vault, &["daily", "--append", "Met Ilse"]).success();
    assert!(run(&vault, &["log"]).success().stdout().starts_with("just now  daily  tars/"));
}

#[test]
fn the_log_lists_writes_and_undos() {
    let vault = vault_with("");
    run(&vault, &["log"]).code(1).says(&["nothing has been written yet"]);
    vault.tars(["remember", "Port is 8080"]).env("TARS_SESSION", "abc").run().success();
    run(&vault, &["daily", "--append", "Met Ilse"]).success();
    run(&vault, &["undo"]).success();
    let log = answer(&vault, &["log"]);
    assert_eq!(keys(&log[0]), ["id", "time", "command", "session", "path", "undone", "undoes", "changes"]);
    assert_eq!(keys(&log[1]["changes"][0]), ["at", "removed", "inserted", "above", "below"]);
    assert_eq!(super::all(&log, "command"), ["undo", "daily", "remember"]);
    assert_eq!((log[0]["undoes"].as_u64(), log[1]["undone"].as_bool()), (Some(2), Some(true)));
    assert_eq!((log[2]["session"].as_str(), log[2]["undone"].as_bool()), (Some("abc"), Some(false)));
    let output = run(&vault, &["log", "-n", "2"]).success();
    let lines: Vec<&str> = output.stdout().lines().collect();
    assert_eq!(lines.len(), 2, "{output}");
    assert!(lines[0].contains("takes back write 2"), "{output}");
    assert!(lines[1].contains("daily") && lines[1].ends_with("Met Ilse  (taken back)"), "{output}");
    assert_eq!(days(&vault), [""; 0]);
    // The journal holds removed lines: nobody else may read it.
    for entry in fs::read_dir(vault.data()).unwrap() {
        assert_eq!(entry.unwrap().metadata().unwrap().permissions().mode() & 0o077, 0);
    }
}
