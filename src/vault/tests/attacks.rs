//! Tests of writes under crashes, disk failures and concurrent renames.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::super::journal::hash;
use super::*;
use tars_base::disk::{Fault, FaultKind, with_fault};

impl Fixture {
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != ".tars-folder")
            .collect();
        names.sort();
        names
    }

    fn entries(&self) -> Vec<Entry> {
        Journal::of(self.home.path(), &self.folder).unwrap().entries().unwrap()
    }
}

/// Removes a line in the middle, which forces an exchange of files.
fn shorten(writer: &mut Writer<'_>) -> Result<bool, WriteError> {
    writer.edit("Memory.md", |lines| {
        let at = lines.all().iter().position(|line| line == "- b");
        at.map(|at| Splice { at, remove: 1, insert: Vec::new() }).into_iter().collect()
    })
}

#[test]
fn a_save_during_a_killed_write_is_kept_in_a_visible_file() {
    let fixture = Fixture::new();
    fixture.write("Memory.md", "- a\n- b\n- c\n");
    assert!(shorten(&mut fixture.writer("test")).unwrap());
    // Simulates an editor's save right before the exchange, and a kill right after it.
    fixture.write(".tars-Memory.md.tmp", "- a\n- b\n- c\n- mine\n");
    drop(fixture.writer("test"));
    let kept = "Memory (conflict 2026-03-01 09.00.00).md";
    let names = fixture.names();
    assert!(names.len() == 2 && names.iter().any(|name| name == kept), "{names:?}");
    assert_eq!(fixture.read(kept), "- a\n- b\n- c\n- mine\n");
    assert_eq!(fixture.read("Memory.md"), "- a\n- c\n");
}

#[test]
fn leftovers_of_tars_itself_are_removed() {
    let fixture = Fixture::new();
    let (before, after) = ("- a\n- b\n- c\n", "- a\n- c\n");
    fixture.write("Memory.md", before);
    assert!(shorten(&mut fixture.writer("test")).unwrap());
    for left in [before, after] {
        fixture.write(".tars-Memory.md.tmp", left);
        fixture.write(".tars-Memory.md.part", "anything");
        fixture.write(".tars-x1Y2z3.tmp", left);
        drop(fixture.writer("test"));
        assert_eq!(fixture.names(), ["Memory.md"]);
    }
    assert_eq!(fixture.read("Memory.md"), after);
}

#[test]
fn a_restored_earlier_version_is_kept() {
    let fixture = Fixture::new();
    fixture.write("Memory.md", "- a\n- b\n- c\n");
    assert!(shorten(&mut fixture.writer("test")).unwrap());
    assert!(fixture.splice("Memory.md", 0, 1, &["- A"]));
    // Not a content of the newest entry, although an older one knows it.
    fixture.write(".tars-Memory.md.tmp", "- a\n- b\n- c\n");
    drop(fixture.writer("test"));
    assert_eq!(fixture.names().len(), 2);
}

#[test]
fn a_file_saved_after_its_creation_survives_the_undo() {
    let fixture = Fixture::new();
    fixture.splice("sessions/a.md", 0, 0, &["# A"]);
    let saved = "# A\n\nA person's words.\n";
    fixture.write("sessions/a.md", saved);
    assert!(matches!(fixture.undo(), UndoOutcome::Done(_) | UndoOutcome::Refused { .. }));
    assert!(fixture.read("sessions/a.md").contains("A person's words."));
}

/// A loop replaces the memory folder with a link and back during the writes.
#[test]
fn no_line_lands_outside_when_a_link_replaces_the_folder() {
    let fixture = Fixture::new();
    let outside = tempfile::tempdir().unwrap();
    let (folder, aside) = (fixture.folder.path().to_owned(), fixture.home.path().join("vault/aside"));
    let over = AtomicBool::new(false);
    let mut written = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::SeqCst) {
                if fs::rename(&folder, &aside).is_ok() {
                    // The writer creates a new folder when it finds none: remove it too.
                    while symlink(outside.path(), &folder).is_err() {
                        let _ = fs::remove_dir_all(&folder);
                    }
                    fs::remove_file(&folder).unwrap();
                    while fs::rename(&aside, &folder).is_err() {
                        let _ = fs::remove_dir_all(&folder);
                    }
                }
            }
        });
        for count in 0..200 {
            let origin = Origin::of("test");
            let line = format!("- line {count}");
            let wrote = Writer::open(&fixture.folder, fixture.home.path(), origin, clock()).and_then(|mut writer| {
                writer
                    .edit("Memory.md", |lines| vec![Splice { at: lines.len(), remove: 0, insert: vec![line.clone()] }])
            });
            written += u32::from(matches!(wrote, Ok(true)));
        }
        over.store(true, Ordering::SeqCst);
    });
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0, "{written} lines were written");
}

