use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::*;
use tars_testing::loopback::{Loopback, ReceivedRequest, Reply};

type Waits = Arc<Mutex<Vec<Duration>>>;

fn options(server: &Loopback) -> RemoteOptions {
    RemoteOptions { dimensions: 2, ..RemoteOptions::new(format!("{}/v1", server.url()), "small") }
}

fn embedder(options: RemoteOptions) -> (Result<RemoteEmbedder, EmbedError>, Waits) {
    let waits = Waits::default();
    let log = waits.clone();
    (RemoteEmbedder::with_sleep(options, Box::new(move |wait| log.lock().unwrap().push(wait))), waits)
}

fn vectors(vectors: &[[f64; 2]]) -> Reply {
    let data: Vec<_> =
        vectors.iter().enumerate().map(|(index, vector)| json!({"index": index, "embedding": vector})).collect();
    Reply::ok(json!({ "data": data }).to_string())
}

fn input(asked: &ReceivedRequest) -> Value {
    serde_json::from_slice::<Value>(&asked.body).unwrap()["input"].take()
}

/// Embeds one passage with a server that sends these replies in order.
fn embed_one(replies: Vec<Reply>) -> (Result<Vec<Vec<f32>>, EmbedError>, usize, Vec<Duration>) {
    let server = Loopback::script(replies);
    let (embedder, waits) = embedder(options(&server));
    let result = embedder.unwrap().embed(TextKind::Passage, &["text"]);
    let waits = waits.lock().unwrap().clone();
    (result, server.received().len(), waits)
}

#[test]
fn a_request_has_the_agreed_shape() {
    let server = Loopback::script(vec![vectors(&[[3.0, 4.0]])]);
    let options = RemoteOptions {
        base_url: format!("{}/v1/", server.url()),
        api_key: Some(" sk-1\n".into()),
        query_prefix: "q: ".into(),
        ..options(&server)
    };
    let embedder = embedder(options).0.unwrap();
    assert_eq!(embedder.embed(TextKind::Query, &["why"]).unwrap(), [[0.6, 0.8]]);
    let asked = server.received().remove(0);
    assert_eq!((asked.method.as_str(), asked.path.as_str()), ("POST", "/v1/embeddings"));
    assert_eq!(asked.header("authorization"), Some("Bearer sk-1"));
    assert_eq!(asked.header("content-type"), Some("application/json"));
    let body: Value = serde_json::from_slice(&asked.body).unwrap();
    assert_eq!(body, json!({"model": "small", "input": ["q: why"], "encoding_format": "float", "dimensions": 2}));
}

#[test]
fn an_empty_call_sends_no_request() {
    let server = Loopback::script(vec![Reply::status(500, "")]);
    assert!(embedder(options(&server)).0.unwrap().embed(TextKind::Passage, &[]).unwrap().is_empty());
    assert!(server.received().is_empty());
}

#[test]
fn dimensions_are_learnt_from_one_request() {
    let server = Loopback::script(vec![vectors(&[[1.0, 0.0]])]);
    let options = RemoteOptions { dimensions: 0, ..options(&server) };
    let embedder = embedder(options).0.unwrap();
    assert_eq!(embedder.dimensions(), 2);
    assert!(embedder.model().as_str().ends_with(":small:2"), "{}", embedder.model());
    embedder.embed(TextKind::Passage, &["text"]).unwrap();
    let asked = server.received();
    assert_eq!(asked.len(), 2);
    assert!(!String::from_utf8_lossy(&asked[1].body).contains("dimensions"));
}

#[test]
fn batches_are_split_and_answers_put_in_order() {
    let server = Loopback::start(|asked| {
        let texts = input(asked);
        let data = texts.as_array().unwrap().iter().enumerate().map(|(index, text)| {
            let number: f64 = text.as_str().unwrap().parse().unwrap();
            json!({"embedding": [number, 1.0], "index": index})
        });
        Reply::ok(json!({"data": data.rev().collect::<Vec<_>>()}).to_string())
    });
    let embedder = embedder(RemoteOptions { batch_size: 2, ..options(&server) }).0.unwrap();
    let answer = embedder.embed(TextKind::Passage, &["0", "1", "2", "3", "4"]).unwrap();
    for (number, vector) in answer.iter().enumerate() {
        assert!((vector[0] / vector[1] - number as f32).abs() < 1e-5, "{vector:?}");
        assert!((vector[0].hypot(vector[1]) - 1.0).abs() < 1e-6, "{vector:?}");
    }
    let sizes: Vec<_> = server.received().iter().map(|asked| input(asked).as_array().unwrap().len()).collect();
    assert_eq!(sizes, [2, 2, 1]);
}

