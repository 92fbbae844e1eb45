//! Calls to scripted servers: each dialect on its own, and what both share.

mod anthropic;
mod calls;
mod openai;
mod servers;
mod splits;

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use tars_testing::loopback::{Loopback, Reply, StreamEnd};

const KEY: &str = "key-of-a-test";

/// Log of the waits between attempts. Tests do not actually wait.
type Waits = Arc<Mutex<Vec<Duration>>>;

fn options(dialect: Dialect, base_url: &str) -> ServerOptions {
    ServerOptions { dialect, base_url: base_url.into(), model: "small".into(), api_key: Some(KEY.into()), kind: None }
}

/// Returns a model at this server, and a log of its waits.
fn model(dialect: Dialect, server: &Loopback) -> (Server, Waits) {
    let waits = Waits::default();
    let log = waits.clone();
    let pause = move |wait: Duration, _: &CancelToken| log.lock().unwrap().push(wait);
    let options = options(dialect, &format!("{}/v1", server.url()));
    (Server::with_pause(options, Box::new(pause)).unwrap(), waits)
}

/// Returns a streamed request with one tool, `search`.
fn request() -> ChatRequest {
    let parameters = json!({"type": "object", "properties": {"query": {"type": "string"}}});
    ChatRequest {
        system: "Be terse.".into(),
        messages: vec![Message::User("Why does the pump stop?".into())],
        tools: vec![Tool { name: "search".into(), description: "Searches the notes.".into(), parameters }],
        stream: true,
        ..ChatRequest::default()
    }
}

/// Returns the events, one string each, and the result.
fn send(model: &dyn ChatModel, request: &ChatRequest) -> (Vec<String>, Result<Completion, ChatError>) {
    let mut events = Vec::new();
    let result = model.send(request, &mut |event| {
        events.push(told(event));
        ControlFlow::Continue(())
    });
    (events, result)
}

fn told(event: ChatEvent<'_>) -> String {
    match event {
        ChatEvent::Text(text) => text.to_owned(),
        ChatEvent::Reasoning(text) => format!("({text})"),
        ChatEvent::Withdrawn => "[withdrawn]".to_owned(),
        ChatEvent::ToolCallStarted { name } => format!("[{name}]"),
        ChatEvent::Retrying { tried, error, .. } => format!("{tried}: {error}"),
    }
}

fn call(id: &str, arguments: Value) -> ToolCall {
    ToolCall { id: id.into(), name: "search".into(), arguments: Arguments::Complete(arguments) }
}

/// Returns a conversation with two parallel tool calls.
fn conversation() -> Vec<Message> {
    let result =
        |id: &str, is_error| Message::ToolResult { call_id: id.into(), text: format!("result {id}"), is_error };
    vec![
        Message::User("Why?".into()),
        Message::Assistant {
            text: String::new(),
            calls: vec![call("a", json!({"query": "pump"})), call("b", json!({}))],
            carried: None,
        },
        result("a", false),
        result("b", true),
        Message::User("Go on.".into()),
    ]
}

/// Returns the bodies of all requests.
fn bodies(server: &Loopback) -> Vec<Value> {
    server.received().iter().map(|asked| serde_json::from_slice(&asked.body).unwrap()).collect()
}

/// Returns the body of the last request.
fn asked(server: &Loopback) -> Value {
    serde_json::from_slice(&server.received().last().unwrap().body).unwrap()
}

/// Calls a server that streams this text.
fn answer(dialect: Dialect, stream: &str) -> (Vec<String>, Result<Completion, ChatError>) {
    let server = Loopback::script(vec![Reply::stream(stream, StreamEnd::Whole)]);
    let request = ChatRequest { limits: Limits { max_attempts: 1, ..Limits::default() }, ..request() };
    send(&model(dialect, &server).0, &request)
}

/// Calls a server that answers in one piece.
fn whole_answer(dialect: Dialect, answer: &Value) -> (Vec<String>, Result<Completion, ChatError>) {
    let server = Loopback::script(vec![Reply::ok(answer.to_string()).with_header("content-type", "application/json")]);
    let request = ChatRequest { limits: Limits { max_attempts: 1, ..Limits::default() }, ..request() };
    send(&model(dialect, &server).0, &request)
}
