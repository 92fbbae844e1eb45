//! Models as their servers serve them: what must go back, silence, full windows, refused tools.

use serde_json::{Value, json};

use super::{Dialect, Talk};
use tars_testing::loopback::{Loopback, Reply, StreamEnd};

const OPEN: Dialect = Dialect::OpenAi;

/// Returns an answer of OpenAI's dialect in these deltas.
fn deltas(deltas: &[Value], reason: &str) -> Reply {
    let mut chunks: Vec<Value> =
        deltas.iter().map(|delta| json!({"choices": [{"index": 0, "delta": delta}]})).collect();
    chunks.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}));
    OPEN.stream(&chunks)
}

fn refuses(status: u16, error: &Value) -> Reply {
    Reply::status(status, json!({ "error": error }).to_string())
}

/// Returns the text of the messages of the person in a request.
fn said(request: &Value) -> String {
    let messages = request["messages"].as_array().unwrap().iter();
    messages.filter(|message| message["role"] == "user").map(Value::to_string).collect()
}

#[test]
fn a_model_that_needs_its_thoughts_back_can_use_tools_and_its_thoughts_are_never_shown() {
    let function = json!({"name": "memory_search", "arguments": "{\"query\": \"hull number\"}"});
    let extra = json!({"google": {"thought_signature": "c2lnbmF0dXJl+/=="}});
    let first = deltas(
        &[
            json!({"reasoning_content": "I look it up quietly."}),
            json!({"tool_calls": [{"index": 0, "id": "c1", "function": function, "extra_content": extra}]}),
        ],
        "tool_calls",
    );
    let talk = Talk::new(OPEN, vec![first, OPEN.says("It is SE-4471.")]);
    let shown = talk.tars(&["chat", "--conversation", "boat", "hull number?"]).run().success();
    assert_eq!(shown.stdout().trim(), "It is SE-4471.");
    let answered = &talk.asked()[1]["messages"].as_array().unwrap().clone();
    let message = answered.iter().find(|message| message["role"] == "assistant").unwrap();
    assert_eq!(message["reasoning_content"], "I look it up quietly.");
    assert_eq!(message["tool_calls"][0]["extra_content"], extra);
    assert!(talk.conversation().contains("c2lnbmF0dXJl+/=="));
    talk.tars(&["chat", "--conversation", "boat", "--model", "another", "and its colour?"]).run().success();
    let other = talk.asked().last().unwrap().to_string();
    assert!(!other.contains("quietly") && !other.contains("c2lnbmF0dXJl"), "another model gets none of it: {other}");
    let log = talk.vault.tars(["daily"]).run().stdout().to_owned();
    assert!(!log.contains("quietly"), "{log}");
}

#[test]
fn an_empty_answer_is_retried_once_and_then_said() {
    for empty in [
        deltas(&[json!({"reasoning_content": "hm"})], "stop"),
        deltas(&[], "stop"),
        deltas(&[json!({"content": " \n"})], "stop"),
    ] {
        let talk = Talk::new(OPEN, vec![empty.clone()]);
        let failed = talk.tars(&["chat", "--conversation", "boat", "hello"]).run().code(2);
        assert!(failed.stderr().contains("gave an empty answer"), "{failed}");
        assert_eq!((failed.stdout().trim(), talk.asked().len()), ("", 2));
        let talk = Talk::new(OPEN, vec![empty, OPEN.says("Here I am.")]);
        assert_eq!(talk.tars(&["chat", "hello"]).run().success().stdout().trim(), "Here I am.");
    }
}

#[test]
fn after_an_empty_answer_the_next_message_sends_no_empty_one() {
    let empty = || deltas(&[], "stop");
    let talk = Talk::new(OPEN, vec![empty(), empty(), OPEN.says("Here I am.")]);
    talk.tars(&["chat", "--conversation", "boat", "hello"]).run().code(2);
    talk.tars(&["chat", "--conversation", "boat", "are you there"]).run().success();
    let asked = talk.asked();
    for message in asked.last().unwrap()["messages"].as_array().unwrap() {
        assert_ne!(message["content"], "", "{asked:?}");
    }
}

#[test]
fn an_answer_in_parts_is_shown() {
    let parts =
        deltas(&[json!({"content": [{"type": "text", "text": "It is "}]}), json!({"content": "blue."})], "stop");
    let talk = Talk::new(OPEN, vec![parts]);
    assert_eq!(talk.tars(&["chat", "which colour"]).run().success().stdout().trim(), "It is blue.");
}

#[test]
fn thoughts_without_an_opening_mark_are_neither_shown_nor_noted() {
    let thought = ["Found: the mast is ", "rotten.\n</thi", "nk>\n\nThe mast ", "is white."];
    let talk = Talk::new(OPEN, vec![deltas(&thought.map(|text| json!({ "content": text })), "stop")]);
    let shown = talk.tars(&["chat", "which colour is the mast"]).run().success();
    assert_eq!(shown.stdout().trim(), "The mast is white.");
    let log = talk.vault.tars(["daily"]).run().stdout().to_owned();
    assert!(!log.contains("rotten") && !talk.conversation().contains("rotten"), "{log}");
}

