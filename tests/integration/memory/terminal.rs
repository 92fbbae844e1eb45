//! Questions at a terminal, and a person who answers them.

use super::{MEMORY, days, program, run, vault_with};
use crate::harness::{Output, TestVault};

/// Runs tars on its own terminal, from the standard library of Python, which the setup needs anyway, and types.
fn typed(vault: &TestVault, arguments: &[&str], keys: &str) -> Output {
    let script = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";
    program(vault, "python3")
        .args(["-c", script, env!("CARGO_BIN_EXE_tars")])
        .args(arguments)
        .env("TERM", "xterm")
        .stdin(keys)
        .run()
}

#[test]
fn remember_asks_about_a_similar_line() {
    let (old, new) = ("Backups are encrypted every night on the Pi", "Backups are encrypted every night");
    for (keys, expected) in [
        ("r\n", format!("- {new}\n")),
        ("x\nl\n", format!("- {old}\n")),
        ("\n", format!("- {old}\n")),
        ("a\n", format!("- {old}\n\n## Facts\n- {new}\n")),
    ] {
        let vault = vault_with(format!("- {old}\n"));
        let output = typed(&vault, &["remember", new], keys);
        assert_eq!(output.status.code(), Some(i32::from("x\nl\n".contains(keys))), "{output}");
        assert!(output.stdout().contains("nearly the same: tars/Memory.md:1"), "{output}");
        assert_eq!(vault.read(MEMORY), expected, "{output}");
    }
}

#[test]
fn remember_names_the_nearest_line_that_it_does_not_ask_about() {
    let vault = vault_with("- Ilse owns the billing code\n- The gate is green\n");
    let output = typed(&vault, &["remember", "Ilse rewrote the billing code"], "").success();
    assert!(output.stdout().contains("nearest: tars/Memory.md:1"), "{output}");
    let output = typed(&vault, &["remember", "Mokka eats at seven"], "").success();
    assert!(!output.stdout().contains("nearest"), "{output}");
}

#[test]
fn forget_asks_before_it_removes() {
    for (query, keys, left) in [
        ("8080", "y\n", "- Port is 9090\n- gate\n"),
        ("8080", "n\n", "- Port is 8080\n- Port is 9090\n- gate\n"),
        ("8080", "\n", "- Port is 8080\n- Port is 9090\n- gate\n"),
        ("port", "2\n", "- Port is 8080\n- gate\n"),
        ("port", "1, 2\n", "- gate\n"),
        ("port", "all\n", "- gate\n"),
        ("port", "1 7\n", "- Port is 8080\n- Port is 9090\n- gate\n"),
    ] {
        let vault = vault_with("- Port is 8080\n- Port is 9090\n- gate\n");
        let before = vault.read(MEMORY);
        let output = typed(&vault, &["forget", query], keys).code(i32::from(left == before));
        assert_eq!(vault.read(MEMORY), left, "{output}");
    }
}

#[test]
fn undoing_many_writes_asks_first() {
    for (keys, left) in [("n\n", 2), ("\n", 2), ("y\n", 0)] {
        let vault = vault_with("");
        for text in ["Port is 8080", "The gate is green"] {
            run(&vault, &["remember", text]).success();
        }
        let output = typed(&vault, &["undo", "1000"], keys);
        assert!(output.stdout().contains("take back the writes of 2 commands?"), "{output}");
        // The list comes first, newest first.
        let listed =
            ["The gate is green", "Port is 8080"].map(|line| output.stdout().find(&format!("+ {line}")).unwrap());
        assert!(listed.is_sorted(), "{output}");
        assert_eq!(vault.read(MEMORY).matches("- ").count(), left, "{output}");
    }
    let vault = vault_with("");
    run(&vault, &["remember", "Port is 8080"]).success();
    typed(&vault, &["undo"], "").success();
    run(&vault, &["remember", "Port is 8080"]).success();
    run(&vault, &["remember", "The gate is green"]).success();
    typed(&vault, &["undo", "2", "--yes"], "").success();
    assert_eq!(vault.read(MEMORY), "");
}

#[test]
fn a_review_goes_from_line_to_line() {
    let vault = vault_with("");
    let lines: String = (1..=6).map(|number| format!("- 10:0{number} [extracted] Thing number {number}\n")).collect();
    vault.write("tars/2026-03-14.md", lines);
    // Memory, procedural, edited and then memory, dropped, skipped, quit.
    let output = typed(&vault, &["review"], "m\np\ne\nThing as I say it\nm\nd\ns\nq\n").success();
    assert!(output.stdout().contains("settled 4 lines"), "{output}");
    assert!(vault.read(MEMORY).ends_with("## Facts\n- Thing number 1\n- Thing as I say it\n"), "{output}");
    assert!(vault.read("tars/Procedural.md").ends_with("- Thing number 2\n"), "{output}");
    let day = vault.read(&days(&vault)[0]);
    let tags: Vec<&str> = day.lines().map(|line| line.split(['[', ']']).nth(1).unwrap()).collect();
    assert_eq!(tags, ["promoted", "promoted", "promoted", "dropped", "extracted", "extracted"]);
}

#[test]
fn tidy_asks_before_it_removes() {
    let vault = vault_with("- Port is 8080\n- port is 8080\n- gate is green\n- gate is green\n");
    typed(&vault, &["tidy"], "n\ny\n").success();
    assert_eq!(vault.read(MEMORY), "- Port is 8080\n- port is 8080\n- gate is green\n");
}

#[test]
fn no_text_at_a_terminal_is_an_error() {
    let vault = vault_with("");
    let output = typed(&vault, &["remember"], "").code(2);
    assert!(output.stdout().contains("there is no text"), "{output}");
}
