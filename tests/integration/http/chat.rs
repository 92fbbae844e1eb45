//! The assistant over HTTP, with a scripted model.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::Serving;
use crate::chat::Dialect::{self, OpenAi};
use crate::harness::{TestVault, eventually, today};
use crate::watch::signal;
use tars_testing::loopback::{Loopback, Reply, StreamEnd};

const FACT: &str = "The boat Linnea is moored in Kappeln.";

/// A vault whose settings name a scripted model.
fn vault_with(model: &Loopback) -> TestVault {
    let vault = TestVault::new().dated();
    vault.write("tars/Memory.md", "# Memory\n");
    vault.write("Boat.md", "# Boat\n\nThe boat Linnea lies in Kappeln. Its hull number is SE-4471.\n");
    for (key, value) in [("provider", "openai"), ("model", "small"), ("base_url", &(model.url() + "/v1"))] {
        vault.tars(["config", "set", &format!("chat.{key}"), value]).run().success();
    }
    vault.tars(["index"]).run().success();
    vault
}

/// A turn whose events stream as they happen.
struct Told(BufReader<TcpStream>);

impl Told {
    fn of(serving: &Serving<'_>, request: &Value) -> Self {
        let mut stream = serving.connect();
        let (address, bearer, body) = (serving.address, serving.bearer(), request.to_string());
        let length = body.len();
        write!(
            stream,
            "POST /chat HTTP/1.1\r\nHost: {address}\r\n{bearer}\r\nAccept: text/event-stream\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut told = Self(BufReader::new(stream));
        assert_eq!(told.line(), "HTTP/1.1 200 OK");
        told
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ended");
        line.trim_end().to_owned()
    }

    /// Returns the data of the next event with that name.
    fn next(&mut self, event: &str) -> Value {
        while self.line() != format!("event: {event}") {}
        serde_json::from_str(self.line().strip_prefix("data: ").unwrap()).unwrap()
    }
}

fn ask(serving: &Serving<'_>, message: &str, id: Option<&str>) -> super::Reply {
    let request = json!({"message": message, "conversation_id": id});
    serving.send("POST /chat", &[&serving.bearer()], &request.to_string())
}

#[test]
fn a_conversation_is_held_listed_shown_and_deleted_once_it_is_noted() {
    for dialect in [OpenAi, Dialect::Anthropic] {
        let calls = dialect.calls("memory_search", &json!({"query": "hull number"}));
        let replies = vec![calls, dialect.says("It is SE-4471."), dialect.says("Decided: it gets a red stripe.")];
        let model = Loopback::script(replies);
        let vault = vault_with(&model);
        vault.tars(["config", "set", "chat.provider", dialect.name()]).run().success();
        let base = model.url() + if dialect == OpenAi { "/v1" } else { "" };
        vault.tars(["config", "set", "chat.base_url", &base]).run().success();
        vault.tars(["config", "set", "chat.consolidate", "off"]).run().success();
        let serving = Serving::start(&vault);
        let first = ask(&serving, "what is the hull number", Some("boat")).expect(200).json();
        assert_eq!((&first["text"], &first["conversation_id"]), (&json!("It is SE-4471."), &json!("boat")));
        assert_eq!(first["tools"][0]["name"], "memory_search", "{first}");
        assert!(first["tools"][0]["result"].as_str().is_some_and(|text| !text.is_empty()), "{first}");
        ask(&serving, "we decided that the hull gets a red stripe", Some("boat")).expect(200);
        assert!(
            String::from_utf8_lossy(&model.received()[2].body).contains("It is SE-4471."),
            "it goes on where it was"
        );
        let listed = serving.get("/conversations").expect(200).json();
        assert_eq!(listed["conversations"][0]["messages"], 2, "{listed}");
        let shown = serving.get("/conversations/boat").expect(200).json();
        let roles: Vec<&str> =
            shown["entries"].as_array().unwrap().iter().filter_map(|entry| entry["role"].as_str()).collect();
        assert_eq!(roles, ["user", "assistant", "tool", "assistant", "user", "assistant"]);
        let deleted = serving.send("DELETE /conversations/boat", &[&serving.bearer()], "").expect(200).json();
        let log = deleted["noted_in"][0].as_str().unwrap();
        assert!(log.ends_with("-chat.md") && !vault.read(log).is_empty(), "{deleted}");
        assert!(vault.read(&format!("tars/{}.md", today())).contains("red stripe"));
        serving.get("/conversations/boat").problem(404, &["there is no conversation boat"]);
    }
}

#[test]
fn the_stream_asks_the_person_for_permission() {
    let calls = || OpenAi.calls("memory_remember", &json!({"text": FACT}));
    let model = Loopback::script(vec![calls(), OpenAi.says("As you wish."), calls(), OpenAi.says("Kept.")]);
    let vault = vault_with(&model);
    let serving = Serving::start(&vault);
    for allow in [false, true] {
        let mut told = Told::of(&serving, &json!({"message": "remember the mooring"}));
        let id = told.next("conversation")["conversation_id"].as_str().unwrap().to_owned();
        let question = told.next("question");
        assert!(question["what"].as_str().unwrap().contains(FACT), "{question}");
        // Meanwhile nobody else can write in this conversation.
        ask(&serving, "and I?", Some(&id)).problem(409, &["is already open elsewhere"]);
        let answer = json!({"question": question["question"], "allow": allow}).to_string();
        serving.send("POST /chat/answer", &[&serving.bearer()], &answer).expect(204);
        serving.send("POST /chat/answer", &[&serving.bearer()], &answer).problem(404, &["no longer open"]);
        let done = told.next("tool_done");
        assert_eq!(done["failed"], !allow, "{done}");
        told.next("done");
        assert_eq!(vault.read("tars/Memory.md").contains(FACT), allow);
    }
}

#[test]
fn without_a_stream_a_write_becomes_a_proposal() {
    let model =
        Loopback::script(vec![OpenAi.calls("memory_remember", &json!({"text": FACT})), OpenAi.says("Proposed.")]);
    let vault = vault_with(&model);
    let serving = Serving::start(&vault);
    ask(&serving, "remember the mooring", None).expect(200);
    assert!(!vault.read("tars/Memory.md").contains(FACT) && vault.read("tars/proposals.md").contains(FACT));
}

#[test]
fn a_disconnect_stops_the_turn_and_keeps_its_text() {
    let part = "data: {\"choices\": [{\"delta\": {\"content\": \"It is a lo\"}}]}\n\n";
    let model = Loopback::script(vec![Reply::stream(part, StreamEnd::Silent), OpenAi.says("Again: SE-4471.")]);
    let vault = vault_with(&model);
    let serving = Serving::start(&vault);
    let mut told = Told::of(&serving, &json!({"message": "the hull number", "conversation_id": "boat"}));
    assert_eq!(told.next("text")["text"], "It is a lo");
    drop(told);
    eventually("the turn has stopped", || {
        let shown = serving.get("/conversations/boat").json();
        shown["entries"].as_array().unwrap().last().unwrap()["stopped"] == true
    });
    let again = ask(&serving, "go on", Some("boat")).expect(200).json();
    assert_eq!(again["text"], "Again: SE-4471.");
}

#[test]
fn commands_are_the_same_and_never_reach_the_model() {
    let model = Loopback::script(vec![OpenAi.says("Hello.")]);
    let vault = vault_with(&model);
    let serving = Serving::start(&vault);
    let commands = serving.get("/chat/commands").expect(200).json();
    let names: Vec<&str> = commands.as_array().unwrap().iter().filter_map(|command| command["name"].as_str()).collect();
    assert!(names.contains(&"search") && names.contains(&"w") && !names.contains(&"quit"), "{names:?}");
    let found = ask(&serving, "/sgrep hull", None).expect(200).json();
    assert!(found["text"].as_str().unwrap().contains("Boat.md"), "{found}");
    ask(&serving, "/quit", None).problem(422, &["at a terminal only"]);
    ask(&serving, "/serach x", None).problem(422, &["there is no command /serach", "/search"]);
    assert!(model.received().is_empty());
    let first = ask(&serving, "hello", Some("greeting")).expect(200).json();
    let cleared = ask(&serving, "/clear", first["conversation_id"].as_str()).expect(200).json();
    assert_eq!(cleared["effect"], "cleared");
    assert_ne!(cleared["conversation_id"], "greeting");
}

#[test]
fn missing_settings_are_reported_with_their_fix() {
    let vault = TestVault::of_words();
    let serving = Serving::start(&vault);
    ask(&serving, "hello", None).problem(503, &["tars config set chat."]);
    ask(&serving, "hello", Some("../x")).problem(422, &["is not a conversation id"]);
    serving.send("POST /chat", &[&serving.bearer()], "{\"massage\": 1}").problem(400, &["massage"]);
    serving.send("POST /chat", &[], "{\"message\": \"hello\"}").problem(401, &["token"]);
    assert_eq!(serving.get("/conversations").json()["conversations"], json!([]));
    vault.tars(["config", "set", "chat.provider", "openai"]).run().success();
}

#[test]
fn an_ending_server_notes_its_conversations() {
    let model = Loopback::script(vec![OpenAi.says("Decided: the hull gets a red stripe.")]);
    let vault = vault_with(&model);
    let serving = Serving::start(&vault);
    ask(&serving, "we decided that the hull gets a red stripe", None).expect(200);
    signal(serving.process.id(), Signal::TERM);
    serving.process.finish().success();
    assert!(vault.read(&format!("tars/{}.md", today())).contains("red stripe"));
}

#[test]
fn two_conversations_of_one_day_have_a_section_each() {
    let says = |text: &str| OpenAi.says(text);
    let model = Loopback::script(vec![says("Decided: the hull is red."), says("Decided: the mast is blue.")]);
    let vault = vault_with(&model);
    let serving = Serving::start(&vault);
    ask(&serving, "ok, then we keep the hull red, not blue", None).expect(200);
    ask(&serving, "/clear", None).expect(200);
    ask(&serving, "ok, then we keep the mast blue, not red", None).expect(200);
    signal(serving.process.id(), Signal::TERM);
    serving.process.finish().success();
    let log = vault.read(&format!("tars/{}.md", today()));
    assert_eq!(log.matches("<!-- tars:session ").count(), 2, "{log}");
}
