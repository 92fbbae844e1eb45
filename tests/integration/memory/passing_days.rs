//! Commands over several days; the feature `test-clock` sets the clock of the process.

use super::{MEMORY, days, vault_with};
use crate::contract::text;
use crate::harness::{Output, TestVault};

/// Runs a command at a moment of Berlin's time.
fn at(vault: &TestVault, moment: &str, arguments: &[&str]) -> Output {
    let zoned = format!("{moment}+01:00[+01:00]");
    vault.tars(arguments).env("TARS_TEST_CLOCK", zoned).run()
}

#[test]
fn each_day_has_its_own_log_and_relative_names_move_on() {
    let vault = vault_with("");
    at(&vault, "2026-03-01T23:59:59", &["daily", "--append", "went to bed"]).success();
    at(&vault, "2026-03-02T00:00:00", &["daily", "--append", "could not sleep"]).success();
    assert_eq!(days(&vault), ["tars/2026-03-01.md", "tars/2026-03-02.md"]);
    assert_eq!(vault.read("tars/2026-03-01.md"), "# 2026-03-01\n\n- 23:59 went to bed\n");
    assert_eq!(vault.read("tars/2026-03-02.md"), "# 2026-03-02\n\n- 00:00 could not sleep\n");
    let shown = |moment, day| at(&vault, moment, &["daily", day]).success().stdout().to_owned();
    assert!(shown("2026-03-02T09:00:00", "yesterday").contains("went to bed"));
    assert!(shown("2026-03-03T09:00:00", "yesterday").contains("could not sleep"));
    assert_eq!(shown("2026-03-04T09:00:00", "3 days ago"), shown("2026-03-05T09:00:00", "2026-03-01"));
}

#[test]
fn the_journal_shows_the_age_of_a_write() {
    let vault = vault_with("");
    at(&vault, "2026-03-01T09:00:00", &["remember", "Port is 8080"]).success();
    let entry = &at(&vault, "2026-03-01T09:00:00", &["log", "--json"]).success().json()[0];
    assert_eq!(text(entry, "time"), "2026-03-01T08:00:00Z");
    for (moment, age) in [
        ("2026-03-01T09:00:59", "just now  "),
        ("2026-03-01T11:00:00", "2 h ago  "),
        ("2026-03-03T09:00:00", "2 days ago  "),
        ("2026-03-08T09:00:00", "2026-03-01 09:00  "),
    ] {
        let output = at(&vault, moment, &["log"]).success();
        assert!(output.stdout().starts_with(age), "{moment}\n{output}");
    }
    at(&vault, "2026-03-09T09:00:00", &["undo"]).success();
    assert_eq!(vault.read(MEMORY), "");
}

#[test]
fn a_search_of_last_week_goes_by_the_clock() {
    let vault = vault_with("");
    vault.write("Journal/2026-03-04.md", "The chain of the bicycle broke.\n");
    vault.index();
    let ask = |moment| at(&vault, moment, &["search", "chain", "--since", "last week", "--json"]);
    ask("2026-03-10T09:00:00").success();
    ask("2026-03-17T09:00:00").code(1);
}
