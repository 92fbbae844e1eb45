//! Vaults that several tests search and none changes. They lie on disk, because the tests may run in several processes.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::harness::{TestVault, models, today};

/// The bytes of each note by its path in the vault.
pub(crate) type Notes = BTreeMap<PathBuf, Vec<u8>>;

/// Returns the small vault of [`crate::library`], indexed with the real model.
pub(crate) fn library() -> &'static TestVault {
    static LIBRARY: OnceLock<TestVault> = OnceLock::new();
    let note = |(path, text): &(&str, &str)| (PathBuf::from(path), text.as_bytes().to_vec());
    LIBRARY.get_or_init(|| shared("library", &crate::library::NOTES.iter().map(note).collect()))
}

/// Returns all files below a folder.
pub(crate) fn notes_of(folder: &Path) -> Notes {
    let entries = ignore::WalkBuilder::new(folder).standard_filters(false).build();
    let paths = entries.map(|entry| entry.unwrap().into_path()).filter(|path| path.is_file());
    paths.map(|path| (path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap())).collect()
}

/// Returns a vault of these notes, indexed with the real model. The first process that asks for it makes it, in the target
/// directory. Another program, model, day or note makes a new one, which replaces the old one.
pub(crate) fn shared(name: &str, notes: &Notes) -> TestVault {
    let mut hasher = DefaultHasher::new();
    let program = fs::metadata(env!("CARGO_BIN_EXE_tars")).unwrap();
    let model = fs::read(models().join("all-minilm-l6-v2-int8/manifest.toml")).unwrap();
    // The day, because a note without a date in its text has the one of its file.
    (program.modified().unwrap(), program.len(), model, today().to_string(), notes).hash(&mut hasher);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixtures").join(name);
    let home = folder.join(format!("{:016x}", hasher.finish()));
    // Marks a complete vault. Moving a finished vault here would not do: an index holds the path of its vault.
    let complete = home.join("complete");

    fs::create_dir_all(&folder).unwrap();
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    if !complete.exists() {
        for entry in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                fs::remove_dir_all(entry).unwrap();
            }
        }
        let vault = TestVault::kept_in(&home);
        for (path, bytes) in notes {
            let path = path.to_str().unwrap();
            vault.write(path, bytes).settle(path);
        }
        vault.index();
        File::create(complete).unwrap();
    }
    let vault = TestVault::kept_in(&home);
    assert!(notes_of(&vault.root()) == *notes, "a test has changed the shared notes in {}", home.display());
    vault
}
