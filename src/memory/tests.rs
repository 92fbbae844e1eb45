//! Tests of remembering and forgetting on real files.

use std::fs;

use jiff::civil::DateTime;

use super::bullet::MAX_BULLET_BYTES;
use super::*;
use tars_base::domain::MemoryType;
use tars_vault::{MemoryFolder, Origin, UndoOutcome, Writer, undo};

pub(super) struct Fixture {
    pub(super) home: tempfile::TempDir,
    pub(super) folder: MemoryFolder,
}

impl Fixture {
    pub(super) fn new(memory: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("vault/tars")).unwrap();
        fs::write(home.path().join("vault/tars/Memory.md"), memory).unwrap();
        let folder = MemoryFolder::new(&home.path().join("vault"), "tars").unwrap();
        Self { home, folder }
    }

    pub(super) fn writer(&self) -> Writer<'_> {
        let origin = Origin::of("test");
        Writer::open(&self.folder, self.home.path(), origin, tars_base::clock::Clock::default()).unwrap()
    }

    pub(super) fn remember(&self, kind: MemoryType, text: &str, instead: Option<&Bullet>) -> Stored {
        let fact = Fact::new(kind, None, text).unwrap();
        remember(&mut self.writer(), &fact, &now(), instead, false).unwrap()
    }

    pub(super) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder.path().join(file)).unwrap()
    }
}

fn now() -> DateTime {
    "2026-03-15T09:20:30".parse().unwrap()
}

#[test]
fn a_fact_is_written_once() {
    let fixture = Fixture::new("");
    let stored = fixture.remember(MemoryType::Semantic, "The port is 8080", None);
    assert!(!stored.known);
    assert_eq!((stored.bullet.line(), stored.bullet.heading.as_str()), (4, "Facts"));
    let again = fixture.remember(MemoryType::Semantic, "the port is **8080**.", None);
    assert!(again.known);
    assert_eq!(again.bullet, stored.bullet);
    assert_eq!(fixture.read("Memory.md"), "# Memory\n\n## Facts\n- The port is 8080\n");
}

#[test]
fn a_replacing_fact_keeps_nested_lines() {
    let fixture = Fixture::new("- port is 8080\n  - since March\n- other\n");
    let old = find_bullets(&fixture.folder, "port 8080").unwrap().remove(0);
    fixture.remember(MemoryType::Semantic, "port is 9090", Some(&old));
    assert_eq!(fixture.read("Memory.md"), "- port is 9090\n  - since March\n- other\n");
    let fact = Fact::new(MemoryType::Semantic, None, "x").unwrap();
    let gone = remember(&mut fixture.writer(), &fact, &now(), Some(&old), false);
    assert!(matches!(gone, Err(MemoryError::Gone { .. })));
}

#[test]
fn lines_of_a_day_carry_their_time() {
    let fixture = Fixture::new("");
    fixture.remember(MemoryType::Daily, "[work] Released", None);
    assert_eq!(fixture.read("2026-03-15.md"), "# 2026-03-15\n\n- 09:20 [work] Released\n");
    let fact = Fact::new(MemoryType::Daily, None, "[work] Released").unwrap();
    let near = near_facts(&fixture.folder, &fact, now().date(), 0, || Ok(None)).unwrap().similar;
    assert_eq!(near[0].relation, Relation::Equal);
}

#[test]
fn forgetting_removes_only_the_named_bullets() {
    let text = "# M\r\n\r\n- keep\r\n- port is 8080\r\n  and more\r\n  - nested 8080\r\n- keep too";
    let fixture = Fixture::new(text);
    let found = find_bullets(&fixture.folder, "8080").unwrap();
    assert_eq!(found.len(), 2);
    let removed = remove_bullets(&mut fixture.writer(), &found).unwrap();
    assert_eq!(removed, found);
    assert_eq!(fixture.read("Memory.md"), "# M\r\n\r\n- keep\r\n- keep too");
    assert!(remove_bullets(&mut fixture.writer(), &found).unwrap().is_empty(), "already removed");
    assert!(matches!(undo(&mut fixture.writer(), |_| true).unwrap(), UndoOutcome::Done(_)));
    assert_eq!(fixture.read("Memory.md"), text);
}

