//! The first words that people type, before they have read a manual.

use crate::contract::text;
use crate::harness::TestVault;

fn chores() -> TestVault {
    let vault = TestVault::of_words().dated();
    vault.write(
        "Templates/Day.md",
        "---\ntags: [daily]\n---\n%% Template: say what happened. #chores %%\n# Day\n\nText.\n",
    );
    vault.write("Home/Roof.md", "# Roof\n\nMara mends the roof.\n\n- Clean the gutters #chores/outside\n");
    vault.write("Ladder.md", "# Ladder\n\nReturn it to Mara. #chores\n");
    vault.write("Code.md", "# Code\n\nThe directive is `#include`.\n");
    vault.index();
    vault
}

#[test]
fn ask_searches_and_programs_keep_their_lines() {
    let vault = chores();
    let asked = vault.tars(["ask", "who", "mends", "the", "roof", "--json"]).run().success().json();
    assert_eq!(asked, vault.tars(["search", "who mends the roof", "--json"]).run().success().json());
    assert_eq!(text(&asked["results"][0], "path"), "Home/Roof.md");
    assert!(vault.tars(["ask", "roof", "-ladder", "-n1"]).run().success().stdout().contains("Home/Roof.md:3"));
    vault.tars(["ask", "philately"]).run().code(1);
    // Neither a question nor the flag: both uses are named, and nothing is read.
    let request = "{\"status\":{}}\n";
    for arguments in [&["ask"][..], &["ask", "--json"]] {
        let refused = vault.tars(arguments).stdin(request).run().code(2);
        let refused = refused.says(&["there is no question", "tars ask QUESTION", "tars ask --json-lines"]);
        assert_eq!(refused.stdout(), "");
    }
    assert!(vault.tars(["ask", "--json-lines"]).stdin(request).run().success().json().get("status").is_some());
    vault.tars(["ask", "--json-lines", "roof"]).stdin(request).run().code(2).says(&["--json-lines"]);
    vault.tars(["ask", "--reach", "local"]).run().code(2).says(&["--json-lines"]);
}

#[test]
fn words_that_are_no_command_say_what_to_type() {
    let vault = chores();
    let said = vault.tars(["serch", "roof"]).run().code(2);
    assert_eq!(said.stdout(), "");
    said.says(&["'serch' is no command", "try: tars search roof"]);
    vault.tars(["what", "does", "Mara", "mend"]).run().code(2).says(&["try: tars search \"what does Mara mend\""]);
}

#[test]
fn notes_are_listed_by_a_tag_or_a_day_without_a_question() {
    let vault = chores();
    let listed = |arguments: &[&str]| vault.tars(["search"]).args(arguments).run().success().stdout().to_owned();
    let by_tag = listed(&["#chores"]);
    assert!(
        by_tag.contains("Ladder.md:3") && by_tag.contains("Home/Roof.md:5") && !by_tag.contains("Template"),
        "{by_tag}"
    );
    assert!(by_tag.contains("- Clean the gutters #chores/outside"), "{by_tag}");
    assert!(!listed(&["#chores/outside"]).contains("Ladder.md"));
    assert!(listed(&["#chores gutters"]).contains("Home/Roof.md:5"));
    let template = listed(&["tag:daily"]);
    assert!(template.contains("Templates/Day.md:7") && !template.contains("%%"), "{template}");
    let unknown = vault.tars(["search", "#include"]).run().success();
    assert!(unknown.stdout().contains("Code.md:3"), "{unknown}");
    unknown.says(&["'#include' is read as words: no note has this tag"]);

    vault
        .write("2026-05-08 Fair.md", "# Fair\n\nWe went to the fair.\n")
        .write("2026-05-09.md", "# Day\n\nRain.\n")
        .index();
    let days: Vec<String> = vault
        .search(&["search", "--path", "2026*", "--since", "2026-05-08"])
        .iter()
        .map(|hit| text(hit, "path").to_owned())
        .collect();
    assert_eq!(days, ["2026-05-09.md", "2026-05-08 Fair.md"]);
    let two = vault.tars(["search", "--tag", "#chores", "-n", "1"]).run().success();
    two.says(&["the newest 1 are listed; -n lists more"]);
    vault.tars(["search", "--since", "2031-01-01"]).run().code(1).says(&["nothing found in"]);
    vault.tars(["search"]).run().code(2).says(&["there is no question", "tars search '#TAG'"]);
}

