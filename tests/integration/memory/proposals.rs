//! `tars review --propose`, `tars tidy --propose`, the list of proposals, `tars history`.

use super::{MEMORY, all, answer, bytes, run, vault_with};
use crate::bad_input::refused;
use crate::contract::keys;
use crate::harness::TestVault;

const LIST: &str = "tars/proposals.md";

fn corrected() -> TestVault {
    let vault = vault_with("# Memory\n\n## People\n- Anna works at the port\n");
    run(&vault, &["feedback", "wrong", "npm again: this repository uses pnpm 9"]).success();
    run(&vault, &["feedback", "wrong", "this repository uses pnpm 9, not npm"]).success();
    run(&vault, &["remember", "--force", "--section", "People", "Anna works at the museum"]).success();
    vault
}

#[test]
fn a_list_of_proposals_is_no_answer_for_an_agent() {
    let vault = corrected();
    run(&vault, &["review", "--propose"]).success();
    vault.index();
    assert!(vault.found(&["sgrep", "pnpm"]).contains(&LIST.to_owned()), "a person finds it");
    let paths = vault.found(&["search", "--budget", "600", "pnpm"]);
    assert!(!paths.is_empty() && !paths.contains(&LIST.to_owned()), "{paths:?}");
}

fn everything(vault: &TestVault) -> Vec<Option<Vec<u8>>> {
    let files = [
        MEMORY,
        "tars/Procedural.md",
        "tars/corrections.md",
        LIST,
        "tars/archive/proposals.md",
        "tars/archive/superseded.md",
    ];
    files.iter().map(|file| bytes(vault, file)).collect()
}

#[test]
fn ticked_proposals_are_applied_by_the_next_review() {
    let vault = corrected();
    let proposed = answer(&vault, &["review", "--propose"]);
    assert_eq!(keys(&proposed), ["proposals", "dropped"]);
    let found = &proposed["proposals"][0];
    assert_eq!(keys(found), ["id", "job", "change", "word", "path", "section", "text", "sources"]);
    assert_eq!((found["path"].as_str(), found["sources"].as_array().unwrap().len()), (Some("tars/Procedural.md"), 2));
    let tidied = answer(&vault, &["tidy", "--propose"]);
    assert_eq!(all(&tidied["proposals"], "change"), ["supersede"]);
    let before = everything(&vault);
    vault.write(LIST, vault.read(LIST).replace("- [ ]", "- [x]"));
    let settled = answer(&vault, &["review", "--settle"]);
    assert_eq!(all(&settled, "status"), ["accepted", "accepted"]);
    assert!(vault.read("tars/Procedural.md").contains("- this repository uses pnpm 9, not npm\n"));
    assert_eq!(vault.read(MEMORY), "# Memory\n\n## People\n- Anna works at the museum\n");
    assert!(!vault.read(LIST).contains("- ["));
    assert!(!vault.read("tars/corrections.md").contains("pnpm"));
    // It is not proposed again, and one undo reverts all of it.
    for job in ["review", "tidy"] {
        assert_eq!(answer(&vault, &[job, "--propose"])["proposals"].as_array().unwrap().len(), 0, "{job}");
    }
    run(&vault, &["undo"]).success();
    vault.write(LIST, vault.read(LIST).replace("- [x]", "- [ ]"));
    assert_eq!(everything(&vault), before);
}

