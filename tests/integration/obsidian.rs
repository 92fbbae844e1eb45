//! `tars obsidian`: the plugin's files in a vault of Obsidian, written after a question and removed only as tars left them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::SystemTime;

use serde_json::Value;

use crate::bad_input::refused;
use crate::harness::TestVault;
use crate::untouched::contents;

const FOLDER: &str = ".obsidian/plugins/tars";
const NAMES: [&str; 3] = ["main.js", "manifest.json", "styles.css"];
/// Obsidian's list of the plugins that a person has enabled.
const ENABLED: &str = ".obsidian/community-plugins.json";

/// Returns a vault that Obsidian has opened, with another plugin in it.
fn opened() -> TestVault {
    let vault = TestVault::of_words();
    vault
        .write("Home.md", "# Home\n")
        .write(ENABLED, "[\"dataview\"]")
        .write(".obsidian/plugins/dataview/main.js", "//");
    vault
}

fn installed(vault: &TestVault) -> BTreeSet<String> {
    let entries = fs::read_dir(vault.path(FOLDER)).into_iter().flatten();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Returns entries without their times.
fn texts(contents: BTreeMap<PathBuf, (Option<Vec<u8>>, SystemTime)>) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    contents.into_iter().map(|(path, (text, _))| (path, text)).collect()
}

#[test]
fn the_plugin_is_written_only_after_a_yes_and_removed_without_a_trace() {
    let vault = opened();
    let before = contents(&vault.root());
    let asked = vault.tars(["obsidian", "install"]).arg(vault.root()).run().code(1);
    assert_eq!(asked.stdout().lines().count(), 3, "{asked}");
    let asked = asked.says(&["nothing was written", "--yes"]);
    assert!(asked.stdout().contains(&format!("{FOLDER}/main.js")), "{asked}");
    let said = vault.at_terminal(["obsidian", "install"], "n\n").run().code(1);
    assert!(said.stdout().contains("write 3 files into the vault? [y/N]"), "{said}");
    assert_eq!(contents(&vault.root()), before, "no file and no folder");

    let said = vault.at_terminal(["obsidian", "install"], "y\n").run().success();
    assert!(said.stdout().contains("Community plugins") && said.stdout().contains("tars serve token add"), "{said}");
    assert_eq!(installed(&vault), BTreeSet::from(NAMES.map(str::to_owned)));
    let manifest: Value = serde_json::from_str(&vault.read(&format!("{FOLDER}/manifest.json"))).unwrap();
    assert_eq!(manifest["id"], "tars", "Obsidian wants the name of the folder");
    assert_eq!(vault.read(ENABLED), "[\"dataview\"]", "a person enables it");
    vault.tars(["obsidian", "install", "--yes"]).run().success().says(&["the plugin is up to date"]);

    vault.tars(["obsidian", "remove"]).run().code(1).says(&["nothing was removed", "--yes"]);
    assert_eq!(installed(&vault).len(), 3);
    vault.tars(["obsidian", "remove", "--yes"]).run().success().says(&["removed 3 files"]);
    assert_eq!(texts(contents(&vault.root())), texts(before));
    vault.tars(["obsidian", "remove", "--yes"]).run().code(1).says(&["there is no plugin of tars"]);
}

#[test]
fn a_changed_file_of_the_plugin_is_neither_replaced_nor_removed() {
    let vault = opened();
    vault.tars(["obsidian", "install", "--yes"]).run().success();
    let main = format!("{FOLDER}/main.js");
    vault
        .append(&main, "// mine\n")
        .write(&format!("{FOLDER}/data.json"), "{}")
        .remove(&format!("{FOLDER}/styles.css"));
    let before = contents(&vault.root());
    refused(vault.tars(["obsidian", "install", "--yes"]).run(), &["main.js is not as tars left it", "move it away"]);
    assert_eq!(contents(&vault.root()), before, "all files of a version, or none");
    let said =
        vault.tars(["obsidian", "remove", "--yes"]).run().code(2).says(&["left unchanged: 1 file", "removed 1 file"]);
    assert!(said.stdout().lines().any(|line| line.starts_with("keep") && line.ends_with(&main)), "{said}");
    assert_eq!(installed(&vault), BTreeSet::from(["data.json", "main.js"].map(str::to_owned)));
    assert!(vault.read(&main).ends_with("// mine\n"));
}

#[test]
fn no_plugin_is_written_through_a_link_or_into_a_folder_that_is_no_vault() {
    let vault = TestVault::of_words();
    let install = || vault.tars(["obsidian", "install", "--yes"]).run();
    refused(install(), &["holds no folder .obsidian", "open the folder in Obsidian once"]);
    let elsewhere = vault.home().join("elsewhere");
    fs::create_dir_all(&elsewhere).unwrap();
    symlink(&elsewhere, vault.path(".obsidian")).unwrap();
    refused(install(), &[".obsidian is a link", "never through a link"]);
    fs::remove_file(vault.path(".obsidian")).unwrap();
    fs::create_dir(vault.path(".obsidian")).unwrap();
    symlink(&elsewhere, vault.path(".obsidian/plugins")).unwrap();
    refused(install(), &["plugins is a link"]);
    refused(vault.tars(["obsidian", "install", "nowhere", "--yes"]).run(), &["cannot open", "nowhere"]);
    assert!(fs::read_dir(&elsewhere).unwrap().next().is_none());
}
