use super::*;

fn turn(id: &str, time: &str, text: &str) -> NotedTurn {
    let outcome = Outcome { kind: OutcomeKind::Found, text: text.into(), about: None };
    NotedTurn {
        branch: None,
        id: id.into(),
        time: format!("2026-03-15T{time}").parse().unwrap(),
        outcomes: vec![outcome],
        wording: Wording::default(),
        is_new: true,
    }
}

fn note(session: &str, turns: Vec<NotedTurn>) -> SessionNote {
    SessionNote {
        session: session.into(),
        project: "pump".into(),
        project_key: None,
        turns,
        by: EXTRACTIVE.into(),
        prompt: None,
        instead_of: None,
        abandoned: Vec::new(),
    }
}

fn put(text: &str, note: &SessionNote) -> String {
    let lines = Lines::of(text.as_bytes());
    let splices: Vec<Splice> = note.splice(&lines).into_iter().collect();
    String::from_utf8(lines.spliced(&splices)).unwrap()
}

/// Returns the text without the comments.
fn seen(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("<!--")).map(|line| format!("{line}\n")).collect()
}

#[test]
fn parallel_sessions_have_separate_sections() {
    let (one, two) = (turn("1", "09:20:00", "one"), turn("2", "09:30:00", "two"));
    let mut text = "# 2026-03-15\n\n- 09:00 a person's line\n".to_owned();
    for note in [
        note("a", vec![one.clone()]),
        note("b", vec![turn("9", "09:25:00", "other")]),
        note("a", vec![one.clone(), two.clone()]),
        note("a", vec![one, two]),
    ] {
        text = put(&text, &note);
    }
    assert_eq!(
        seen(&text),
        "# 2026-03-15\n\n- 09:00 a person's line\n\n## Session 09:20 · pump\n- 09:20 Found: one\n- 09:30 Found: two\n\n\
         ## Session 09:25 · pump\n- 09:25 Found: other\n"
    );
    assert_eq!(text.matches("<!--").count(), 2, "{text}");
    assert!(text.contains("<!-- tars:session a 1,2 - "), "{text}");
}

#[test]
fn a_section_is_rewritten_until_a_person_edits_it() {
    let guess = note("a", vec![turn("1", "09:20:00", "the relay")]);
    let mut ruled_out = turn("1", "09:20:00", "the relay");
    ruled_out.outcomes[0].kind = OutcomeKind::RuledOut;
    let later = note("a", vec![ruled_out, turn("2", "09:30:00", "the timer")]);
    let text = put("", &guess);
    let anew = put(&text, &later);
    assert!(seen(&anew).contains("- 09:20 Ruled out: the relay\n- 09:30 Found: the timer\n"), "{anew}");
    let edited = put(&text.replace("the relay", "the relay (Anna)"), &later);
    assert!(seen(&edited).ends_with("- 09:20 Found: the relay (Anna)\n- 09:30 Found: the timer\n"), "{edited}");
    assert_eq!(put(&edited, &later), edited, "written only once");
}

#[test]
fn a_turn_that_was_removed_is_not_written_again() {
    let mut known = turn("1", "09:20:00", "one");
    known.is_new = false;
    assert_eq!(put("", &note("a", vec![known.clone()])), "");
    let text = put("", &note("a", vec![known, turn("2", "09:30:00", "two")]));
    assert!(!text.contains("Found: one") && text.contains("Found: two"), "{text}");
}

#[test]
fn a_fork_does_not_write_the_turns_that_it_copied() {
    let text = put("", &note("a", vec![turn("1", "09:20:00", "one")]));
    let forked = put(&text, &note("f", vec![turn("1", "09:20:00", "one"), turn("2", "09:30:00", "two")]));
    assert_eq!(forked.matches("Found: one").count(), 1, "{forked}");
    assert!(forked.contains("## Session 09:30 · pump\n<!-- tars:session f 2 "), "{forked}");
}

#[test]
fn rules_do_not_overwrite_a_models_lines() {
    let by_rules = note("a", vec![turn("1", "09:20:00", "by rules")]);
    let by_model = SessionNote {
        by: "claude".into(),
        prompt: Some("1".into()),
        ..note("a", vec![turn("1", "09:20:00", "by model")])
    };
    let text = put(&put("", &by_rules), &by_model);
    assert!(
        text.contains("Found: by model") && text.contains("by=claude prompt=1 ") && !text.contains("by rules"),
        "{text}"
    );
    assert_eq!(put(&text, &by_rules), text);
    let more = put(&text, &note("a", vec![turn("1", "09:20:00", "by rules"), turn("2", "09:30:00", "two")]));
    assert!(more.contains("Found: by model\n- 09:30 Found: two\n"), "{more}");
    let again =
        put(&more, &SessionNote { turns: vec![turn("1", "09:20:00", "x"), turn("2", "09:30:00", "y")], ..by_model });
    assert!(again.contains("Found: x\n- 09:30 Found: y\n") && !again.contains("two"), "{again}");
}

