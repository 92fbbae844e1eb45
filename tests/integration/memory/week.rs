//! `tars week`.

use serde_json::Value;

use super::{MEMORY, all, vault_with};
use crate::contract::{keys, text};
use crate::harness::{TarsCommand, TestVault};

const DAY: &str = "tars/2026-03-14.md";

fn at_march(command: TarsCommand) -> TarsCommand {
    command.env("TARS_TEST_CLOCK", "2026-03-15T12:00:00+00:00[UTC]")
}

fn noted() -> TestVault {
    let vault = vault_with("# Memory\n\n## Facts\n- The port is 7070\n");
    let section = "## Session 09:00 · shop\n<!-- tars:session a turns=b by=extractive -->\n";
    vault.write("tars/2026-03-02.md", format!("{section}- 09:00 Decided: Long ago\n"));
    vault.write(
        "tars/2026-03-10.md",
        format!("{section}- 09:00 Decided: The port is 8080\n- [ ] 09:01 Open: Staging waits\n"),
    );
    vault.write(
        DAY,
        format!("{section}- 09:00 Decided: The port is 9090\n- 09:01 [extracted] Deploys happen on Tuesdays\n"),
    );
    vault
}

fn week(vault: &TestVault, arguments: &[&str]) -> Value {
    at_march(vault.tars(["week", "--json"]).args(arguments)).run().success().json()
}

#[test]
fn a_week_is_listed_with_the_days_of_its_lines() {
    let vault = noted();
    let told = week(&vault, &[]);
    assert_eq!(keys(&told), ["first", "last", "decided", "open", "contradicted", "review", "removed", "ticked"]);
    assert_eq!((text(&told, "first"), text(&told, "last")), ("2026-03-09", "2026-03-15"));
    assert_eq!(keys(&told["decided"][0]), ["day", "project", "said", "id", "path", "line", "heading", "text"]);
    assert_eq!(
        (all(&told["decided"], "said"), all(&told["open"], "day")),
        (vec!["The port is 9090"], vec!["2026-03-10"])
    );
    let earlier: Vec<&str> =
        told["contradicted"].as_array().unwrap().iter().map(|found| text(&found["earlier"], "said")).collect();
    assert_eq!(earlier, ["The port is 8080", "The port is 7070"]);
    assert_eq!(
        (all(&told["review"], "source"), told["contradicted"][1]["earlier"]["day"].is_null()),
        (vec!["extracted"], true)
    );
    let shown = at_march(vault.tars(["week", "14.3.2026"])).run().success();
    for line in
        ["2026-03-08 to 2026-03-14", "decided:", "2026-03-10", "[shop] Staging waits", "but  2026-03-14", "(extracted)"]
    {
        assert!(shown.stdout().contains(line), "{line}\n{shown}");
    }
    at_march(vault.tars(["week", "2026-01-01"])).run().code(1).says(&["nothing was noted"]);
    at_march(vault.tars(["week", "someday"])).run().code(2);
    at_march(vault.tars(["week", "--review"])).run().success().says(&["there is no terminal"]);
}

#[test]
fn a_week_shows_what_was_written_down_today() {
    let vault = vault_with("# Memory\n\n## Facts\n- An old fact\n");
    let at = |time: &str, arguments: &[&str]| {
        vault.tars(arguments).env("TARS_TEST_CLOCK", format!("{time}+00:00[UTC]")).run().success()
    };
    at("2026-03-01T10:00:00", &["remember", "The gate is green"]);
    at("2026-03-14T10:00:00", &["remember", "--type", "rule", "Test first"]);
    at("2026-03-15T08:00:00", &["daily", "Fixed", "the", "roof"]);
    at("2026-03-15T09:00:00", &["remember", "The key is with Hedda"]);
    vault.append("tars/2026-03-15.md", "- mine, by hand\n");
    let told = week(&vault, &[]);
    let said = ["Test first", "Fixed the roof", "mine, by hand", "The key is with Hedda"];
    assert_eq!((all(&told["added"], "said"), all(&told["added"], "day")[0]), (said.to_vec(), "2026-03-14"));
    let shown = at("2026-03-15T12:00:00", &["week"]);
    assert!(shown.stdout().contains("\nadded:\n  2026-03-14") && !shown.stdout().contains("gate"), "{shown}");
    at("2026-03-15T10:00:00", &["undo"]);
    assert!(!all(&week(&vault, &[])["added"], "said").contains(&"The key is with Hedda"));
}

#[test]
fn lines_are_kept_or_dropped_by_key_and_come_back() {
    let vault = noted();
    let before = (vault.read(DAY), vault.read("tars/2026-03-10.md"), vault.read(MEMORY));
    // Decided, open, two contradicted ones, and what waits for review.
    let output = at_march(vault.at_terminal(["week", "--review"], "k\n\nd\nk\nd\n")).run().success();
    assert!(output.stdout().contains("removed 2 lines"), "{output}");
    assert!(!vault.read("tars/2026-03-10.md").contains("8080") && vault.read("tars/2026-03-10.md").contains("Staging"));
    assert!(!vault.read(DAY).contains("Tuesdays") && vault.read(DAY).contains("9090"));
    assert_eq!(vault.read(MEMORY), before.2);
    at_march(vault.tars(["undo"])).run().success();
    assert_eq!((vault.read(DAY), vault.read("tars/2026-03-10.md"), vault.read(MEMORY)), before);
    let output = at_march(vault.at_terminal(["week", "--review"], "d\nq\n")).run().success();
    assert!(output.stdout().contains("removed 1 line"), "{output}");
}

#[test]
fn a_week_includes_the_persons_own_daily_notes() {
    let vault = vault_with("");
    vault.write("Daily/2026-03-14.md", "# Saturday\n\n- [ ] Call the roofer\n- [x] Buy milk\n\nMet Ilse.\n");
    vault.write("Daily/2026-03-01.md", "Long ago\n");
    let told = week(&vault, &[]);
    assert_eq!(all(&told["notes"], "path"), ["Daily/2026-03-14.md"]);
    assert_eq!(
        (text(&told["notes"][0], "begins"), &told["notes"][0]["open"][0]),
        ("Met Ilse.", &"Call the roofer".into())
    );
    let shown = at_march(vault.tars(["week"])).run().success();
    let notes = "your daily notes:\n  2026-03-14  Daily/2026-03-14.md  Met Ilse.\n    [ ] Call the roofer\n";
    assert!(shown.stdout().ends_with(notes), "{shown}");
}
