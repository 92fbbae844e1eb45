use std::path::PathBuf;

use super::*;
use crate::memory::{DecideRequest, ProposalsRequest, ProposeLinesRequest, UndoRequest};
use crate::{App, Backend};
use tars_base::clock::Clock;
use tars_config::Environment;
use tars_memory::SOUL;

/// A temporary vault on 2026-03-15, at noon.
pub(in crate::memory) struct Home {
    home: tempfile::TempDir,
    pub(in crate::memory) app: App,
}

impl Home {
    pub(in crate::memory) fn new(files: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(home.path().join("vault/tars")).unwrap();
        let app = Self::app(&home, "2026-03-15T12:00:00+00:00[UTC]");
        let home = Self { home, app };
        files.iter().for_each(|(file, text)| home.put(file, text));
        home
    }

    fn app(home: &tempfile::TempDir, moment: &str) -> App {
        let environment = Environment {
            home: Some(home.path().to_owned()),
            directory: Some(home.path().to_owned()),
            clock: Clock::fixed(moment),
            ..Environment::default()
        };
        let path = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
        let flags = [("vault.path", path("vault")), ("data.dir", path("data"))];
        App::new(environment, &flags.map(|(key, value)| (key.to_owned(), value))).unwrap()
    }

    pub(in crate::memory) fn at(self, moment: &str) -> Self {
        Self { app: Self::app(&self.home, moment), ..self }
    }

    fn path(&self, file: &str) -> PathBuf {
        self.home.path().join("vault/tars").join(file)
    }

    pub(in crate::memory) fn put(&self, file: &str, text: &str) {
        std::fs::create_dir_all(self.path(file).parent().unwrap()).unwrap();
        std::fs::write(self.path(file), text).unwrap();
    }

    pub(in crate::memory) fn text(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.path(file)).ok()
    }

    pub(in crate::memory) fn call<U: UseCase>(&self, request: &U) -> Result<U::Response> {
        Service::new(&self.app, Backend::Local).call(request)
    }

    #[track_caller]
    pub(in crate::memory) fn refuses<U: UseCase>(&self, request: &U) -> String {
        self.call(request).err().expect("it is refused").to_string()
    }

    #[track_caller]
    pub(in crate::memory) fn undo(&self) {
        assert_eq!(self.call(&UndoRequest::default()).unwrap().commands, 1);
    }

    /// Returns all files of the memory folder with their bytes.
    pub(in crate::memory) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let folder = self.app.memory_folder().unwrap();
        folder
            .files()
            .unwrap()
            .into_iter()
            .map(|file| (file.clone(), std::fs::read(self.path(&file)).unwrap()))
            .collect()
    }
}

fn write(path: &str, text: &str) -> WriteFileRequest {
    WriteFileRequest { path: path.into(), text: text.into(), version: None }
}

fn append(path: &str, text: &str) -> AppendFileRequest {
    AppendFileRequest { path: path.into(), text: text.into() }
}

fn reading(path: &str) -> ReadFileRequest {
    ReadFileRequest { path: path.into(), from_line: None }
}

#[test]
fn each_file_operation_can_be_undone() {
    let home = Home::new(&[("archive/context/work.md", "# Older\n")]);
    let written = home.call(&write("context/work", "# Work\n\n- Pump\n\n")).unwrap();
    assert_eq!((written.path.as_str(), written.created, written.changed), ("tars/context/work.md", true, true));
    assert!(!home.call(&write("tars/context/work.md", "# Work\n\n- Pump")).unwrap().changed, "the text is the same");
    home.call(&append("context/work.md", "- Filter \u{1b}[2J\n")).unwrap();
    assert_eq!(home.text("context/work.md").unwrap(), "# Work\n\n- Pump\n- Filter [2J\n");
    home.call(&append("context/work.md", "## Later\n- Paint")).unwrap();
    let whole = home.call(&reading("context/work")).unwrap();
    assert_eq!((whole.text.as_str(), whole.next_line), ("# Work\n\n- Pump\n- Filter [2J\n\n## Later\n- Paint\n", None));
    let moved = home.call(&ArchiveFileRequest { path: "context/work".into() }).unwrap();
    assert_eq!(moved.to, "tars/archive/context/work-2.md");
    assert!(home.text("context/work.md").is_none());
    home.undo();
    assert!(home.text("context/work.md").unwrap().ends_with("- Paint\n"));
    for _ in 0..3 {
        home.undo();
    }
    assert!(home.text("context/work.md").is_none());
    assert_eq!(home.text("archive/context/work.md").unwrap(), "# Older\n");
}

