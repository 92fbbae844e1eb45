//! Hostile lines on the socket.

use std::io::{BufRead, BufReader, Read};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::protocol::{Greeting, Request, Response, receive, send};
use crate::fuzz::fuzz;

/// Every line is a message or an error, and one line is read for each; a message that was read is read again as the same from
/// what is sent of it.
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
        let received = receive::<T>(&mut input);
        let line = expected.next().unwrap_or_default();
        match received {
            Ok(None) => break assert!(line.is_empty()),
            Ok(Some(message)) => {
                assert_eq!(before - input.len(), line.len());
                let mut sent = Vec::new();
                send(&mut sent, &message).unwrap();
                assert_eq!(sent.iter().filter(|byte| **byte == b'\n').count(), 1, "a message is one line");
                assert_eq!(receive::<T>(&mut sent.as_slice()).unwrap(), Some(message));
            }
            // The conversation ends here.
            Err(_) => break assert!(!line.is_empty()),
        }
    }
}

#[test]
fn a_line_without_end_is_refused_at_the_bound() {
    let mut input = BufReader::new(std::io::repeat(b' ').take(1 << 40));
    assert!(receive::<Request>(&mut input).is_err());
    let read = (1u64 << 40) - input.get_ref().limit() - input.fill_buf().unwrap().len() as u64;
    assert!(read <= 64 << 20, "{read} bytes were read");
}
