//! `tars compact`: months are summarized, moved and restored.

mod model;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{all, vault_with};
use crate::contract::{keys, text};
use crate::harness::{Output, TarsCommand, TestVault};
use model::{openai, with_model};
use tars_testing::loopback::Loopback;

const NOW: &str = "2026-06-15T12:00:00+00:00[UTC]";
const MARCH: &str = "tars/archive/2026-03.md";
const STATE: &str = "upkeep/compact.json";

fn tars(vault: &TestVault, arguments: &[&str]) -> TarsCommand {
    vault.tars(arguments).env("TARS_TEST_CLOCK", NOW)
}

fn run(vault: &TestVault, arguments: &[&str]) -> Output {
    tars(vault, arguments).run()
}

fn answer(vault: &TestVault, arguments: &[&str]) -> Value {
    tars(vault, arguments).arg("--json").run().success().json()
}

fn day(project: &str, lines: &str) -> String {
    let anchor = "<!-- tars:session 5e55b0a2 turns=ff6e7c by=extractive project=1a2b3c4d -->";
    format!("## Session 09:00 · {project}\n{anchor}\n{lines}\n")
}

/// Returns a vault with two days and a session log of March and a day of April.
fn noted() -> TestVault {
    let vault = vault_with("# Memory\n");
    let first = day(
        "acme/shop",
        "- 09:00 Decided: The checkout port is 8080 — which port?\n- 09:01 Found: The zebra cache was stale\n\
         - [ ] 09:02 Open: Staging still runs the old build\n- [x] 09:03 Open: The changelog lacks a line\n- 09:04 Changed: `a.rs`",
    );
    vault.write(
        "tars/2026-03-02.md",
        format!("# 2026-03-02\n\n- 08:00 Met Ilse, see [[Garden/Pump]]\n- [ ] buy a chain\n\n{first}"),
    );
    let second = day(
        "acme/shop",
        "- 10:00 Decided: The checkout port is 9090\n- 10:01 Done: Built the importer\n- 10:02 Ruled out: the timer",
    );
    vault.write("tars/2026-03-14.md", format!("# 2026-03-14\n\n{second}"));
    vault.write(
        "tars/sessions/2026-03-14T09-00-00-acme-shop.md",
        "---\nsession: \"5e55b0a2\"\nproject: \"acme/shop\"\ntars: \"session\"\ndigest: \"0\"\n---\n\n# Ports\n\n## Outcomes\n\n\
         - 09:05 Decided: Uploads are retried three times\n",
    );
    vault.write(
        "tars/2026-04-01.md",
        format!("# 2026-04-01\n\n{}", day("acme/shop", "- 11:00 Decided: Minutes are counted")),
    );
    vault.write(
        "Garden/Pump.md",
        "# Pump\n\nSee [[tars/2026-03-02]], [[2026-03-14]] and [a log](../tars/2026-03-14.md).\n",
    );
    vault
}

