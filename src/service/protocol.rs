//! What a command and the daemon say to each other (see [`crate::ipc`] for how).

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::app::{ResolvedQuery, StatusReport};
use crate::domain::SearchAnswer;
use crate::search::{Expansion, Extent, Part};

/// What is asked of the daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Answer a question, after what happened before it has been brought in.
    Search(Box<ResolvedQuery>),
    /// Answer a question from the index as it is.
    AsIs(Box<ResolvedQuery>),
    /// Take note of files and folders that have just been written.
    Written {
        /// Absolute, links resolved.
        paths: Vec<PathBuf>,
    },
    /// Show what stands around a chunk.
    Expand {
        /// Start of its id.
        id: String,
        /// How much.
        extent: Extent,
    },
    /// Show a note, or a part of it, after what happened before the question has been brought in.
    Note {
        /// Its path, a link to it, or the start of a chunk's id.
        name: String,
        /// Which lines.
        part: Part,
        /// Collections, any of them; none means all.
        collections: Vec<String>,
    },
    /// Say what is indexed.
    Status,
    /// Say how the watcher is.
    Watch,
    /// Live at least as long as this process.
    Client {
        /// Its id.
        pid: u32,
    },
    /// End.
    Stop,
    /// End, and begin again with the settings as they are now.
    Restart,
}

/// What the daemon answers.
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
    /// It could not: the command tries for itself, and says what goes wrong in its own words.
    Failed(String),
}

/// How the watcher is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchState {
    /// Process id.
    pub pid: u32,
    /// Seconds since it started.
    pub uptime_seconds: u64,
    /// Whether changes are noticed by events; otherwise it looks around.
    pub events: bool,
    /// Whether the model is in memory.
    pub model_loaded: bool,
    /// Changed places that wait.
    pub pending: usize,
    /// How long the oldest has waited, milliseconds.
    pub lag_ms: u64,
    /// Processes that it lives for.
    pub clients: usize,
    /// Questions answered.
    pub answered: u64,
    /// What keeps it from its work, if something does.
    pub problem: Option<String>,
    /// Where it answers HTTP, if it does; the command that asks reads it from the lock file.
    #[serde(default)]
    pub listen: Option<String>,
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use super::*;
    use crate::ipc::{QUESTION, receive, send};

    #[test]
    fn messages_survive_the_trip_and_rubbish_is_an_error() {
        let mut wire = Vec::new();
        let request = Request::Expand { id: "abcd".into(), extent: Extent::Window(2) };
        send(&mut wire, &request).unwrap();
        send(&mut wire, &Request::Stop).unwrap();
        let mut input = wire.as_slice();
        assert_eq!(receive(&mut input, QUESTION).unwrap(), Some(request));
        assert_eq!(receive(&mut input, QUESTION).unwrap(), Some(Request::Stop));
        assert_eq!(receive::<Request>(&mut input, QUESTION).unwrap(), None);
        for rubbish in [&b"rubbish\n"[..], b"\n", b"\"stop\"", b"\xff\n"] {
            assert!(receive::<Request>(&mut &*rubbish, QUESTION).is_err());
        }
    }

    /// Gives the same text for ever, and counts.
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
        fn a_line_without_end_is_read_up_to_its_bound(text in "[^\n]{1,40}", longest in 0..100_000usize) {
            let mut input = io::BufReader::new(Endless { text: text.as_bytes(), given: 0 });
            proptest::prop_assert!(receive::<Request>(&mut input, longest).is_err());
            // What the reader has read ahead is a buffer's worth.
            proptest::prop_assert!(input.get_ref().given <= longest + 1 + input.capacity());
        }

        #[test]
        fn any_bytes_are_a_request_or_an_error(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..400)) {
            let mut input = bytes.as_slice();
            // Each line is taken once, so that the stream comes to its end.
            for _ in 0..=bytes.len() {
                if let Ok(None) = receive::<Request>(&mut input, QUESTION) {
                    break;
                }
            }
            proptest::prop_assert!(input.is_empty());
        }

        #[test]
        fn requests_that_are_almost_right_do_no_harm(at in 0..2_000usize, byte in proptest::num::u8::ANY, cut in 0..2_000usize) {
            let mut wire: Vec<u8> = SEARCH.iter().copied().filter(|byte| *byte != b'\n').chain([b'\n']).collect();
            proptest::prop_assert!(matches!(receive(&mut wire.as_slice(), QUESTION), Ok(Some(Request::Search(_)))));
            let length = wire.len();
            wire[at % length] = byte;
            wire.truncate(cut % length + 1);
            // It is understood or refused; neither may panic.
            let _ = receive::<Request>(&mut wire.as_slice(), QUESTION);
        }

        #[test]
        fn nested_values_do_not_exhaust_the_stack(depth in 1..60_000usize, opening in "[\\[{\"]") {
            let line = format!("{{\"search\":{}\n", opening.repeat(depth));
            proptest::prop_assert!(receive::<Request>(&mut line.as_bytes(), QUESTION).is_err());
        }
    }
}