#[test]
fn a_write_is_refused_if_the_file_changed_since_it_was_read() {
    let home = Home::new(&[("context/work.md", "# Work\n\n- Pump\n")]);
    let version = home.call(&reading("context/work")).unwrap().version;
    let based = || WriteFileRequest { version: Some(version.clone()), ..write("context/work", "# Work\n\n- Filter\n") };
    home.put("context/work.md", "# Work\n\n- Pump\n- Saved in an editor\n");
    let refused = home.refuses(&based());
    assert!(refused.contains("has changed since it was read"), "{refused}");
    assert!(home.text("context/work.md").unwrap().contains("Saved in an editor"));
    home.put("context/work.md", "# Work\n\n- Pump\n");
    assert!(home.call(&based()).unwrap().changed);
    let absent = WriteFileRequest { version: Some(version), ..write("context/new", "# New\n") };
    assert!(home.refuses(&absent).contains("has changed"), "a file that is gone has changed too");
}

#[test]
fn refused_writes_leave_all_files_unchanged() {
    let files = [
        ("2026-03-15.md", "# 2026-03-15\n"),
        ("soul/soul.md", "# Soul\n"),
        ("archive/a.md", "# A\n"),
        ("proposals.md", "# Proposals\n"),
        ("context/Big.md", "# Big\n"),
        ("context/hidden.md", "---\ntars: private\n---\n# Falk\n"),
        ("context/mixed.md", "# M\n\n- With <private>Falk</private>\n"),
    ];
    let home = Home::new(&files);
    let before = home.files();
    for (path, why) in [
        ("2026-03-15", "read and not written"),
        ("soul/soul.md", "read and not written"),
        ("archive/a.md", "read and not written"),
        ("proposals.md", "read and not written"),
        ("context/Big.md", "read and not written"),
        ("projects/new.md", "read and not written"),
        ("../outside.md", "not the path"),
        ("/etc/passwd", "not the path"),
        (".tars-folder", "not the path"),
        ("context/hidden.md", "not found"),
    ] {
        assert!(home.refuses(&write(path, "# X")).contains(why), "{path}");
        assert!(home.refuses(&append(path, "x")).contains(why), "{path}");
        assert!(home.refuses(&ArchiveFileRequest { path: path.into() }).contains(why), "{path}");
    }
    assert!(home.refuses(&ArchiveFileRequest { path: "Memory.md".into() }).contains("stays where it is"));
    assert!(home.refuses(&ArchiveFileRequest { path: "context/none".into() }).contains("not found"));
    assert!(home.refuses(&reading("context/hidden.md")).contains("not found"));
    assert!(home.refuses(&write("context/a", " \n")).contains("empty"));
    assert!(home.refuses(&write("context/a", &"x".repeat(LONGEST_FILE + 1))).contains("bytes long"));
    assert!(home.refuses(&write("Memory.md", "---\ntars: private\n---\n# M\n")).contains("private"));
    assert!(home.refuses(&append("context/a", "---\ntars: private\n---\n")).contains("private"));
    assert!(home.refuses(&write("context/mixed", "# M\n")).contains("would lose"));
    assert_eq!(home.files(), before);
    assert!(!home.call(&reading("context/mixed")).unwrap().text.contains("Falk"));
    home.call(&append("context/mixed", "- more")).unwrap();
    assert!(home.text("context/mixed.md").unwrap().contains("<private>Falk</private>"));
}

#[test]
fn symlinks_out_of_the_folder_are_refused_and_secrets_are_redacted() {
    let home = Home::new(&[]);
    std::fs::write(home.home.path().join("outside.md"), "# Outside\n").unwrap();
    std::fs::create_dir_all(home.path("context")).unwrap();
    std::os::unix::fs::symlink(home.home.path().join("outside.md"), home.path("context/out.md")).unwrap();
    assert!(home.call(&write("context/out", "# X")).is_err() && home.call(&reading("context/out")).is_err());
    let token = format!("ghp_{}", "a1B2c3D4e5".repeat(4)[..36].to_owned());
    let written = home.call(&write("context/keys", &format!("# Keys\n\n- The token is {token}\n"))).unwrap();
    assert!(!written.removed.is_empty() && !home.text("context/keys.md").unwrap().contains(&token));
    assert_eq!(std::fs::read_to_string(home.home.path().join("outside.md")).unwrap(), "# Outside\n");
}

