//! `tars feedback`, `tars review`.

use std::fs;

use super::{MEMORY, all, answer, run, vault_with};
use crate::bad_input::refused;
use crate::contract::{keys, text};
use crate::harness::TestVault;

const DAY: &str = "tars/2026-03-14.md";

/// Returns a vault with a correction, a reward and an extracted line, and their ids.
fn waiting() -> (TestVault, Vec<String>) {
    let vault = vault_with("# Memory\n\n## Facts\n- of old\n");
    run(&vault, &["feedback", "wrong", "Use", "metric", "units"]).success();
    vault.tars(["feedback", "good", "-"]).stdin("Short answer\nreasons after\n").run().success();
    vault.write(
        DAY,
        "# 2026-03-14\n\n- 10:00 [extracted] Deploys happen on Tuesdays <!-- tars:turn a -->\n- 11:00 lunch\n",
    );
    let list = answer(&vault, &["review"]);
    assert_eq!(keys(&list[0]), ["source", "proposal", "origin", "id", "path", "line", "heading", "text"]);
    assert_eq!(all(&list, "source"), ["correction", "reward", "extracted"]);
    assert_eq!(
        all(&list, "proposal"),
        ["Use metric units", "Short answer\nreasons after", "Deploys happen on Tuesdays"]
    );
    let ids = all(&list, "id").iter().map(|id| (*id).to_owned()).collect();
    (vault, ids)
}

fn archives(vault: &TestVault) -> Vec<String> {
    let Ok(entries) = fs::read_dir(vault.path("tars/archive")) else { return Vec::new() };
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn waiting_lines_are_promoted_or_dropped_and_archived() {
    let (vault, ids) = waiting();
    assert_eq!(run(&vault, &["review"]).success().says(&["--promote ID"]).stdout().lines().count(), 3);
    let promoted = answer(&vault, &["review", "--promote", &ids[0], "--to", "procedural"]);
    assert_eq!((text(&promoted, "status"), text(&promoted, "path")), ("promoted", "tars/Procedural.md"));
    let dropped = answer(&vault, &["review", "--drop", &ids[1]]);
    assert_eq!((keys(&dropped), text(&dropped, "status")), (vec!["status"], "dropped"));
    let text_of = &["review", "--promote", &ids[2], "--text", "Deploys: Tuesdays"];
    assert!(run(&vault, text_of).success().stdout().starts_with("promoted  tars/Memory.md:5"));
    assert_eq!(vault.read("tars/Procedural.md"), "# Procedural\n\n## Rules\n- Use metric units\n");
    assert_eq!(vault.read(MEMORY), "# Memory\n\n## Facts\n- of old\n- Deploys: Tuesdays\n");
    let day = "# 2026-03-14\n\n- 10:00 [promoted] Deploys happen on Tuesdays <!-- tars:turn a -->\n- 11:00 lunch\n";
    assert_eq!(vault.read(DAY), day);
    let archive: String = archives(&vault).iter().map(|name| vault.read(&format!("tars/archive/{name}"))).collect();
    assert!(archive.contains("- [correction, promoted to Procedural.md] 20"), "{archive}");
    assert!(archive.contains("- [reward, dropped] 20") && archive.contains("\n  reasons after\n"), "{archive}");
    run(&vault, &["review"]).code(1).says(&["nothing waits for a review"]);
    assert_eq!(vault.tars(["review", "--json"]).run().code(1).json().as_array().unwrap().len(), 0);
    refused(run(&vault, &["review", "--drop", &ids[0]]), &["no single line that waits", "try: tars review --json"]);
}

#[test]
fn promoting_a_known_fact_adds_nothing() {
    let (vault, ids) = waiting();
    vault.append(MEMORY, "- use metric **units**.\n");
    let memory = vault.read(MEMORY);
    assert_eq!(text(&answer(&vault, &["review", "--promote", &ids[0]]), "status"), "known");
    assert_eq!(vault.read(MEMORY), memory);
}

#[test]
fn no_archive_is_overwritten() {
    let (vault, ids) = waiting();
    // Whenever the command runs, an archive of that second exists.
    let now = jiff::Zoned::now().datetime();
    for second in 0..90 {
        let time = now.checked_add(jiff::Span::new().seconds(second)).unwrap();
        vault.write(&format!("tars/archive/review-{}.md", time.strftime("%Y-%m-%dT%H-%M-%S")), "mine");
    }
    run(&vault, &["review", "--drop", &ids[0]]).success();
    let (kept, new): (Vec<String>, Vec<String>) =
        archives(&vault).into_iter().partition(|name| vault.read(&format!("tars/archive/{name}")) == "mine");
    assert_eq!((kept.len(), new.len()), (90, 1));
    assert!(new[0].ends_with("-2.md"), "{new:?}");
}

#[test]
fn a_review_of_other_lines_is_refused() {
    let (vault, ids) = waiting();
    let before = crate::untouched::contents(&vault.root());
    for id in ["", "abc", "ffffffff", "../Memory"] {
        refused(run(&vault, &["review", "--drop", id]), &["no single line"]);
    }
    refused(run(&vault, &["review", "--promote", &ids[0], "--text", " "]), &["nothing to remember"]);
    run(&vault, &["review", "--promote", &ids[0], "--drop", &ids[1]]).code(2);
    run(&vault, &["review", "--text", "x"]).code(2);
    run(&vault, &["feedback", "fine", "x"]).code(2);
    refused(run(&vault, &["feedback", "wrong"]), &["nothing to remember"]);
    assert_eq!(crate::untouched::contents(&vault.root()), before);
}