/// Returns the bytes of all notes.
fn notes(vault: &TestVault) -> BTreeMap<String, Vec<u8>> {
    fn walk(folder: &Path, root: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, root, found);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.insert(path.strip_prefix(root).unwrap().display().to_string(), fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(&vault.root(), &vault.root(), &mut found);
    found
}

/// Returns the content lines of the summary, without their links.
fn said(summary: &str) -> Vec<&str> {
    let lines = summary.lines().filter(|line| line.starts_with("- ") || line.starts_with('#'));
    lines.map(|line| line.split(" ([[").next().unwrap()).collect()
}

#[test]
fn a_month_is_summarized_without_a_model_and_its_logs_stay() {
    let vault = noted();
    let before = notes(&vault);
    let told = answer(&vault, &["compact", "2026-03"]);
    assert_eq!(keys(&told), ["months", "known", "left", "broken_links", "stopped", "interrupted", "dry_run"]);
    assert_eq!(keys(&told["months"][0]), ["month", "path", "by", "lines", "added", "moved", "kept"]);
    assert_eq!((text(&told["months"][0], "path"), text(&told["months"][0], "by")), (MARCH, "extractive"));
    let summary = vault.read(MARCH);
    assert_eq!(
        said(&summary),
        [
            "# March 2026",
            "## Noted by hand",
            "- Met Ilse, see [[Garden/Pump]]",
            "- buy a chain (open)",
            "## Decided",
            "### acme/shop",
            "- The checkout port is 9090",
            "- Uploads are retried three times",
            "## Learnt",
            "### acme/shop",
            "- The zebra cache was stale",
            "- Ruled out: the timer",
            "## Finished",
            "### acme/shop",
            "- Closed: The changelog lacks a line",
            "- Built the importer",
            "## Still open",
            "### acme/shop",
            "- Staging still runs the old build",
        ]
    );
    assert!(summary.contains("days=2,14 by=extractive digest="), "{summary}");
    assert!(summary.contains("9090 ([[tars/2026-03-14#Session 09 00 · acme/shop|2026-03-14]])"), "{summary}");
    let mut after = notes(&vault);
    after.remove(MARCH);
    assert_eq!(after, before);
    let again = answer(&vault, &["compact", "2026-03"]);
    assert_eq!((again["months"].as_array().unwrap().len(), again["known"].as_u64()), (0, Some(1)));
    assert_eq!(vault.read(MARCH), summary);
    run(&vault, &["undo"]).success();
    assert_eq!(notes(&vault), before);
}

#[test]
fn private_blocks_are_neither_summarized_nor_sent() {
    let server = Loopback::script(vec![openai(&json!({"decided": []}))]);
    let vault = with_model(noted(), &server);
    vault.append(
        "tars/2026-03-14.md",
        "\n# Mine\n\nBefore <private>the walrus\nsleeps here\n\n- on the sofa</private>\nAfter\n",
    );
    run(&vault, &["compact", "2026-03"]).success();
    let asked = String::from_utf8_lossy(&server.received()[0].body).into_owned();
    for text in [vault.read(MARCH), asked, fs::read_to_string(vault.data().join(STATE)).unwrap()] {
        assert!(!["walrus", "sleeps", "sofa"].iter().any(|word| text.contains(word)), "{text}");
    }
    assert!(vault.read(MARCH).contains("After"));
}

#[test]
fn recent_months_are_left_alone() {
    let vault = noted();
    vault.write("tars/2026-06-01.md", "- 08:00 now\n");
    run(&vault, &["compact", "2026-06"]).code(1).says(&["2026-06 was left as it is: the month is not over"]);
    run(&vault, &["compact", "2026-01"]).code(1);
    // An age from before the calendar panicked.
    run(&vault, &["compact", "--older-than", "8000000d"]).code(1);
    for wrong in [
        &["compact"][..],
        &["compact", "2026-3"],
        &["compact", "--older-than", "x"],
        &["compact", "2026-03", "--older-than", "3d"],
    ] {
        run(&vault, wrong).code(2);
    }
    // April 30th is 46 days ago, March 31st 76.
    let months = |age| {
        let told = answer(&vault, &["compact", "--older-than", age, "--dry-run"]);
        all(&told["months"], "month").iter().map(|month| (*month).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        (months("46d"), months("47d")),
        (vec!["2026-03".to_owned(), "2026-04".into()], vec!["2026-03".to_owned()])
    );
    run(&vault, &["compact", "--older-than", "77d", "--dry-run"]).code(1);
    assert!(!vault.path("tars/archive").exists() && !vault.data().join(STATE).exists());
}

#[test]
fn logs_move_with_their_links_and_undo_restores_them() {
    let vault = noted();
    let before = notes(&vault);
    let dry = answer(&vault, &["compact", "2026-03", "--move", "--dry-run"]);
    let links: Vec<(&str, &str)> =
        dry["broken_links"].as_array().unwrap().iter().map(|link| (text(link, "path"), text(link, "target"))).collect();
    assert_eq!(links, [("Garden/Pump.md", "tars/2026-03-02"), ("Garden/Pump.md", "../tars/2026-03-14.md")]);
    assert_eq!(notes(&vault), before);
    let told = answer(&vault, &["compact", "2026-03", "--move"]);
    assert_eq!(told["months"][0]["moved"], dry["months"][0]["moved"]);
    assert_eq!(
        all(&told["months"][0]["moved"], "to"),
        [
            "tars/archive/days/2026-03-02.md",
            "tars/archive/days/2026-03-14.md",
            "tars/archive/sessions/2026-03-14T09-00-00-acme-shop.md"
        ]
    );
    assert_eq!(vault.read(MARCH), text(&dry["months"][0], "text"));
    let links: Vec<&str> = all(&told["broken_links"], "target");
    assert_eq!(links, ["tars/2026-03-02", "../tars/2026-03-14.md"]);
    for link in vault.read(MARCH).split("([[").skip(1) {
        let note = link.split(['#', '|']).next().unwrap();
        assert!(vault.path(&format!("{note}.md")).is_file(), "{note}");
    }
    for (path, bytes) in &before {
        let moved = path
            .replace("tars/2026-03", "tars/archive/days/2026-03")
            .replace("tars/sessions/2026-03", "tars/archive/sessions/2026-03");
        assert_eq!(&fs::read(vault.path(&moved)).unwrap(), bytes, "{moved}");
    }
    // Commands find days and sessions in their new place.
    assert!(run(&vault, &["daily", "2026-03-02"]).success().stdout().contains("Met Ilse"));
    assert!(run(&vault, &["sessions"]).success().stdout().contains("Ports"));
    assert_eq!(answer(&vault, &["compact", "2026-03", "--move"])["known"], 1);
    run(&vault, &["undo"]).success();
    assert_eq!(notes(&vault), before);
    run(&vault, &["undo", "--redo"]).success();
    assert!(vault.path("tars/archive/days/2026-03-02.md").is_file() && vault.path(MARCH).is_file());
}

#[test]
fn a_summarized_month_moves_later_and_its_lines_stay_reviewable() {
    let vault = noted();
    vault.append("tars/2026-03-02.md", "- 12:00 [extracted] Deploys happen on Tuesdays\n");
    run(&vault, &["compact", "2026-03"]).success();
    assert!(!vault.read(MARCH).contains("Tuesdays"));
    let told = answer(&vault, &["compact", "2026-03", "--move"]);
    assert_eq!(all(&told["months"][0]["kept"], "path"), ["tars/2026-03-02.md"]);
    assert_eq!(told["months"][0]["lines"], 0);
    let summary = vault.read(MARCH);
    assert!(summary.contains("[[tars/archive/days/2026-03-14#") && summary.contains("[[tars/2026-03-02"), "{summary}");
    let id = run(&vault, &["review", "--json"]).json()[0]["id"].as_str().unwrap().to_owned();
    run(&vault, &["review", "--promote", &id]).success();
    run(&vault, &["compact", "2026-03", "--move"]).success();
    assert!(
        vault.read(MARCH).contains("- Deploys happen on Tuesdays ([[tars/archive/days/2026-03-02"),
        "{}",
        vault.read(MARCH)
    );
    assert!(!vault.path("tars/2026-03-02.md").exists());
}

#[test]
fn a_persons_edits_of_a_summary_stay() {
    let vault = noted();
    vault.write(MARCH, "My own thoughts on March.\n");
    run(&vault, &["compact", "2026-03"]).success();
    assert!(vault.read(MARCH).starts_with("My own thoughts on March.\n\n<!-- tars:month 2026-03 "));
    let edited = vault
        .read(MARCH)
        .replace("- Built the importer", "- We built the importer")
        .replace("- Met Ilse", "- Met Ilse at last");
    let removed: String =
        edited.lines().filter(|line| !line.contains("zebra")).map(|line| format!("{line}\n")).collect();
    vault.write(MARCH, format!("{removed}\nMine at the end.\n"));
    run(&vault, &["compact", "2026-03"]).success();
    assert_eq!(vault.read(MARCH), format!("{removed}\nMine at the end.\n"), "no line was added");
    vault.append("tars/2026-03-14.md", "- 11:00 Decided: Errors are logged in JSON\n");
    let told = answer(&vault, &["compact", "2026-03"]);
    assert_eq!((told["months"][0]["added"].as_bool(), told["months"][0]["lines"].as_u64()), (Some(true), Some(1)));
    let after = vault.read(MARCH);
    assert!(!after.contains("zebra") && after.contains("- Errors are logged in JSON"), "{after}");
    let others: String =
        after.lines().filter(|line| !line.contains("in JSON")).map(|line| format!("{line}\n")).collect();
    assert_eq!(others, format!("{removed}\nMine at the end.\n"));
}

#[test]
fn a_run_over_sixty_large_logs_is_undone_after_other_writes() {
    let vault = vault_with("# Memory\n");
    for month in ["2026-01", "2026-03", "2026-05"] {
        for day in 1..=20 {
            let own: String = (0..50).map(|line| format!("- {month} {day} {line} {}\n", "x".repeat(1_000))).collect();
            vault.write(&format!("tars/{month}-{day:02}.md"), own);
        }
    }
    let before = notes(&vault);
    let told = answer(&vault, &["compact", "--older-than", "1d", "--move"]);
    assert_eq!(
        told["months"].as_array().unwrap().iter().flat_map(|month| month["moved"].as_array().unwrap()).count(),
        60
    );
    run(&vault, &["daily", "--append", "later"]).success();
    run(&vault, &["undo", "2", "--yes"]).success();
    assert_eq!(notes(&vault), before);
    run(&vault, &["undo"]).code(1);
}

#[test]
fn no_link_leads_compaction_out_of_the_folder() {
    use std::os::unix::fs::symlink;
    let vault = noted();
    let outside = vault.home().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("2026-03-20.md"), "- 08:00 elsewhere\n").unwrap();
    symlink(outside.join("2026-03-20.md"), vault.path("tars/2026-03-20.md")).unwrap();
    let before = notes(&vault);
    fs::create_dir(vault.path("tars/archive")).unwrap();
    symlink(&outside, vault.path("tars/archive/days")).unwrap();
    run(&vault, &["compact", "2026-03", "--move"]).code(2);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    fs::remove_file(vault.path("tars/archive/days")).unwrap();
    symlink(outside.join("2026-03.md"), vault.path(MARCH)).unwrap();
    run(&vault, &["compact", "2026-03"]).code(2);
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    fs::remove_file(vault.path(MARCH)).unwrap();
    run(&vault, &["compact", "2026-03", "--move"]).success();
    assert!(!vault.read(MARCH).contains("elsewhere"));
    run(&vault, &["undo"]).success();
    assert_eq!(notes(&vault), before);
}

#[test]
fn a_summary_ranks_before_its_logs() {
    let vault = noted();
    vault.index();
    let question = ["search", "--mode", "keyword", "checkout port 9090"];
    assert_eq!(vault.found(&question)[0], "tars/2026-03-14.md");
    run(&vault, &["compact", "2026-03"]).success();
    vault.index();
    let found = vault.found(&question);
    let place = |path: &str| found.iter().position(|one| one == path).unwrap_or_else(|| panic!("{path} in {found:?}"));
    assert!(place(MARCH) < place("tars/2026-03-14.md"), "{found:?}");
    run(&vault, &["compact", "2026-03", "--move"]).success();
    vault.index();
    let found = vault.search(&question);
    let paths = all(&Value::from(found.clone()), "path").iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
    let place = |path: &str| paths.iter().position(|one| one == path).unwrap_or_else(|| panic!("{path} in {paths:?}"));
    let moved = place("tars/archive/days/2026-03-14.md");
    assert!(place(MARCH) < moved, "{paths:?}");
    assert_eq!(text(&found[moved], "memory_type"), "daily");
}