#[test]
fn sections_of_older_versions_are_continued() {
    let old = "# 2026-03-15\n\n## Session 09:20 · pump\n<!-- tars:session long-session-id -->\n\
               - 09:20 Asked: 1 <!-- tars:turn session=long-session-id turn=turn-number-1 by=extractive -->\n";
    let text = put(
        old,
        &note(
            "long-session-id",
            vec![turn("turn-number-1", "09:20:00", "one"), turn("turn-number-2", "09:30:00", "two")],
        ),
    );
    assert!(!text.contains("Found: one") && text.contains("-->\n- 09:30 Found: two\n"), "{text}");
    assert_eq!(text.matches("## Session").count(), 1);
}

#[test]
fn a_section_keeps_what_a_person_wrote_in_it() {
    let text = put("", &note("a", vec![turn("1", "09:20:00", "one")]))
        .replace("## Session 09:20 · pump", "## The pump")
        .replace("one\n", "one\n\n### Mine\ntext\n");
    let after =
        put(&format!("{text}\n# Else\n"), &note("a", vec![turn("1", "09:20:00", "one"), turn("2", "09:30:00", "two")]));
    assert!(after.contains("### Mine\ntext\n- 09:30 Found: two\n\n# Else\n"), "{after}");
}

#[test]
fn hostile_text_cannot_break_out_of_its_line() {
    let hostile = "--> <!-- x\n# h \u{1b} %%";
    let mut bad = turn(hostile, "09:20:00", hostile);
    bad.outcomes[0].about = Some(hostile.into());
    let note = SessionNote {
        project: hostile.into(),
        by: hostile.into(),
        prompt: Some(hostile.into()),
        instead_of: Some(hostile.into()),
        project_key: Some(hostile.into()),
        ..note(hostile, vec![bad])
    };
    let text = put("", &note);
    assert_eq!(text.lines().count(), 5, "{text}");
    assert_eq!((text.matches("<!--").count(), text.matches("-->").count()), (1, 1), "{text}");
    assert!(!text.contains('\u{1b}') && !text.contains("%%"), "{text}");
}

#[test]
fn concurrent_sessions_lose_no_notes() {
    use tars_vault::{MemoryFolder, Origin};
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("vault")).unwrap();
    let folder = MemoryFolder::new(&home.path().join("vault"), "tars").unwrap();
    let write = &|session: &str, count: usize| {
        let origin = Origin::of("test");
        let mut writer = Writer::open(&folder, home.path(), origin, tars_base::clock::Clock::default()).unwrap();
        let turns = (0..count).map(|id| turn(&format!("{session}{id}"), "09:20:00", "x")).collect();
        note_session(&mut writer, &note(session, turns)).unwrap()
    };
    std::thread::scope(|scope| {
        for session in ["a", "b", "c"] {
            scope.spawn(move || (1..=10).for_each(|count| assert!(write(session, count))));
        }
    });
    let text = std::fs::read_to_string(folder.path().join("2026-03-15.md")).unwrap();
    assert_eq!((text.matches("## Session").count(), text.matches("Found: x").count()), (3, 30), "{text}");
    assert!(!write("a", 3));
}

#[test]
fn secrets_are_redacted() {
    let text = put("", &note("a", vec![turn("1", "09:20:00", "see <private>a\nb</private>")]));
    assert!(text.contains("- 09:20 Found: see [redacted:private]\n"), "{text}");
}

#[test]
fn open_ends_closed_by_another_session_stay_ticked() {
    let open = |id: &str, time: &str, text: &str| {
        let mut turn = turn(id, time, text);
        turn.outcomes[0] = Outcome { kind: OutcomeKind::Open, text: text.into(), about: Some("deploy it".into()) };
        turn
    };
    let left = note("a", vec![open("1", "09:20:00", "restart staging")]);
    let text = put("", &left);
    let tick = |text: &str, note: &SessionNote| {
        let lines = Lines::of(text.as_bytes());
        String::from_utf8(lines.spliced(&note.ticks(&lines, &|open| open == "restart staging"))).unwrap()
    };
    let other = |project: &str| SessionNote { project: project.into(), ..note("b", vec![]) };
    assert_eq!(tick(&text, &left), text, "its own section");
    assert_eq!(tick(&text, &other("web")), text, "another project");
    let edited = text.replace("restart staging —", "restart staging, Anna —");
    assert_eq!(tick(&edited, &other("pump")), edited, "edited by a person");
    let ticked = tick(&text, &other("pump"));
    assert!(ticked.contains("- [x] 09:20 Open: restart staging — deploy it\n"), "{ticked}");
    assert_eq!(tick(&ticked, &other("pump")), ticked);
    let more = put(&ticked, &note("a", vec![open("1", "09:20:00", "restart staging"), turn("2", "09:30:00", "two")]));
    assert!(more.contains("- [x] 09:20 Open: restart staging") && more.contains("- 09:30 Found: two"), "{more}");
    assert_eq!(more.matches("Open:").count(), 1);
}
