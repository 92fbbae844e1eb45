//! How a server starts, takes over from a watcher and ends.

use rustix::process::Signal;
use serde_json::json;

use super::{Serving, listening, new_token};
use crate::harness::{TestVault, eventually};
use crate::watch::{Watcher, signal};

#[test]
fn a_server_takes_over_from_a_watcher_and_runs_once() {
    let vault = TestVault::of_words();
    vault.write("Valve.md", "# Valve\nBehind the boiler.\n");
    let watcher = Watcher::start(&vault);
    let serving = Serving::start(&vault);
    eventually("the watcher has ended", || watcher.has_ended());
    let address = serving.address.to_string();
    let status = vault.tars(["watch", "--status"]).run().success();
    assert!(status.stdout().contains(&format!("serving      http://{address}\n")), "{status}");
    let status = vault.tars(["watch", "--status", "--json"]).run().success().json();
    assert_eq!((&status["listen"], &status["pid"]), (&json!(address), &json!(serving.process.id())));

    let again = vault.tars(["serve", "--listen", "127.0.0.1:0"]).run().success();
    assert_eq!(again.stdout(), format!("already serving on http://{address} (process {})\n", serving.process.id()));
    let watching = vault.tars(["watch"]).run().success();
    assert!(watching.stdout().starts_with("already watching"), "{watching}");
    // It keeps the index up to date like a watcher, and answers commands.
    vault.write("Pump.md", "# Pump\nIn the cellar.\n");
    assert_eq!(vault.found(&["search", "pump"]), ["Pump.md"]);
    assert_eq!(serving.answer("search", &json!({"query": "pump"}))["results"][0]["path"], "Pump.md");
}

#[test]
fn an_occupied_port_is_reported_and_the_watcher_continues() {
    let vault = TestVault::of_words();
    let watcher = Watcher::start(&vault);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = vault.tars(["serve", "--listen", &address]).run().code(2);
    output.says(&[&format!("cannot listen on {address}"), "--listen 127.0.0.1:0"]);
    assert!(!watcher.has_ended());
    vault.tars(["serve", "--listen", "localhost:80"]).run().code(2).says(&["http.listen", "an address and a port"]);
}

#[test]
fn a_server_ends_by_a_signal_and_by_the_watchers_command() {
    let vault = TestVault::of_words();
    let Serving { process, .. } = Serving::start(&vault);
    signal(process.id(), Signal::TERM);
    process.finish().success().says(&["ended"]);
    let watching = vault.tars(["watch", "--status"]).run().code(1);
    assert_eq!(watching.stdout(), "not watching\n");

    let process = vault.tars(["serve", "--listen", "127.0.0.1:0"]).start();
    process.wait_for("serving on");
    assert!(listening(&vault).is_some());
    vault.tars(["watch", "--stop"]).run().success();
    process.finish().success();
}

#[test]
fn the_journal_names_the_token_of_a_write() {
    let vault = TestVault::of_words().dated();
    let serving = Serving::start(&vault);
    serving.answer("daily", &json!({"append": "Ordered a chain"}));
    let day = crate::harness::today();
    assert!(vault.read(&format!("tars/{day}.md")).contains("[http:test] Ordered a chain"));
    let token = new_token(&vault, "shop");
    let bearer = format!("Authorization: Bearer {token}");
    serving.send("POST /v1/daily", &[&bearer], "{\"append\": \"Met Ilse\", \"channel\": \"phone\"}").expect(200);
    assert!(vault.read(&format!("tars/{day}.md")).contains("[phone] Met Ilse"));
    let log = vault.tars(["log"]).run().success();
    assert!(log.stdout().contains("(http:shop)") && log.stdout().contains("(http:test)"), "{log}");
    let undone = serving.answer("undo", &json!({}));
    assert!(!vault.read(&format!("tars/{day}.md")).contains("Met Ilse"), "{undone}");
}
