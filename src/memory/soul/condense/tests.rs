use proptest::prelude::*;

use super::*;
use tars_vault::MemoryFolder;

fn file(entries: &[String]) -> Vec<u8> {
    format!("# Observations\n\n{}\n", entries.join("\n")).into_bytes()
}

/// Returns the file and the archived lines after one condensation. If there is nothing to do, the file is unchanged.
fn condensed(bytes: &[u8], summary: Option<&str>) -> (Vec<u8>, Vec<String>) {
    let lines = Lines::of(bytes);
    match plan(&lines, summary) {
        Some(plan) => (lines.spliced(&plan.splices), plan.archived.into_values().flatten().collect()),
        None => (bytes.to_vec(), Vec::new()),
    }
}

fn open_ids(bytes: &[u8]) -> Vec<String> {
    let mut ids: Vec<String> =
        observations(&Lines::of(bytes)).into_iter().filter(Observation::is_open).map(|one| one.id).collect();
    ids.sort();
    ids
}

#[test]
fn the_ten_newest_stay_and_months_are_summarized() {
    let mut entries: Vec<String> =
        (1..=9).map(|day| format!("- [x] 2026-02-{day:02} 10:00 Done {day} (resolved 2026-02-20)")).collect();
    entries.push("- 2026-02-10 10:00 Wants to move the archive off the old disk. (importance 5)".into());
    entries.push("- 2026-03-01 10:00 Asks for sources.".into());
    entries.extend((2..=11).map(|day| format!("- 2026-03-{day:02} 10:00 Newer {day}")));
    let (after, archived) = condensed(&file(&entries), None);
    let text = String::from_utf8(after.clone()).unwrap();
    let newest = entries[11..].join("\n");
    assert_eq!(
        text,
        format!(
            "# Observations\n\n{newest}\n\n## Still open\n\
             - 2026-02-10 10:00 Wants to move the archive off the old disk. (importance 5)\n- 2026-03-01 10:00 Asks for sources.\n\n\
             ## Earlier\n- February 2026: 10 observations; Wants to move the archive off the old disk.; Done 9; Done 8; Done 7\n\
             - March 2026: 1 observation; Asks for sources.\n"
        )
    );
    assert_eq!(archived, entries[..11]);
    assert_eq!(condensed(&after, None).0, after, "the file is short now");

    // More observations of March: its line counts them, and a resolved one leaves `Still open`.
    let more: Vec<String> = (1..=11).map(|minute| format!("- 2026-03-20 10:{minute:02} Later {minute}")).collect();
    let longer = text
        .replace(
            "- 2026-03-01 10:00 Asks for sources.\n\n",
            "- [x] 2026-03-01 10:00 Asks for sources. (resolved 2026-03-21)\n\n",
        )
        .replace("Newer 11\n", &format!("Newer 11\n{}\n", more.join("\n")));
    let (after, archived) = condensed(longer.as_bytes(), None);
    let text = String::from_utf8(after).unwrap();
    assert!(text.contains("- March 2026: 12 observations; Asks for sources.; Later 1; Newer 11; Newer 10\n"), "{text}");
    assert!(
        !text.contains("(resolved")
            && archived.contains(&"- [x] 2026-03-01 10:00 Asks for sources. (resolved 2026-03-21)".to_owned())
    );
}

#[test]
fn a_models_summary_is_one_bounded_line() {
    let entries: Vec<String> = (1..=21).map(|day| format!("- 2026-03-{day:02} 10:00 Noted {day}")).collect();
    let summary = format!("Likes\n- sources <!-- x {}", "and more ".repeat(200));
    let text = String::from_utf8(condensed(&file(&entries), Some(&summary)).0).unwrap();
    let line = text.lines().last().unwrap();
    assert!(line.starts_with("- 2026-03-01 to 2026-03-11: 11 observations; Likes - sources < !-- x and"), "{line}");
    assert!(line.chars().count() < MAX_SUMMARY_LENGTH + 60 && line.ends_with('…'));
}

#[test]
fn long_texts_are_condensed_before_twenty() {
    let long = |day: usize| format!("- 2026-03-{day:02} 10:00 {} {day}", "words and words ".repeat(20));
    let entries: Vec<String> = (1..=12).map(long).collect();
    assert_eq!(condensable(&Lines::of(&file(&entries))).len(), 2);
    assert_eq!(condensable(&Lines::of(&file(&entries[..10]))).len(), 0);
}

#[test]
fn one_undo_reverts_both_files() {
    let home = tempfile::tempdir().unwrap();
    let folder = MemoryFolder::new(home.path(), "tars").unwrap();
    let data = tempfile::tempdir().unwrap();
    let entries: Vec<String> = (1..=21).map(|day| format!("- 2026-03-{day:02} 10:00 Noted {day}")).collect();
    folder.create_folder("soul").unwrap();
    std::fs::write(folder.path().join(OBSERVATIONS), file(&entries)).unwrap();
    let open = || {
        let origin = tars_vault::Origin::of("chat");
        Writer::open(&folder, data.path(), origin, tars_base::clock::Clock::default()).unwrap()
    };
    assert_eq!(condense(&mut open(), None).unwrap(), Some(Condensed { archived: 11, still_open: 11 }));
    assert!(folder.read(OBSERVATIONS_ARCHIVE).unwrap().is_some());
    tars_vault::undo(&mut open(), |_| true).unwrap();
    assert_eq!(
        (folder.read(OBSERVATIONS).unwrap(), folder.read(OBSERVATIONS_ARCHIVE).unwrap()),
        (Some(file(&entries)), None)
    );
}

proptest! {
    #[test]
    fn every_observation_stays_in_the_file_or_the_archive(
        texts in prop::collection::vec("[a-zA-Zé ;:()!\\[\\]*`#<>-]{1,90}", 0..45),
        marks in prop::collection::vec((0..2usize, 0..70i32, 0..6u8), 45),
        summary in prop::option::of("[a-z #\n-]{1,40}"),
    ) {
        let mut bytes = Vec::new();
        let (mut archive, mut written): (Vec<String>, Vec<String>) = Default::default();
        for (text, (done, day, importance)) in texts.iter().zip(&marks) {
            if text.trim().is_empty() {
                continue;
            }
            let date = jiff::civil::date(2026, 1, 1).saturating_add(jiff::ToSpan::days(*day));
            let importance = Some(*importance).filter(|number| *number > 0);
            let mut one = Observation::new(text, importance, date.at(9, 30, 0, 0));
            if *done == 1 {
                one.resolved = Some("2026-03-09".into());
            }
            let lines = Lines::of(&bytes);
            let splice = crate::file::append_above_sections(&lines, "Observations", vec![one.line()]);
            bytes = lines.spliced(&[splice]);
            written.push(one.line());
            let open = open_ids(&bytes);
            let (after, gone) = condensed(&bytes, summary.as_deref());
            prop_assert_eq!(open_ids(&after).len(), open.len(), "{}", String::from_utf8_lossy(&after));
            prop_assert!(condensable(&Lines::of(&after)).is_empty());
            bytes = after;
            archive.extend(gone);
        }
        let file = Lines::of(&bytes).all();
        for line in &written {
            prop_assert!(file.contains(line) || archive.contains(line), "{line}\n{}", String::from_utf8_lossy(&bytes));
        }
    }
}
