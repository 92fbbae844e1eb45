//! Tests of writes together with undo.

use std::fs;
use std::path::PathBuf;

use super::*;
use tars_base::clock::Clock;

mod attacks;

/// The clock of all writers in these tests.
fn clock() -> Clock {
    Clock::fixed("2026-03-01T09:00:00+01:00[+01:00]")
}

struct Fixture {
    home: tempfile::TempDir,
    folder: MemoryFolder,
}

impl Fixture {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("vault")).unwrap();
        let folder = MemoryFolder::new(&home.path().join("vault"), "tars").unwrap();
        folder.create().unwrap();
        Self { home, folder }
    }

    fn writer(&self, command: &str) -> Writer<'_> {
        let origin = Origin::of(command);
        Writer::open(&self.folder, self.home.path(), origin, clock()).unwrap()
    }

    fn splice(&self, file: &str, at: usize, remove: usize, insert: &[&str]) -> bool {
        let insert: Vec<String> = insert.iter().map(|line| (*line).into()).collect();
        self.writer("test").edit(file, |_| vec![Splice { at, remove, insert: insert.clone() }]).unwrap()
    }

    fn undo(&self) -> UndoOutcome {
        undo(&mut self.writer("undo"), |_| true).unwrap()
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path(file)).unwrap()
    }

    fn write(&self, file: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(file), text).unwrap();
    }
}

#[test]
fn the_journal_takes_its_time_from_the_writers_clock() {
    let fixture = Fixture::new();
    fixture.splice("Memory.md", 0, 0, &["- one"]);
    fixture.undo();
    let times: Vec<String> =
        fixture.writer("test").entries().unwrap().iter().map(|entry| entry.time.to_string()).collect();
    assert_eq!(times, ["2026-03-01T08:00:00Z", "2026-03-01T08:00:00Z"]);
}

#[test]
fn writers_that_share_a_group_are_undone_as_one_and_nobody_elses_write_with_them() {
    let (fixture, group) = (Fixture::new(), UndoGroup::default());
    let append = |writer: Writer<'_>, text: &str| {
        let mut writer = writer;
        let insert = vec![text.to_owned()];
        writer.edit("Memory.md", |lines| vec![Splice { at: lines.len(), remove: 0, insert: insert.clone() }]).unwrap();
    };
    append(fixture.writer("turn").in_shared_group(group.clone()), "- one");
    append(fixture.writer("other"), "- theirs");
    append(fixture.writer("turn").in_shared_group(group), "- two");
    assert_eq!(fixture.read("Memory.md"), "- one\n- theirs\n- two\n");
    fixture.undo();
    assert_eq!(fixture.read("Memory.md"), "- theirs\n");
}

#[test]
fn undo_restores_every_byte() {
    for original in [&b"a\r\nb\r\n"[..], b"a\nb", b"\xef\xbb\xbfa\n\xc3\xa9\n", b"", b"a\n\n\n"] {
        let fixture = Fixture::new();
        fixture.write("Memory.md", original);
        let lines = Lines::of(original).len();
        assert!(fixture.splice("Memory.md", lines, 0, &["- one", "- two"]));
        assert!(fixture.splice("Memory.md", 0, 1, &["first"]));
        assert!(fixture.splice("Memory.md", 1, 1, &[]));
        for _ in 0..3 {
            assert!(matches!(fixture.undo(), UndoOutcome::Done(_)));
        }
        assert_eq!(fs::read(fixture.path("Memory.md")).unwrap(), original);
        assert_eq!(fixture.undo(), UndoOutcome::Nothing);
    }
}

#[test]
fn a_file_that_is_not_utf_8_is_never_edited() {
    let text = "- Köln\n";
    let utf_16: Vec<u8> = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for original in [&b"- K\xf6ln\n"[..], &utf_16, b"ok\n\xff\xfe\n"] {
        let fixture = Fixture::new();
        fixture.write("Memory.md", original);
        let splice = Splice { at: 0, remove: 0, insert: vec!["- new".into()] };
        let refused = fixture.writer("test").edit("Memory.md", |_| vec![splice.clone()]).unwrap_err();
        assert!(refused.to_string().contains("Memory.md is not UTF-8"), "{refused}");
        assert_eq!(fs::read(fixture.path("Memory.md")).unwrap(), original);
    }
}