#[test]
fn long_files_are_read_in_parts() {
    let text: String = (0..4_000).map(|line| format!("- line {line} of many\n")).collect();
    let home = Home::new(&[("sessions/long.md", &text)]);
    let (mut read, mut next) = (String::new(), Some(1));
    while let Some(from_line) = next {
        let part = home.call(&ReadFileRequest { path: "sessions/long.md".into(), from_line: Some(from_line) }).unwrap();
        assert!(part.text.len() <= LONGEST_FILE && part.lines == 4_000);
        read.push_str(&part.text);
        next = part.next_line;
    }
    assert_eq!(read, text);
}

#[test]
fn file_access_depends_on_the_class_of_the_file() {
    let home = Home::new(&[]);
    for (path, access) in [
        ("Memory.md", FileAccess::Guarded),
        ("tars/Procedural.md", FileAccess::Guarded),
        ("soul/soul.md", FileAccess::Guarded),
        ("tars/context/a.md", FileAccess::Free),
        ("sessions/a.md", FileAccess::ReadOnly),
        ("2026-03-15.md", FileAccess::ReadOnly),
    ] {
        assert_eq!(home.call(&FileAccessRequest { path: path.into() }).unwrap(), access, "{path}");
    }
}

#[test]
fn lines_for_guarded_files_become_proposals_that_can_be_accepted() {
    let memory = "# Memory\n\n## Facts\n- The pump is blue\n- The old disk is full\n";
    let home = Home::new(&[("Memory.md", memory)]);
    let text = "# Memory\n\nSome words.\n\n## Facts\n- The pump is blue\n- Anna likes sushi\n\n## Person\n- Lives by the sea\n";
    let propose = |path: &str, text: &str| {
        home.call(&ProposeLinesRequest { path: path.into(), text: text.into(), append: false })
    };
    let proposed = propose("Memory.md", text).unwrap();
    let told: Vec<(&str, &str, &str)> =
        proposed.proposals.iter().map(|one| (one.job.as_str(), one.section.as_str(), one.text.as_str())).collect();
    assert_eq!(told, [("chat", "Facts", "Anna likes sushi"), ("chat", "Person", "Lives by the sea")]);
    assert_eq!((proposed.left, proposed.no_bullets), (0, 1));
    assert_eq!(proposed.dropped.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), ["The old disk is full"]);
    assert_eq!(home.text("Memory.md").unwrap(), memory, "the file is unchanged");
    assert_eq!(propose("Memory.md", text).unwrap().left, 2, "they are on the list");

    propose("Procedural.md", "- Try a migration with `--dry-run` first").unwrap();
    propose("soul/soul.md", "## How I speak\n- I answer Anna in German").unwrap();
    propose("context/work.md", "## Pump\n- It was painted in May").unwrap();
    for listed in home.call(&ProposalsRequest {}).unwrap() {
        let done = home.call(&DecideRequest { id: listed.id.clone(), accept: true, text: None }).unwrap();
        assert_eq!((done.status, done.line.unwrap().path), ("accepted", listed.path), "{}", listed.text);
    }
    assert!(home.text("Memory.md").unwrap().contains("- Anna likes sushi\n\n## Person\n- Lives by the sea\n"));
    assert!(home.text("Procedural.md").unwrap().contains("## Rules\n- Try a migration"));
    assert!(home.text("context/work.md").unwrap().contains("## Pump\n- It was painted in May"));
    let soul = home.text(SOUL).unwrap();
    assert!(
        soul.starts_with("# Soul\n\n## Who I am\n- I am tars") && soul.contains("spoken to.\n- I say so"),
        "{soul}"
    );
    assert!(soul.contains("- I answer Anna in German\n\n## What I do\n"), "{soul}");
    let refused = propose("soul/observations.md", "- x").err().unwrap().to_string();
    assert!(refused.contains("nothing is proposed"), "{refused}");
}
