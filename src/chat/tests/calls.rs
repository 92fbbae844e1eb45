//! Tests of what both dialects share: retries, waits, timeouts, cancelling, size limits.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

const BEGUN: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Well\"}}]}\n\n";
const LONG: Duration = Duration::from_secs(600);
const SHORT: Duration = Duration::from_millis(100);

/// Sends a request with these limits to a server that sends these replies in order.
fn ask(replies: Vec<Reply>, limits: Limits) -> (Vec<String>, Result<Completion, ChatError>, usize, Vec<Duration>) {
    let server = Loopback::script(replies);
    let (model, waits) = model(Dialect::OpenAi, &server);
    let (events, result) = send(&model, &ChatRequest { limits, ..request() });
    let waits = waits.lock().unwrap().clone();
    (events, result, server.received().len(), waits)
}

fn whole() -> Reply {
    Reply::stream(openai::STREAM, StreamEnd::Whole)
}

#[test]
fn temporary_failures_are_retried() {
    let passing = [
        Reply::status(429, "slow down"),
        Reply::status(500, ""),
        Reply::status(529, "overloaded"),
        Reply::Closed,
        Reply::stream("", StreamEnd::Broken),
        Reply::stream(": comment\n\n", StreamEnd::Whole),
        Reply::stream("data: {\"error\":{\"code\":502,\"message\":\"gone\"}}\n\n", StreamEnd::Whole),
        Reply::stream("data: {\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n", StreamEnd::Whole),
    ];
    for reply in passing {
        let (events, result, asked, waits) = ask(vec![reply.clone(), reply.clone(), whole()], Limits::default());
        assert!(result.is_ok(), "{reply:?}: {result:?}");
        assert_eq!((asked, waits.len()), (3, 2));
        // Half a second and a second, each reduced by up to half (jitter).
        assert!(
            (250..=500).contains(&waits[0].as_millis()) && (500..=1000).contains(&waits[1].as_millis()),
            "{waits:?}"
        );
        assert!(events[0].starts_with("1: ") && events[1].starts_with("2: ") && events[2] == "(hm)", "{events:?}");
    }
}

#[test]
fn the_last_error_is_returned_when_retries_run_out() {
    let limits = Limits { max_attempts: 3, ..Limits::default() };
    let (_, result, asked, _) = ask(vec![Reply::status(503, format!("busy, {KEY}"))], limits);
    let error = result.unwrap_err();
    assert!(matches!(&error, ChatError::Status { status: 503, .. }) && !error.to_string().contains(KEY), "{error}");
    assert_eq!(asked, 3);
}

#[test]
fn permanent_failures_are_not_retried() {
    for reply in [
        Reply::status(400, "bad"),
        Reply::status(401, "who?"),
        Reply::redirect("http://127.0.0.1:1/"),
        Reply::ok("<html>").with_header("content-type", "text/html"),
    ] {
        let (_, result, asked, waits) = ask(vec![reply], Limits::default());
        assert!(result.is_err());
        assert_eq!((asked, waits.len()), (1, 0));
    }
    let (_, result, ..) = ask(vec![Reply::redirect("http://127.0.0.1:1/")], Limits::default());
    assert!(result.unwrap_err().to_string().contains("it redirects to http://127.0.0.1:1/"));
}

#[test]
fn an_unreachable_server_is_retried() {
    let waits = Waits::default();
    let log = waits.clone();
    let pause = move |wait: Duration, _: &CancelToken| log.lock().unwrap().push(wait);
    let model = Server::with_pause(options(Dialect::OpenAi, "http://127.0.0.1:1/v1"), Box::new(pause)).unwrap();
    assert!(matches!(send(&model, &request()).1, Err(ChatError::Network { .. })));
    assert_eq!(waits.lock().unwrap().len(), 3);
}

#[test]
fn nothing_is_retried_after_a_piece_of_the_answer() {
    for end in [StreamEnd::Broken, StreamEnd::Whole] {
        let (events, result, asked, _) = ask(vec![Reply::stream(BEGUN, end), whole()], Limits::default());
        assert!(matches!(result, Err(ChatError::CutOff { .. })), "{result:?}");
        assert_eq!((events.as_slice(), asked), (["Well".to_owned()].as_slice(), 1));
    }
}

#[test]
fn a_connection_that_breaks_after_the_answer_loses_only_usage_figures() {
    let finished = "data: {\"choices\":[{\"delta\":{\"content\":\"Yes\"},\"finish_reason\":\"stop\"}]}\n\n";
    for end in [StreamEnd::Broken, StreamEnd::Silent] {
        let limits = Limits { idle_timeout: SHORT, ..Limits::default() };
        let (_, result, asked, _) = ask(vec![Reply::stream(finished, end)], limits);
        let completion = result.unwrap();
        assert_eq!((completion.text.as_str(), completion.usage, asked), ("Yes", Usage::default(), 1));
    }
}

