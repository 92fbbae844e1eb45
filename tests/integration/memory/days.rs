//! `tars daily`, `tars sessions`.

use serde_json::Value;

use super::{all, answer, days, run, vault_with};
use crate::bad_input::refused;
use crate::contract::{keys, text};
use crate::harness::{TestVault, today};

#[test]
fn lines_of_a_day_carry_their_time_and_their_channel() {
    let vault = TestVault::of_words();
    run(&vault, &["daily"]).code(1).says(&["there is no tars/20"]);
    let missing = vault.tars(["daily", "--json"]).run().code(1).json();
    assert_eq!((keys(&missing), &missing["content"]), (vec!["path", "content"], &Value::Null));
    let added = answer(&vault, &["daily", "--append", "Ordered a chain", "--channel", "shop"]);
    assert_eq!(keys(&added), ["id", "path", "line", "heading", "text"]);
    assert!(text(&added, "text")[5..].eq(" [shop] Ordered a chain"), "{added}");
    // A day may contain the same line twice.
    run(&vault, &["daily", "--append", "Rested"]).success();
    vault.tars(["daily", "--append", "-"]).stdin("Rested\r\n").run().success();
    let day = vault.read(&days(&vault)[0]);
    assert_eq!(day.lines().filter(|line| line.ends_with(" Rested")).count(), 2, "{day}");
    assert!(day.starts_with(&format!("# {}\n\n- ", &days(&vault)[0][5..15])), "{day}");
}

#[test]
fn an_empty_line_of_the_day_is_refused() {
    let vault = TestVault::of_words();
    for text in ["", " ", "- "] {
        let output = vault.tars(["daily", "--channel", "work"]).arg(format!("--append={text}")).run();
        refused(output, &["nothing to remember"]);
    }
    run(&vault, &["daily", "--append=- Rested", "--channel", "work"]).success();
    assert!(vault.read(&days(&vault)[0]).ends_with(" [work] Rested\n"));
}

#[cfg(not(feature = "test-clock"))]
#[test]
fn only_test_builds_take_the_time_from_a_variable() {
    let vault = vault_with("").with("TARS_TEST_CLOCK", "2001-02-03T04:05:06+00:00[UTC]");
    run(&vault, &["daily", "--append", "now"]).success();
    assert_eq!(days(&vault).len(), 1);
    assert!(!vault.path("tars/2001-02-03.md").exists());
}

// Both commands must run on one day, so that midnight may not fall between them.
#[cfg(feature = "test-clock")]
#[test]
fn new_lines_of_a_day_come_before_its_sessions() {
    let vault = vault_with("").dated();
    run(&vault, &["daily", "--append", "first"]).success();
    let day = days(&vault)[0].clone();
    vault.append(&day, "\n## Session 09:10 · p\n\n- 09:11 of the session\n");
    run(&vault, &["daily", "--append", "second"]).success();
    assert_eq!(days(&vault), [day.as_str()]);
    let text = vault.read(&day);
    let (before, _) = text.split_once("\n## Session").unwrap();
    assert!(before.ends_with(" second\n"), "{before}");
}

#[test]
fn days_are_named_by_words_and_dates() {
    let vault = vault_with("").dated();
    let today = today();
    let yesterday = today.yesterday().unwrap();
    for (day, content) in
        [(today, "today's"), (yesterday, "yesterday's"), ("2026-03-15".parse().unwrap(), "Ides\u{1b}[31m")]
    {
        vault.write(&format!("tars/{day}.md"), format!("{content}\n"));
    }
    assert_eq!(run(&vault, &["daily", "2026-03-15"]).success().stdout(), "Ides\u{fffd}[31m\n");
    assert_eq!(text(&answer(&vault, &["daily", "2026-03-15"]), "content"), "Ides\u{1b}[31m\n");
    assert_eq!(run(&vault, &["daily"]).success().stdout(), "today's\n");
    assert_eq!(run(&vault, &["daily", "today"]).success().stdout(), "today's\n");
    assert_eq!(run(&vault, &["daily", "yesterday"]).success().stdout(), "yesterday's\n");
    for word in ["tomorrow", "2026-02-30", "../Memory", "31.02.2026", "last week", ""] {
        refused(run(&vault, &["daily", word]), &["is no day", "try: 2026-11-17, 17.11.2026"]);
        refused(run(&vault, &["daily", word, "--append", "x"]), &["is no day"]);
    }
}

#[test]
fn spoken_names_of_days_are_accepted() {
    let vault = vault_with("").dated();
    vault.write("tars/2026-03-15.md", "Ides\n");
    assert_eq!(run(&vault, &["daily", "15.3.2026"]).success().stdout(), "Ides\n");
    for back in [1, 3] {
        let day = today().checked_sub(jiff::Span::new().days(back)).unwrap();
        vault.write(&format!("tars/{day}.md"), format!("{back} back\n"));
    }
    assert_eq!(run(&vault, &["daily", "gestern"]).success().stdout(), "1 back\n");
    assert_eq!(run(&vault, &["daily", "3 days ago"]).success().stdout(), "3 back\n");
    assert_eq!(run(&vault, &["daily", "vor 3 Tagen"]).success().stdout(), "3 back\n");
}

