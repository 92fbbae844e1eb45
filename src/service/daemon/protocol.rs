//! The messages between a command and the daemon ([`tars_base::ipc`] transports them).

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{ResolvedQuery, StatusReport};
use tars_base::domain::SearchAnswer;
use tars_engine::search::{Expansion, Extent, NotePart};

/// A request to the daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Answer a question, after earlier changes of notes have been indexed.
    Search(Box<ResolvedQuery>),
    /// Answer a question from the index as it is.
    AsIs(Box<ResolvedQuery>),
    /// Take note of files and folders that have just been written.
    Written {
        /// Absolute, links resolved.
        paths: Vec<PathBuf>,
    },
    /// Return the surroundings of a chunk.
    Expand {
        /// A prefix of its id.
        id: String,
        /// How much to return.
        extent: Extent,
    },
    /// Return a note or a part of it, after earlier changes of notes have been indexed.
    Note {
        /// Its path, a link to it, or a prefix of a chunk's id.
        name: String,
        /// The lines to return.
        part: NotePart,
        /// Collections to look in; none means all.
        collections: Vec<String>,
    },
    /// Return what is indexed.
    Status,
    /// Return the state of the watcher.
    Watch,
    /// Keep running at least as long as this process.
    Client {
        /// Its id.
        pid: u32,
    },
    /// Stop.
    Stop,
    /// Restart with the current settings.
    Restart,
}

/// A response of the daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Response {
    /// To [`Request::Search`] and [`Request::AsIs`].
    Answer(SearchAnswer),
    /// To [`Request::Expand`] and [`Request::Note`].
    Expansion(Expansion),
    /// To [`Request::Status`].
    Status(Box<StatusReport>),
    /// To [`Request::Watch`].
    Watch(WatchState),
    /// To [`Request::Client`], [`Request::Written`], [`Request::Stop`] and [`Request::Restart`].
    Done,
    /// The daemon failed: the command answers by itself, and reports its own errors.
    Failed(String),
}

/// The state of the watcher.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchState {
    /// Process id.
    pub pid: u32,
    /// Seconds since it started.
    pub uptime_seconds: u64,
    /// Whether file events report changes; otherwise the watcher polls.
    pub events: bool,
    /// Whether the model is in memory.
    pub model_loaded: bool,
    /// Number of changed places in the queue.
    pub pending: usize,
    /// How long the oldest of them has waited, in milliseconds.
    pub lag_ms: u64,
    /// Number of processes that the watcher stays alive for.
    pub clients: usize,
    /// Number of answered questions.
    pub answered: u64,
    /// The problem that keeps it from working, if there is one.
    pub problem: Option<String>,
    /// The address of its HTTP server, if it has one; the command that asks fills it in from the lock file.
    #[serde(default)]
    pub listen: Option<String>,
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use super::*;
    use tars_base::ipc::{MAX_REQUEST, receive, send};

    #[test]
    fn messages_round_trip_and_rubbish_is_an_error() {
        let mut wire = Vec::new();
        let request = Request::Expand { id: "abcd".into(), extent: Extent::Window(2) };
        send(&mut wire, &request).unwrap();
        send(&mut wire, &Request::Stop).unwrap();
        let mut input = wire.as_slice();
        assert_eq!(receive(&mut input, MAX_REQUEST).unwrap(), Some(request));
        assert_eq!(receive(&mut input, MAX_REQUEST).unwrap(), Some(Request::Stop));
        assert_eq!(receive::<Request>(&mut input, MAX_REQUEST).unwrap(), None);
        for rubbish in [&b"rubbish\n"[..], b"\n", b"\"stop\"", b"\xff\n"] {
            assert!(receive::<Request>(&mut &*rubbish, MAX_REQUEST).is_err());
        }
    }

    /// Repeats the same text without end, and counts the bytes.
    struct Endless<'a> {
        text: &'a [u8],
        given: usize,
    }

    impl Read for Endless<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let part = self.text.iter().cycle().skip(self.given % self.text.len());
            buffer.iter_mut().zip(part).for_each(|(byte, next)| *byte = *next);
            self.given += buffer.len();
            Ok(buffer.len())
        }
    }

    const SEARCH: &[u8] = br#"{"search":{"query":{"text":"a \"b\" \ud83d\ude00\u0000","mode":"hybrid","limit":10,
        "filter":{"paths":["x/**"],"without_paths":[],"tags":["t"],"without_tags":[],"memory_types":[],"collections":[],"dates":null},
        "min_score":0.0,"language":"query","project":null,"today":"2026-01-02","explain":false},
        "options":{"fusion":{"fusion":"adaptive","vector_weight":0.6,"neighbour_credit":0.1,"link_credit":0.1},
        "features":{"pair_credit":0.7,"repeat_penalty":0.5,"recency":0.0,"project_credit":0.1},
        "columns":{"title":1.0,"meta":1.0},"candidates":50},"window":1,"budget":7}}"#;

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(256))]

        #[test]
        fn an_endless_line_is_read_up_to_the_limit(text in "[^\n]{1,40}", longest in 0..100_000usize) {
            let mut input = io::BufReader::new(Endless { text: text.as_bytes(), given: 0 });
            proptest::prop_assert!(receive::<Request>(&mut input, longest).is_err());
            // The reader may also have filled its own buffer.
            proptest::prop_assert!(input.get_ref().given <= longest + 1 + input.capacity());
        }

        #[test]
        fn any_bytes_are_a_request_or_an_error(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..400)) {
            let mut input = bytes.as_slice();
            // Each call takes one line, so the loop reaches the end of the stream.
            for _ in 0..=bytes.len() {
                if let Ok(None) = receive::<Request>(&mut input, MAX_REQUEST) {
                    break;
                }
            }
            proptest::prop_assert!(input.is_empty());
        }

        #[test]
        fn corrupted_requests_do_not_panic(at in 0..2_000usize, byte in proptest::num::u8::ANY, cut in 0..2_000usize) {
            let mut wire: Vec<u8> = SEARCH.iter().copied().filter(|byte| *byte != b'\n').chain([b'\n']).collect();
            proptest::prop_assert!(matches!(receive(&mut wire.as_slice(), MAX_REQUEST), Ok(Some(Request::Search(_)))));
            let length = wire.len();
            wire[at % length] = byte;
            wire.truncate(cut % length + 1);
            // Both a parsed request and an error are fine; neither may panic.
            let _ = receive::<Request>(&mut wire.as_slice(), MAX_REQUEST);
        }

        #[test]
        fn nested_values_do_not_exhaust_the_stack(depth in 1..60_000usize, opening in "[\\[{\"]") {
            let line = format!("{{\"search\":{}\n", opening.repeat(depth));
            proptest::prop_assert!(receive::<Request>(&mut line.as_bytes(), MAX_REQUEST).is_err());
        }
    }
}
