//! Events.

use std::io::{BufRead, BufReader, Write};

use serde_json::json;

use super::Serving;
use crate::harness::TestVault;

#[test]
fn listeners_receive_events_of_indexing_and_writing() {
    let vault = TestVault::of_words();
    let serving = Serving::start(&vault);
    let mut stream = serving.connect();
    let (address, bearer) = (serving.address, serving.bearer());
    write!(stream, "GET /events HTTP/1.1\r\nHost: {address}\r\n{bearer}\r\n\r\n").unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "HTTP/1.1 200 OK");
    assert!(lines.by_ref().take_while(|line| !line.is_empty()).any(|line| line == "content-type: text/event-stream"));
    serving.answer("remember", &json!({"text": "The router is at 192.168.1.1"}));
    let mut wanted = vec!["event: indexed", "event: written"];
    while !wanted.is_empty() {
        let line = lines.next().unwrap();
        wanted.retain(|event| *event != line);
    }
    // A command's writes beside the server cause events, too.
    vault.tars(["remember", "The printer is at 192.168.1.9"]).run().success();
    while lines.next().unwrap() != "event: written" {}
    let told = "{\"shown\":{\"at\":\"2026-11-17T12:00:00Z\"}}\n";
    std::fs::create_dir_all(vault.data().join("recall")).unwrap();
    std::fs::write(vault.data().join("recall/2026-11.jsonl"), told).unwrap();
    while lines.next().unwrap() != "event: recalled" {}
}

#[test]
fn the_number_of_listeners_is_limited() {
    let vault = TestVault::of_words();
    let serving = Serving::start(&vault);
    let request = format!("GET /events HTTP/1.1\r\nHost: {}\r\n{}\r\n\r\n", serving.address, serving.bearer());
    let listen = || {
        let mut stream = BufReader::new(serving.connect());
        stream.get_mut().write_all(request.as_bytes()).unwrap();
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        (line, stream)
    };
    let listeners: Vec<_> = (0..33).map(|_| listen()).collect();
    let refused = listeners.iter().filter(|(line, _)| line.starts_with("HTTP/1.1 503")).count();
    assert_eq!(refused, 1);
    drop(listeners);
    crate::harness::eventually("there is room again", || listen().0.starts_with("HTTP/1.1 200"));
}
