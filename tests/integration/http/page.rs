//! The page and the data that it gets. scripts/checks/page tests it in a browser.

use std::os::unix::fs::symlink;

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

const GIF: &str = "GIF89a, and the rest of it";
const DRAWING: &str = "<?xml version=\"1.0\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"><script>x()</script></svg>\n";

#[test]
fn a_note_shows_its_pictures_and_nothing_else_is_served() {
    let vault = TestVault::of_words();
    let embedded = "![[Plan.gif]] ![[drawing.svg|300]] ![x](../Other/near%20by.gif) ![x](<no picture.gif>) ![x](/top.gif) ![](gone.gif) \
        ![](../../outside.gif) ![](../../../../../../etc/passwd) ![](/etc/passwd.png) ![](link.gif) ![](folder/linked.gif) ![](.hidden.gif) \
        ![](.obsidian/app.gif) ![](ignored/x.gif) ![](note.md) ![](Notes.gif.md) ![](text.svg) ![](drawing.gif)";
    vault.write("Notes/Trip.md", format!("# Trip\n\n{embedded}\n"));
    vault.write("Notes/Private.md", "---\ntars: private\n---\n# Private\n\n![](secret.gif)\n");
    vault.write(".tarsignore", "ignored\n").write("Notes/note.md", "# Note\n");
    for name in [
        "Files/deep/Plan.gif",
        "Other/near by.gif",
        "Notes/no picture.gif.txt",
        "top.gif",
        "Notes/secret.gif",
        "Notes/alone.gif",
        "Notes/.hidden.gif",
        "Notes/.obsidian/app.gif",
        "Notes/ignored/x.gif",
    ] {
        vault.write(name, GIF);
    }
    vault.write("Files/drawing.svg", DRAWING).write("Notes/drawing.gif", DRAWING).write("Notes/no picture.gif", "text");
    vault.write("Notes/text.svg", "<html><svg></svg></html>");
    let outside = vault.home().join("outside.gif");
    std::fs::write(&outside, GIF).unwrap();
    std::fs::write(vault.home().join("linked.gif"), GIF).unwrap();
    symlink(&outside, vault.path("Notes/link.gif")).unwrap();
    symlink(vault.home(), vault.path("Notes/folder")).unwrap();
    vault.index();
    let serving = Serving::start(&vault);
    let address = |note: &str, name: &str| {
        let name: String = name.bytes().map(|byte| format!("%{byte:02X}")).collect();
        format!("/picture?in=vault&note={note}&name={name}")
    };
    let get = |name: &str| serving.get(&address("Notes/Trip.md", name));
    for name in ["Plan.gif", "../Other/near%20by.gif", "/top.gif"] {
        let reply = get(name).expect(200);
        assert_eq!((reply.header("content-type"), reply.body.as_str()), (Some("image/gif"), GIF), "{name}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    }
    let drawing = get("drawing.svg").expect(200);
    assert_eq!((drawing.header("content-type"), drawing.body.as_str()), (Some("image/svg+xml"), DRAWING));
    let policy = drawing.header("content-security-policy").unwrap();
    assert!(
        policy.contains("sandbox") && policy.contains("default-src 'none'") && !policy.contains("allow-"),
        "{policy}"
    );
    // A drawing is a document: nobody opens it by itself.
    let opened = ["Sec-Fetch-Dest: document", "Sec-Fetch-Dest: iframe", "Sec-Fetch-Dest: object"];
    for destination in opened {
        let first = format!("GET {}", address("Notes/Trip.md", "drawing.svg"));
        serving.send(&first, &[&serving.bearer(), destination], "").problem(403, &[]);
    }
    for name in [
        "no picture.gif",
        "gone.gif",
        "../../outside.gif",
        "../../../../../../etc/passwd",
        "/etc/passwd.png",
        "link.gif",
        "folder/linked.gif",
        ".hidden.gif",
        ".obsidian/app.gif",
        "ignored/x.gif",
        "note.md",
        "Notes.gif.md",
        "text.svg",
        "drawing.gif",
        // The note names none of these.
        "alone.gif",
        "secret.gif",
        "",
    ] {
        get(name).problem(404, &["no picture matches"]);
    }
    serving.get(&address("Notes/Private.md", "secret.gif")).problem(404, &[]);
    serving.get(&address("Nowhere.md", "top.gif")).problem(404, &[]);
    serving.get("/picture").problem(404, &[]);
    serving.send(&format!("GET {}", address("Notes/Trip.md", "/top.gif")), &[], "").problem(401, &[]);
    let cookie = serving.sign_in();
    let first = format!("GET {}", address("Notes/Trip.md", "/top.gif"));
    serving.send(&first, &[&cookie, "Sec-Fetch-Site: same-site", "Sec-Fetch-Dest: image"], "").problem(403, &[]);
    serving.send(&first, &[&cookie, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Dest: image"], "").expect(200);
}

#[test]
fn a_note_behind_a_followed_link_shows_its_pictures() {
    let vault = TestVault::of_words();
    let shared = vault.home().join("shared");
    std::fs::create_dir_all(shared.join("files")).unwrap();
    std::fs::write(shared.join("Trip.md"), "# Trip\n\n![[map.gif]] ![](files/map.gif)\n").unwrap();
    std::fs::write(shared.join("files/map.gif"), GIF).unwrap();
    symlink(&shared, vault.path("Shared")).unwrap();
    vault.tars(["config", "set", "index.follow_links", "[\"Shared\"]"]).run().success();
    vault.index();
    let serving = Serving::start(&vault);
    for name in ["map.gif", "files/map.gif"] {
        let reply = serving.get(&format!("/picture?in=vault&note=Shared/Trip.md&name={name}")).expect(200);
        assert_eq!(reply.body, GIF, "{name}");
    }
}

#[test]
fn a_setting_that_the_server_has_not_taken_is_named() {
    let vault = TestVault::of_words();
    vault.write("Boiler.md", "# Boiler\n\nIt leaks.\n").index();
    let serving = Serving::start(&vault);
    assert_eq!(serving.answer("status", &json!({}))["unapplied_settings"], json!([]));
    assert!(!vault.tars(["status"]).run().success().stdout().contains("settings"));
    vault.tars(["config", "set", "search.limit", "3"]).run().success();
    vault.tars(["config", "set", "index.gitignore", "false"]).run().success();
    let keys = json!(["index.gitignore", "search.limit"]);
    assert_eq!(serving.answer("status", &json!({}))["unapplied_settings"], keys);
    let said = vault.tars(["status"]).run().success();
    assert!(
        said.stdout().contains("changed since the watcher started: index.gitignore, search.limit"),
        "{}",
        said.stdout()
    );
    vault.tars(["config", "unset", "search.limit"]).run().success();
    vault.tars(["config", "unset", "index.gitignore"]).run().success();
    assert_eq!(serving.answer("status", &json!({}))["unapplied_settings"], json!([]));
}