#[test]
fn a_proposal_is_accepted_with_other_words_or_refused_by_its_id() {
    let vault = corrected();
    answer(&vault, &["review", "--propose"]);
    answer(&vault, &["tidy", "--propose"]);
    let listed = answer(&vault, &["review", "--proposals"]);
    let ids = all(&listed, "id");
    let accepted = run(&vault, &["review", "--accept", ids[0], "--text", "Use pnpm 9 here."]).success();
    assert!(accepted.stdout().starts_with("accepted  tars/Procedural.md:"), "{accepted}");
    assert_eq!(
        run(&vault, &["review", "--refuse", ids[1]]).success().stdout(),
        "refused  Anna works at the port
"
    );
    assert!(vault.read("tars/Procedural.md").contains("- Use pnpm 9 here.\n"));
    assert!(vault.read(MEMORY).contains("- Anna works at the port\n"));
    run(&vault, &["review", "--proposals"]).code(1).says(&["the list of proposals is empty"]);
    assert_eq!(answer(&vault, &["tidy", "--propose"])["proposals"].as_array().unwrap().len(), 0, "refused for good");
    refused(run(&vault, &["review", "--accept", ids[0]]), &["no single proposal"]);
}

#[test]
fn dead_links_are_fixed_one_by_one() {
    let text = "# Memory\n\n## Garden\n- See [[rain-logger|the logger]] and [[Old runbook]]\n";
    let vault = vault_with(text);
    vault.write("Garden/Rain logger.md", "# Rain logger\n");
    let proposed = answer(&vault, &["tidy", "--propose"]);
    let proposals = &proposed["proposals"];
    assert_eq!(all(proposals, "change"), ["link", "link"]);
    assert_eq!(keys(&proposals[0]), ["id", "job", "change", "word", "path", "section", "text", "lines", "link"]);
    assert_eq!(keys(&proposals[0]["link"]), ["target", "to"]);
    let shown = run(&vault, &["review", "--proposals"]).success();
    assert!(shown.stdout().contains("[[rain-logger]] leads nowhere: [[Rain logger]] instead"), "{shown}");
    assert!(shown.stdout().contains("[[Old runbook]] leads nowhere: its brackets are removed"), "{shown}");
    assert_eq!(
        answer(&vault, &["tidy"])["findings"].as_array().unwrap().len(),
        2,
        "the list has no dead links of its own"
    );
    vault.write(LIST, vault.read(LIST).replace("- [ ]", "- [x]"));
    assert_eq!(all(&answer(&vault, &["review", "--settle"]), "status"), ["accepted", "accepted"]);
    assert_eq!(vault.read(MEMORY), "# Memory\n\n## Garden\n- See [[Rain logger|the logger]] and Old runbook\n");
    assert_eq!(answer(&vault, &["tidy"])["findings"].as_array().unwrap().len(), 0);
    run(&vault, &["undo"]).success();
    assert_eq!(vault.read(MEMORY), text);
}

#[test]
fn a_replaced_fact_has_a_history() {
    let vault =
        vault_with("# Memory\n\n## People\n- Anna works at the port (since 2025-11-03)\n  - pier 4\n- Bo likes tea\n");
    run(&vault, &["remember", "--replace", "anna works", "Anna works at the museum"]).success();
    run(&vault, &["remember", "--replace", "Anna museum", "Anna works at the ferry"]).success();
    let histories = answer(&vault, &["history", "works", "Anna"]);
    assert_eq!(histories.as_array().unwrap().len(), 1);
    let history = &histories[0];
    assert_eq!(
        all(&history["before"], "text"),
        ["Anna works at the port (since 2025-11-03)", "Anna works at the museum"]
    );
    assert_eq!(
        (history["before"][0]["since"].as_str(), history["now"]["text"].as_str()),
        (Some("2025-11-03"), Some("Anna works at the ferry"))
    );
    assert_eq!(answer(&vault, &["history", "tea"])[0]["before"].as_array().unwrap().len(), 0);
    run(&vault, &["history", "nobody"]).code(1).says(&["no current or former line of the memory"]);
    refused(run(&vault, &["remember", "--replace", "likes works", "x"]), &["holds these words"]);
    // The same fact in other words leaves nothing to keep.
    let archive = vault.read("tars/archive/superseded.md");
    run(&vault, &["remember", "--replace", "Bo likes", "Bo likes tea."]).success();
    assert_eq!(vault.read("tars/archive/superseded.md"), archive);
}
