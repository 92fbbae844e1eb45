//! `tars remember --to`, `tars project`: files below the core.

use super::{MEMORY, all, answer, bytes, run, vault_with};
use crate::bad_input::refused;
use crate::contract::{keys, text};
use crate::harness::TestVault;

const PAGE: &str = "tars/projects/acme-api.md";

fn with_sessions() -> TestVault {
    let vault = vault_with("# Memory\n");
    vault.write(
        "tars/2026-03-01.md",
        "# 2026-03-01\n\n## Session 09:20 · acme/api\n<!-- tars:session a turns=1 by=extractive project=11111111 -->\n\
         - 09:20 Decided: the port of staging is 9090\n- [ ] 09:50 Open: measure the migration of invoices\n",
    );
    vault
}

#[test]
fn a_fact_goes_to_the_file_of_its_topic_once() {
    let vault = vault_with("# Memory\n\n## Facts\n- The router is in the cellar\n");
    let added = answer(&vault, &["remember", "--to", "context/work", "--section", "Team", "Ben runs the deploys"]);
    assert_eq!((text(&added, "status"), text(&added, "path")), ("added", "tars/context/work.md"));
    assert_eq!(vault.read("tars/context/work.md"), "# Work\n\n## Team\n- Ben runs the deploys\n");
    let again = answer(&vault, &["remember", "--to", "context/work", "ben runs the deploys."]);
    assert_eq!((text(&again, "status"), text(&again, "path")), ("known", "tars/context/work.md"));
    let found = answer(
        &vault,
        &["remember", "--to", "timelines/future-plans", "Write a guide to the <private>b</private> harbour"],
    );
    assert_eq!(text(&found, "path"), "tars/timelines/future-plans.md");
    assert!(!vault.read("tars/timelines/future-plans.md").contains(">b<"));
    run(&vault, &["undo"]).success();
    assert!(bytes(&vault, "tars/timelines/future-plans.md").is_none());
}

#[test]
fn the_map_shows_each_layer_and_nothing_private() {
    let vault = vault_with("# Memory\n\n## Person\n- Anna keeps bees\n");
    vault.write("tars/context/work.md", "# Work\n\n## With <private>Falk</private>\n");
    vault.write("tars/context/health.md", "---\ntars: private\n---\n# Health\n");
    vault.write("tars/2026-03-14.md", "# 2026-03-14\n\n## Session 09:20 · pump\n");
    let map = answer(&vault, &["context", "--layers"]);
    assert_eq!(keys(&map), ["layers", "core_tokens", "core_limit", "warnings"]);
    assert_eq!(all(&map["layers"], "layer"), ["core", "context", "days"]);
    assert_eq!(keys(&map["layers"][0]), ["layer", "files", "more"]);
    let file = &map["layers"][0]["files"][0];
    assert_eq!(keys(file), ["path", "tokens", "changed", "holds"]);
    assert_eq!((text(file, "path"), text(file, "holds")), (MEMORY, "Person"));
    assert_eq!((map["core_tokens"].as_u64(), map["core_limit"].as_u64()), (file["tokens"].as_u64(), Some(500)));
    let printed = run(&vault, &["context", "--layers"]).success();
    assert!(printed.stdout().contains("days\n  tars/2026-03-14.md  "), "{printed}");
    for hidden in ["Falk", "health", "Health"] {
        assert!(!printed.stdout().contains(hidden) && !map.to_string().contains(hidden), "{printed}");
    }
    let asked = vault.tars(["ask", "--json-lines"]).stdin("{\"layers\":{}}\n").run().success();
    assert_eq!(asked.json()["layers"]["layers"], map["layers"]);
    run(&vault, &["context", "--layers", "bees"]).code(2).says(&["cannot be used with"]);
    let overgrown = format!("# Memory\n{}", "- The bees are in the garden\n".repeat(90));
    vault.write(MEMORY, overgrown);
    run(&vault, &["context", "--layers"]).success().says(&["tars tidy --propose"]);
}

#[test]
fn a_layer_path_stays_in_the_memory_folder() {
    let vault = vault_with("# Memory\n");
    for named in ["context/../../evil", "/etc/passwd", "archive/x", "Memory", "context/A", "sessions/x", "projects/x"] {
        refused(run(&vault, &["remember", "--to", named, "A fact"]), &["is no file for facts", "context/NAME"]);
    }
    assert_eq!(vault.read("tars/Memory.md"), "# Memory\n");
}

#[test]
fn a_projects_page_is_proposed_ticked_and_printed() {
    let vault = with_sessions();
    let listed = answer(&vault, &["project"]);
    assert_eq!(keys(&listed[0]), ["name", "key", "sessions", "path", "lines"]);
    run(&vault, &["project", "api"]).code(1).says(&["acme/api has no page yet: tars project update acme/api"]);
    let update = || vault.tars(["project", "update", "api", "--json"]).run().success().json();
    let proposed = update();
    assert_eq!(all(&proposed["proposals"], "change"), ["page"]);
    assert!(bytes(&vault, PAGE).is_none());
    vault.write("tars/proposals.md", vault.read("tars/proposals.md").replace("- [ ]", "- [x]"));
    assert_eq!(all(&answer(&vault, &["review", "--settle"]), "status"), ["accepted"]);
    let page = answer(&vault, &["project", "acme/api"]);
    assert_eq!(all(&page["lines"], "section"), ["Decisions in force", "Open ends"]);
    let printed = run(&vault, &["project", "api"]).success();
    assert!(printed.stdout().contains("- the port of staging is 9090\n"), "{printed}");
    assert_eq!(update()["proposals"].as_array().unwrap().len(), 0);
    refused(run(&vault, &["project", "update", "../api"]), &["no single project", "try: tars project"]);
}
