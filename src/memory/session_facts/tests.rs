use super::*;
use crate::{EXTRACTIVE, NotedTurn, SessionNote, log_lines};
use tars_base::domain::Outcome;

fn fact(time: &str, text: &str) -> ExtractedFact {
    ExtractedFact { time: format!("2026-03-15T{time}:00").parse().unwrap(), text: text.into(), by: None }
}

fn put(text: &str, session: &str, facts: &[ExtractedFact]) -> String {
    let lines = Lines::of(text.as_bytes());
    let splices: Vec<Splice> = splice(&lines, (session, None), &facts.iter().collect::<Vec<_>>()).into_iter().collect();
    String::from_utf8(lines.spliced(&splices)).unwrap()
}

fn note(texts: &[&str]) -> SessionNote {
    let turn = |(index, text): (usize, &&str)| NotedTurn {
        branch: None,
        id: format!("t{index}"),
        time: format!("2026-03-15T09:2{index}:00").parse().unwrap(),
        outcomes: vec![Outcome { kind: OutcomeKind::Found, text: (*text).into(), about: None }],
        wording: Default::default(),
        is_new: true,
    };
    SessionNote {
        session: "a".into(),
        project: "pump".into(),
        project_key: None,
        turns: texts.iter().enumerate().map(turn).collect(),
        by: EXTRACTIVE.into(),
        prompt: None,
        instead_of: None,
        abandoned: Vec::new(),
    }
}

fn noted(text: &str, note: &SessionNote) -> String {
    let lines = Lines::of(text.as_bytes());
    let splices: Vec<Splice> = note.splice(&lines).into_iter().collect();
    String::from_utf8(lines.spliced(&splices)).unwrap()
}

#[test]
fn facts_are_written_once_below_the_outcomes() {
    let day = noted("# 2026-03-15\n\n- 08:00 a person's line\n", &note(&["the relay"]));
    let with = put(&day, "a", &[fact("09:20", "We count minutes."), fact("09:21", "we count minutes")]);
    assert_eq!(with, format!("{day}- 09:20 [extracted] We count minutes.\n"));
    assert_eq!(put(&with, "a", &[fact("09:40", "We count minutes.")]), with);
    assert_eq!(put(&day, "b", &[fact("09:40", "We count minutes.")]), day, "without a project there is no section");
}

#[test]
fn rewriting_a_section_keeps_its_facts_and_their_review_tags() {
    let first = put(&noted("", &note(&["the relay"])), "a", &[fact("09:20", "We count minutes.")]);
    for tag in ["[extracted]", "[promoted]", "[dropped]"] {
        let later = noted(&first.replace("[extracted]", tag), &note(&["the relay", "the timer"]));
        let line = format!("- 09:21 Found: the timer\n- 09:20 {tag} We count minutes.\n");
        assert!(later.ends_with(&line), "{later}");
    }
    let removed = first.lines().filter(|line| !line.contains("[extracted]")).map(|line| format!("{line}\n"));
    let later = noted(&removed.collect::<String>(), &note(&["the relay", "the timer"]));
    assert!(later.ends_with("- 09:20 Found: the relay\n- 09:21 Found: the timer\n"), "{later}");
}

#[test]
fn waiting_and_dropped_facts_are_unconfirmed() {
    let day = put(&noted("", &note(&["the relay"])), "a", &[fact("09:20", "Decided: minutes")]);
    let unconfirmed = |text: &str| -> Vec<bool> {
        log_lines(text.as_bytes()).iter().map(|line| line.is_unconfirmed && line.kind.is_none()).collect()
    };
    assert_eq!(unconfirmed(&day), [false, true]);
    assert_eq!(unconfirmed(&day.replace("[extracted]", "[dropped]")), [false, true]);
    assert_eq!(unconfirmed(&day.replace("[extracted]", "[promoted]")), [false, false]);
}

#[test]
fn a_fact_text_is_one_clean_line_or_none() {
    for (text, expected) in [
        ("Use  pnpm,\n not npm", Some("Use pnpm, not npm")),
        ("See ![x](http://evil.example/a.png) <img src=x> it", None),
        ("- [extracted] twice", Some("(extracted) twice")),
        ("\u{1b}[2J <!-- tars:session a --> \u{7}", None),
        ("The key is ghp_x7Kq2LmZt9Wv4Rb8Yc1Nd6Hf3Jg5Sa0PeUiO", None),
        ("  ", None),
        ("12", None),
    ] {
        let clean = fact_text(text);
        match expected {
            Some(expected) => assert_eq!(clean.as_deref(), Some(expected), "{text}"),
            None => {
                let clean = clean.unwrap_or_default();
                assert!(
                    !clean.contains(['\n', '\u{1b}', '\u{7}'])
                        && !clean.contains("<img")
                        && !clean.contains("<!--")
                        && !clean.contains("evil.example/a.png"),
                    "{clean}"
                );
                assert!(!clean.contains("ghp_"), "{clean}");
            }
        }
    }
    assert!(fact_text(&"word ".repeat(400_000)).unwrap().chars().count() <= 301);
}

#[test]
fn close_texts_are_not_new() {
    let known = [Bullet::of_text("Prefers tabs over spaces in Go")];
    let texts = ["I prefer tabs over spaces in Go", "The port is 8444", "the port is **8444**.", "The port is 9000"];
    let new = new_facts(texts.iter().map(|text| (*text).to_owned()).collect(), &known);
    assert_eq!(new, ["The port is 8444", "The port is 9000"]);
}

#[test]
fn a_session_without_notes_gets_a_section_for_its_facts_that_its_notes_join() {
    let project = LogProject { name: Some("pump".into()), key: Some("1a2b3c4d".into()) };
    let lines = Lines::of(b"");
    let splices: Vec<Splice> =
        splice(&lines, ("a", Some(&project)), &[&fact("09:20", "We count minutes.")]).into_iter().collect();
    let text = String::from_utf8(lines.spliced(&splices)).unwrap();
    let heading = "# 2026-03-15\n\n## Session 09:20 · pump\n<!-- tars:session a - 1a2b3c4d ";
    assert!(text.starts_with(heading) && text.ends_with(" -->\n- 09:20 [extracted] We count minutes.\n"), "{text}");
    let later = noted(&text, &SessionNote { project_key: project.key, ..note(&["the relay"]) });
    assert!(later.ends_with("- 09:20 Found: the relay\n- 09:20 [extracted] We count minutes.\n"), "{later}");
    assert_eq!(later.matches("## Session").count(), 1, "{later}");
}

#[test]
fn lines_of_the_memory_are_not_extracted_again_in_other_words() {
    let known = [
        "Prefers short answers with the reasons afterwards",
        "Allergic to peanuts (since 2019)",
        "Staging is on port 8471",
    ];
    let known = known.map(Bullet::of_text);
    let texts = [
        "I always want short answers, with the reasons after.",
        "I'm allergic to peanuts.",
        "Staging is on port 9000",
        "I never want short answers.",
    ];
    let new = new_facts(texts.iter().map(|text| (*text).to_owned()).collect(), &known);
    assert_eq!(new, ["Staging is on port 9000", "I never want short answers."]);
}