#[test]
fn undo_removes_a_created_file() {
    let fixture = Fixture::new();
    fixture.splice("sessions/a.md", 0, 0, &["# A"]);
    assert!(matches!(fixture.undo(), UndoOutcome::Done(entries) if entries[0].file == "sessions/a.md"));
    assert!(!fixture.path("sessions/a.md").exists());
}

#[test]
fn undo_finds_moved_lines_and_keeps_edits_of_others() {
    let fixture = Fixture::new();
    fixture.write("Memory.md", "# Memory\n\n- old\n- kept\n");
    fixture.splice("Memory.md", 2, 1, &["- new"]);
    fixture.write("Memory.md", "# Memory\n\nA person's words.\n\n- new\n- kept\n- more\n");
    assert!(matches!(fixture.undo(), UndoOutcome::Done(_)));
    assert_eq!(fixture.read("Memory.md"), "# Memory\n\nA person's words.\n\n- old\n- kept\n- more\n");
}

#[test]
fn undo_restores_removed_lines_between_their_neighbours() {
    let fixture = Fixture::new();
    fixture.write("Memory.md", "- a\n- b\n- c\n- d\n");
    fixture.splice("Memory.md", 1, 1, &[]);
    fixture.write("Memory.md", "- new\n- a\n- c\n- d\n");
    assert!(matches!(fixture.undo(), UndoOutcome::Done(_)));
    assert_eq!(fixture.read("Memory.md"), "- new\n- a\n- b\n- c\n- d\n");
}

#[test]
fn undo_refuses_if_the_written_lines_were_edited() {
    let fixture = Fixture::new();
    fixture.write("Memory.md", "- a\n");
    fixture.splice("Memory.md", 1, 0, &["- port is 8080"]);
    let edited = "- a\n- port is 9090\n";
    fixture.write("Memory.md", edited);
    let UndoOutcome::Refused { change, now, .. } = fixture.undo() else { panic!("it was taken back") };
    assert_eq!(change.unwrap().inserted, ["- port is 8080"]);
    assert_eq!(now.unwrap(), ["- a", "- port is 9090"]);
    assert_eq!(fixture.read("Memory.md"), edited);
    fs::remove_file(fixture.path("Memory.md")).unwrap();
    assert!(matches!(fixture.undo(), UndoOutcome::Refused { now: None, .. }));
}

#[test]
fn undo_reverts_all_writes_of_one_command() {
    let fixture = Fixture::new();
    fixture.splice("Memory.md", 0, 0, &["- earlier"]);
    {
        let mut writer = fixture.writer("review");
        let line = |text: &str| vec![Splice { at: 0, remove: 0, insert: vec![text.into()] }];
        writer.edit("Memory.md", |_| line("- promoted")).unwrap();
        writer.edit("archive/a.md", |_| line("- archived")).unwrap();
        writer.edit("Memory.md", |_| line("- second")).unwrap();
    }
    assert!(matches!(fixture.undo(), UndoOutcome::Done(entries) if entries.len() == 3));
    assert_eq!(fixture.read("Memory.md"), "- earlier\n");
    assert!(!fixture.path("archive/a.md").exists());
    assert!(matches!(fixture.undo(), UndoOutcome::Done(entries) if entries.len() == 1));
}

#[test]
fn files_that_can_be_written_again_are_undone_without_their_text() {
    let fixture = Fixture::new();
    fixture.splice("Memory.md", 0, 0, &["- one"]);
    let mut writer = fixture.writer("import");
    assert!(writer.create_regenerable("chats/a.md", "pump\n").unwrap());
    assert!(writer.create_regenerable("chats/b.md", "valve\n").unwrap());
    assert!(!writer.create_regenerable("chats/b.md", "other\n").unwrap(), "the file exists");
    drop(writer);
    assert_eq!(fixture.read("chats/b.md"), "valve\n");
    let UndoOutcome::Done(undone) = fixture.undo() else { panic!("not undone") };
    assert_eq!(undone.len(), 2);
    assert!(!fixture.path("chats").exists() && fixture.path("Memory.md").exists());
    let journal = serde_json::to_string(&fixture.writer("test").entries().unwrap()).unwrap();
    assert!(!journal.contains("pump") && !journal.contains("valve"), "{journal}");
    let redone = redo(&mut fixture.writer("undo --redo"), |_| true);
    assert!(matches!(redone, Err(WriteError::TextNotKept { .. })), "{redone:?}");
    assert!(matches!(fixture.undo(), UndoOutcome::Done(_)) && !fixture.path("Memory.md").exists());
}

