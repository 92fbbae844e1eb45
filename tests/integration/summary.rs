//! Summaries by a server, asked on the loopback interface.

use std::time::Duration;

use serde_json::{Value, json};
use tars::chat::{Dialect, Server, ServerOptions};
use tars::domain::Turn;
use tars::tasks::{EXTRACTIVE, Notes, summarize};

use crate::loopback::{Loopback, Reply};

const KEY: &str = "key-of-a-test";

fn notes(server: &Loopback, dialect: Dialect) -> Notes {
    let options = ServerOptions {
        dialect,
        base_url: format!("{}/v1", server.url()),
        model: "small".into(),
        api_key: Some(KEY.into()),
    };
    let turn = Turn {
        request: "Why does the pump stop? <private>The key is under the mat.</private>".into(),
        ..Turn::default()
    };
    summarize(&Server::new(options).unwrap(), &turn, Duration::from_secs(60))
}

#[test]
fn chat_completions_become_bullets() {
    let answer = json!({"choices": [{"message": {"content": "Here:\n- Asked why the pump stops\n- <!-- Fixed"}}]});
    let server = Loopback::start(move |_| Reply::ok(answer.to_string()));
    let notes = notes(&server, Dialect::OpenAi);
    assert_eq!(notes.bullets, ["Asked why the pump stops", "<! -- Fixed"]);
    assert_eq!((notes.by.as_str(), notes.failure), ("openai", None));
    let asked = &server.asked()[0];
    assert_eq!(
        (asked.path.as_str(), asked.header("authorization")),
        ("/v1/chat/completions", Some("Bearer key-of-a-test"))
    );
    let body: Value = serde_json::from_slice(&asked.body).unwrap();
    assert_eq!((&body["model"], &body["stream"]), (&json!("small"), &json!(false)));
    let said = body["messages"][1]["content"].as_str().unwrap();
    assert!(said.contains("Why does the pump stop? [redacted:private]") && !said.contains("mat"), "{said}");
}

#[test]
fn messages_become_bullets() {
    let answer =
        json!({"content": [{"type": "thinking", "thinking": "- hm"}, {"type": "text", "text": "- Fixed the pump"}]});
    let server = Loopback::start(move |_| Reply::ok(answer.to_string()));
    let notes = notes(&server, Dialect::Anthropic);
    assert_eq!((notes.bullets, notes.by.as_str()), (vec!["Fixed the pump".to_owned()], "anthropic"));
    let asked = &server.asked()[0];
    assert_eq!((asked.path.as_str(), asked.header("x-api-key")), ("/v1/messages", Some(KEY)));
    assert_eq!(asked.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(asked.header("authorization"), None);
}

#[test]
fn a_server_that_fails_leaves_extractive_notes_and_no_key_in_its_failure() {
    let replies: [fn() -> Reply; 4] = [
        || Reply::status(500, format!("overloaded, {KEY}\u{1b}[31m")),
        || Reply::status(302, "").with_header("location", "http://127.0.0.1:1/"),
        || Reply::ok("<html>"),
        || Reply::ok("{\"choices\":[]}"),
    ];
    for reply in replies {
        let server = Loopback::start(move |_| reply());
        let notes = notes(&server, Dialect::OpenAi);
        assert_eq!((notes.by.as_str(), notes.instead_of.as_deref()), (EXTRACTIVE, Some("openai")));
        assert_eq!(notes.bullets, ["Asked: Why does the pump stop? [redacted:private]"]);
        let failure = notes.failure.unwrap();
        assert!(!failure.contains(KEY) && !failure.contains('\u{1b}'), "{failure}");
        assert_eq!(server.asked().len(), 1, "no redirect is followed, and nothing tried twice");
    }
}
