//! The cookie of a browser, and pages of other origins.

use serde_json::json;

use super::Serving;
use crate::harness::TestVault;

#[test]
fn a_link_signs_one_browser_in_once() {
    let vault = TestVault::of_words();
    let serving = Serving::start(&vault);
    let link = vault.tars(["open"]).run().success().says(&["once, for 5 minutes"]);
    let path = link.stdout().trim_end().strip_prefix(&format!("http://{}", serving.address)).unwrap().to_owned();
    let first = serving.send(&format!("GET {path}"), &[], "").expect(200);
    let cookie = format!("Cookie: other=1; {}; more=2", first.header("set-cookie").unwrap().split(';').next().unwrap());
    assert!(serving.send(&format!("GET {path}"), &[], "").expect(401).header("set-cookie").is_none());
    for wrong in ["/open", "/open?code=", "/open?code=00000000", "/open?code=%00", "/open?nothing=1"] {
        assert!(serving.send(&format!("GET {wrong}"), &[], "").expect(401).header("set-cookie").is_none(), "{wrong}");
    }
    let page = serving.send("GET /", &[&cookie], "").expect(200);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(page.header("cache-control"), Some("no-store"));
    serving.send("GET /v1/status", &[&cookie], "").expect(200);

    let listed = vault.tars(["serve", "token", "list"]).run().success();
    assert!(listed.stdout().contains("  browser  page  "), "{listed}");
    vault.tars(["serve", "token", "revoke", "page"]).run().success();
    serving.send("GET /v1/status", &[&cookie], "").problem(401, &[]);
}

/// Another page of this machine can set a cookie of the same name, with any value.
#[test]
fn a_bad_cookie_does_not_hide_a_good_one() {
    let vault = TestVault::of_words();
    let serving = Serving::start(&vault);
    let good = serving.sign_in().strip_prefix("Cookie: ").unwrap().to_owned();
    let name = good.split('=').next().unwrap();
    for bad in [format!("{name}=wrong"), format!("{name}="), "other=é".to_owned(), format!("{name}=é")] {
        serving.send("GET /v1/status", &[&format!("Cookie: {bad}; {good}")], "").expect(200);
        serving.send("GET /v1/status", &[&format!("Cookie: {bad}"), &format!("Cookie: {good}")], "").expect(200);
        serving.send("GET /v1/status", &[&format!("Cookie: {bad}")], "").problem(401, &[]);
    }
}

#[test]
fn a_write_with_the_cookie_needs_the_pages_header_and_origin() {
    let vault = TestVault::of_words();
    let serving = Serving::start(&vault);
    let cookie = serving.sign_in();
    let origin = format!("Origin: http://{}", serving.address);
    let fact = json!({"text": "The valve sits behind the boiler"}).to_string();
    let write = |headers: &[&str]| serving.send("POST /v1/remember", &[&[cookie.as_str()], headers].concat(), &fact);
    write(&[]).problem(403, &["X-Tars: 1"]);
    write(&["X-Tars: 1"]).problem(403, &["X-Tars: 1"]);
    write(&[&origin]).problem(403, &["X-Tars: 1"]);
    for foreign in ["http://evil.example", "null", "http://localhost:1", "http://127.0.0.1"] {
        write(&["X-Tars: 1", &format!("Origin: {foreign}")]).problem(403, &["foreign page"]);
    }
    write(&["X-Tars: 1", &origin, "Sec-Fetch-Site: same-site"]).problem(403, &["foreign page"]);
    write(&["X-Tars: 1", &origin, &origin]).problem(403, &["foreign page"]);
    assert!(!vault.path("tars/Memory.md").exists());
    let answer = write(&["X-Tars: 1", &origin, "Sec-Fetch-Site: same-origin"]).expect(200).json();
    assert_eq!(answer["status"], "added");
    let log = vault.tars(["log"]).run().success();
    assert!(log.stdout().contains("(http:page)"), "{log}");
}

#[test]
fn foreign_hosts_and_origins_are_refused_with_any_key() {
    let vault = TestVault::of_words().with("TARS_HTTP_ORIGINS", "https://app.example");
    let vault = vault.with("TARS_HTTP_HOSTS", "box.example.net");
    let serving = Serving::start(&vault);
    let (bearer, port) = (serving.bearer(), serving.address.port());
    for host in ["evil.example", &format!("evil.example:{port}"), "localhost", "localhost:1", "", "192.168.1.5:8746"] {
        serving.send("GET /v1/status", &[&bearer, &format!("Host: {host}")], "").problem(421, &["http.hosts"]);
        serving.send("GET /health", &[&format!("Host: {host}")], "").problem(421, &[]);
    }
    let twice = format!("Host: localhost:{port}\r\nHost: localhost:{port}");
    assert!(matches!(serving.send("GET /v1/status", &[&bearer, &twice], "").status, 400 | 421));
    for host in [format!("localhost:{port}"), format!("[::1]:{port}"), "box.example.net".into()] {
        serving.send("GET /v1/status", &[&bearer, &format!("Host: {host}")], "").expect(200);
    }
    let foreign = serving.send("GET /v1/status", &[&bearer, "Origin: http://evil.example"], "");
    assert!(foreign.header("access-control-allow-origin").is_none());
    foreign.problem(403, &["http.origins"]);
    let preflight = ["Access-Control-Request-Method: POST", "Origin: http://evil.example"];
    assert!(
        serving.send("OPTIONS /v1/search", &preflight, "").expect(403).header("access-control-allow-origin").is_none()
    );

    let origin = "Origin: https://app.example";
    let preflight =
        serving.send("OPTIONS /v1/search", &["Access-Control-Request-Method: POST", origin], "").expect(204);
    assert_eq!(preflight.header("access-control-allow-origin"), Some("https://app.example"));
    assert!(preflight.header("access-control-allow-credentials").is_none());
    let answer = serving.send("GET /v1/status", &[&bearer, origin], "").expect(200);
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example"));
    serving.send("GET /v1/status", &[origin], "").problem(401, &[]);
    // Such a page has its own token and cannot use the browser's cookie.
    serving.send("GET /v1/status", &[origin, &serving.sign_in()], "").problem(401, &[]);
}

#[test]
fn a_phone_gets_its_link_as_a_picture_where_it_can_reach_it() {
    let vault = TestVault::of_words();
    vault.tars(["open"]).run().code(2).says(&["no server runs", "tars serve"]);
    let serving = Serving::start(&vault);
    vault.tars(["open", "--qr"]).run().code(2).says(&["a phone cannot reach it", "http.url"]);
    let proxied = vault.tars(["open", "--qr"]).env("TARS_HTTP_URL", "https://box.example.net/").run().success();
    let lines: Vec<&str> = proxied.stdout().lines().collect();
    assert!(lines.last().unwrap().starts_with("https://box.example.net/open?code="), "{proxied}");
    // All of it fits a terminal of 80x24.
    assert!(lines.len() <= 23 && lines.iter().all(|line| line.chars().count() <= 79), "{proxied}");
    drop(serving);
}