#[test]
fn answers_that_do_not_match_are_refused() {
    let answer = |data: Value| Reply::ok(json!({ "data": data }).to_string());
    let cases = [
        (answer(json!([])), "0 vectors for 1 texts"),
        (answer(json!([{"embedding": [1, 2]}, {"embedding": [1, 2]}])), "2 vectors for 1 texts"),
        (answer(json!([{"index": 1, "embedding": [1, 2]}])), "index 1 is out of range"),
        (answer(json!([{"index": 0, "embedding": [1, 2, 3]}])), "3 dimensions, expected 2"),
        (answer(json!([{"index": 0, "embedding": []}])), "0 dimensions, expected 2"),
        (answer(json!([{"index": 0, "embedding": [1e39, 0.0]}])), "number out of range"),
        (answer(json!([{"index": 0, "embedding": [0.0, 0.0]}])), "all zeros"),
        (answer(json!([{"index": 0, "embedding": [null, 0.0]}])), "invalid type: null"),
        (Reply::ok("{\"data\": [{\"embedding\": [NaN, 1]}]}"), "sent an unusable answer"),
        (Reply::ok("{\"error\": {\"message\": \"model is loading\"}}"), "model is loading"),
        (Reply::ok("<html>"), "<html>"),
    ];
    for (reply, expected) in cases {
        let (result, asked, _) = embed_one(vec![reply]);
        let error = result.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(asked, 1);
    }
}

