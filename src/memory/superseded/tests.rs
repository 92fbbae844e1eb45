//! Tests of the archive's format, its parser and chains.

use jiff::civil::date;

use super::*;
use crate::find_bullets;
use crate::tests::Fixture;
use tars_base::domain::MemoryType;
use tars_vault::{UndoOutcome, undo};

fn at(day: Date) -> DateTime {
    day.at(9, 20, 0, 0)
}

/// Replaces the one line of Memory.md that holds these words.
fn replace(fixture: &Fixture, words: &str, text: &str, day: Date) -> Stored {
    let old = find_bullets(&fixture.folder, words).unwrap().into_iter().find(|line| line.file == "Memory.md").unwrap();
    let fact = Fact::new(MemoryType::Semantic, None, text).unwrap();
    supersede(&mut fixture.writer(), &old, &fact, at(day)).unwrap()
}

fn words(chain: &[Superseded]) -> Vec<&str> {
    chain.iter().map(|fact| fact.bullet.text.as_str()).collect()
}

#[test]
fn a_superseded_fact_is_archived_with_dates_successor_and_nested_lines() {
    let memory =
        "# Memory\n\n## People [old]\n1. Anna works at the harbour office (since 2025-11-03)\n   - as a pilot\n";
    let fixture = Fixture::new(memory);
    let day = date(2026, 3, 14);
    replace(&fixture, "harbour", "Anna works at the museum", day);
    assert_eq!(fixture.read("Memory.md"), "# Memory\n\n## People [old]\n- Anna works at the museum\n   - as a pilot\n");
    assert_eq!(
        fixture.read(ARCHIVE_SUPERSEDED),
        "# Superseded\n\n## 2026-03\n- Anna works at the harbour office (since 2025-11-03)\n   - as a pilot\n  \
         - was so from 2025-11-03 to 2026-03-14; now: Anna works at the museum ([[tars/Memory#People old]])\n"
    );
    let facts = superseded(&fixture.folder).unwrap();
    assert_eq!(facts.len(), 1);
    assert_eq!((facts[0].since, facts[0].until), (Some(date(2025, 11, 3)), day));
    assert_eq!(
        (facts[0].successor.as_str(), facts[0].place.as_str()),
        ("Anna works at the museum", "tars/Memory#People old")
    );
    assert_eq!(facts[0].label(), "was so from 2025-11-03 to 2026-03-14; now: Anna works at the museum");
}

#[test]
fn the_journal_dates_a_line_without_a_date() {
    let fixture = Fixture::new("");
    fixture.remember(MemoryType::Semantic, "The port is 8080", None);
    let written = jiff::Zoned::now().date();
    replace(&fixture, "8080", "The port is 9090", written.checked_add(jiff::Span::new().days(3)).unwrap());
    let fact = superseded(&fixture.folder).unwrap().remove(0);
    assert!(fact.since.is_some_and(|since| since <= written), "{fact:?}");
}

#[test]
fn a_line_removed_in_favour_of_another_is_archived() {
    let fixture = Fixture::new("- Deploys: Friday\n- Deploys: Tuesday\n");
    let line = |words: &str| find_bullets(&fixture.folder, words).unwrap().remove(0);
    let (old, by) = (line("Friday"), line("Tuesday"));
    remove_superseded(&mut fixture.writer(), &old, &by, at(date(2026, 3, 14))).unwrap();
    assert_eq!(fixture.read("Memory.md"), "- Deploys: Tuesday\n");
    let facts = superseded(&fixture.folder).unwrap();
    assert_eq!(
        (facts[0].since, facts[0].successor.as_str(), facts[0].place.as_str()),
        (None, "Deploys: Tuesday", "tars/Memory")
    );
    let gone = remove_superseded(&mut fixture.writer(), &old, &by, at(date(2026, 3, 15)));
    assert!(matches!(gone, Err(MemoryError::Gone { .. })));
}

#[test]
fn one_undo_reverts_both_writes_byte_for_byte() {
    let memory = "# Memory\r\n\r\n- port is 8080\r\n  - nested\r\n- last";
    let fixture = Fixture::new(memory);
    replace(&fixture, "8080", "port is 9090", date(2026, 3, 14));
    let archive = fixture.read(ARCHIVE_SUPERSEDED);
    replace(&fixture, "9090", "port is 9191", date(2026, 4, 1));
    let take_back = || {
        let undone = undo(&mut fixture.writer(), |_| true).unwrap();
        assert!(matches!(undone, UndoOutcome::Done(writes) if writes.len() == 2));
    };
    take_back();
    assert_eq!(fixture.read(ARCHIVE_SUPERSEDED), archive);
    take_back();
    assert_eq!(fixture.read("Memory.md"), memory);
    assert!(!fixture.folder.path().join(ARCHIVE_SUPERSEDED).exists());
}