#[test]
fn a_link_as_the_lock_file_is_refused() {
    let fixture = Fixture::new();
    let outside = fixture.home.path().join("outside");
    fs::write(&outside, "theirs").unwrap();
    symlink(&outside, fixture.path(".tars-folder")).unwrap();
    let origin = Origin::of("test");
    let error = Writer::open(&fixture.folder, fixture.home.path(), origin, clock()).unwrap_err();
    assert!(matches!(error, WriteError::Link { .. }), "{error}");
    assert_eq!(fs::read_to_string(&outside).unwrap(), "theirs");
}

#[test]
fn other_users_cannot_open_the_lock_file() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    let mode = || fs::metadata(fixture.path(".tars-folder")).unwrap().permissions().mode() & 0o777;
    drop(fixture.writer("test"));
    assert_eq!(mode(), 0o600);
    fs::set_permissions(fixture.path(".tars-folder"), PermissionsExt::from_mode(0o644)).unwrap();
    drop(fixture.writer("test"));
    assert_eq!(mode(), 0o600);
}

#[test]
fn a_moved_vault_keeps_its_history() {
    let fixture = Fixture::new();
    fixture.write("Memory.md", "- a\n");
    fixture.splice("Memory.md", 1, 0, &["- b"]);
    let moved = fixture.home.path().join("moved");
    fs::rename(fixture.home.path().join("vault"), &moved).unwrap();
    let folder = MemoryFolder::new(&moved, "tars").unwrap();
    assert_eq!(Journal::of(fixture.home.path(), &folder).unwrap().entries().unwrap().len(), 1);
    let origin = Origin::of("undo");
    let mut writer = Writer::open(&folder, fixture.home.path(), origin, clock()).unwrap();
    assert!(matches!(undo(&mut writer, |_| true).unwrap(), UndoOutcome::Done(_)));
    assert_eq!(fs::read_to_string(moved.join("tars/Memory.md")).unwrap(), "- a\n");
}

#[test]
fn a_copied_vault_gets_its_own_history() {
    let fixture = Fixture::new();
    fixture.splice("Memory.md", 0, 0, &["- a"]);
    let copy = fixture.home.path().join("copy");
    fs::create_dir_all(copy.join("tars")).unwrap();
    for name in ["Memory.md", ".tars-folder"] {
        fs::copy(fixture.path(name), copy.join("tars").join(name)).unwrap();
    }
    let folder = MemoryFolder::new(&copy, "tars").unwrap();
    let writer = || {
        let origin = Origin::of("test");
        Writer::open(&folder, fixture.home.path(), origin, clock()).unwrap()
    };
    assert_eq!(undo(&mut writer(), |_| true).unwrap(), UndoOutcome::Nothing);
    writer().edit("Memory.md", |_| vec![Splice { at: 0, remove: 0, insert: vec!["- of the copy".into()] }]).unwrap();
    assert_eq!(fixture.entries().len(), 1);
    assert!(matches!(fixture.undo(), UndoOutcome::Done(_)));
    assert_eq!(fs::read_to_string(copy.join("tars/Memory.md")).unwrap(), "- of the copy\n- a\n");
}

#[test]
fn a_journal_named_by_the_path_is_adopted() {
    let fixture = Fixture::new();
    fixture.splice("Memory.md", 0, 0, &["- a"]);
    let id = fixture.folder.id().unwrap().unwrap();
    let (new, old) = (format!("journal-{id}.jsonl"), hash(fixture.folder.path().as_os_str().as_encoded_bytes()));
    let text = fs::read_to_string(fixture.home.path().join(&new)).unwrap();
    let entries: String = text.lines().filter(|line| line.contains("\"id\"")).map(|line| format!("{line}\n")).collect();
    fs::write(fixture.home.path().join(format!("journal-{}.jsonl", &old[..16])), entries).unwrap();
    fs::remove_file(fixture.home.path().join(&new)).unwrap();
    fs::remove_file(fixture.path(".tars-folder")).unwrap();
    assert_eq!(fixture.entries().len(), 1, "it is read before anything is written");
    assert!(matches!(fixture.undo(), UndoOutcome::Done(_)));
}

