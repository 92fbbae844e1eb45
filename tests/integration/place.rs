//! The line of a hit, its heading and its day: on a terminal, in JSON and in an agent's context.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::contract::text;
use crate::harness::TestVault;

/// A note of one chunk with several headings. Its front matter has no date.
const SETTINGS: &str = "---
tags: [help]
---

# Settings

Everything that can be changed stands here.

## Editor

Line numbers are shown beside the text.

```sh
# a comment about the shell
tars config list
```

## Hotkeys

Press the walrus key to leave a dialog.
";

fn vault() -> TestVault {
    TestVault::of_words().with("TARS_SEARCH_GATE", "0.05")
}

fn settings() -> TestVault {
    let vault = vault();
    vault.write("Settings.md", SETTINGS).settle("Settings.md");
    assert_eq!(vault.index()["files"], 1);
    assert_eq!(vault.count("SELECT count(*) FROM chunks"), 1, "one chunk under several headings");
    vault
}

#[test]
fn a_hit_names_the_heading_above_its_line() {
    let vault = settings();
    let shown = vault.tars(["sgrep", "walrus"]).run().success();
    let lines: Vec<&str> = shown.stdout().lines().collect();
    assert!(lines[0].starts_with("Settings.md:20  Settings > Hotkeys  "), "{shown}");
    assert_eq!(lines[1], "  Press the walrus key to leave a dialog.");

    let hit = vault.search(&["sgrep", "walrus"]).remove(0);
    assert_eq!((text(&hit, "heading"), &hit["line"]), ("Settings > Hotkeys", &20.into()));
    let (content, first) = (text(&hit, "content"), hit["start_line"].as_u64().unwrap());
    assert_eq!(content.split('\n').nth(20 - first as usize), Some("Press the walrus key to leave a dialog."));

    let block = vault.tars(["context", "--query", "walrus"]).run().success();
    let source = "<source at=\"Settings.md:5-20\" line=\"20\" heading=\"Settings &gt; Hotkeys\" kind=\"note\"/>";
    assert!(block.stdout().contains(source), "{block}");
    let answer = vault.tars(["context", "--query", "walrus", "--json"]).run().success().json();
    let piece = &answer["pieces"][0];
    assert_eq!((text(piece, "heading"), &piece["line"]), ("Settings > Hotkeys", &20.into()));
}

#[test]
fn a_comment_in_a_code_block_is_no_heading() {
    let hit = settings().search(&["sgrep", "config list"]).remove(0);
    assert_eq!((text(&hit, "heading"), &hit["line"]), ("Settings > Editor", &15.into()));
}

#[test]
fn a_window_keeps_the_line_and_its_heading() {
    let vault = settings();
    let hit = vault.search(&["sgrep", "walrus", "--window", "1"]).remove(0);
    assert_eq!((text(&hit, "heading"), &hit["line"]), ("Settings > Hotkeys", &20.into()));
    let hit = vault.search(&["sgrep", "walrus", "--budget", "12"]).remove(0);
    let place = [&hit["start_line"], &hit["line"], &hit["end_line"]].map(|line| line.as_u64().unwrap());
    assert!(place.is_sorted() && place[1] == 20 && place[0] > 5, "{hit}");
}

#[test]
fn vector_search_names_the_nearest_passage() {
    let vault = TestVault::new();
    let padding = "The harbour office keeps a list of every boat that pays for its berth by the month. ".repeat(12);
    let note = format!(
        "# Notes\n\n## Boats\n\n{padding}\n\n## Kitchen\n\nKnead the dough, let it rise overnight and bake the loaf at noon.\n"
    );
    vault.write("Notes.md", note).settle("Notes.md").index();
    let hit = vault.search(&["svec", "recipe for homemade bread"]).remove(0);
    assert_eq!((text(&hit, "heading"), &hit["line"]), ("Notes > Kitchen", &9.into()), "{hit}");
}

/// Sets the time of every note back by `days`, as a copy or a synchronisation might.
fn touched(vault: &TestVault, notes: &[&str], days: u64) {
    for note in notes {
        vault.touch(note, SystemTime::now() - Duration::from_secs(days * 86_400));
    }
}

#[test]
fn a_modification_time_was_shown_as_the_date_of_a_note() {
    let vault = vault();
    let notes = ["undated.md", "front.md", "2020-01-09 boat.md", "log.md"];
    vault.write("undated.md", "walrus alone\n").write("front.md", "---\ncreated: 2021-02-03\n---\nwalrus in front\n");
    vault.write("2020-01-09 boat.md", "---\ncreated: 2021-02-03\n---\n# Boat\n\nwalrus aboard\n");
    vault.write("log.md", "# Log\n\n## 2022-03-04\n\nwalrus logged\n");
    vault.write("tars/Memory.md", "- seal\n").write("tars/Procedural.md", "---\nupdated: 2023-04-05\n---\n- otter\n");
    let dates = |pieces: &Value| {
        let mut dates: Vec<(String, Option<String>)> = pieces
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (text(one, "path").to_owned(), one["date"].as_str().map(str::to_owned)))
            .collect();
        dates.sort();
        dates
    };
    let dated = |path: &str, date: Option<&str>| (path.to_owned(), date.map(str::to_owned));
    let found = [
        dated("2020-01-09 boat.md", Some("2020-01-09")),
        dated("front.md", Some("2021-02-03")),
        dated("log.md", Some("2022-03-04")),
        dated("undated.md", None),
    ];
    let memory = [dated("tars/Memory.md", None), dated("tars/Procedural.md", Some("2023-04-05"))];
    for days in [0, 700] {
        touched(&vault, &notes, days);
        touched(&vault, &["tars/Memory.md", "tars/Procedural.md"], days);
        vault.index();
        let answer = vault.tars(["sgrep", "walrus", "--json"]).run().success().json();
        assert_eq!(dates(&answer["results"]), found);
        let context = vault.tars(["context", "--query", "walrus", "--json"]).run().success().json();
        assert_eq!(dates(&context["pieces"]), found);
        let block = text(&context, "block");
        assert_eq!(block.matches(" date=\"").count(), 3, "{block}");
        let start = vault.tars(["context", "--json"]).run().success().json();
        assert_eq!(dates(&start["pieces"]), memory);
    }
}
