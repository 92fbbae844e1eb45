//! `tars tidy`.

use super::{MEMORY, answer, run, vault_with};
use crate::contract::{keys, text};

const UNTIDY: &str = "# Memory\n\n- Port is 8080\n- Tea, not coffee\n- port is `8080`.\n- Deploys: Friday (2026-01-10)\n\
                      - Deploys: Tuesday (2026-03-01)\n- The editor is helix\n- The editor is neovim\n- See [[Nowhere]] and [[Here]]\n";

#[test]
fn tidy_lists_candidates_and_removes_them_only_on_command() {
    let vault = vault_with(UNTIDY);
    vault.write("Notes/Here.md", "here\n");
    let report = answer(&vault, &["tidy"]);
    assert_eq!(keys(&report), ["findings", "removed", "core_tokens"]);
    let kinds: Vec<&str> = report["findings"].as_array().unwrap().iter().map(|finding| text(finding, "kind")).collect();
    assert_eq!(kinds, ["duplicate", "superseded", "conflict", "broken_link"], "{report}");
    assert_eq!(keys(&report["findings"][0]), ["kind", "remove", "lines"]);
    assert_eq!(keys(&report["findings"][3]["link"]), ["path", "line", "target"]);
    assert_eq!(text(&report["findings"][3]["link"], "target"), "Nowhere");
    run(&vault, &["tidy"]).success().says(&["nothing was removed: --yes"]);
    assert_eq!(vault.read(MEMORY), UNTIDY);

    let report = answer(&vault, &["tidy", "--yes"]);
    assert_eq!(report["removed"].as_array().unwrap().len(), 2);
    let tidied = UNTIDY.replace("- port is `8080`.\n", "").replace("- Deploys: Friday (2026-01-10)\n", "");
    assert_eq!(vault.read(MEMORY), tidied);
    run(&vault, &["undo"]).success();
    assert_eq!(vault.read(MEMORY), UNTIDY);
}

#[test]
fn links_that_lead_to_notes_by_any_way_are_not_broken() {
    let vault =
        vault_with("# Memory\n\n- See [[../Notes/Here]], [[/Notes/Here]] and [there](../Notes/Two%20words.md)\n");
    vault.write("Notes/Here.md", "here\n").write("Notes/Two words.md", "there\n").write("Garden.md", "# Garden\n");
    let topic = "# Work\n\n- See [[../../Garden]], [[./home]] and [[../../../Garden]]\n";
    vault.write("tars/context/work.md", topic).write("tars/context/home.md", "# Home\n\n- Tea\n");
    let report = answer(&vault, &["tidy"]);
    let broken: Vec<&str> =
        report["findings"].as_array().unwrap().iter().map(|finding| text(&finding["link"], "target")).collect();
    assert_eq!(broken, ["../../../Garden"], "{report}");
}

#[test]
fn tidy_reports_a_folder_without_candidates() {
    let vault = vault_with("- Tea\n");
    run(&vault, &["tidy"]).success().says(&["the memory folder is tidy"]);
    run(&vault, &["log"]).code(1);
}

#[test]
fn a_fact_that_moved_to_a_topic_can_be_superseded() {
    let memory = "# Memory\n\n- The staging port is 8450 (2026-03-30)\n";
    let vault = vault_with(memory);
    let topic = "# Work\n\n- The staging port is 8200 (2026-03-15)\n- The office is in Kassel\n";
    vault.write("tars/context/work.md", topic);
    let report = answer(&vault, &["tidy", "--yes"]);
    assert_eq!(text(&report["findings"][0], "kind"), "superseded", "{report}");
    assert_eq!(vault.read(MEMORY), memory);
    assert_eq!(vault.read("tars/context/work.md"), "# Work\n\n- The office is in Kassel\n");
    let archive = vault.read("tars/archive/superseded.md");
    assert!(archive.contains("8200") && archive.contains("now: The staging port is 8450"), "{archive}");
    run(&vault, &["undo"]).success();
    assert_eq!(vault.read("tars/context/work.md"), topic);
}