/// An editor that opened the file before its replacement still writes into the old one.
#[cfg(target_os = "linux")]
#[test]
fn later_text_of_an_editor_in_a_replaced_file_is_kept() {
    use std::process::{Command, Stdio};
    let fixture = Fixture::new();
    fixture.write("Memory.md", "- a\n- b\n- c\n");
    let open = fs::File::options().append(true).open(fixture.path("Memory.md")).unwrap();
    let script = "read -r go; echo '- saved by hand'";
    let mut editor = Command::new("sh").args(["-c", script]).stdin(Stdio::piped()).stdout(open).spawn().unwrap();
    assert!(shorten(&mut fixture.writer("test")).unwrap());
    drop(editor.stdin.take());
    editor.wait().unwrap();
    drop(fixture.writer("test"));
    assert_eq!(fixture.read("Memory.md"), "- a\n- c\n");
    let kept = fixture.names().into_iter().find(|name| name.contains("(conflict ")).unwrap();
    assert_eq!(fixture.read(&kept), "- a\n- b\n- c\n- saved by hand\n");
}

#[test]
fn a_write_waits_for_an_emptied_file_to_be_filled() {
    let fixture = Fixture::new();
    fixture.splice("Memory.md", 0, 0, &["- a", "- b", "- c"]);
    let written = std::thread::scope(|scope| {
        fixture.write("Memory.md", "");
        let writing = scope.spawn(|| shorten(&mut fixture.writer("test")).unwrap());
        // Well within the half second of waiting. If it came later, the test would still pass but check nothing.
        fixture.write("Memory.md", "- saved\n- b\n");
        writing.join().unwrap()
    });
    assert!(written);
    assert_eq!(fixture.read("Memory.md"), "- saved\n");
}

#[test]
fn a_replaced_folder_id_loses_no_history() {
    let fixture = Fixture::new();
    fixture.splice("Memory.md", 0, 0, &["- a"]);
    fixture.write(".tars-folder", "0123456789abcdef0123456789abcdef\n");
    assert_eq!(fixture.entries().len(), 1);
    assert!(matches!(fixture.undo(), UndoOutcome::Done(_)));
    fs::remove_file(fixture.path(".tars-folder")).unwrap();
    assert_eq!(fixture.entries().len(), 2);
}

#[test]
fn an_existing_leftover_is_kept_before_a_replacement() {
    let fixture = Fixture::new();
    fixture.write("Memory.md", "- a\n- b\n- c\n");
    let mut writer = fixture.writer("test");
    writer.edit("Memory.md", |lines| vec![Splice { at: lines.len(), remove: 0, insert: vec!["- d".into()] }]).unwrap();
    // Simulates a failed exchange of this very writer.
    fixture.write(".tars-Memory.md.tmp", "- a person's\n");
    assert!(shorten(&mut writer).unwrap());
    drop(writer);
    assert_eq!(fixture.read("Memory.md"), "- a\n- c\n- d\n");
    let kept = fixture.names().into_iter().find(|name| name.contains("(conflict ")).unwrap();
    assert_eq!(fixture.read(&kept), "- a person's\n");
}

/// Some editors empty a file before they fill it, so the edit waits until the file stays unchanged.
#[test]
fn an_emptied_file_is_edited_only_after_a_wait() {
    let fixture = Fixture::new();
    fixture.splice("Memory.md", 0, 0, &["- a", "- b", "- c"]);
    fixture.write("Memory.md", "");
    let mut age = None;
    fixture
        .writer("test")
        .edit("Memory.md", |lines| {
            assert!(lines.is_empty());
            age = fs::metadata(fixture.path("Memory.md")).unwrap().modified().unwrap().elapsed().ok();
            vec![Splice { at: 0, remove: 0, insert: vec!["- d".into()] }]
        })
        .unwrap();
    assert!(age.unwrap() >= std::time::Duration::from_millis(500), "{age:?}");
}