#[test]
fn chains_are_linked_by_text() {
    let fixture = Fixture::new("- Anna works at the harbour office\n- Backups run at 03:00\n- Tea in the morning\n");
    replace(&fixture, "harbour", "Anna works at the **museum**.", date(2026, 1, 10));
    replace(&fixture, "museum", "Anna works at the library", date(2026, 3, 14));
    replace(&fixture, "library", "Anna works at the harbour office", date(2026, 5, 2));
    replace(&fixture, "03:00", "Backups run at 04:30", date(2026, 5, 2));
    let found = histories(&fixture.folder, |text| text.contains("library")).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(
        words(&found[0].before),
        ["Anna works at the harbour office", "Anna works at the **museum**.", "Anna works at the library"]
    );
    assert_eq!(found[0].now.as_ref().unwrap().text, "Anna works at the harbour office");
    let alone = histories(&fixture.folder, |text| text.contains("Tea")).unwrap();
    assert_eq!((alone.len(), alone[0].before.len()), (1, 0));
}

#[test]
fn two_lines_with_one_successor_both_lead_to_what_is_true_now() {
    let fixture = Fixture::new("- port is 8080\n- the port: 8080, I think\n- port is 9090\n");
    let line = |words: &str| find_bullets(&fixture.folder, words).unwrap().remove(0);
    let (one, other, by) = (line("port is 8080"), line("think"), line("9090"));
    remove_superseded(&mut fixture.writer(), &one, &by, at(date(2026, 3, 14))).unwrap();
    remove_superseded(&mut fixture.writer(), &other, &by, at(date(2026, 3, 14))).unwrap();
    replace(&fixture, "9090", "port is 9191", date(2026, 3, 20));
    let found = histories(&fixture.folder, |text| text.contains("port")).unwrap();
    assert_eq!(found.len(), 2);
    for history in found {
        assert_eq!(history.before.len(), 2);
        assert_eq!(history.now.unwrap().text, "port is 9191");
    }
}

#[test]
fn a_persons_lines_in_the_archive_are_not_facts() {
    let archive = "# Superseded\n\nMy own words.\n- mine\n- half\n  - was so until never; now: x ([[y]])\n- whole\n  \
                   - was so until 2026-03-14; now: x ([[y]])\n";
    let facts = read_all(archive.as_bytes());
    assert_eq!(words(&facts), ["whole"]);
}

const HOSTILE: &str = "(?s)(was so until 2026-01-01; now: |\\(\\[\\[|\\]\\]\\)|```|<!--|-->|\\||; now: | to |\n *|\t|- |# |[a-zé ]|.){0,24}";

proptest::proptest! {
    #[test]
    fn any_archived_lines_round_trip(one in HOSTILE, other in HOSTILE, by in HOSTILE, indent in 0..3usize) {
        let day = date(2026, 3, 14);
        let mut archive = "# Superseded\n\n## 2026-03\n".to_owned();
        let mut kept = Vec::new();
        for text in [one, other] {
            let Ok(fact) = Fact::new(MemoryType::Semantic, None, &format!("x {text}")) else { continue };
            let lines: Vec<String> = crate::bullet_lines(&fact.text);
            let memory = lines.iter().map(|line| format!("{}{line}\n", " ".repeat(indent))).collect::<String>();
            let lines = Lines::of(memory.as_bytes());
            let bullet = bullets("Memory.md", &lines).remove(0);
            for line in archived_lines(&lines, &bullet).into_iter().chain([label_line((None, day), (&by, "tars/Memory#Facts"))]) {
                archive.push_str(&line);
                archive.push('\n');
            }
            kept.push(bullet.text);
        }
        let facts = read_all(archive.as_bytes());
        let texts: Vec<String> = facts.iter().map(|fact| fact.bullet.text.clone()).collect();
        proptest::prop_assert_eq!(texts, kept, "{}", archive);
        for fact in facts {
            proptest::prop_assert_eq!((fact.until, fact.successor, fact.place), (day, collapse_whitespace(&by), "tars/Memory#Facts".to_owned()));
        }
    }
}
