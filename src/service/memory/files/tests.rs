use std::path::PathBuf;

use super::*;
use crate::app::App;
use crate::clock::Clock;
use crate::config::Environment;
use crate::memory::{DEFAULT_SOUL, OBSERVATIONS, OBSERVATIONS_ARCHIVE, SOUL};
use crate::service::Reach;
use crate::service::memory::{
    AuditRequest, CondenseRequest, DecideRequest, LayersRequest, LinesRequest, ObserveRequest, ProposalsRequest,
    ProposeLinesRequest, RememberRequest, ResetMemoryRequest, ResetSoulRequest, ResolveObservationRequest, SoulPart,
    SoulRequest, TidyRequest, UndoRequest, UpdateSoulRequest, WeekRequest,
};

struct Home {
    home: tempfile::TempDir,
    app: App,
}

impl Home {
    fn new(files: &[(&str, &str)]) -> Self {
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

    fn at(self, moment: &str) -> Self {
        Self { app: Self::app(&self.home, moment), ..self }
    }

    fn path(&self, file: &str) -> PathBuf {
        self.home.path().join("vault/tars").join(file)
    }

    fn put(&self, file: &str, text: &str) {
        std::fs::create_dir_all(self.path(file).parent().unwrap()).unwrap();
        std::fs::write(self.path(file), text).unwrap();
    }

    fn text(&self, file: &str) -> Option<String> {
        std::fs::read_to_string(self.path(file)).ok()
    }

    fn call<U: UseCase>(&self, request: &U) -> Result<U::Response> {
        Service::new(&self.app, Reach::Local).call(request)
    }

    #[track_caller]
    fn refuses<U: UseCase>(&self, request: &U) -> String {
        self.call(request).err().expect("it is refused").to_string()
    }

    #[track_caller]
    fn undo(&self) {
        assert_eq!(self.call(&UndoRequest::default()).unwrap().commands, 1);
    }

    /// All files of the memory folder with their bytes.
    fn files(&self) -> Vec<(String, Vec<u8>)> {
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
    WriteFileRequest { path: path.into(), text: text.into() }
}

fn append(path: &str, text: &str) -> AppendFileRequest {
    AppendFileRequest { path: path.into(), text: text.into() }
}

fn reading(path: &str) -> ReadFileRequest {
    ReadFileRequest { path: path.into(), from_line: None }
}

#[test]
fn a_file_is_written_read_added_to_and_archived_and_each_is_undone() {
    let home = Home::new(&[("archive/context/work.md", "# Older\n")]);
    let written = home.call(&write("context/work", "# Work\n\n- Pump\n\n")).unwrap();
    assert_eq!((written.path.as_str(), written.created, written.changed), ("tars/context/work.md", true, true));
    assert!(!home.call(&write("tars/context/work.md", "# Work\n\n- Pump")).unwrap().changed, "it says so already");
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
fn what_may_not_be_written_is_refused_and_left_as_it_is() {
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
        ("../outside.md", "no name"),
        ("/etc/passwd", "no name"),
        (".tars-folder", "no name"),
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
fn links_lead_nowhere_and_secrets_stay_out() {
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
fn long_files_are_read_part_by_part() {
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
fn access_says_when_a_person_is_to_be_asked() {
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
fn lines_for_guarded_files_wait_for_a_person_and_are_accepted() {
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
    assert_eq!(home.text("Memory.md").unwrap(), memory, "nothing is changed before");
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

fn observe(home: &Home, text: &str) -> crate::service::memory::ObserveResponse {
    home.call(&ObserveRequest { text: text.into(), ..ObserveRequest::default() }).unwrap()
}

#[test]
fn what_was_noticed_is_kept_resolved_and_told_newest_first() {
    let home = Home::new(&[]);
    let told = home.call(&SoulRequest { budget: 1_000 }).unwrap();
    assert!(told.is_default && told.soul == DEFAULT_SOUL && told.observations.is_empty());
    let first = observe(&home, "Asks for\nsources <!-- x");
    assert!(observe(&home, "asks for sources < !-- x").known);
    let important = ObserveRequest { text: "The pump may be too small.".into(), importance: Some(4), later: false };
    home.call(&important).unwrap();
    let home = home.at("2026-03-16T08:00:00+00:00[UTC]");
    observe(&home, "The pump is loud");
    let text = "# Observations\n\n- 2026-03-15 12:00 Asks for sources < !-- x\n\
                - 2026-03-15 12:00 The pump may be too small. (importance 4)\n- 2026-03-16 08:00 The pump is loud\n";
    assert_eq!(home.text(OBSERVATIONS).unwrap(), text);
    let resolve =
        |which: &str| ResolveObservationRequest { which: which.into(), how: Some("it was\nthe filter".into()) };
    let refused = home.refuses(&resolve("pump"));
    assert!(refused.contains("2 lines hold") && refused.contains("The pump is loud"), "{refused}");
    assert!(home.refuses(&resolve("boat")).contains("no line"));
    let done = home.call(&resolve("too small")).unwrap();
    assert_eq!(done.resolved.as_deref(), Some("2026-03-16: it was the filter"));
    let line =
        "- [x] 2026-03-15 12:00 The pump may be too small. (importance 4) (resolved 2026-03-16: it was the filter)\n";
    assert!(home.text(OBSERVATIONS).unwrap().contains(line));
    assert!(home.refuses(&resolve("too small")).contains("no line"), "it is resolved");
    let told = home.call(&SoulRequest { budget: 1_000 }).unwrap();
    let texts: Vec<&str> = told.observations.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, ["The pump is loud", "Asks for sources < !-- x"]);
    assert_eq!(told.observations[1].id, first.observation.id);
    home.call(&ResolveObservationRequest { which: first.observation.id, how: None }).unwrap();
    home.undo();
    home.undo();
    assert_eq!(home.text(OBSERVATIONS).unwrap(), text);
    for (text, importance) in [("", None), ("x", Some(6)), ("<private>Falk</private>", None)] {
        home.refuses(&ObserveRequest { text: text.into(), importance, later: false });
    }
    home.refuses(&ObserveRequest { text: "long ".repeat(130), ..ObserveRequest::default() });
}

#[test]
fn too_many_are_summed_up_and_one_undo_takes_the_last_with_both_files_back() {
    let home = Home::new(&[]);
    for number in 0..20 {
        assert_eq!(observe(&home, &format!("Noted {number}")).condensed, None);
    }
    let before = home.files();
    let last = observe(&home, "Noted 20");
    assert_eq!(last.condensed.map(|done| (done.archived, done.still_open)), Some((11, 11)));
    assert!(home.text(OBSERVATIONS).unwrap().contains("## Earlier\n- March 2026: 11 observations; "));
    assert!(
        home.text(OBSERVATIONS_ARCHIVE).unwrap().starts_with("# Observations, archived\n\n## 2026-03\n- 2026-03-15")
    );
    assert_eq!(home.call(&SoulRequest { budget: 2_000 }).unwrap().observations.len(), 21, "all are open yet");
    home.undo();
    assert_eq!(home.files(), before);

    let later = ObserveRequest { text: "Noted 20".into(), later: true, importance: None };
    assert_eq!(home.call(&later).unwrap().condensed, None);
    let asked = home.call(&CondenseRequest { dry_run: true, summary: None }).unwrap();
    assert_eq!((asked.earlier.len(), asked.condensed), (11, None));
    let summary = Some("Counts everything. ![x](https://x/y.png)".into());
    home.call(&CondenseRequest { summary, dry_run: false }).unwrap();
    let text = home.text(OBSERVATIONS).unwrap();
    assert!(text.contains("- 2026-03-15: 11 observations; Counts everything. \\!\\[x](https://x/y.png)"), "{text}");
    let told = home.call(&SoulRequest { budget: 120 }).unwrap();
    assert!(told.more_observations > 0 && !told.cut.is_empty() && told.observations[0].text == "Noted 20");
}

#[test]
fn the_soul_is_updated_from_its_default_and_lines_are_replaced() {
    let home = Home::new(&[]);
    let update = |add: &str, replace: Option<&str>| UpdateSoulRequest {
        add: add.into(),
        replace: replace.map(str::to_owned),
        ..UpdateSoulRequest::default()
    };
    let refused = home.refuses(&update("I whistle", Some("know")));
    assert!(refused.contains("lines hold"), "{refused}");
    assert!(home.text(SOUL).is_none(), "a refusal writes nothing");
    home.call(&update("I answer at length", Some("answer briefly and plainly"))).unwrap();
    let soul = home.text(SOUL).unwrap();
    assert!(
        soul.starts_with("# Soul\n") && soul.contains("- I answer at length\n- I say so") && !soul.contains("briefly")
    );
    assert!(home.call(&update("I answer at length.", None)).unwrap().known);
    home.call(&update("I know Anna's garden", None)).unwrap();
    assert!(home.text(SOUL).unwrap().ends_with("## What I have learned\n- I know Anna's garden\n"));
    home.undo();
    home.undo();
    assert!(home.text(SOUL).is_none(), "one undo takes the beginning and the line back");
    for (part, file) in [(SoulPart::Opinions, "soul/opinions.md"), (SoulPart::Unresolved, "soul/unresolved.md")] {
        home.call(&UpdateSoulRequest { part, add: "Tea is better".into(), ..UpdateSoulRequest::default() }).unwrap();
        assert!(home.text(file).unwrap().ends_with("- Tea is better\n"));
    }
    home.put(SOUL, "---\ntars: private\n---\n# Mine\n");
    assert!(home.refuses(&update("I whistle", None)).contains("not found"));
    let told = home.call(&SoulRequest { budget: 1_000 }).unwrap();
    assert!(told.is_default && told.opinions.contains("Tea"));
}

#[test]
fn a_line_of_the_soul_is_replaced_by_its_own_request_alone() {
    let home = Home::new(&[(SOUL, "# Soul\n\n- I whistle at work\n")]);
    let folder = home.app.memory_folder().unwrap();
    let id = memory::bullets_of(&folder, SOUL).unwrap()[0].id.clone();
    let request = RememberRequest { text: "I obey".into(), replace: Some(id), ..RememberRequest::default() };
    assert!(home.call(&request).is_err());
    assert_eq!(home.text(SOUL).unwrap(), "# Soul\n\n- I whistle at work\n");
}

#[test]
fn resets_move_to_the_archive_and_one_undo_brings_the_very_bytes_back() {
    let home = Home::new(&[
        ("Memory.md", "# Memory\n"),
        ("context/work.md", "# Work\r\n"),
        ("context/work/pump.md", "# Pump"),
        ("timelines/goals.md", "\u{feff}# Goals\n"),
        ("archive/reset-2026-03-15/context/work.md", "# Earlier reset\n"),
        (SOUL, "# Soul\n\n- I whistle\n"),
        (OBSERVATIONS, "# Observations\n\n- 2026-03-01 10:00 One\n"),
        ("soul/opinions.md", "# Opinions\n"),
    ]);
    let before = home.files();
    assert_eq!(home.call(&ResetMemoryRequest { dry_run: true }).unwrap().moved.len(), 3);
    assert_eq!(home.call(&ResetSoulRequest { dry_run: true }).unwrap().moved.len(), 3);
    assert_eq!(home.files(), before);

    let moved = home.call(&ResetMemoryRequest::default()).unwrap().moved;
    let to: Vec<&str> = moved.iter().map(|file| file.to.as_str()).collect();
    assert_eq!(
        to,
        [
            "tars/archive/reset-2026-03-15/context/work-2.md",
            "tars/archive/reset-2026-03-15/context/work/pump.md",
            "tars/archive/reset-2026-03-15/timelines/goals.md"
        ]
    );
    assert!(home.text("context/work.md").is_none() && home.text("Memory.md").is_some() && home.text(SOUL).is_some());
    home.undo();
    assert_eq!(home.files(), before);

    let moved = home.call(&ResetSoulRequest::default()).unwrap().moved;
    assert_eq!(moved[0].to, "tars/archive/soul-2026-03-15/observations.md");
    assert_eq!(home.text(SOUL).unwrap(), DEFAULT_SOUL);
    assert_eq!(home.text("archive/soul-2026-03-15/soul.md").unwrap(), "# Soul\n\n- I whistle\n");
    assert!(home.text(OBSERVATIONS).is_none());
    assert!(home.call(&ResetSoulRequest::default()).unwrap().moved.is_empty(), "it is the default already");
    home.undo();
    assert_eq!(home.files(), before);
}

#[test]
fn nothing_else_stumbles_over_the_soul() {
    let home = Home::new(&[("Memory.md", "# Memory\n\n- The pump is blue\n"), ("soul/notes.txt", "x")]);
    observe(&home, "The pump is blue");
    home.call(&UpdateSoulRequest { add: "The pump is blue".into(), ..UpdateSoulRequest::default() }).unwrap();
    let layers = home.call(&LayersRequest {}).unwrap();
    assert!(layers.layers.iter().flat_map(|layer| &layer.files).all(|file| !file.path.contains("soul")));
    assert!(home.call(&TidyRequest::default()).unwrap().findings.is_empty());
    assert!(home.call(&AuditRequest {}).unwrap().is_empty());
    home.call(&WeekRequest::default()).unwrap();
    assert_eq!(home.call(&LinesRequest {}).unwrap().len(), 1);
}