/// Runs a scenario with a fault at the first call, then at the second, and so on, until the fault no longer occurs. Returns the
/// number of calls.
fn at_every_call(kind: FaultKind, scenario: impl Fn(&Fixture) -> Result<bool, WriteError>) -> usize {
    const PERSONS: &str = "# A person's note\n";
    for after in 0.. {
        let fixture = Fixture::new();
        let before = "- a\n- b\n- c\n";
        fixture.write("Memory.md", before);
        fixture.splice("sessions/s.md", 0, 0, &["# S"]);
        fs::write(fixture.home.path().join("vault/note.md"), PERSONS).unwrap();
        let (entries, session) = (fixture.entries().len(), fixture.read("sessions/s.md"));
        let (result, struck) = with_fault(Fault { after, kind }, || scenario(&fixture));
        let case = format!("{kind:?} at call {after}: {result:?}");
        assert_eq!(fs::read_to_string(fixture.home.path().join("vault/note.md")).unwrap(), PERSONS, "{case}");
        // The next command sweeps the leftovers.
        drop(fixture.writer("next"));
        let (now, then) = (fixture.content(), (before.to_owned(), session));
        match result {
            Ok(true) => assert_ne!(now, then, "{case}: done, but nothing changed"),
            _ => assert_eq!(now, then, "{case}: failed means not done"),
        }
        let truthful = entries + usize::from(now != then);
        assert_eq!(fixture.entries().len(), truthful, "{case}: the journal does not agree with the files");
        let again = scenario(&fixture);
        assert!(again.is_ok(), "{case}: a retry fails: {again:?}");
        assert!(fixture.names().iter().all(|name| !name.starts_with(".tars-")), "{case}: {:?}", fixture.names());
        assert!(!fixture.names().iter().any(|name| name.contains("conflict")), "{case}: {:?}", fixture.names());
        let data = left_in(fixture.home.path());
        assert!(data.is_empty(), "{case}: {data:?}");
        if !struck {
            return after;
        }
    }
    unreachable!()
}

fn left_in(data: &Path) -> Vec<String> {
    let names = fs::read_dir(data).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let is_known = |name: &str| name == "vault" || name.starts_with("journal-") || name.starts_with("origins-");
    names.filter(|name| !is_known(name)).collect()
}

impl Fixture {
    fn content(&self) -> (String, String) {
        let text = |name: &str| fs::read_to_string(self.path(name)).unwrap_or_default();
        (text("Memory.md"), text("sessions/s.md"))
    }

    fn opened(&self) -> Result<Writer<'_>, WriteError> {
        Writer::open(&self.folder, self.home.path(), Origin::of("test"), clock())
    }
}

const KINDS: [FaultKind; 4] = [FaultKind::Broken, FaultKind::Full, FaultKind::NoDescriptors, FaultKind::Interrupted];

#[test]
fn a_failed_append_changes_nothing() {
    for kind in KINDS {
        let points = at_every_call(kind, |fixture| {
            let line = || vec!["- appended".into()];
            fixture.opened()?.edit("Memory.md", |lines| {
                let known = lines.all().contains(&"- appended".to_owned());
                (!known).then(|| Splice { at: lines.len(), remove: 0, insert: line() }).into_iter().collect()
            })
        });
        assert!(points > 0);
    }
}

#[test]
fn a_failed_exchange_changes_nothing() {
    for kind in KINDS {
        assert!(at_every_call(kind, |fixture| shorten(&mut fixture.opened()?)) > 0);
    }
}

#[test]
fn a_failed_creation_leaves_no_file() {
    for kind in KINDS {
        let points = at_every_call(kind, |fixture| {
            let wrote = fixture.opened()?.edit("new.md", |lines| {
                lines
                    .is_empty()
                    .then(|| Splice { at: 0, remove: 0, insert: vec!["# New".into()] })
                    .into_iter()
                    .collect()
            })?;
            let made = fixture.path("new.md").exists();
            assert!(made);
            // The fixture compares only its two known files, so this one is moved over one of them.
            if wrote {
                fs::rename(fixture.path("new.md"), fixture.path("sessions/s.md")).unwrap();
            } else {
                fs::remove_file(fixture.path("new.md")).unwrap();
            }
            Ok(wrote)
        });
        assert!(points > 0);
    }
}

#[test]
fn a_failed_undo_changes_nothing() {
    for kind in KINDS {
        let points = at_every_call(kind, |fixture| {
            // The undone write created the session's file, so the undo removes it.
            Ok(matches!(undo(&mut fixture.opened()?, |_| true)?, UndoOutcome::Done(_)))
        });
        assert!(points > 0);
    }
}
