//! Full disks and read-only folders: the file stays unchanged.

use super::{MEMORY, bytes, files, program, run, vault_with};
use crate::harness::{TarsCommand, TestVault};
use crate::permissions::{as_ordinary_person, set_mode};

/// Returns a command that can write no file longer than `length` bytes, as on a disk that is full from there on.
#[cfg(target_os = "linux")]
fn limited(vault: &TestVault, length: usize, arguments: &[&str]) -> TarsCommand {
    let script = "trap '' XFSZ; exec prlimit --fsize=\"$0\" -- \"$@\"";
    program(vault, "sh")
        .args(["-c", script, &length.to_string(), env!("CARGO_BIN_EXE_tars")])
        .args(arguments)
        // The journal, which is written first, has to fit.
        .env("TARS_SESSION", "s")
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_file_as_it_was() {
    // Where the disk is full: in the middle of an appended line, and before the temporary file.
    let original = format!("# Memory\n\n- Port is 8080\n\n## Facts\n{}", "- all that is known by now\n".repeat(305));
    for (length, arguments, file) in [
        (original.len() + 9, &["remember", "--force", "A fact that does not fit"][..], "Memory.md"),
        (original.len() - 99, &["forget", "8080", "--yes"], "Memory.md"),
        (99, &["remember", "--force", "A fact that does not fit"], "journal-"),
    ] {
        let vault = vault_with(&original);
        let output = limited(&vault, length, arguments).run().code(2).says(&["tars: cannot write ", file]);
        assert!(output.stdout().is_empty() || arguments[0] == "forget", "{output}");
        assert_eq!(vault.read(MEMORY), original, "{output}");
        assert_eq!(files(&vault), ["Memory.md"], "no temporary file is left");
        run(&vault, &["log"]).code(1);
        // The disk has room again.
        run(&vault, arguments).success();
        run(&vault, &["undo"]).success();
        assert_eq!(vault.read(MEMORY), original);
    }
}

#[test]
fn a_read_only_folder() {
    let vault = vault_with("- Port is 8080\n- kept\n");
    let before = bytes(&vault, MEMORY);
    as_ordinary_person(&vault, &["index"]).run().success();
    set_mode(&vault.path("tars"), 0o500);
    set_mode(&vault.path(MEMORY), 0o400);
    for arguments in [
        &["forget", "8080", "--yes"][..],
        &["remember", "A new fact"],
        &["daily", "--append", "A line"],
        &["feedback", "wrong", "A note"],
    ] {
        as_ordinary_person(&vault, arguments).run().code(2).says(&["tars: cannot ", "Permission denied"]);
    }
    assert_eq!(bytes(&vault, MEMORY), before);
    as_ordinary_person(&vault, &["log"]).run().code(1);
    set_mode(&vault.path("tars"), 0o700);
}
