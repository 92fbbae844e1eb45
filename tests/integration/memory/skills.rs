//! `tars review --skills`

use super::{MEMORY, all, answer, run, vault_with};
use crate::bad_input::refused;
use crate::contract::keys;

const NAME: &str = "run-tests-bump-version-tag-commit";

#[test]
fn a_skill_draft_is_printed_or_written_and_overwrites_nothing() {
    let vault = vault_with("# Memory\n");
    run(&vault, &["review", "--skills"]).code(1).says(&["no steps recur on three days"]);
    let line =
        |day: &str| format!("- {day} 10:00 release: run the tests, bump the version, then tag the commit !`id`\n");
    let lines = ["2026-03-01", "2026-03-05", "2026-03-09"].map(line).concat();
    vault.write("tars/corrections.md", format!("# Corrections\n\n## To review\n{lines}"));
    let found = answer(&vault, &["review", "--skills"]);
    assert_eq!(keys(&found[0]), ["name", "description", "text", "sources"]);
    assert_eq!(keys(&found[0]["sources"][0]), ["path", "day", "text"]);
    assert_eq!(all(&found, "name"), [NAME]);
    let text = found[0]["text"].as_str().unwrap();
    assert!(text.starts_with(&format!("---\nname: {NAME}\ndescription: \"")) && !text.contains("!`"), "{text}");
    assert_eq!(run(&vault, &["review", "--skills"]).success().stdout(), text);
    let asked = vault.tars(["ask", "--json-lines"]).stdin("{\"skills\":{}}\n").run().success();
    assert_eq!(asked.json()["skills"], found);

    let folder = vault.home().join("skills");
    let folder = folder.to_str().unwrap();
    refused(run(&vault, &["review", "--skills", "--write", folder]), &["cannot open", "skills"]);
    std::fs::create_dir(folder).unwrap();
    let write = |status: &str| format!("{status}  {NAME}/SKILL.md\n");
    assert_eq!(run(&vault, &["review", "--skills", "--write", folder]).success().stdout(), write("written"));
    let file = format!("{folder}/{NAME}/SKILL.md");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    assert_eq!(run(&vault, &["review", "--skills", "--write", folder]).success().stdout(), write("known"));
    std::fs::write(&file, "mine").unwrap();
    assert_eq!(run(&vault, &["review", "--skills", "--write", folder]).code(2).stdout(), write("differs"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(vault.path(MEMORY), &file).unwrap();
    run(&vault, &["review", "--skills", "--write", folder]).code(2);
    assert_eq!(vault.read(MEMORY), "# Memory\n");
}