#[test]
fn retry_after_is_honoured_or_the_call_fails() {
    let busy = |wait: &str| Reply::status(429, "slow down").with_header("retry-after", wait);
    let (_, result, _, waits) = ask(vec![busy("7"), busy("Sun, 06 Nov 1994 08:49:37 GMT"), whole()], Limits::default());
    assert!(result.is_ok());
    assert_eq!(waits, [Duration::from_secs(7), Duration::ZERO]);
    // Longer than the maximum wait, and longer than the call may take.
    for (wait, total) in [("3600", LONG), ("30", Duration::from_secs(20))] {
        let (_, result, asked, waits) =
            ask(vec![busy(wait), whole()], Limits { total_timeout: total, ..Limits::default() });
        assert!(matches!(result, Err(ChatError::Status { status: 429, .. })), "{result:?}");
        assert_eq!((asked, waits.len()), (1, 0));
    }
}

#[test]
fn a_call_ends_when_its_token_is_cancelled_while_the_server_is_silent() {
    let silent = [
        Reply::Hang(Vec::new()),
        Reply::Hang(b"HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\n\r\n".to_vec()),
        Reply::stream(BEGUN, StreamEnd::Silent),
        Reply::Hang(b"HTTP/1.1 500 X\r\ncontent-length: 9\r\n\r\nbusy".to_vec()),
    ];
    for reply in silent {
        let cancel = CancelToken::default();
        let token = cancel.clone();
        let server = Loopback::start(move |_| {
            token.cancel();
            reply.clone()
        });
        let limits = Limits { first_byte_timeout: LONG, idle_timeout: LONG, total_timeout: LONG, ..Limits::default() };
        let (model, _) = model(Dialect::OpenAi, &server);
        let (_, result) = send(&model, &ChatRequest { limits, cancel, ..request() });
        assert!(matches!(result, Err(ChatError::Cancelled)), "{result:?}");
    }
}

#[test]
fn a_wait_before_a_retry_can_be_cancelled() {
    let cancel = CancelToken::default();
    let server = Loopback::script(vec![Reply::status(429, "").with_header("retry-after", "60")]);
    let model = Server::new(options(Dialect::OpenAi, &server.url())).unwrap();
    let request = ChatRequest { cancel: cancel.clone(), ..request() };
    let result = model.send(&request, &mut |event| {
        assert!(matches!(event, ChatEvent::Retrying { wait, .. } if wait.as_secs() == 60));
        cancel.cancel();
        ControlFlow::Continue(())
    });
    assert!(matches!(result, Err(ChatError::Cancelled)), "{result:?}");
    assert_eq!(server.received().len(), 1);
}

#[test]
fn the_callback_can_cancel_a_call() {
    let server = Loopback::script(vec![Reply::stream(BEGUN.repeat(3), StreamEnd::Silent)]);
    let pieces = AtomicUsize::new(0);
    let result =
        model(Dialect::OpenAi, &server).0.send(&request(), &mut |_| match pieces.fetch_add(1, Ordering::Relaxed) {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        });
    assert!(matches!(result, Err(ChatError::Cancelled)), "{result:?}");
    assert_eq!(pieces.into_inner(), 2);
}

#[test]
fn a_cancelled_request_is_not_sent() {
    let server = Loopback::script(vec![whole()]);
    let request = request();
    request.cancel.cancel();
    assert!(matches!(send(&model(Dialect::OpenAi, &server).0, &request).1, Err(ChatError::Cancelled)));
}

#[test]
fn a_silent_server_times_out() {
    let first = Limits { first_byte_timeout: SHORT, ..Limits::default() };
    for reply in [Reply::Hang(Vec::new()), Reply::stream("", StreamEnd::Silent)] {
        let (_, result, asked, _) = ask(vec![reply], first.clone());
        assert!(matches!(result, Err(ChatError::Silent { after: SHORT, .. })), "{result:?}");
        assert_eq!(asked, 1, "a slow server would only get slower");
    }
    let idle = Limits { idle_timeout: SHORT, ..Limits::default() };
    let (events, result, ..) = ask(vec![Reply::stream(BEGUN, StreamEnd::Silent)], idle);
    assert!(matches!(result, Err(ChatError::Silent { after: SHORT, .. })), "{result:?}");
    assert_eq!(events, ["Well"]);
}

#[test]
fn a_slow_drip_ends_at_the_total_timeout() {
    let limits = Limits { total_timeout: Duration::from_millis(200), ..Limits::default() };
    let (_, result, asked, waits) = ask(vec![Reply::stream(BEGUN, StreamEnd::Drip)], limits);
    assert!(matches!(result, Err(ChatError::ServerTimedOut { .. })), "{result:?}");
    assert!(asked <= 1 && waits.is_empty());
}

