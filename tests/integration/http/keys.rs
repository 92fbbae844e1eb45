//! Tokens.

use std::fs;

use super::{Serving, listening, new_token};
use crate::harness::TestVault;
use crate::watch::mode;

#[test]
fn only_health_is_answered_without_a_valid_token() {
    let vault = TestVault::of_words();
    let serving = Serving::start(&vault);
    assert_eq!(serving.send("GET /health", &[], "").expect(200).json()["status"], "ok");
    let paths = ["/v1/status", "/v1/openapi.json", "/v1/nothing", "/events", "/assets/app.js", "/mcp", "/nothing"];
    for path in paths {
        let problem = serving.send(&format!("GET {path}"), &[], "").problem(401, &["tars serve token add"]);
        assert_eq!(problem["title"], "Unauthorized", "{path}");
    }
    let page = serving.send("GET /", &[], "").expect(401);
    assert!(page.body.contains("tars open") && page.header("content-type").unwrap().starts_with("text/html"));
    let hex = &serving.token["tars_".len()..];
    for wrong in [
        "Authorization: Bearer".to_owned(),
        "Authorization: Bearer ".to_owned(),
        format!("Authorization: Bearer tars_{}", "0".repeat(hex.len())),
        format!("Authorization: Bearer {hex}"),
        format!("Authorization: Basic {}", serving.token),
        format!("Authorization: Bearer {0}\r\nAuthorization: Bearer {0}", serving.token),
        format!("Cookie: tars-{}={}", serving.address.port(), serving.token),
    ] {
        serving.send("POST /v1/status", &[&wrong], "").problem(401, &[]);
    }
    let right = format!("authorization: bearer {}", serving.token);
    serving.send("POST /v1/status", &[&right], "").expect(200);
}

#[test]
fn a_token_is_made_listed_rotated_and_revoked_while_the_server_runs() {
    let vault = TestVault::of_words();
    let serving = Serving::start(&vault);
    let is_good =
        |token: &str| serving.send("POST /v1/status", &[&format!("Authorization: Bearer {token}")], "").status == 200;
    let first = new_token(&vault, "phone");
    assert!(is_good(&first));
    vault.tars(["serve", "token", "add", "phone"]).run().code(2).says(&["already", "tars serve token rotate phone"]);
    let rotated = vault.tars(["serve", "token", "rotate", "phone"]).run().success().says(&["shown once"]);
    let second = rotated.stdout().trim_end();
    assert!(!is_good(&first) && is_good(second));

    let file = vault.data().join("http/tokens.json");
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    let listed = vault.tars(["serve", "token", "list"]).run().success();
    let shown = vault.tars(["serve", "token", "list", "--json"]).run().success();
    let kept = fs::read_to_string(&file).unwrap();
    for secret in [&first, second, &serving.token] {
        for text in [listed.stdout(), shown.stdout(), &kept] {
            assert!(!text.contains(&secret["tars_".len()..]), "{text}");
        }
    }
    let names: Vec<_> = shown.json_lines().into_iter().map(|key| key["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(names, ["test", "phone"]);
    assert!(shown.json_lines().iter().all(|key| key.get("hash").is_none()));

    vault.tars(["serve", "token", "revoke", "phone"]).run().success();
    assert!(!is_good(second) && is_good(&serving.token));
    vault.tars(["serve", "token", "revoke", "phone"]).run().code(2).says(&["no token 'phone'"]);
    vault.tars(["serve", "token", "add", "a b"]).run().code(2).says(&["cannot be the name"]);
}

#[test]
fn serving_other_machines_needs_a_token_and_warns_about_encryption() {
    let vault = TestVault::of_words();
    let open = ["serve", "--listen", "0.0.0.0:0"];
    vault.tars(open).run().code(2).says(&["no token yet", "tars serve token add NAME"]);
    assert_eq!(listening(&vault), None);
    new_token(&vault, "phone");
    let process = vault.tars(open).start();
    process.wait_for("not encrypted");
    process.wait_for("serving on http://0.0.0.0:");
    let link = vault.tars(["open"]).run().success();
    assert!(link.stdout().starts_with("http://127.0.0.1:"), "{link}");
}

#[test]
fn a_damaged_token_file_denies_everybody_and_is_reported() {
    let vault = TestVault::of_words();
    let serving = Serving::start(&vault);
    fs::write(vault.data().join("http/tokens.json"), "{\"keys\": 1}").unwrap();
    serving.get("/v1/status").problem(500, &["not a token file", "tokens.json"]);
    vault.tars(["serve", "token", "list"]).run().code(2).says(&["not a token file", "make new tokens"]);
}
