//! `tars tidy --propose` when Memory.md is too long for the context of a session.

use super::{MEMORY, all, answer, bytes, run, vault_with};

fn overgrown() -> String {
    // All lines differ: duplicates are a separate test.
    let word = |number: usize| -> String {
        (0..4).map(|at| char::from(b'a' + (((number * 7919) >> (3 * at)) % 26) as u8)).collect()
    };
    let lines = |about: &str| -> String {
        let said =
            |at: usize| -> Vec<String> { (0..9).map(|step| word(about.len() * 1000 + at * 10 + step)).collect() };
        (0..14).map(|at| format!("- {about}{at} {}\n", said(at).join(" "))).collect()
    };
    format!(
        "# Memory\r\n\r\n## Rules\n- Always answer in English\n\n## Machines\n- 2026-01-09: sold the router\n  - to\tBen\n{}\n## Work\n{}\n## Person\n{}",
        lines("machine"),
        lines("client"),
        lines("she")
    )
}

#[test]
fn details_move_out_of_a_large_core_and_undo_restores_them() {
    let text = overgrown();
    let vault = vault_with(&text);
    vault.write("tars/context/work.md", "# Work\n\n## Work\n- Ben runs the deploys\n");
    run(&vault, &["tidy"]).success().says(&["and every session begins with it", "tars tidy --propose"]);
    let size = answer(&vault, &["tidy"])["core_tokens"].as_u64().unwrap();
    assert!(size > 500, "{size}");
    let proposed = answer(&vault, &["tidy", "--propose"]);
    let moves: Vec<&serde_json::Value> =
        proposed["proposals"].as_array().unwrap().iter().filter(|one| one["change"] == "move").collect();
    assert_eq!(
        (moves[0]["text"].as_str(), moves[0]["path"].as_str()),
        (Some("2026-01-09: sold the router"), Some("tars/context/machines.md"))
    );
    assert_eq!(vault.read(MEMORY), text, "nothing moves without consent");
    for listed in answer(&vault, &["review", "--proposals"]).as_array().unwrap() {
        if listed["change"] != "move" {
            run(&vault, &["review", "--refuse", listed["id"].as_str().unwrap()]).success();
        }
    }
    vault.write("tars/proposals.md", vault.read("tars/proposals.md").replace("- [ ]", "- [x]"));
    let before = bytes(&vault, "tars/context/work.md");
    let settled = answer(&vault, &["review", "--settle"]);
    assert_eq!(all(&settled, "status"), vec!["accepted"; moves.len()]);
    assert!(vault.read("tars/context/machines.md").contains("- 2026-01-09: sold the router\n  - to\tBen\n"));
    let core = vault.read(MEMORY);
    assert!(core.starts_with("# Memory\r\n\r\n## Rules\n- Always answer in English\n"), "{core}");
    let moved = [
        vault.read("tars/context/machines.md"),
        bytes(&vault, "tars/context/work.md").map(|bytes| String::from_utf8(bytes).unwrap()).unwrap(),
    ]
    .concat();
    assert!(text.lines().all(|line| core.contains(line) || moved.contains(line)), "no line is lost");
    let size = answer(&vault, &["tidy"])["core_tokens"].as_u64().unwrap();
    assert!(size <= 500, "{size}");
    run(&vault, &["undo"]).success();
    assert_eq!(vault.read(MEMORY), text);
    assert_eq!((bytes(&vault, "tars/context/work.md"), bytes(&vault, "tars/context/machines.md")), (before, None));
}
