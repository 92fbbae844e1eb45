//! Connections that must not block others.

use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::process::{Resource, getrlimit, setrlimit};

use super::{Reply, Serving};
use crate::harness::TestVault;

/// The time that an answer may take while others misbehave, on a machine under load.
const SOON: Duration = Duration::from_secs(10);

fn is_served(serving: &Serving<'_>) {
    let started = Instant::now();
    serving.get("/v1/search?q=valve").expect(200);
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
}

#[test]
fn a_thousand_incomplete_requests_keep_nobody_out() {
    let limits = getrlimit(Resource::Nofile);
    let more = limits.maximum.unwrap_or(4096).min(4096);
    setrlimit(Resource::Nofile, rustix::process::Rlimit { current: Some(more), ..limits }).unwrap();
    let vault = TestVault::of_words();
    vault.write("Valve.md", "# Valve\nBehind the boiler.\n");
    let serving = Serving::start(&vault);
    let mut open: Vec<TcpStream> = Vec::new();
    for number in 0..1_000 {
        let mut stream = serving.connect();
        let half: &[u8] = match number % 3 {
            0 => b"",
            1 => b"POST /v1/search HTTP/1.1\r\nHost: local",
            _ => b"GET / HT",
        };
        // The server closes a connection to make room for others.
        let _ = stream.write_all(half);
        open.push(stream);
        if number % 250 == 0 {
            is_served(&serving);
        }
    }
    is_served(&serving);
    // Bodies that never come, with a valid token.
    for _ in 0..100 {
        let mut stream = serving.connect();
        let bearer = serving.bearer();
        let address = serving.address;
        let half = format!("POST /v1/search HTTP/1.1\r\nHost: {address}\r\n{bearer}\r\nContent-Length: 100\r\n\r\n{{");
        stream.write_all(half.as_bytes()).unwrap();
        open.push(stream);
    }
    is_served(&serving);
}

#[test]
#[ignore = "nightly: waits for a timeout, 15 s"]
fn an_incomplete_request_times_out() {
    let vault = TestVault::of_words();
    let serving = Serving::start(&vault);
    let mut head = serving.connect();
    head.write_all(b"GET /health HTTP/1.1\r\nHost: loc").unwrap();
    let mut body = serving.connect();
    let (address, bearer) = (serving.address, serving.bearer());
    let half = format!("POST /v1/search HTTP/1.1\r\nHost: {address}\r\n{bearer}\r\nContent-Length: 100\r\n\r\n{{");
    body.write_all(half.as_bytes()).unwrap();
    Reply::read(&mut BufReader::new(body)).problem(408, &["in time"]);
    let mut rest = Vec::new();
    // The end of the connection, with or without a word.
    let _ = head.read_to_end(&mut rest);
    assert!(rest.is_empty() || rest.starts_with(b"HTTP/1.1 408"), "{rest:?}");
}

#[test]
fn clients_that_do_not_read_block_nobody() {
    let vault = TestVault::of_words();
    vault.write("Valve.md", "# Valve\nBehind the boiler.\n");
    let serving = Serving::start(&vault);
    let bearer = serving.bearer();
    let one = format!("GET /v1/openapi.json HTTP/1.1\r\nHost: {}\r\n{bearer}\r\n\r\n", serving.address);
    let mut open = Vec::new();
    for _ in 0..64 {
        let mut stream = serving.connect();
        stream.write_all(one.repeat(100).as_bytes()).unwrap();
        open.push(stream);
    }
    for _ in 0..10 {
        is_served(&serving);
    }
    // A client that starts to read gets its answer.
    let mut reader = BufReader::new(open.pop().unwrap());
    for _ in 0..3 {
        Reply::read(&mut reader).expect(200).json();
    }
}

#[test]
fn a_client_that_has_closed_its_side_gets_its_answer() {
    let vault = TestVault::of_words();
    vault.write("Valve.md", "# Valve\nBehind the boiler.\n");
    let serving = Serving::start(&vault);
    let (address, bearer) = (serving.address, serving.bearer());
    let body = r#"{"query":"valve"}"#;
    let length = body.len();
    for request in [
        format!("GET /health HTTP/1.1\r\nHost: {address}\r\n\r\n"),
        format!("POST /v1/search HTTP/1.1\r\nHost: {address}\r\n{bearer}\r\nContent-Length: {length}\r\n\r\n{body}"),
    ] {
        let mut stream = serving.connect();
        stream.write_all(request.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut reader = BufReader::new(stream);
        Reply::read(&mut reader).expect(200).json();
        let mut rest = Vec::new();
        reader.read_to_end(&mut rest).unwrap();
        assert!(rest.is_empty(), "the connection ends after the answer");
    }
}

#[test]
fn a_connection_serves_many_requests() {
    let vault = TestVault::of_words();
    let serving = Serving::start(&vault);
    let mut stream = BufReader::new(serving.connect());
    for _ in 0..50 {
        let request = format!("POST /v1/status HTTP/1.1\r\nHost: {}\r\n{}\r\n\r\n", serving.address, serving.bearer());
        stream.get_mut().write_all(request.as_bytes()).unwrap();
        Reply::read(&mut stream).expect(200);
    }
    for garbage in [
        "\r\n\r\n",
        "GET\r\n\r\n",
        "\u{0}\u{1}\u{2}\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut stream = serving.connect();
        let _ = stream.write_all(garbage.as_bytes());
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        assert!(
            rest.is_empty() || rest.starts_with(b"HTTP/1.1 4") || rest.starts_with(b"HTTP/1.1 505"),
            "{garbage:?}: {rest:?}"
        );
    }
    is_alive(&serving);
}

fn is_alive(serving: &Serving<'_>) {
    serving.send("GET /health", &[], "").expect(200);
}
