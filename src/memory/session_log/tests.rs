//! Tests of writing and rewriting session logs.

use std::fs;

use super::*;
use crate::{ARCHIVED_DAYS, ARCHIVED_SESSIONS, logged_sessions, relink_session_log};
use tars_vault::Origin;

struct Fixture {
    home: tempfile::TempDir,
    folder: MemoryFolder,
}

impl Fixture {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("vault")).unwrap();
        let folder = MemoryFolder::new(&home.path().join("vault"), "tars").unwrap();
        Self { home, folder }
    }

    fn write(&self, log: &SessionLog) -> Option<SessionLogWrite> {
        let origin = Origin::of("test");
        let mut writer =
            Writer::open(&self.folder, self.home.path(), origin, tars_base::clock::Clock::default()).unwrap();
        let mut logged = logged_sessions(&self.folder).unwrap();
        write_session_log(&mut writer, log, &mut logged).unwrap()
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder.path().join(file)).unwrap()
    }
}

fn turn(at: &str, request: &str, closing: &str) -> Turn {
    Turn {
        at: Some(format!("2026-03-15T{at}Z").parse().unwrap()),
        directory: Some("/gone/pump".into()),
        request: request.into(),
        answer: closing.into(),
        closing: closing.into(),
        files: vec!["/gone/pump/src/timer.rs".into()],
        commands: vec!["cargo test".into()],
        ..Turn::default()
    }
}

fn log(session: &str, turns: &[Turn]) -> SessionLog {
    let mut log = SessionLog::new(session, Some(Path::new("/x/5e55.jsonl")), TimeZone::UTC);
    turns.iter().for_each(|turn| log.add(turn));
    log
}

fn first() -> Turn {
    turn(
        "09:20:05",
        "Why does the pump stop?",
        "The root cause was the timer, which overflowed at midnight. Shall I release it?",
    )
}

const FILE: &str = "sessions/2026-03-15T09-20-05-pump.md";

#[test]
fn a_log_is_written_once_and_updated_when_the_session_continues() {
    let fixture = Fixture::new();
    assert_eq!(fixture.write(&log("5e55", &[first()])), Some(SessionLogWrite::Written(FILE.into())));
    let text = fixture.read(FILE);
    let digest = text.lines().find(|line| line.starts_with("digest: ")).unwrap();
    let key = format!("project_key: \"{}\"\n", Project::of(Path::new("/gone/pump")).key);
    assert_eq!(
        text.replace(&format!("{digest}\n"), "").replace(&key, "[key]\n"),
        "---\ndate: \"2026-03-15\"\nbegan: \"2026-03-15T09:20:05\"\nended: \"2026-03-15T09:20:05\"\nsession: \"5e55\"\n\
         project: \"pump\"\n[key]\ntranscript: \"/x/5e55.jsonl\"\ntars: \"session\"\n---\n\n# Why does the pump stop?\n\n\
         ## Outcomes\n\n- 09:20 Found: The root cause was the timer, which overflowed at midnight. — Why does the pump stop?\n\n\
         ## Files\n\n- `src/timer.rs`\n\n## Commands\n\n- `cargo test`\n"
    );
    assert_eq!(fixture.write(&log("5e55", &[first()])), Some(SessionLogWrite::Known(FILE.into())));
    let later = turn("09:40:00", "Yes, release it", "Released 1.2.");
    assert_eq!(fixture.write(&log("5e55", &[first(), later])), Some(SessionLogWrite::Written(FILE.into())));
    let text = fixture.read(FILE);
    assert!(text.contains("## Done\n\n- 09:40 Released 1.2. (`src/timer.rs`)\n"), "{text}");
}

#[test]
fn a_log_links_to_the_day_that_holds_its_outcomes() {
    let fixture = Fixture::new();
    let text =
        "# 2026-03-15\n\n## Session 09:20 · pump\n<!-- tars:session 5e55 turns=1 by=extractive -->\n- 09:20 Done: x\n";
    fs::create_dir_all(fixture.folder.path()).unwrap();
    fs::write(fixture.folder.path().join("2026-03-15.md"), text).unwrap();
    let mut log = log("5e55", &[first()]);
    log.summarize(
        "<summary>\n# Where it stands\nThe pump stops; see [this](http://x.invalid/a) and ![[image.png]].\n</summary>",
    );
    fixture.write(&log);
    let text = fixture.read(FILE);
    assert!(text.contains("\nWhat came of it: [[tars/2026-03-15#Session 09 20 · pump|2026-03-15]]\n"), "{text}");
    assert!(text.contains("## Summary\n\n**Where it stands**\nThe pump stops; see this and image.png.\n"), "{text}");
    assert!(!text.contains("## Outcomes") && text.contains("## Files"), "{text}");
}

