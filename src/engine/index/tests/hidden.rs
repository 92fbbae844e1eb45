//! Tests of hidden changes: the comparison with the disk finds an edit whatever metadata it leaves unchanged.

use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::*;

/// An old vault with an index that is up to date.
struct Settled {
    vault: Vault,
    store: SqliteStore,
}

impl Settled {
    fn new() -> Self {
        let vault = Vault::new(&[
            ("a.md", "Apples grow in the garden.\n"),
            ("deep/b.md", "Pears grow beside them.\n"),
            ("deep/er/c.md", "Plums do not.\n"),
            (".tarsignore", "drafts/\n"),
            ("drafts/d.md", "A draft.\n"),
        ]);
        let mut store = vault.store("index.db");
        for path in ["a.md", "deep/b.md", "deep/er/c.md", ".tarsignore", "drafts/d.md", "deep/er", "deep", "drafts", ""]
        {
            age(&vault.path().join(path));
        }
        vault.index(&mut store, &Counting::new());
        let settled = Self { vault, store };
        assert_eq!(settled.differences(), [""; 0], "nothing has changed yet");
        settled
    }

    /// Sets the modification time of a file or folder to a fixed time long ago.
    fn age(&self, path: &str) {
        age(&self.vault.path().join(path));
    }

    /// Returns the paths of the notes that differ.
    fn differences(&self) -> Vec<String> {
        let index = self.store.snapshot().unwrap();
        let collection = index.collections().unwrap().remove(0).id;
        let known = || KnownFiles::read(&*index, collection, None);
        let compared =
            compare_root(&self.vault.path(), &options().walk, ChangeRules::default(), known).unwrap().compared.unwrap();
        let differences = compared.differences();
        let mut paths: Vec<String> = differences.into_iter().map(|one| one.path).collect();
        paths.sort();
        paths
    }
}

fn age(path: &Path) {
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_500_000_000);
    File::open(path).unwrap().set_modified(long_ago).unwrap();
}

#[test]
fn finds_an_edit_in_place_with_unchanged_size_and_time() {
    let settled = Settled::new();
    settled.vault.write("a.md", "Grapes grow in the garden.\n");
    settled.age("a.md");
    settled.age("");
    assert_eq!(settled.differences(), ["a.md"]);
}

#[test]
fn finds_a_renamed_note() {
    let settled = Settled::new();
    settled.vault.rename("deep/b.md", "deep/z.md");
    settled.age("deep");
    assert_eq!(settled.differences(), ["deep/b.md", "deep/z.md"]);
}

#[test]
fn finds_a_replaced_folder() {
    let settled = Settled::new();
    settled.vault.rename("deep/er", ".aside");
    settled.vault.write("deep/er/c.md", "Plums may.   \n");
    for path in ["deep/er/c.md", "deep/er", "deep", ""] {
        settled.age(path);
    }
    assert_eq!(settled.differences(), ["deep/er/c.md"]);
}

#[test]
fn finds_an_old_note_moved_in() {
    let settled = Settled::new();
    let outside = settled.vault.folder.path().join("old.md");
    fs::write(&outside, "From another place.\n").unwrap();
    age(&outside);
    fs::rename(&outside, settled.vault.path().join("deep/old.md")).unwrap();
    settled.age("deep");
    assert_eq!(settled.differences(), ["deep/old.md"]);
}

#[test]
fn finds_an_old_note_in_a_new_folder() {
    let settled = Settled::new();
    settled.vault.write("new/folder/n.md", "Something.\n");
    for path in ["new/folder/n.md", "new/folder", "new", ""] {
        settled.age(path);
    }
    assert_eq!(settled.differences(), ["new/folder/n.md"]);
}

#[test]
fn finds_a_link_that_replaced_a_note_or_folder() {
    let settled = Settled::new();
    let (vault, outside) = (settled.vault.path(), settled.vault.folder.path().join("outside"));
    fs::create_dir(&outside).unwrap();
    fs::rename(vault.join("a.md"), outside.join("a.md")).unwrap();
    symlink(outside.join("a.md"), vault.join("a.md")).unwrap();
    fs::rename(vault.join("deep/er"), outside.join("er")).unwrap();
    symlink(outside.join("er"), vault.join("deep/er")).unwrap();
    settled.age("");
    settled.age("deep");
    assert_eq!(settled.differences(), ["a.md", "deep/er/c.md"]);
}

#[test]
fn finds_changed_ignore_rules() {
    let settled = Settled::new();
    settled.vault.write(".tarsignore", "deep/er\n");
    settled.age(".tarsignore");
    settled.age("");
    assert_eq!(settled.differences(), ["deep/er/c.md", "drafts/d.md"]);
    settled.vault.write("deep/.gitignore", "b.md\n");
    settled.age("deep");
    assert_eq!(settled.differences(), ["deep/b.md", "deep/er/c.md", "drafts/d.md"]);
    settled.vault.remove(".tarsignore");
    settled.age("");
    assert_eq!(settled.differences(), ["deep/b.md", "drafts/d.md"]);
}

#[test]
fn finds_changed_obsidian_settings() {
    let settled = Settled::new();
    settled.vault.write(".obsidian/app.json", r#"{"userIgnoreFilters": ["deep/"]}"#);
    settled.age("");
    assert_eq!(settled.differences(), ["deep/b.md", "deep/er/c.md"]);
}

/// A note modified just before it was read may have been modified again within the same tick.
#[test]
fn finds_a_note_modified_just_before_indexing() {
    let mut settled = Settled::new();
    settled.vault.write("a.md", "Grapes grow in the garden.\n");
    settled.vault.index(&mut settled.store, &Counting::new());
    assert_eq!(settled.differences(), ["a.md"]);
}
