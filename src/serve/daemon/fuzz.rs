//! Hostile lines on the socket.

use std::io::{BufRead, BufReader, Read};

use serde::Serialize;
use serde::de::DeserializeOwned;

use tars_base::ipc::{Greeting, MAX_REQUEST, MAX_RESPONSE, receive, send};
use tars_service::protocol::{Request, Response};
use tars_testing::fuzz::fuzz;

/// Each call reads exactly one line and yields a message or an error. A message that is sent again reads back the same.
#[test]
fn fuzz_protocol() {
    fuzz("protocol", |bytes| {
        check::<Request>(bytes);
        check::<Response>(bytes);
        check::<Greeting>(bytes);
    });
}

fn check<T: DeserializeOwned + Serialize + PartialEq + std::fmt::Debug>(bytes: &[u8]) {
    let mut input = bytes;
    let mut expected = bytes.split_inclusive(|byte| *byte == b'\n');
    loop {
        let before = input.len();
        let received = receive::<T>(&mut input, MAX_RESPONSE);
        let line = expected.next().unwrap_or_default();
        match received {
            Ok(None) => break assert!(line.is_empty()),
            Ok(Some(message)) => {
                assert_eq!(before - input.len(), line.len());
                let mut sent = Vec::new();
                send(&mut sent, &message).unwrap();
                assert_eq!(sent.iter().filter(|byte| **byte == b'\n').count(), 1, "a message is one line");
                assert_eq!(receive::<T>(&mut sent.as_slice(), MAX_RESPONSE).unwrap(), Some(message));
            }
            // The connection ends after an error.
            Err(_) => break assert!(!line.is_empty()),
        }
    }
}

/// Without valid seeds, the fuzzer would only exercise refusals.
#[test]
fn seeds_parse_as_requests_and_responses() {
    let read =
        |name: &str| std::fs::read(format!("{}/../../tests/fuzz/seeds/protocol/{name}", env!("CARGO_MANIFEST_DIR")));
    let (requests, responses) = (read("requests").unwrap(), read("responses").unwrap());
    let (mut requests, mut responses) = (requests.as_slice(), responses.as_slice());
    assert!(matches!(receive(&mut requests, MAX_REQUEST).unwrap(), Some(Request::Search(_))));
    assert!(matches!(receive(&mut responses, MAX_RESPONSE).unwrap(), Some(Response::Answer(_))));
}

/// By default serde_json parses floats fast but inexactly: about one in ten is off by a bit.
#[test]
fn scores_round_trip_bit_for_bit() {
    for score in [0.198_440_042_788_562_86_f64, 0.723_456_789_012_345_7, 1e-300, f64::MAX] {
        let mut sent = Vec::new();
        send(&mut sent, &score).unwrap();
        assert_eq!(receive::<f64>(&mut sent.as_slice(), MAX_RESPONSE).unwrap(), Some(score));
    }
}

#[test]
fn an_endless_line_is_refused_at_the_size_limit() {
    let mut input = BufReader::new(std::io::repeat(b' ').take(1 << 40));
    assert!(receive::<Request>(&mut input, MAX_REQUEST).is_err());
    let read = (1u64 << 40) - input.get_ref().limit() - input.fill_buf().unwrap().len() as u64;
    assert!(read <= 2 * MAX_REQUEST as u64, "{read} bytes were read");
}