#[test]
fn limits_that_overflow_the_clock_are_ignored() {
    let limits = Limits {
        total_timeout: Duration::MAX,
        first_byte_timeout: Duration::MAX,
        idle_timeout: Duration::MAX,
        ..Limits::default()
    };
    assert!(ask(vec![whole()], limits).1.is_ok());
}

#[test]
fn an_endless_line_and_too_many_calls_are_refused() {
    let mut endless = b"data: ".to_vec();
    endless.resize(3 << 20, b'x');
    let (_, result, asked, _) = ask(vec![Reply::stream(endless, StreamEnd::Whole)], Limits::default());
    assert!(matches!(result, Err(ChatError::Answer { .. })), "{result:?}");
    assert_eq!(asked, 1);
    let many: String = (0..1000)
        .map(|index| format!("data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"index\":{index},\"function\":{{\"name\":\"x\"}}}}]}}}}]}}\n\n"))
        .collect();
    let (_, result, ..) = ask(vec![Reply::stream(many, StreamEnd::Whole)], Limits::default());
    assert!(result.unwrap_err().to_string().contains("more than 128 tools"));
}

#[test]
fn an_endless_answer_is_refused() {
    // Skipped lines count too.
    let comments = vec![[&b": "[..], &[b'x'; 1 << 16], b"\n"].concat(); 600];
    let (_, result, asked, _) = ask(vec![Reply::Stream { pieces: comments, end: StreamEnd::Whole }], Limits::default());
    assert!(result.unwrap_err().to_string().contains("it has more than"));
    assert_eq!(asked, 1);
}

#[test]
fn a_request_without_tools_accepts_no_calls() {
    for (dialect, stream) in [(Dialect::OpenAi, openai::STREAM), (Dialect::Anthropic, anthropic::STREAM)] {
        let server = Loopback::script(vec![Reply::stream(stream, StreamEnd::Whole)]);
        let (events, result) = send(&model(dialect, &server).0, &ChatRequest { tools: vec![], ..request() });
        let completion = result.unwrap();
        assert_eq!(asked(&server).get("tools"), None);
        assert!(completion.calls.is_empty() && !events.contains(&"[search]".to_owned()), "{events:?}");
        assert_eq!(completion.refused_calls.len(), 2);
    }
}

#[test]
fn messages_that_do_not_fit_are_left_out_and_counted() {
    let server = Loopback::script(vec![whole()]);
    let limits = Limits { history_tokens: Some(40), ..Limits::default() };
    let request = ChatRequest { messages: conversation(), limits, ..request() };
    let completion = send(&model(Dialect::OpenAi, &server).0, &request).1.unwrap();
    assert_eq!(completion.omitted_messages, 4);
    let expected = json!([{"role": "system", "content": "Be terse."}, {"role": "user", "content": "Go on."}]);
    assert_eq!(asked(&server)["messages"], expected);
}

#[test]
fn a_key_travels_safely_or_not_at_all() {
    let new = |url: &str, key: Option<&str>| {
        Server::new(ServerOptions { api_key: key.map(str::to_owned), ..options(Dialect::OpenAi, url) })
    };
    assert!(matches!(new("http://example.com/v1", Some("k")), Err(ChatError::InsecureKey { .. })));
    for allowed in ["https://example.com/v1", "http://localhost:1/v1", "http://[::1]:1/v1"] {
        assert!(new(allowed, Some("k")).is_ok(), "{allowed}");
    }
    assert!(new("http://example.com/v1", Some(" ")).is_ok());
    for wrong in ["ftp://a", "https://me:secret@host/v1", "https://"] {
        let error = new(wrong, None).unwrap_err();
        assert!(matches!(error, ChatError::Address { .. }) && !error.to_string().contains("secret"), "{error}");
    }
    let nameless = ServerOptions { model: String::new(), ..options(Dialect::OpenAi, "https://a") };
    assert!(matches!(Server::new(nameless), Err(ChatError::NoModelName)));
    let shown = format!("{:?}", new("https://a", Some(KEY)).unwrap());
    assert!(!shown.contains(KEY), "{shown}");
}

#[test]
fn addresses_follow_the_dialect() {
    let path = |dialect, base: &str| {
        let server = Loopback::script(vec![Reply::status(400, "")]);
        let model = Server::new(options(dialect, &format!("{}{base}", server.url()))).unwrap();
        assert!(send(&model, &request()).1.is_err());
        server.received()[0].path.clone()
    };
    assert_eq!(path(Dialect::OpenAi, "/v1/"), "/v1/chat/completions");
    assert_eq!(path(Dialect::Anthropic, ""), "/v1/messages");
    assert_eq!(path(Dialect::Anthropic, "/v1"), "/v1/messages");
}
