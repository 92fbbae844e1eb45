//! Fuzzes undo with hostile journals.

use std::fs;
use std::path::PathBuf;

use jiff::Timestamp;
use tempfile::TempDir;

use super::*;
use tars_testing::fuzz::{fuzz, seed_is};

/// Content of `Memory.md` after the last write of the seeds.
const NOW: &str = "# Memory\n- one\n- two\n- three\n";
/// A note beside the memory folder.
const NOTE: &str = "a person's note\n";

struct Fixture {
    home: TempDir,
    folder: MemoryFolder,
}

impl Fixture {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let vault = home.path().join("vault");
        fs::create_dir_all(&vault).unwrap();
        fs::create_dir(home.path().join("data")).unwrap();
        fs::write(vault.join("Memory.md"), NOTE).unwrap();
        let folder = MemoryFolder::new(&vault, "tars").unwrap();
        Self { home, folder }
    }

    fn writer(&self) -> Result<Writer<'_>, WriteError> {
        let origin = Origin { session: Some("s".into()), ..Origin::of("test") };
        Writer::open(&self.folder, &self.home.path().join("data"), origin, tars_base::clock::Clock::default())
    }

    fn edit(&self, file: &str, at: usize, remove: usize, insert: &[&str]) {
        let insert = insert.iter().map(|line| (*line).to_owned()).collect();
        let splice = Splice { at, remove, insert };
        assert!(self.writer().unwrap().edit(file, |_| vec![splice.clone()]).unwrap());
    }

    fn undo(&self) -> Result<UndoOutcome, WriteError> {
        undo(&mut self.writer()?, |_| true)
    }

    fn memory(&self) -> Option<String> {
        fs::read_to_string(self.folder.path().join("Memory.md")).ok()
    }

    fn journal(&self) -> PathBuf {
        let entries = fs::read_dir(self.home.path().join("data")).unwrap().map(|entry| entry.unwrap().path());
        let is_journal = |path: &PathBuf| path.to_string_lossy().contains("/journal-");
        entries.into_iter().find(is_journal).expect("a write was journalled")
    }
}

/// For any journal, an undo changes only files of the memory folder, and only those that an entry names. A refusal leaves
/// everything as it was, and the journal records each undo. Lines that are no entries are skipped.
#[test]
fn fuzz_journal() {
    fuzz("journal", |bytes| {
        let fixture = Fixture::new();
        fixture.edit("Memory.md", 0, 0, &NOW.lines().collect::<Vec<_>>());
        fs::write(fixture.journal(), bytes).unwrap();
        let known = fixture.writer().and_then(|writer| writer.entries()).unwrap_or_default();
        assert!(known.len() <= bytes.split(|byte| *byte == b'\n').count());
        assert!(writes_in_force(&known).len() <= known.len());
        for entry in &known {
            let line = serde_json::to_vec(entry).unwrap();
            assert_eq!(&serde_json::from_slice::<Entry>(&line).unwrap(), entry);
        }
        match fixture.undo() {
            Ok(UndoOutcome::Done(group)) => {
                let now = fixture.writer().unwrap().entries().unwrap();
                let is_taken_back = |entry: &Entry| now.iter().any(|other| other.undoes == Some(entry.id));
                assert!(!group.is_empty() && group.iter().all(is_taken_back), "what was undone is not in the journal");
                let is_named = group.iter().any(|entry| entry.file == "Memory.md");
                assert!(is_named || fixture.memory().as_deref() == Some(NOW), "another file than the entry's changed");
            }
            Ok(UndoOutcome::Refused { .. } | UndoOutcome::Nothing) | Err(_) => {
                assert_eq!(fixture.memory().as_deref(), Some(NOW))
            }
        }
        let vault = fixture.home.path().join("vault");
        assert_eq!(fs::read_to_string(vault.join("Memory.md")).unwrap(), NOTE);
        let mut names = fs::read_dir(&vault).unwrap().map(|entry| entry.unwrap().file_name());
        assert!(names.all(|name| name == "Memory.md" || name == "tars"), "a file was made outside of the folder");
    });
}

/// Three writes that end with [`NOW`], the last of which can be undone byte for byte, and two writes that were undone.
#[test]
fn a_sound_journal_is_a_seed() {
    let fixture = Fixture::new();
    let seed = |name: &str| {
        let entries = fixture.writer().unwrap().entries().unwrap().into_iter();
        let timeless = entries.map(|entry| Entry { time: Timestamp::UNIX_EPOCH, ..entry });
        let lines: String = timeless.map(|entry| serde_json::to_string(&entry).unwrap() + "\n").collect();
        seed_is("journal", name, lines.as_bytes());
    };
    fixture.edit("Memory.md", 0, 0, &["# Memory", "- one", "- 2"]);
    fixture.edit("Memory.md", 2, 1, &["- two"]);
    fixture.edit("Memory.md", 3, 0, &["- three"]);
    assert_eq!(fixture.memory().as_deref(), Some(NOW));
    seed("three-writes");
    fixture.edit("2023/Log.md", 0, 0, &["- log"]);
    for _ in 0..2 {
        assert!(matches!(fixture.undo().unwrap(), UndoOutcome::Done(_)));
    }
    fixture.edit("Memory.md", 3, 0, &["- three"]);
    assert_eq!(fixture.memory().as_deref(), Some(NOW));
    seed("two-undone");
}