#[test]
fn bullets_are_found_by_id_text_or_words() {
    let fixture = Fixture::new("- The port is 8080\n- The port is 8080 in tests\n- The garden gate\n");
    let by = |query: &str| find_bullets(&fixture.folder, query).unwrap().iter().map(Bullet::line).collect::<Vec<_>>();
    assert_eq!(by("the port is 8080"), [1], "an exact match precedes partial matches");
    assert_eq!(by("ports 8080"), [1, 2]);
    assert_eq!(by("window"), [0usize; 0]);
    let id = all_bullets(&fixture.folder).unwrap()[2].id.clone();
    assert_eq!(by(&id[..6]), [3]);
}

#[test]
fn invalid_facts_are_refused() {
    let new = |text: &str| Fact::new(MemoryType::Semantic, None, text);
    assert!(matches!(new(" \n"), Err(MemoryError::Empty)));
    assert!(matches!(new("- "), Err(MemoryError::Empty)));
    assert!(matches!(new("<private>the code is 4711</private>"), Err(MemoryError::FullyRedacted)));
    assert!(new("the code is <private>4711</private>").is_ok());
    assert!(matches!(new(&"x".repeat(MAX_BULLET_BYTES + 1)), Err(MemoryError::TooLong { .. })));
    assert!(matches!(Fact::new(MemoryType::Note, None, "x"), Err(MemoryError::Kind { .. })));
    assert!(matches!(Fact::new(MemoryType::Semantic, Some("a\nb".into()), "x"), Err(MemoryError::Section)));
}

#[test]
fn leading_markers_are_removed_from_a_fact() {
    let new = |text: &str| Fact::new(MemoryType::Semantic, Some("C# ##".into()), text).unwrap();
    for text in ["- one", "one", "---\none", "-\n\n* one", "***\n  one"] {
        assert_eq!(new(text).text, "one", "{text}");
    }
    assert_eq!(new("-one").text, "-one");
    assert_eq!(new("one").section.unwrap(), "C#");
}

#[test]
fn an_overgrown_file_lists_its_oldest_bullets() {
    let mut text = "- 2026-03-01: later\n- 2025-01-01: earlier\n- undated\n".to_owned();
    assert_eq!(overgrown(&Fixture::new(&text).folder, "Memory.md").unwrap(), None);
    (0..120).for_each(|number| text.push_str(&format!("- fact {number}\n")));
    let overgrown = overgrown(&Fixture::new(&text).folder, "Memory.md").unwrap().unwrap();
    assert_eq!(overgrown.lines, 123);
    let oldest: Vec<&str> = overgrown.oldest.iter().map(|bullet| bullet.text.as_str()).collect();
    assert_eq!(oldest, ["2025-01-01: earlier", "2026-03-01: later"]);
}

#[test]
fn sessions_are_listed_newest_first() {
    let fixture = Fixture::new("");
    fs::create_dir(fixture.folder.path().join("sessions")).unwrap();
    for (name, text) in [
        ("2026-03-14T10-00-00-a.md", "# Index work"),
        ("2026-03-15T10-00-00-b.md", "# Garden gate"),
        ("x.md", "# Other"),
    ] {
        fs::write(fixture.folder.path().join("sessions").join(name), text).unwrap();
    }
    let listed =
        |query: &str| sessions(&fixture.folder, query).unwrap().into_iter().map(|one| one.topic).collect::<Vec<_>>();
    assert_eq!(listed(""), ["Garden gate", "Index work", "Other"]);
    assert_eq!(listed("index"), ["Index work"]);
    assert_eq!(session(&fixture.folder, "2026-03-15").unwrap().len(), 1);
}