/// A server with a window: it refuses a request that is longer, in bytes.
fn small(window: usize, error: Value) -> Loopback {
    Loopback::start(move |asked| {
        let body: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
        match asked.body.len() > window {
            true => refuses(400, &error),
            false if body["stream"] == true => OPEN.says("Fine."),
            false => OPEN.whole("They paint the boat."),
        }
    })
}

#[test]
fn a_conversation_that_is_too_long_is_summed_up_and_goes_on() {
    let error = json!({"message": "context_length_exceeded", "code": "context_length_exceeded"});
    let talk = Talk::with(OPEN, small(40_000, error));
    for number in 0..6 {
        let message = format!("message {number} {}", "about the paint of the boat ".repeat(300));
        let shown = talk.tars(&["chat", "--conversation", "long", &message]).run().success();
        assert_eq!(shown.stdout().trim(), "Fine.", "{shown}");
    }
    let conversation = talk.conversation();
    assert!(conversation.contains("\"kind\":\"summary\""), "the older part is summed up");
    let shown = talk.tars(&["chat", "--conversation", "long", "and now"]).run().success();
    assert_eq!(shown.stdout().trim(), "Fine.");
}

#[test]
fn a_message_that_can_never_fit_is_said_and_leaves_the_conversation_usable() {
    let error = json!({"code": 400, "message": "the request exceeds the available context size", "type": "exceed_context_size_error", "n_ctx": 8192});
    let talk = Talk::with(OPEN, small(40_000, error));
    let message = "about the paint of the boat ".repeat(3_000);
    let failed = talk.tars(&["chat", "--conversation", "long", &message]).run().code(2);
    assert!(failed.stderr().contains("too long for the model"), "{failed}");
    assert!(failed.stderr().contains("/compact"), "{failed}");
    talk.tars(&["chat", "--conversation", "long", "a short one"]).run().success();
    let last = talk.asked().last().unwrap().clone();
    assert!(said(&last).contains("a short one") && !said(&last).contains("about the paint"), "{last}");
}

#[test]
fn compact_sums_up_this_conversation() {
    let talk =
        Talk::with(OPEN, super::ending::server(OPEN, vec![OPEN.says("Yes.")], |_| "They paint the boat.".into()));
    for message in ["paint the hull", "and the mast"] {
        talk.tars(&["chat", "--conversation", "short", message]).run().success();
    }
    let shown = talk.tars(&["chat", "--conversation", "short", "/compact"]).run().success();
    assert!(shown.stdout().contains("goes on with a summary"), "{shown}");
    let nothing = talk.tars(&["chat", "--conversation", "short", "/compact"]).run().success();
    assert!(nothing.stdout().contains("nothing to sum up"), "{nothing}");
    talk.tars(&["chat", "--conversation", "short", "go on"]).run().success();
    let last = talk.asked().iter().rfind(|request| request["stream"] == true).unwrap().clone();
    assert!(last.to_string().contains("They paint the boat."), "{last}");
    assert!(!said(&last).contains("paint the hull") && said(&last).contains("and the mast"), "{last}");
    let months = talk.tars(&["chat", "/compact months"]).run().success();
    assert!(months.stdout().contains("There is no month to sum up."), "{months}");
}

#[test]
fn a_model_without_tools_answers_without_them_in_this_conversation() {
    let server = Loopback::start(|asked| {
        let body: Value = serde_json::from_slice(&asked.body).unwrap();
        match body.get("tools") {
            Some(_) => refuses(400, &json!({"message": "registry.ollama.ai/library/gemma:2b does not support tools"})),
            None => OPEN.says("Hello."),
        }
    });
    let talk = Talk::with(OPEN, server);
    let shown = talk.tars(&["chat", "--conversation", "plain", "hello"]).run().success();
    assert_eq!(shown.stdout().trim(), "Hello.");
    assert!(shown.stderr().contains("--no-tools"), "{shown}");
    let again = talk.tars(&["chat", "--conversation", "plain", "and again"]).run().success();
    assert!(!again.stderr().contains("--no-tools"), "{again}");
    assert_eq!(talk.asked().iter().filter(|request| request.get("tools").is_some()).count(), 1);
}

#[test]
fn an_end_in_the_middle_of_an_answer_says_so_and_keeps_its_beginning() {
    let begun = format!("data: {}\n\n", json!({"choices": [{"delta": {"content": "The mast"}}]}));
    let talk = Talk::new(OPEN, vec![Reply::stream(begun, StreamEnd::Broken)]);
    let failed = talk.tars(&["chat", "which colour is the mast"]).run().code(2);
    assert_eq!(failed.stdout().trim(), "The mast");
    assert!(failed.stderr().contains("ended in the middle of its answer"), "{failed}");
    assert!(!failed.stderr().contains("start the model's server"), "{failed}");
}
