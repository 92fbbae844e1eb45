use std::os::unix::fs::PermissionsExt;

use super::super::{Occasion, ShownLine, UseKind, UsedRecord};
use super::*;
use tars_base::domain::MemoryType;

fn record(at: &str, session: &str, texts: &[String]) -> Record {
    let line =
        |text: &String| ShownLine { number: 1, key: short_hash(text.as_bytes()), text: text.clone(), used: vec![] };
    let piece = |text| ShownPiece {
        collection: "vault".into(),
        path: "a.md".into(),
        start_line: 1,
        end_line: 1,
        heading: String::new(),
        memory_type: MemoryType::Note,
        score: None,
        lines: vec![line(text)],
    };
    Record::Shown(ShownRecord {
        at: at.parse().unwrap(),
        session: session.into(),
        event: Occasion::Prompt,
        question: "q".into(),
        project: None,
        pieces: texts.iter().map(piece).collect(),
    })
}

fn of(at: &str, session: &str) -> Record {
    record(at, session, &["text".to_owned()])
}

fn all(ledger: &RecallLedger) -> Vec<Record> {
    ledger.since(Timestamp::UNIX_EPOCH).unwrap()
}

fn named(ledger: &RecallLedger, name: &str) -> Option<(String, Vec<Record>)> {
    ledger.session(|shown| shown.session == name).unwrap()
}

fn last(ledger: &RecallLedger) -> Option<(String, Vec<Record>)> {
    ledger.session(|shown| !shown.pieces.is_empty()).unwrap()
}

#[test]
fn records_are_read_back_by_time_and_by_session() {
    let data = tempfile::tempdir().unwrap();
    let ledger = RecallLedger::new(data.path());
    assert!(!ledger.exists() && all(&ledger).is_empty() && last(&ledger).is_none());
    let long = [of("2026-10-30T23:00:00Z", "long"), of("2026-11-01T01:00:00Z", "long")];
    let other = of("2026-11-02T01:00:00Z", "other");
    let nothing = record("2026-11-03T01:00:00Z", "empty", &[]);
    for record in long.iter().chain([&other, &nothing]) {
        ledger.add(record).unwrap();
    }
    assert_eq!(ledger.since("2026-11-01T00:30:00Z".parse().unwrap()).unwrap().len(), 3);
    assert_eq!(named(&ledger, "long").unwrap(), ("long".into(), long.to_vec()));
    assert_eq!(last(&ledger).unwrap(), ("other".into(), vec![other]));
    assert_eq!(named(&ledger, "empty").unwrap().1, [nothing]);
    assert!(named(&ledger, "x").is_none());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(ledger.folder()), mode(&ledger.folder().join("2026-11.jsonl"))), (0o700, 0o600));
}

#[test]
fn a_forgotten_line_is_removed_from_every_month() {
    let data = tempfile::tempdir().unwrap();
    let ledger = RecallLedger::new(data.path());
    for (at, text) in
        [("2026-10-01T01:00:00Z", "- a"), ("2026-11-01T01:00:00Z", "- b"), ("2026-11-02T01:00:00Z", "- a")]
    {
        ledger.add(&record(at, "s", &[text.to_owned()])).unwrap();
    }
    ledger.forget(&|kept| kept == "- a").unwrap();
    let texts = all(&ledger).into_iter().map(|record| match record {
        Record::Shown(shown) => shown.pieces[0].lines[0].text.clone(),
        Record::Used(_) => unreachable!(),
    });
    assert_eq!(texts.collect::<Vec<_>>(), ["", "- b", ""]);
}

#[test]
fn a_note_that_became_private_leaves_the_ledger() {
    let data = tempfile::tempdir().unwrap();
    let ledger = RecallLedger::new(data.path());
    ledger.add(&record("2026-11-01T01:00:00Z", "s", &["- a".to_owned(), "- b".to_owned()])).unwrap();
    let used = UsedRecord {
        at: "2026-11-01T02:00:00Z".parse().unwrap(),
        session: Some("s".into()),
        how: UseKind::Quoted,
        collection: "vault".into(),
        path: "a.md".into(),
        start_line: 1,
        end_line: 1,
        keys: vec![],
    };
    ledger.add(&Record::Used(used)).unwrap();
    let file = ledger.folder().join("2026-11.jsonl");
    let length = fs::metadata(&file).unwrap().len();
    ledger.forget_note("vault", "b.md").unwrap();
    ledger.forget_lines("other", "a.md", &|_| true).unwrap();
    assert_eq!(all(&ledger).len(), 2);
    ledger.forget_lines("vault", "a.md", &|text| text == "- a").unwrap();
    assert!(!fs::read_to_string(&file).unwrap().contains("- a"));
    ledger.forget_note("vault", "a.md").unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains("a.md") && !text.contains("- b"), "{text}");
    assert_eq!((all(&ledger).len(), fs::metadata(&file).unwrap().len()), (1, length));
    ledger.add(&of("2026-11-03T01:00:00Z", "s")).unwrap();
    assert_eq!(all(&ledger).len(), 2);
}