#[test]
fn reviewed_lines_are_promoted_or_dropped_and_archived() {
    let fixture = Fixture::new("# Memory\n");
    let days = "# 2026-03-14\n\n- 10:00 [extracted] Deploys happen on Tuesdays <!-- tars:turn a -->\n- 11:00 lunch\n";
    fs::write(fixture.folder.path().join("2026-03-14.md"), days).unwrap();
    let at: jiff::civil::DateTime = now();
    feed_back(&mut fixture.writer(), Feedback::Wrong, "Use metric units", at).unwrap();
    feed_back(&mut fixture.writer(), Feedback::Good, "Short answer", at).unwrap();
    let waiting = waiting_lines(&fixture.folder).unwrap();
    let texts: Vec<&str> = waiting.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(texts, ["Use metric units", "Short answer", "Deploys happen on Tuesdays"]);
    let archive = archive(&fixture.folder, at).unwrap();
    let promote = |line: &WaitingLine, kind| Settlement::Promote(Fact::new(kind, None, &line.text).unwrap());
    let settlements =
        [promote(&waiting[0], MemoryType::Procedural), Settlement::Drop, promote(&waiting[2], MemoryType::Semantic)];
    for (line, settlement) in waiting.iter().zip(&settlements) {
        settle(&mut fixture.writer(), line, settlement, &archive, at).unwrap();
    }
    assert!(waiting_lines(&fixture.folder).unwrap().is_empty());
    assert_eq!(fixture.read("Procedural.md"), "# Procedural\n\n## Rules\n- Use metric units\n");
    assert_eq!(fixture.read("Memory.md"), "# Memory\n\n## Facts\n- Deploys happen on Tuesdays\n");
    assert_eq!(fixture.read("2026-03-14.md"), days.replace("[extracted]", "[promoted]"));
    let kept = fixture.read(&archive);
    assert!(kept.contains("- [correction, promoted to Procedural.md] 2026-03-15 09:20 Use metric units"), "{kept}");
    assert!(kept.contains("- [reward, dropped] 2026-03-15 09:20 Short answer"), "{kept}");
    assert_ne!(super::archive(&fixture.folder, at).unwrap(), archive, "an archive is never overwritten");
    let gone = settle(&mut fixture.writer(), &waiting[0], &settlements[0], &archive, at);
    assert!(matches!(gone, Err(MemoryError::Gone { .. })), "a line is settled only once");
}

#[test]
fn a_review_keeps_nested_lines() {
    let fixture = Fixture::new("");
    let note = "Backups go to two places:\n- the off-site disk\n- the NAS";
    feed_back(&mut fixture.writer(), Feedback::Wrong, note, now()).unwrap();
    let waiting = waiting_lines(&fixture.folder).unwrap();
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0].text, note);
    let archive = archive(&fixture.folder, now()).unwrap();
    let fact = Fact::new(MemoryType::Semantic, None, &waiting[0].text).unwrap();
    settle(&mut fixture.writer(), &waiting[0], &Settlement::Promote(fact), &archive, now()).unwrap();
    let nested = "  - the off-site disk\n  - the NAS\n";
    assert!(fixture.read("Memory.md").ends_with(&format!("- Backups go to two places:\n{nested}")));
    assert!(fixture.read(&archive).ends_with(nested), "{}", fixture.read(&archive));
}

#[test]
fn an_extracted_tag_counts_only_in_its_place() {
    let fixture = Fixture::new("");
    let day = "- 10:00 We said [extracted] run this\n- 10:01 [work] [extracted] Deploys on Tuesdays\n- 10:02 [extracted] Two\n";
    fs::write(fixture.folder.path().join("2026-03-14.md"), day).unwrap();
    let texts: Vec<String> = waiting_lines(&fixture.folder).unwrap().into_iter().map(|line| line.text).collect();
    assert_eq!(texts, ["[work] Deploys on Tuesdays", "Two"]);
}

#[test]
fn secrets_split_by_invisible_characters_are_redacted() {
    let token = |part: &str| format!("token ghp_x7Kq2LmZt9Wv{part}4Rb8Yc1Nd6Hf3Jg5Sa0PeUiO");
    for part in ["", "\u{7}", "\u{200b}", "\u{200d}\u{1}"] {
        let fact = Fact::new(MemoryType::Semantic, None, &token(part)).unwrap();
        assert!(!fact.text.contains("ghp_x7"), "{:?}", fact.text);
    }
    let fact =
        Fact::new(MemoryType::Semantic, None, "<pri\u{1}vate>my house code is kitten</private> and more").unwrap();
    assert_eq!(fact.text, "[redacted:private] and more");
    let kept = Fact::new(MemoryType::Semantic, None, "family \u{1f468}\u{200d}\u{1f469} emoji").unwrap();
    assert!(kept.text.contains('\u{200d}') && kept.removed.is_empty());
}

#[test]
fn passwords_in_commands_are_redacted() {
    for text in [
        "curl -u admin:S3cretPw0rd! https://example.net",
        "sshpass -p 'S3cretPw0rd!' ssh host",
        "mysql -u root -pS3cretPw0rd! db",
        "mysqldump -pS3cretPw0rd! db",
    ] {
        assert!(!Fact::new(MemoryType::Semantic, None, text).unwrap().text.contains("S3cret"), "{text}");
    }
    for text in ["mysql -u root -p db", "mysql --protocol tcp -port", "curl -u admin https://example.net"] {
        assert_eq!(Fact::new(MemoryType::Semantic, None, text).unwrap().text, text);
    }
}
