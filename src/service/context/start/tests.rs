use jiff::civil::date;

use super::vocabulary::SpokenLines;
use super::*;
use tars_agent::context_block::Source;
use tars_memory::{Bullet, Superseded};

fn piece(path: &str, kind: MemoryType, text: &str) -> Chosen {
    let source = Source { collection: None, path: path.into(), answer: None, date: None, kind };
    Chosen { collection: VAULT.into(), piece: Piece::new(source, 1, text, Keep::Start).unwrap(), score: None }
}

fn vocabulary(own: &[&str], foreign: &[&str]) -> SessionVocabulary {
    let spoken = |lines: &[&str]| {
        let mut spoken = SpokenLines::default();
        lines.iter().for_each(|line| spoken.add(line));
        spoken
    };
    SessionVocabulary { own: spoken(own), foreign: spoken(foreign), name: subject_words("harbour") }
}

fn parts() -> Vec<(Part, Chosen)> {
    let facts = "# Memory\n\n## Harbour\n- The staging port is 8450\n- Ilse likes tea\n\n## Garden\n- The pump runs at night\n- Mokka eats at 7\n";
    let rules = "# Procedural\n\n## Rules\n- Use no mocks in the tests of bookings\n- Use tabs in Makefiles\n- Water the pump bed at night only\n";
    let page = "# Harbour\n\n## Decisions in force\n- Bookings expire after 24 hours\n- Berths have numbers\n\n## Open ends\n- Measure the migration\n";
    let day = "## Session 09:20 · harbour\n- 09:20 Decided: Invoices go out on Mondays — when do they go out?\n- 09:30 Done: renamed a file\n";
    vec![
        (Part::Facts, piece("tars/Memory.md", MemoryType::Semantic, facts)),
        (Part::Rules, piece("tars/Procedural.md", MemoryType::Procedural, rules)),
        (Part::Page, piece("tars/projects/harbour.md", MemoryType::Semantic, page)),
        (Part::Notes, piece("tars/2026-03-05.md", MemoryType::Daily, day)),
    ]
}

fn shown(all: usize) -> String {
    let vocabulary = vocabulary(
        &["staging answers on port 8450", "the tests of bookings use no mocks", "bookings expire after 24 hours"],
        &["the pump of the garden runs at night", "the pump bed gets water at night"],
    );
    let (chosen, _) = fitting(parts(), &vocabulary, all);
    assert!(chosen.iter().map(|one| one.piece.cost()).sum::<usize>() <= all);
    chosen.iter().map(|one| one.piece.text()).collect::<Vec<_>>().join("\n")
}

#[test]
fn lines_about_the_person_come_before_facts_of_other_subjects() {
    let text = "# Memory\n\n## Person\n- Prefers short answers\n\n## Garden\n- The gate is green\n";
    let facts = piece("tars/Memory.md", MemoryType::Semantic, text);
    let lines = units(&facts.piece);
    let weights = weights(Part::Facts, &facts.piece, &lines, &vocabulary(&["bookings expire"], &[]));
    assert_eq!(weights, [Priority::OfProject, Priority::Other]);
}

#[test]
fn lines_in_force_in_the_project_come_first() {
    let whole = shown(10_000);
    assert!(whole.contains("# Memory") && whole.contains("— when do they go out?"), "all as it stands: {whole}");
    let scarce = shown(530);
    for line in ["8450", "no mocks", "24 hours", "Berths", "- Decided: Invoices go out on Mondays\n"] {
        assert!(format!("{scarce}\n").contains(line), "{line}: {scarce}");
    }
    for line in ["pump", "Mokka", "when do they go out"] {
        assert!(!scarce.contains(line), "{line}: {scarce}");
    }
    let most: Vec<usize> = (0..80).map(|room| shown(room * 20).lines().count()).collect();
    assert!(most.windows(2).all(|pair| pair[0] <= pair[1] + 1), "{most:?}");
}

#[test]
fn a_page_counts_the_decisions_that_do_not_fit() {
    let lines: String = (0..40).map(|n| format!("- {} decision about matter {n}\n", "long ".repeat(n % 7))).collect();
    let page = piece("tars/projects/harbour.md", MemoryType::Semantic, &format!("## Decisions in force\n{lines}"));
    let (chosen, complete) = fitting(vec![(Part::Page, page)], &vocabulary(&[], &[]), 600);
    let text = chosen[0].piece.text();
    assert!(!complete && text.contains("matter 39") && !text.contains("matter 0\n"), "{text}");
    let left_out = 40 - text.lines().filter(|line| line.starts_with("- ")).count();
    assert!(text.ends_with(&format!("… {left_out} more in this file")), "{text}");
}

#[test]
fn a_line_is_overtaken_if_it_holds_superseded_words() {
    let old = |was: &str, by: &str| Superseded {
        bullet: Bullet { text: was.into(), ..Bullet::default() },
        since: None,
        until: date(2026, 2, 5),
        successor: by.into(),
        place: String::new(),
    };
    let jobs = old("Background jobs run with RQ on Redis", "Background jobs run with procrastinate on Postgres");
    assert!(is_overtaken("- The export runs as an RQ job now", &jobs));
    assert!(!is_overtaken("- Jobs run with procrastinate, RQ is gone", &jobs), "it names what came");
    assert!(!is_overtaken("- Background checks run at night", &jobs), "it names nothing that went");
    let swap = old("Swap offers expire after 48 hours", "A swap offer expires after 24 hours");
    assert!(is_overtaken("- Swap offers expire after 48 hours and nothing is mailed", &swap));
    assert!(!is_overtaken("- Backups are kept for 48 days", &swap));
}

#[test]
fn a_fact_covers_a_line_only_with_the_same_numbers() {
    let known = [subject_words("- The audit log is kept for 36 months")];
    assert!(is_said("The audit log keeps 36 months instead of 24, as legal says.", &known));
    assert!(!is_said("The audit log keeps 48 months instead of 36", &known));
    assert!(!is_said("The audit log has a page", &known));
}

#[test]
fn recently_mentioned_facts_come_first() {
    let facts = "# Memory\n\n## Harbour\n- The staging port is 8450\n- Invoices of berths go out on Mondays\n";
    let port = "staging answers on port 8450";
    let invoices = "invoices of the berths go out";
    let first = |said: &[&str]| {
        let facts = || vec![(Part::Facts, piece("tars/Memory.md", MemoryType::Semantic, facts))];
        let shown =
            (0..).map(|room| fitting(facts(), &vocabulary(said, &[]), room).0).find(|chosen| !chosen.is_empty());
        shown.unwrap().iter().map(|one| one.piece.text().to_owned()).collect::<String>()
    };
    assert!(first(&[port, invoices]).contains("8450"), "{}", first(&[port, invoices]));
    assert!(first(&[invoices, port]).contains("Mondays"), "{}", first(&[invoices, port]));
}