#[test]
fn a_log_edited_by_a_person_is_left_alone() {
    let fixture = Fixture::new();
    fixture.write(&log("5e55", &[first()]));
    let renamed = "sessions/2026-03-15-the-pump.md";
    let path = |file: &str| fixture.folder.path().join(file);
    // Renaming the file is no edit.
    fs::rename(path(FILE), path(renamed)).unwrap();
    assert_eq!(fixture.write(&log("5e55", &[first()])), Some(SessionLogWrite::Known(renamed.into())));
    for edit in ["- mine\n", "\n"] {
        let text = fixture.read(renamed) + edit;
        fs::write(path(renamed), &text).unwrap();
        let later = turn("09:40:00", "Yes", "Done so.");
        assert_eq!(fixture.write(&log("5e55", &[first(), later])), Some(SessionLogWrite::Edited(renamed.into())));
        assert_eq!(fixture.read(renamed), text);
    }
}

#[test]
fn relinking_a_moved_day_keeps_the_log_unedited() {
    let fixture = Fixture::new();
    let day = "## Session 09:20 · pump\n<!-- tars:session a turns=b by=extractive -->\n- 09:20 Found: x\n";
    fs::create_dir_all(fixture.folder.path().join(ARCHIVED_DAYS)).unwrap();
    fs::write(fixture.folder.path().join("2026-03-15.md"), day).unwrap();
    fixture.write(&log("a", &[first()]));
    let moved = |target: &str| (target == "tars/2026-03-15").then(|| "tars/archive/days/2026-03-15".to_owned());
    let relink = || {
        let origin = Origin::of("compact");
        let mut writer = Writer::open(&fixture.folder, fixture.home.path(), origin, tars_base::clock::Clock::default());
        relink_session_log(writer.as_mut().unwrap(), FILE, &moved).unwrap()
    };
    assert!(relink() && !relink());
    let link = "[[tars/archive/days/2026-03-15#Session 09 20 · pump|2026-03-15]]";
    assert!(fixture.read(FILE).contains(link) && is_unedited(&fixture.read(FILE)), "{}", fixture.read(FILE));
    // When the session continues, its log is found in the archive and rewritten there.
    let archived = format!("{ARCHIVED_SESSIONS}/2026-03-15T09-20-05-pump.md");
    fs::rename(fixture.folder.path().join("2026-03-15.md"), fixture.folder.path().join("archive/days/2026-03-15.md"))
        .unwrap();
    fs::create_dir(fixture.folder.path().join(ARCHIVED_SESSIONS)).unwrap();
    fs::rename(fixture.folder.path().join(FILE), fixture.folder.path().join(&archived)).unwrap();
    let longer = log("a", &[first(), turn("10:00:00", "Release it.", "Released.")]);
    assert_eq!(fixture.write(&longer), Some(SessionLogWrite::Written(archived.clone())));
    assert!(fixture.read(&archived).contains(link));
    fs::write(fixture.folder.path().join(FILE), fixture.read(&archived).replace("# Why", "# Mine: why")).unwrap();
    assert!(!relink(), "edited by a person");
}

#[test]
fn sessions_of_the_same_second_have_files_of_their_own() {
    let fixture = Fixture::new();
    fixture.write(&log("a", &[first()]));
    let second = fixture.write(&log("b", &[first()]));
    assert_eq!(second, Some(SessionLogWrite::Written("sessions/2026-03-15T09-20-05-pump-2.md".into())));
}

#[test]
fn long_hostile_and_secret_sessions_stay_within_bounds() {
    let hostile = "Remember <private>the\nhouse key</private>, we decided --> <!-- \u{1b}[31m on it because";
    let turns: Vec<Turn> = (0..500)
        .map(|number| Turn {
            directory: Some("/x/../--> $(rm)".into()),
            files: vec![format!("{number}\n# h.rs")],
            commands: vec![format!("echo {number} `x`\nsecond")],
            ..turn("09:20:05", &format!("{number} {hostile}"), &format!("{hostile} {number}? TODO"))
        })
        .collect();
    let fixture = Fixture::new();
    let Some(SessionLogWrite::Written(file)) = fixture.write(&log("--> x\n", &turns)) else { panic!("not written") };
    assert_eq!(file, "sessions/2026-03-15T09-20-05-rm.md");
    let text = fixture.read(&file);
    assert!(text.lines().count() <= 160, "{} lines", text.lines().count());
    for wrong in ["house key", "<!--", "-->", "\u{1b}", "\n# h"] {
        assert!(!text.contains(wrong), "{wrong:?} in {text}");
    }
    assert!(fixture.write(&log("--> x\n", &turns)) == Some(SessionLogWrite::Known(file)));
}

#[test]
fn an_empty_session_writes_nothing() {
    let fixture = Fixture::new();
    assert_eq!(fixture.write(&log("5e55", &[])), None);
    assert_eq!(fixture.write(&log("5e55", &[Turn { at: None, ..first() }])), None);
    assert!(!fixture.folder.path().join("sessions").exists());
}
