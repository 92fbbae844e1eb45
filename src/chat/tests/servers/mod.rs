//! Recorded quirks of the servers that people use, one file a server.

mod anthropic;
mod deepseek;
mod gemini;
mod llama_cpp;
mod lm_studio;
mod mistral;
mod ollama;
mod openrouter;
mod vllm;

use super::*;

/// Returns a stream of these chunks, with its end marker.
fn stream(chunks: &[Value]) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect::<String>() + "data: [DONE]\n\n"
}

/// Returns a chunk with this delta.
fn delta(delta: Value) -> Value {
    json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

/// Returns the chunk that ends an answer.
fn end(reason: &str) -> Value {
    json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

/// Returns an answer of this text.
fn says(text: &str) -> Reply {
    Reply::stream(stream(&[delta(json!({"content": text})), end("stop")]), StreamEnd::Whole)
}

/// Returns a refusal with this error.
fn refuses(status: u16, error: &Value) -> Reply {
    Reply::status(status, json!({ "error": error }).to_string())
}

/// Sends the request to a server with these replies. Returns the events, the result and the bodies of all requests.
fn ask(dialect: Dialect, replies: Vec<Reply>) -> (Vec<String>, Result<Completion, ChatError>, Vec<Value>) {
    let server = Loopback::script(replies);
    let (events, result) = send(&model(dialect, &server).0, &request());
    (events, result, bodies(&server))
}

/// Asks the same server again, after its first answer and the results of its calls. Returns the messages that it got.
fn second_call(server: &Loopback, model: &Server) -> Value {
    let completion = send(model, &request()).1.unwrap();
    let result =
        |call: &ToolCall| Message::ToolResult { call_id: call.id.clone(), text: "found".into(), is_error: false };
    let results: Vec<Message> = completion.calls.iter().map(result).collect();
    let Completion { text, calls, carried, .. } = completion;
    let mut messages = request().messages;
    messages.push(Message::Assistant { text, calls, carried: carried.map(Box::new) });
    messages.extend(results);
    send(model, &ChatRequest { messages, ..request() }).1.unwrap();
    asked(server)["messages"].clone()
}

/// Returns the window that a refusal names, if it says that the conversation is too long.
fn window(reply: Reply) -> Option<usize> {
    match ask(Dialect::OpenAi, vec![reply]).1 {
        Err(ChatError::TooLong { window, .. }) => window,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_byte_order_mark_before_an_answer_is_passed_over() {
    let said = stream(&[delta(json!({"content": "It is dry."})), end("stop")]);
    assert_eq!(answer(Dialect::OpenAi, &format!("\u{feff}{said}")).1.unwrap().text, "It is dry.");
}

#[test]
fn a_short_answer_is_no_broken_connection() {
    let (_, result, bodies) = ask(Dialect::OpenAi, vec![Reply::status(200, "{}")]);
    let error = result.unwrap_err().to_string();
    assert!(!error.contains("middle of its answer") && bodies.len() == 1, "{error}");
}