#[test]
fn a_collection_takes_its_history_to_its_new_name() {
    let data = tempfile::tempdir().unwrap();
    let ledger = RecallLedger::new(data.path());
    ledger.rename_collection("vault", "x").unwrap();
    for at in ["2026-10-01T01:00:00Z", "2026-11-01T01:00:00Z"] {
        ledger.add(&record(at, "s", &["- a".to_owned()])).unwrap();
    }
    let file = ledger.folder().join("2026-11.jsonl");
    let torn = fs::read_to_string(&file).unwrap() + "{\"kind\":\"sho";
    fs::write(&file, torn).unwrap();
    ledger.rename_collection("other", "x").unwrap();
    ledger.rename_collection("vault", "a-longer-name").unwrap();
    let names = all(&ledger).into_iter().map(|record| match record {
        Record::Shown(shown) => shown.pieces[0].collection.clone(),
        Record::Used(_) => unreachable!(),
    });
    assert_eq!(names.collect::<Vec<_>>(), ["a-longer-name", "a-longer-name"]);
    assert!(fs::read_to_string(&file).unwrap().ends_with("{\"kind\":\"sho"), "what is no record stays");
}

#[test]
fn torn_and_foreign_lines_are_skipped() {
    let data = tempfile::tempdir().unwrap();
    let ledger = RecallLedger::new(data.path());
    ledger.add(&of("2026-11-01T01:00:00Z", "a")).unwrap();
    let file = ledger.folder().join("2026-11.jsonl");
    let mut text = fs::read(&file).unwrap();
    text.extend_from_slice(
        b"\xff\xfe\n{\"kind\":\"shown\",\"at\":7}\n[]\n{\"kind\":\"eaten\"}\n{\"kind\":\"shown\",\"at\":\"2026",
    );
    fs::write(&file, &text).unwrap();
    fs::write(ledger.folder().join("notes.txt"), "mine").unwrap();
    ledger.add(&of("2026-11-01T02:00:00Z", "b")).unwrap();
    let sessions: Vec<String> = all(&ledger).iter().filter_map(|one| one.session().map(str::to_owned)).collect();
    assert_eq!(sessions, ["a", "b"]);
}

#[test]
fn a_link_named_like_a_month_is_not_followed() {
    let data = tempfile::tempdir().unwrap();
    let ledger = RecallLedger::new(data.path());
    private::create_folder(ledger.folder()).unwrap();
    let target = data.path().join("target");
    fs::write(&target, "mine\n").unwrap();
    std::os::unix::fs::symlink(&target, ledger.folder().join("2026-11.jsonl")).unwrap();
    assert!(ledger.add(&of("2026-11-01T01:00:00Z", "a")).is_err());
    assert_eq!(fs::read_to_string(target).unwrap(), "mine\n");
}

#[test]
fn records_and_files_are_bounded() {
    let data = tempfile::tempdir().unwrap();
    let ledger = RecallLedger { max_file: 128 << 10, ..RecallLedger::new(data.path()) };
    let texts: Vec<String> = (0..500).map(|number| format!("{number}\u{1}").repeat(100)).collect();
    ledger.add(&record("2026-11-01T01:00:00Z", "a", &texts)).unwrap();
    let Record::Shown(shown) = all(&ledger).remove(0) else { panic!("it was shown") };
    assert!(shown.pieces.len() > 20 && shown.pieces[0].lines[0].text.chars().count() == MAX_LINE_TEXT + 1);
    let full = (0..100).map(|_| ledger.add(&record("2026-11-01T01:00:00Z", "a", &texts))).find_map(Result::err);
    assert_eq!(full.unwrap().kind(), io::ErrorKind::FileTooLarge);
    assert!(fs::metadata(ledger.folder().join("2026-11.jsonl")).unwrap().len() <= 128 << 10);
    ledger.add(&of("2026-12-01T01:00:00Z", "a")).unwrap();
}

#[test]
fn concurrent_appends_keep_all_records() {
    let data = tempfile::tempdir().unwrap();
    let ledger = RecallLedger::new(data.path());
    let texts: Vec<String> = (0..30).map(|_| "x".repeat(150)).collect();
    std::thread::scope(|scope| {
        for session in ["a", "b", "c", "d"] {
            let (ledger, texts) = (&ledger, &texts);
            scope.spawn(move || {
                (0..50).for_each(|_| ledger.add(&record("2026-11-01T01:00:00Z", session, texts)).unwrap());
            });
        }
    });
    assert_eq!(all(&ledger).len(), 200);
}

#[test]
fn any_session_id_gives_a_plain_name() {
    assert_eq!(session_name("0b6a7c1e-0000-4000-8000-000000000001"), "0b6a7c1e-0000-4000-8000-000000000001");
    for id in ["", "../../a b", "\u{1b}[31m", &"x".repeat(65)] {
        assert!(session_name(id).len() == 16 && session_name(&session_name(id)) == session_name(id), "{id:?}");
    }
}

#[test]
fn an_expansion_without_a_session_belongs_to_every_session() {
    let data = tempfile::tempdir().unwrap();
    let ledger = RecallLedger::new(data.path());
    ledger.add(&of("2026-11-01T01:00:00Z", "a")).unwrap();
    let used = Record::Used(UsedRecord {
        at: "2026-11-01T02:00:00Z".parse().unwrap(),
        session: None,
        how: UseKind::Expanded,
        collection: "vault".into(),
        path: "a.md".into(),
        start_line: 1,
        end_line: 1,
        keys: vec![],
    });
    ledger.add(&used).unwrap();
    assert_eq!(named(&ledger, "a").unwrap().1.len(), 2);
}
