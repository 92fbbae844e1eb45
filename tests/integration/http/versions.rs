//! Writes with the version of an earlier read.

use serde_json::json;

use super::Serving;
use crate::harness::TestVault;

#[test]
fn a_write_that_rests_on_an_old_version_is_refused() {
    let vault = TestVault::of_words();
    let serving = Serving::start(&vault);
    let bearer = serving.bearer();
    serving.answer("remember", &json!({"text": "The router is at 192.168.1.1"}));
    let version = || serving.ask("forget", &json!({"query": "router"})).expect(200).header("etag").unwrap().to_owned();
    let write = |tag: &str, text: &str| {
        let headers = [bearer.as_str(), &format!("If-Match: {tag}")];
        serving.send("POST /v1/remember", &headers, &json!({"text": text}).to_string())
    };
    let read = version();
    assert_eq!(version(), read, "reading changes nothing");
    // The person saves the file in their editor.
    let text = vault.read("tars/Memory.md").replace("192.168.1.1", "192.168.1.2");
    vault.write("tars/Memory.md", &text);
    let problem = write(&read, "The printer is at 192.168.1.9").problem(412, &["has changed", "read it again"]);
    assert_eq!(problem["kind"], "changed");
    assert_eq!(vault.read("tars/Memory.md"), text);

    let read = version();
    write(&read, "The printer is at 192.168.1.9").expect(200);
    assert!(vault.read("tars/Memory.md").contains("printer"));
    // The first write has created another version.
    write(&read, "The scanner is at 192.168.1.8").problem(412, &[]);
    write("*", "The scanner is at 192.168.1.8").expect(200);
    serving.answer("remember", &json!({"text": "The camera is at 192.168.1.7"}));
    for wrong in ["W/\"a\"", "a", "\"a\", \"b\"", "\"", ""] {
        write(wrong, "The kettle is at 192.168.1.6").problem(400, &["If-Match"]);
    }
}

#[test]
fn every_answer_about_the_memory_has_its_version() {
    let vault = TestVault::of_words();
    vault.write("tars/Memory.md", "# Memory\n\n## Facts\n- The router is at 192.168.1.1\n");
    let serving = Serving::start(&vault);
    let tag = |operation: &str| serving.ask(operation, &json!({})).header("etag").map(str::to_owned);
    let first = tag("layers").unwrap();
    for operation in ["daily", "sessions", "review", "week", "proposals", "tidy"] {
        assert_eq!(tag(operation).as_ref(), Some(&first), "{operation}");
    }
    assert_eq!((tag("status"), tag("stats")), (None, None));
    // A new file and a private file change the version too.
    vault.write("tars/context/new.md", "---\ntars: private\n---\n");
    let second = tag("layers").unwrap();
    assert_ne!(second, first);
    vault.remove("tars/context/new.md");
    assert_eq!(tag("layers"), Some(first));
}