#[test]
fn an_edited_file_that_could_be_written_again_is_not_removed() {
    let fixture = Fixture::new();
    fixture.writer("import").create_regenerable("chats/a.md", "pump\n").unwrap();
    fixture.write("chats/a.md", "pump\nmine\n");
    assert!(matches!(fixture.undo(), UndoOutcome::Refused { .. }));
    assert_eq!(fixture.read("chats/a.md"), "pump\nmine\n");
}

#[test]
fn undo_reverts_neither_of_two_writes_if_one_is_refused() {
    let fixture = Fixture::new();
    fixture.write("Memory.md", "# Memory\n- one\n");
    {
        let mut writer = fixture.writer("review");
        let line = |at, text: &str| vec![Splice { at, remove: 0, insert: vec![text.into()] }];
        writer.edit("Memory.md", |_| line(2, "- first")).unwrap();
        writer.edit("Memory.md", |_| line(3, "- second")).unwrap();
    }
    // The line of the earlier write is gone; the line of the later write is still there.
    let edited = "# Memory\n- one\n- second\n- more\n";
    fixture.write("Memory.md", edited);
    assert!(matches!(fixture.undo(), UndoOutcome::Refused { .. }));
    assert_eq!(fixture.read("Memory.md"), edited);
}

#[test]
fn a_concurrent_editor_save_is_not_overwritten() {
    let fixture = Fixture::new();
    fixture.write("Memory.md", "- a\n- b\n");
    let mut saves = 0;
    let mut writer = fixture.writer("test");
    let wrote = writer.edit("Memory.md", |lines| {
        if saves < 3 {
            saves += 1;
            fs::write(fixture.path("Memory.md"), format!("- saved {saves}\n- a\n- b\n")).unwrap();
        }
        let at = lines.all().iter().position(|line| line == "- a").unwrap();
        vec![Splice { at, remove: 1, insert: Vec::new() }]
    });
    assert!(wrote.unwrap());
    drop(writer);
    assert_eq!(fixture.read("Memory.md"), "- saved 3\n- b\n");
    assert_eq!(Journal::of(fixture.home.path(), &fixture.folder).unwrap().entries().unwrap().len(), 1);
}

#[test]
fn undo_skips_a_write_that_a_crash_prevented() {
    let fixture = Fixture::new();
    fixture.write("Memory.md", "- a\n");
    fixture.splice("Memory.md", 1, 0, &["- b"]);
    // Simulates a crash between the journal and the file, and another one in the middle of the journal's line.
    fixture.write("Memory.md", "- a\n");
    let journal: PathBuf = fs::read_dir(fixture.home.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("journal-")))
        .unwrap();
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, format!("{text}{}", &text[..text.len() / 2])).unwrap();
    fixture.splice("Memory.md", 1, 0, &["- c"]);
    assert!(matches!(fixture.undo(), UndoOutcome::Done(_)));
    assert_eq!(fixture.read("Memory.md"), "- a\n");
    assert!(matches!(fixture.undo(), UndoOutcome::Done(_)), "the one that never happened");
    assert_eq!(fixture.read("Memory.md"), "- a\n");
    assert_eq!(fixture.undo(), UndoOutcome::Nothing);
}