#[test]
fn a_line_can_be_added_to_another_day() {
    let vault = vault_with("");
    vault.write(
        "tars/2026-03-15.md",
        "# 2026-03-15\n\n- 09:00 rose\n\n## Session 09:10 · p\n\n- 09:11 of the session\n",
    );
    let added = answer(&vault, &["daily", "15.03.2026", "--append", "Ides", "--channel", "rome"]);
    assert_eq!((text(&added, "path"), text(&added, "text")), ("tars/2026-03-15.md", "[rome] Ides"));
    let day = vault.read("tars/2026-03-15.md");
    assert!(day.starts_with("# 2026-03-15\n\n- 09:00 rose\n- [rome] Ides\n\n## Session"), "{day}");
    run(&vault, &["daily", "2026-03-16", "--append", "After"]).success();
    assert_eq!(vault.read("tars/2026-03-16.md"), "# 2026-03-16\n\n- After\n");
    run(&vault, &["undo"]).success();
    assert!(!vault.path("tars/2026-03-16.md").exists());
}

#[test]
fn session_logs_are_listed_found_and_shown() {
    let vault = vault_with("");
    run(&vault, &["sessions"]).code(1).says(&["no session log matches"]);
    for (name, content) in [
        ("2026-03-14T10-00-00-tars", "---\nproject: tars\n---\n# Moving the index\n\n- Walrus\n"),
        ("2026-03-15T09-20-05-garden", "<!-- about -->\nThe gate\u{1b}[31m\n"),
        ("loose", "# Loose\n"),
    ] {
        vault.write(&format!("tars/sessions/{name}.md"), content);
    }
    vault.write("sessions/2026-03-16T10-00-00-other.md", "# Outside\n");
    let listed = answer(&vault, &["sessions"]);
    assert_eq!(keys(&listed[0]), ["id", "path", "began", "topic", "client", "project"]);
    assert_eq!(all(&listed, "id"), ["2026-03-15T09-20-05-garden", "2026-03-14T10-00-00-tars", "loose"]);
    assert_eq!((text(&listed[0], "began"), &listed[2]["began"]), ("2026-03-15T09:20:05", &Value::Null));
    let output = run(&vault, &["sessions", "-n", "1"]).success();
    assert_eq!(output.stdout(), "2026-03-15 09:20  2026-03-15T09-20-05-garden  The gate\u{fffd}[31m\n");
    assert_eq!(all(&answer(&vault, &["sessions", "walrus", "index"]), "topic"), ["Moving the index"]);
    run(&vault, &["sessions", "nobody"]).code(1);
    assert!(run(&vault, &["sessions", "show", "2026-03-14"]).success().stdout().ends_with("- Walrus\n"));
    refused(run(&vault, &["sessions", "show", "2026-03-1"]), &["2 session logs begin with", "try: tars sessions show"]);
    refused(run(&vault, &["sessions", "show", "../Memory"]), &["no session log is called"]);
}

#[test]
#[cfg(feature = "onnx")]
#[ignore = "nightly: needs a binary without the feature test-clock, like a release"]
fn a_release_ignores_the_test_clock() {
    let binary = std::env::var("TARS_WITHOUT_ONNX").expect("scripts/nightly builds it and sets this");
    let vault = vault_with("").with("TARS_TEST_CLOCK", "2001-02-03T04:05:06+00:00[UTC]").with("TZ", "UTC");
    let today = || jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date().to_string();
    let before = today();
    vault.other_build(&binary, &["daily", "--append", "A walrus."]).run().success();
    let written = days(&vault);
    let day = |date: String| format!("tars/{date}.md");
    assert!(written == [day(before)] || written == [day(today())], "{written:?}");
}

#[test]
fn a_persons_own_daily_notes_are_shown() {
    let vault = vault_with("");
    vault.write("Daily/2026-03-15.md", "---\ntags: [day]\n---\n# Sunday\n\nMet Ilse.\n");
    vault.write("Private/2026-03-15.md", "---\ntars: private\n---\nNobody's business\n");
    let before = vault.read("Daily/2026-03-15.md");
    let shown = run(&vault, &["daily", "2026-03-15"]).success();
    assert_eq!(shown.stdout(), "Daily/2026-03-15.md\n\n# Sunday\n\nMet Ilse.\n\n");
    shown.says(&["there is no tars/2026-03-15.md yet"]);
    vault.write("tars/2026-03-15.md", "- 09:00 rose\n");
    let both = "Daily/2026-03-15.md\n\n# Sunday\n\nMet Ilse.\n\ntars/2026-03-15.md\n\n- 09:00 rose\n";
    assert_eq!(run(&vault, &["daily", "2026-03-15"]).success().stdout(), both);
    let told = answer(&vault, &["daily", "2026-03-15"]);
    assert_eq!(keys(&told), ["path", "content", "notes"]);
    assert_eq!(all(&told["notes"], "path"), ["Daily/2026-03-15.md"]);
    run(&vault, &["daily", "2026-03-15", "--append", "Later"]).success();
    assert_eq!(vault.read("Daily/2026-03-15.md"), before, "it is read alone");
    // Obsidian's settings name the daily notes.
    vault.write(".obsidian/daily-notes.json", r#"{"folder":"Journal","format":"D.M.YYYY"}"#);
    vault.write("Journal/15.3.2026.md", "Slept long.\n");
    assert_eq!(all(&answer(&vault, &["daily", "2026-03-15"])["notes"], "path"), ["Journal/15.3.2026.md"]);
}