#[test]
fn a_text_goes_into_the_log_of_the_day_and_a_misspelt_day_does_not() {
    let vault = chores();
    let added = vault.tars(["daily", "Met", "Ilse", "yesterday", "--channel", "phone"]).run().success();
    assert!(added.stdout().contains("[phone] Met Ilse yesterday"), "{added}");
    vault.tars(["daily", "- [ ] call her"]).run().success();
    vault.tars(["daily", "-"]).stdin("Groceries\n").run().success();
    let log = vault.tars(["daily"]).run().success().stdout().to_owned();
    assert!(["Met Ilse", "[ ] call her", "Groceries"].iter().all(|line| log.contains(line)), "{log}");
    for (words, reason) in [
        (&["2024-13-01"][..], "'2024-13-01' is no day"),
        (&["yesterdy"], "'yesterdy' is no day"),
        (&["next", "Tuesday"], "'next Tuesday' is no day"),
        (&["last", "week"], "'last week' is no day"),
        (&["yesterday", "met", "Ilse"], "it is not clear whether"),
        (&["2024-13-01", "met", "Ilse"], "it is not clear whether"),
    ] {
        let hint = format!("tars daily --append \"{}\"", words.join(" "));
        vault.tars(["daily"]).args(words).run().code(2).says(&[reason, &hint]);
    }
    vault.tars(["daily", "yesterday", "--channel", "phone"]).run().code(2).says(&["there is none"]);
    assert_eq!(vault.tars(["daily"]).run().success().stdout(), log, "nothing of it was written");
    vault.tars(["daily", "yesterday"]).run().code(1).says(&["tars daily TEXT begins one"]);
}

#[test]
fn facts_and_rules_are_named_so_in_every_door() {
    let vault = chores();
    vault.tars(["remember", "--type", "rule", "Wear gloves on the roof"]).run().success();
    vault.tars(["remember", "--type", "Fact", "The ladder is Mara's"]).run().success();
    assert!(
        vault.read("tars/Procedural.md").contains("Wear gloves") && vault.read("tars/Memory.md").contains("Mara's")
    );
    let request = "{\"remember\":{\"text\":\"Call before coming\",\"memory_type\":\"rule\"}}\n";
    vault.tars(["ask", "--json-lines"]).stdin(request).run().success();
    assert!(vault.read("tars/Procedural.md").contains("Call before coming"));
    let rules = vault.search(&["sgrep", "gloves", "--type", "rule"]);
    assert_eq!((text(&rules[0], "path"), text(&rules[0], "memory_type")), ("tars/Procedural.md", "procedural"));
    assert_eq!(vault.found(&["sgrep", "type:rule gloves"]), ["tars/Procedural.md"]);
    vault.tars(["remember", "--type", "recipe", "x"]).run().code(2).says(&["fact (semantic), rule (procedural)"]);
    vault.tars(["remember", "--type", "session", "x"]).run().code(2).says(&["choose fact, rule or daily"]);
}

#[test]
fn many_notes_with_front_matter_that_is_no_yaml_are_one_warning() {
    let vault = TestVault::of_words();
    let broken = |number: usize| format!("---\ntitle: Plan: number {number}\n---\nwalrus\n");
    for number in 0..3 {
        vault.write(&format!("n{number}.md"), broken(number));
    }
    let few = vault.tars(["index"]).run().success();
    assert_eq!(few.stderr().matches("front matter that is no YAML").count(), 3, "{few}");
    for number in 0..15 {
        vault.write(&format!("m{number:02}.md"), broken(number));
    }
    let many = vault.tars(["index"]).run().success();
    let many = many.says(&["15 notes have front matter that is no YAML (tars doctor lists them)"]);
    assert_eq!(many.stderr().lines().count(), 1, "{many}");
    let listed = vault.tars(["doctor"]).run().success();
    assert_eq!(listed.stdout().matches("front matter ").count(), 18, "{listed}");
    assert!(listed.stdout().contains("/m07.md: ") && listed.stdout().contains("healthy"), "{listed}");
    let report = vault.tars(["index", "--full", "--json"]).run().success().json();
    assert_eq!(report["warnings"].as_array().unwrap().len(), 18, "programs get each of them");
}
