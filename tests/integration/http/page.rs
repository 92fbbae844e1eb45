//! The page and the data that it gets. scripts/checks/page tests it in a browser.

use serde_json::json;

use super::Serving;
use crate::harness::TestVault;

#[test]
fn the_page_and_its_files_are_for_browsers_that_are_signed_in() {
    let vault = TestVault::of_words();
    let serving = Serving::start(&vault);
    let cookie = serving.sign_in();
    let page = serving.send("GET /", &[&cookie], "").expect(200);
    let named: Vec<&str> = page.body.split("\"/assets/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(named.contains(&"app.js") && named.contains(&"style.css"), "{named:?}");
    for name in named.into_iter().chain(["views/search.js"]) {
        let file = serving.send(&format!("GET /assets/{name}"), &[&cookie], "").expect(200);
        let kind = match name.rsplit_once('.').unwrap().1 {
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            _ => "image/svg+xml",
        };
        assert_eq!(file.header("content-type"), Some(kind), "{name}");
        assert!(!file.body.is_empty(), "{name}");
        serving.send(&format!("GET /assets/{name}"), &[], "").problem(401, &["tars open"]);
    }
    for name in ["", "none.js", "mod.rs", "../page/app.js", "%2e%2e/page/app.js", "views/../app.js", "views"] {
        serving.send(&format!("GET /assets/{name}"), &[&cookie], "").problem(404, &[]);
    }
}

#[test]
fn answers_to_the_page_hold_nothing_private_and_no_secret() {
    let vault = TestVault::of_words().dated();
    let private = "---\ntars: private\n---\n# Hidden\n- 10:00 The safe holds the silver spoons. See [[Open]].\n";
    vault.write("Hidden.md", private).write("tars/context/hidden.md", private).write("tars/2026-03-14.md", private);
    vault.write("Open.md", "# Open\nSee [[Hidden]], where the safe is.\n");
    vault.write("tars/Memory.md", "# Memory\n\n- The password is hunter2hunter2\n");
    vault.write("tars/2026-03-15.md", "# 2026-03-15\n- 10:00 The password is hunter2hunter2\n");
    let serving = Serving::start(&vault);
    for (operation, request) in [
        ("lines", json!({})),
        ("timeline", json!({})),
        ("timeline", json!({"until": "2026-03-14"})),
        ("related", json!({"name": "Open.md"})),
        ("recalled", json!({})),
    ] {
        let reply = serving.ask(operation, &request).expect(200);
        for words in ["spoons", "idden", "hunter2"] {
            assert!(!reply.body.contains(words), "{operation} {request}: {reply:#?}");
        }
    }
    serving.ask("related", &json!({"name": "Hidden.md"})).problem(404, &[]);
    let days = serving.answer("timeline", &json!({}))["days"].as_array().unwrap().len();
    assert_eq!(days, 1, "a private day is not listed");
}

#[test]
fn a_write_can_rest_on_the_version_that_the_page_shows() {
    let vault = TestVault::of_words();
    vault.write("tars/Memory.md", "# Memory\n\n- The router is upstairs\n");
    let serving = Serving::start(&vault);
    let lines = serving.ask("lines", &json!({})).expect(200);
    let version = format!("If-Match: {}", lines.header("etag").unwrap());
    vault.write("tars/Memory.md", "# Memory\n\n- The router is upstairs\n- Saved in Obsidian\n");
    let write = json!({"text": "The cellar is dry"}).to_string();
    let send =
        || serving.send("POST /v1/remember", &[&serving.bearer(), &version, "Content-Type: application/json"], &write);
    send().problem(412, &[]);
    assert!(!vault.read("tars/Memory.md").contains("cellar"));
}
