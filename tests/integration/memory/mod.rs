//! The commands that write the memory, each on its own folder.

#[cfg(feature = "test-clock")]
mod compact;
mod core;
mod days;
mod forget;
mod hostile;
mod killed;
mod layers;
mod limits;
mod outside;
#[cfg(feature = "test-clock")]
mod passing_days;
mod person;
mod proposals;
mod provenance;
mod remember;
mod review;
mod secrets;
mod skills;
mod soul;
#[cfg(feature = "test-clock")]
mod superseded_lines;
mod terminal;
mod tidy;
mod together;
mod undo;
#[cfg(feature = "test-clock")]
mod week;

use std::fs;

use serde_json::Value;

use crate::harness::{Output, TarsCommand, TestVault};

const MEMORY: &str = "tars/Memory.md";

/// Returns a vault, indexed by keywords only, with this `Memory.md`.
fn vault_with(memory: impl AsRef<[u8]>) -> TestVault {
    let vault = TestVault::of_words();
    vault.write(MEMORY, memory);
    vault
}

fn run(vault: &TestVault, arguments: &[&str]) -> Output {
    vault.tars(arguments).run()
}

/// Runs a command successfully and returns its answer.
#[track_caller]
fn answer(vault: &TestVault, arguments: &[&str]) -> Value {
    vault.tars([arguments[0], "--json"]).args(&arguments[1..]).run().success().json()
}

/// Returns another program in the environment of this vault.
fn program(vault: &TestVault, name: &str) -> TarsCommand {
    TarsCommand::of_program(name, vault.home())
        .env("TARS_VAULT", vault.root())
        .env("TARS_DATA_DIR", vault.data())
        .env("TARS_EMBEDDING_PROVIDER", "none")
}

/// Returns the bytes of a note; `None` if there is none.
fn bytes(vault: &TestVault, note: &str) -> Option<Vec<u8>> {
    fs::read(vault.path(note)).ok()
}

/// Returns the names in the memory folder, except for the file that is its lock and holds its id.
fn files(vault: &TestVault) -> Vec<String> {
    let entries = fs::read_dir(vault.path("tars")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != ".tars-folder").collect();
    names.sort();
    names
}

/// Returns the names of the markdown files of the memory folder that are named for a day.
fn days(vault: &TestVault) -> Vec<String> {
    let entries =
        fs::read_dir(vault.path("tars")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut days: Vec<String> =
        entries.filter(|name| name.starts_with("20")).map(|name| format!("tars/{name}")).collect();
    days.sort();
    days
}

/// Returns the texts under `key` in a list.
fn all<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|item| item[key].as_str().unwrap()).collect()
}
