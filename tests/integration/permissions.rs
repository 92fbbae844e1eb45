//! Runs commands as a user who obeys permissions, also if root runs the tests.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;

use crate::harness::{TarsCommand, TestVault};

const NOBODY: u32 = 65_534;

/// Returns a command that obeys permissions: containers run their tests as root, who can read everything.
pub(crate) fn as_ordinary_person(vault: &TestVault, arguments: &[&str]) -> TarsCommand {
    fn hand_over(path: &Path) {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        if path.is_dir() {
            fs::read_dir(path).unwrap().for_each(|entry| hand_over(&entry.unwrap().path()));
        }
    }

    let command = vault.tars(arguments);
    if tempfile::tempfile().unwrap().metadata().unwrap().uid() != 0 {
        return command;
    }
    // Everybody must be able to reach the program.
    let program = vault.home().join("tars-program");
    if !program.exists() {
        // Another process copies: if this one had the file open for writing, a child of another test might still hold it
        // open, and the system starts no program that is open for writing.
        let copy = TarsCommand::of_program("cp", vault.home()).arg(env!("CARGO_BIN_EXE_tars"));
        copy.arg(&program).run().success();
    }
    hand_over(vault.home());
    let mut command = TarsCommand::of_program(program.to_str().unwrap(), vault.home()).args(arguments);
    for (name, value) in [("TARS_VAULT", vault.root()), ("TARS_DATA_DIR", vault.data())] {
        command = command.env(name, value);
    }
    command.env("TARS_EMBEDDING_PROVIDER", "none").adjust(|command| {
        command.uid(NOBODY).gid(NOBODY);
    })
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}