#[test]
fn items_without_index_are_taken_in_order() {
    let server = Loopback::script(vec![Reply::ok(r#"{"data": [{"embedding": [1, 0]}, {"embedding": [0, 1]}]}"#)]);
    let vectors = embedder(options(&server)).0.unwrap().embed(TextKind::Passage, &["a", "b"]).unwrap();
    assert_eq!(vectors, [[1.0, 0.0], [0.0, 1.0]]);
}

#[test]
fn temporary_failures_are_retried() {
    let failures = [
        Reply::status(408, ""),
        Reply::status(503, "busy"),
        Reply::Closed,
        Reply::Broken { promised: 100, body: b"{".to_vec() },
    ];
    let (result, asked, waits) = embed_one([failures.to_vec(), vec![vectors(&[[1.0, 0.0]])]].concat());
    assert_eq!(result.unwrap(), [[1.0, 0.0]]);
    assert_eq!(asked, 5);
    assert_eq!(waits.len(), 4);
    assert!(waits.is_sorted(), "{waits:?}");
}

#[test]
fn a_passage_is_tried_at_most_five_times() {
    let (result, asked, waits) = embed_one(vec![Reply::status(500, "boom")]);
    assert!(matches!(result, Err(EmbedError::Remote { status: 500, excerpt, .. }) if excerpt == "boom"));
    assert_eq!((asked, waits.len()), (5, 4));
    let (result, asked, _) = embed_one(vec![Reply::status(429, "slow down")]);
    let error = result.unwrap_err();
    assert!(matches!(&error, EmbedError::RateLimited { tries: 5, excerpt, .. } if excerpt == "slow down"), "{error}");
    assert!(error.hint().is_some());
    assert_eq!(asked, 5);
}

#[test]
fn a_question_waits_at_most_two_seconds_between_tries() {
    let server = Loopback::script(vec![Reply::status(429, "").with_header("retry-after", "30")]);
    let (embedder, waits) = embedder(options(&server));
    assert!(embedder.unwrap().embed(TextKind::Query, &["why"]).is_err());
    assert_eq!(*waits.lock().unwrap(), [Duration::from_secs(2)]);
}

#[test]
fn the_wait_the_server_asks_for_is_honoured_and_capped() {
    let limited = |value: &str| Reply::status(429, "").with_header("retry-after", value);
    let replies = vec![limited("7"), limited("3600"), limited("Wed, 21 Oct 2099 07:28:00 GMT"), vectors(&[[1.0, 0.0]])];
    let (result, _, waits) = embed_one(replies);
    result.unwrap();
    assert_eq!(waits, [7, 60, 60].map(Duration::from_secs));
}

#[test]
fn refusals_are_final_and_give_the_reason() {
    for status in [400, 401, 403, 404, 422] {
        let reply = Reply::status(status, r#"{"error": {"message": "no such \u001b[1mmodel\u0007"}}"#);
        let (result, asked, _) = embed_one(vec![reply]);
        let error = result.unwrap_err().to_string();
        assert!(error.ends_with(&format!("answered {status}: no such [1mmodel")), "{error}");
        assert_eq!(asked, 1);
    }
}

#[test]
fn redirects_are_refused_and_the_key_is_never_shown() {
    let other = Loopback::script(vec![vectors(&[[1.0, 0.0]])]);
    let target = other.url();
    let server = Loopback::start(move |asked| match asked.header("authorization") {
        Some(_) if asked.path == "/v1/embeddings" => Reply::redirect(target.clone()),
        _ => Reply::status(401, format!("you sent {:?}", asked.header("authorization"))),
    });
    let with_key = |path: &str| RemoteOptions {
        base_url: format!("{}/{path}", server.url()),
        api_key: Some("sk-secret".into()),
        ..options(&server)
    };
    let redirected = embedder(with_key("v1")).0.unwrap().embed(TextKind::Passage, &["a"]).unwrap_err();
    assert!(redirected.to_string().contains("answered 302: it redirects to http://127.0.0.1"), "{redirected}");
    assert!(other.received().is_empty());
    let options = with_key("v2");
    assert!(!format!("{options:?}").contains("sk-secret"));
    let embedder = embedder(options).0.unwrap();
    assert!(!format!("{embedder:?}").contains("sk-secret"));
    let echoed = embedder.embed(TextKind::Passage, &["a"]).unwrap_err();
    assert!(echoed.to_string().contains("Bearer [key]"), "{echoed}");
    assert!(!format!("{echoed:?}").contains("sk-secret"));
}

#[test]
fn a_key_over_plain_http_to_another_machine_is_refused() {
    let mut options = RemoteOptions { dimensions: 2, ..RemoteOptions::new("http://example.com/v1", "small") };
    assert!(embedder(options.clone()).0.is_ok());
    options.api_key = Some("sk-1".into());
    assert!(matches!(embedder(options.clone()).0, Err(EmbedError::InsecureKey { .. })));
    options.api_key = Some(" ".into());
    assert!(embedder(options).0.is_ok());
    for url in ["example.com/v1", "ftp://example.com", "http://u:p@localhost/v1", "http://localhost/v1?key=1"] {
        let options = RemoteOptions { dimensions: 2, ..RemoteOptions::new(url, "small") };
        assert!(matches!(embedder(options).0, Err(EmbedError::Address { .. })), "{url}");
    }
}

#[test]
fn silent_and_absent_servers_give_different_errors() {
    let server = Loopback::script(vec![Reply::Hang(Vec::new())]);
    let silent = RemoteOptions { timeout: Duration::from_millis(50), ..options(&server) };
    let error = embedder(silent).0.unwrap().embed(TextKind::Query, &["why"]).unwrap_err();
    assert!(matches!(&error, EmbedError::Network { reason, .. } if reason.contains("timed out")), "{error}");
    let absent = options(&server);
    drop(server);
    let error = embedder(absent).0.unwrap().embed(TextKind::Query, &["why"]).unwrap_err();
    assert!(matches!(&error, EmbedError::Network { reason, .. } if !reason.contains("timed out")), "{error}");
}

#[test]
fn a_text_longer_than_the_window_is_refused_without_a_request() {
    let server = Loopback::script(vec![vectors(&[[1.0, 0.0]])]);
    let options = RemoteOptions { window: 10, passage_prefix: "eight ch".into(), ..options(&server) };
    let embedder = embedder(options).0.unwrap();
    assert_eq!(embedder.window(), 8);
    let error = embedder.embed(TextKind::Passage, &["short", &"x".repeat(36)]).unwrap_err();
    assert!(matches!(error, EmbedError::TextTooLong { index: 1, tokens: 9, window: 8 }), "{error}");
    assert!(server.received().is_empty());
}

#[test]
fn the_fingerprint_depends_on_service_model_dimensions_and_prefixes() {
    let id = |change: fn(&mut RemoteOptions)| {
        let mut options = RemoteOptions { dimensions: 2, ..RemoteOptions::new("http://localhost:11434/v1", "small") };
        change(&mut options);
        embedder(options).0.unwrap().model().clone()
    };
    let original = id(|_| {});
    assert_eq!(original.as_str(), "openai:localhost:11434:small:2");
    assert_eq!(original, id(|options| options.base_url.push('/')));
    assert_eq!(original, id(|options| options.batch_size = 7));
    let changes: [fn(&mut RemoteOptions); 5] = [
        |options| options.base_url = "http://localhost:1234/v1".into(),
        |options| options.model = "large".into(),
        |options| options.dimensions = 3,
        |options| options.query_prefix = "a".into(),
        |options| options.passage_prefix = "a".into(),
    ];
    let mut ids: Vec<_> = changes.into_iter().map(id).collect();
    ids.push(original);
    let distinct: std::collections::HashSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), 6, "{ids:?}");
}
