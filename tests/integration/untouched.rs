//! Commands read notes and never write them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::harness::TestVault;

/// Returns each entry of a folder with its bytes and time; folders have no bytes.
pub(crate) fn contents(folder: &Path) -> BTreeMap<PathBuf, (Option<Vec<u8>>, SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let modified = fs::symlink_metadata(&path).unwrap().modified().unwrap();
        if path.is_dir() {
            found.extend(contents(&path));
            found.insert(path, (None, modified));
        } else {
            found.insert(path.clone(), (fs::read(&path).ok(), modified));
        }
    }
    found
}

#[test]
fn no_command_changes_a_note() {
    let vault = TestVault::new();
    for (path, text) in crate::library::NOTES {
        vault.write(path, text);
    }
    vault.write("crlf.md", "# One\r\n\r\ntwo\r\n").write("latin.md", b"caf\xe9\n").write("binary.md", b"a\0b");
    vault.write("broken.md", "---\ntags: [\n---\ntext\n").write("empty.md", "").write(".obsidian/app.json", "{}");
    let before = contents(&vault.root());
    vault.tars(["index"]).run().success();
    let id = vault.search(&["search", "tomatoes", "--window", "1"])[0]["id"].as_str().unwrap().to_owned();
    for arguments in [
        vec!["search", "tomatoes"],
        vec!["svec", "tomatoes"],
        vec!["expand", &id],
        vec!["expand", &id, "--file"],
        vec!["status"],
        vec!["models", "list"],
        vec!["config", "list"],
        vec!["index", "--full"],
    ] {
        vault.tars(&arguments).run().success();
    }
    vault.tars(["index"]).arg(vault.path("Garden")).run().success();
    assert_eq!(contents(&vault.root()), before);
}