#[test]
fn a_read_only_folder_stays_unchanged() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    fixture.write("Memory.md", "- a\n- b\n");
    fs::set_permissions(fixture.folder.path(), PermissionsExt::from_mode(0o500)).unwrap();
    let result = fixture.writer("test").edit("Memory.md", |_| vec![Splice { at: 0, remove: 1, insert: Vec::new() }]);
    fs::set_permissions(fixture.folder.path(), PermissionsExt::from_mode(0o700)).unwrap();
    // The superuser may write anyway.
    if let Err(error) = result {
        assert!(error.to_string().contains("tars"), "{error}");
        assert_eq!(fixture.read("Memory.md"), "- a\n- b\n");
        assert!(Journal::of(fixture.home.path(), &fixture.folder).unwrap().entries().unwrap().is_empty());
    }
}

#[test]
fn a_write_can_be_undone_after_a_crash_prevented_its_undo() {
    let fixture = Fixture::new();
    fixture.write("Memory.md", "- a\n");
    fixture.splice("Memory.md", 1, 0, &["- b"]);
    assert!(matches!(fixture.undo(), UndoOutcome::Done(_)));
    // Simulates a crash between the journal and the file.
    fixture.write("Memory.md", "- a\n- b\n");
    assert!(matches!(fixture.undo(), UndoOutcome::Done(_)));
    assert_eq!(fixture.read("Memory.md"), "- a\n");
    assert_eq!(fixture.undo(), UndoOutcome::Nothing);
}

#[test]
fn a_file_that_is_not_utf8_is_never_edited() {
    let fixture = Fixture::new();
    fixture.write("Memory.md", b"- a\n- caf\xe9\n- c\n");
    let refused = fixture.writer("test").edit("Memory.md", |_| vec![Splice { at: 1, remove: 1, insert: Vec::new() }]);
    assert!(matches!(refused, Err(WriteError::NotUtf8 { .. })), "{refused:?}");
    assert_eq!(fs::read(fixture.path("Memory.md")).unwrap(), b"- a\n- caf\xe9\n- c\n");
}

#[test]
fn a_moved_file_keeps_its_mode_and_moves_back_with_later_edits() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let fixture = Fixture::new();
    fixture.write("2026-03-14.md", b"- caf\xe9\r\n");
    fs::set_permissions(fixture.path("2026-03-14.md"), fs::Permissions::from_mode(0o600)).unwrap();
    let to = "archive/days/2026-03-14.md";
    assert!(fixture.writer("compact").rename("2026-03-14.md", to).unwrap());
    assert_eq!((fs::read(fixture.path(to)).unwrap(), mode(fixture.path(to))), (b"- caf\xe9\r\n".to_vec(), 0o600));
    assert!(!fixture.writer("compact").rename("2026-03-14.md", to).unwrap(), "it is not there any more");
    fixture.write(to, b"- caf\xe9\r\n- mine\r\n");
    assert!(matches!(fixture.undo(), UndoOutcome::Done(entries) if entries.len() == 1));
    assert_eq!(fs::read(fixture.path("2026-03-14.md")).unwrap(), b"- caf\xe9\r\n- mine\r\n");
    assert_eq!((fixture.path(to).exists(), mode(fixture.path("2026-03-14.md"))), (false, 0o600));
    assert!(matches!(redo(&mut fixture.writer("undo --redo"), |_| true).unwrap(), UndoOutcome::Done(_)));
    assert!(fixture.path(to).exists() && !fixture.path("2026-03-14.md").exists());
    assert!(matches!(fixture.undo(), UndoOutcome::Done(_)));
    assert!(!fixture.path(to).exists() && fixture.path("2026-03-14.md").exists());
}

#[test]
fn neither_a_move_nor_its_undo_replaces_a_file() {
    let fixture = Fixture::new();
    fixture.write("a.md", "- a\n");
    fixture.write("b.md", "- b\n");
    assert!(!fixture.writer("compact").rename("a.md", "b.md").unwrap());
    for outside in ["../c.md", "/c.md", ".hidden/c.md"] {
        assert!(fixture.writer("compact").rename("a.md", outside).is_err(), "{outside}");
    }
    assert!(fixture.writer("compact").rename("a.md", "archive/a.md").unwrap());
    fixture.write("a.md", "- new\n");
    assert!(matches!(fixture.undo(), UndoOutcome::Refused { .. }));
    assert_eq!((fixture.read("a.md"), fixture.read("archive/a.md")), ("- new\n".into(), "- a\n".into()));
}
