//! What a command and the daemon say to each other.
//!
//! Over a Unix stream socket, one JSON object a line. The daemon speaks first:
//! `{"tars":"0.1.0","protocol":2,"pid":4711,"settings":"…"}`; a command that finds another protocol, or other settings than
//! its own, answers for itself. Then each line of the command is a [`Request`], each line of the daemon a [`Response`].

use std::io::{self, BufRead, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::app::{Asked, StatusReport};
use crate::domain::SearchAnswer;
use crate::search::{Expansion, Extent};

/// Version of this protocol.
pub(super) const PROTOCOL: u32 = 2;

/// The longest line that is read: an answer of a thousand large chunks.
const LONGEST: u64 = 64 << 20;

/// The daemon's first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Greeting {
    /// Version of tars.
    pub tars: String,
    /// Version of the protocol.
    pub protocol: u32,
    /// Process id.
    pub pid: u32,
    /// Fingerprint of the settings that decide about answers.
    pub settings: String,
}

/// What is asked of the daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// Answer a question.
    Search(Box<Asked>),
    /// Show what stands around a chunk.
    Expand {
        /// Start of its id.
        id: String,
        /// How much.
        extent: Extent,
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
}

/// What the daemon answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Response {
    /// To [`Request::Search`].
    Answer(SearchAnswer),
    /// To [`Request::Expand`].
    Expansion(Expansion),
    /// To [`Request::Status`].
    Status(StatusReport),
    /// To [`Request::Watch`].
    Watch(WatchState),
    /// To [`Request::Client`] and [`Request::Stop`].
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
}

/// Writes one line.
pub(super) fn send(out: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    out.write_all(&line)?;
    out.flush()
}

/// Reads one line; `None` at the end of the stream.
pub(super) fn receive<T: DeserializeOwned>(input: &mut impl BufRead) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    input.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    serde_json::from_slice(&line).map(Some).map_err(io::Error::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_the_trip_and_rubbish_is_an_error() {
        let mut wire = Vec::new();
        let request = Request::Expand { id: "abcd".into(), extent: Extent::Window(2) };
        send(&mut wire, &request).unwrap();
        send(&mut wire, &Request::Stop).unwrap();
        let mut input = wire.as_slice();
        assert_eq!(receive::<Request>(&mut input).unwrap(), Some(request));
        assert_eq!(receive::<Request>(&mut input).unwrap(), Some(Request::Stop));
        assert_eq!(receive::<Request>(&mut input).unwrap(), None);
        assert!(receive::<Request>(&mut b"rubbish\n".as_slice()).is_err());
    }
}
