//! Sends one request to a server and receives its answer as bytes, with a timeout for each phase. Every phase can be cancelled.
//!
//! A separate thread talks to the server, because a blocking read cannot check a token. The caller waits for what the
//! thread hands over and leaves when the time is up. ureq then closes the connection, which ends the thread. Only name
//! resolution and the connection attempt cannot be interrupted; they have a timeout of their own.

use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use ureq::Agent;
use ureq::http::{HeaderMap, Uri};

use super::cancel::POLL_INTERVAL;
use super::error::ReadError;
use super::{CancelToken, ChatRequest, Limits};
use tars_base::endpoint::{Timeouts, agent, describe_error, is_transient};

/// Maximum number of pieces that wait for the caller. The thread reads no faster than the caller consumes.
const QUEUE: usize = 8;
/// Maximum length of a piece in bytes.
const PIECE: usize = 16 << 10;

/// A request that is ready to be sent.
pub(super) struct OutgoingRequest {
    pub(super) url: Uri,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: String,
}

/// Status and headers of a response.
#[derive(Debug)]
pub(super) struct ResponseHead {
    pub(super) status: u16,
    headers: HeaderMap,
}

impl ResponseHead {
    /// Returns a header's value, if it is text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// A message from the thread to the caller.
enum Piece {
    Head(ResponseHead),
    Bytes(Vec<u8>),
    End,
    Failed(ReadError),
}

/// An answer that is being received. Dropping it closes the connection.
pub(super) struct Exchange<'r> {
    agent: Agent,
    pieces: Receiver<Piece>,
    limits: &'r Limits,
    cancel: &'r CancelToken,
    /// End of the total time limit.
    deadline: Instant,
    started: Instant,
    has_begun: bool,
}

impl<'r> Exchange<'r> {
    /// Sends a request. [`Exchange::head`] returns the outcome.
    pub(super) fn start(outgoing: OutgoingRequest, request: &'r ChatRequest, deadline: Instant) -> Self {
        let connect = Some(request.limits.connect_timeout);
        // Each exchange has its own agent, so shutting it down ends no other exchange.
        let agent = agent(&outgoing.url, Timeouts { connect, stall: None, total: None });
        let (sender, pieces) = sync_channel(QUEUE);
        let worker = agent.clone();
        thread::spawn(move || work(&worker, outgoing, &sender));
        let (limits, cancel) = (&request.limits, &request.cancel);
        Self { agent, pieces, limits, cancel, deadline, started: Instant::now(), has_begun: false }
    }

    /// Waits for the status and headers.
    pub(super) fn head(&mut self) -> Result<ResponseHead, ReadError> {
        match self.next()? {
            Piece::Head(head) => Ok(head),
            _ => Err(broken_off("it answers without a status")),
        }
    }

    /// Waits for the next bytes of the answer; returns `None` at its end.
    pub(super) fn bytes(&mut self) -> Result<Option<Vec<u8>>, ReadError> {
        match self.next()? {
            Piece::Bytes(bytes) => {
                self.has_begun = true;
                Ok(Some(bytes))
            }
            _ => Ok(None),
        }
    }

    fn next(&mut self) -> Result<Piece, ReadError> {
        // The gap between two pieces counts from here, because the caller may have spent time on the last piece.
        let (since, patience) = match self.has_begun {
            true => (Instant::now(), self.limits.idle_timeout),
            false => (self.started, self.limits.first_byte_timeout),
        };
        loop {
            if self.cancel.is_cancelled() {
                return Err(ReadError::Cancelled);
            }
            let left = self.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ReadError::TimedOut);
            }
            let quiet = patience.saturating_sub(since.elapsed());
            match self.pieces.recv_timeout(POLL_INTERVAL.min(left).min(quiet)) {
                Ok(Piece::Failed(error)) => return Err(error),
                Ok(piece) => return Ok(piece),
                // If both limits have passed, the loop reports the total timeout.
                Err(RecvTimeoutError::Timeout) if Instant::now() >= self.deadline => {}
                Err(RecvTimeoutError::Timeout) if since.elapsed() >= patience => {
                    return Err(ReadError::Silent(patience));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(broken_off("the connection was given up")),
            }
        }
    }
}

impl Drop for Exchange<'_> {
    fn drop(&mut self) {
        self.agent.clone().shutdown();
    }
}

fn broken_off(reason: &str) -> ReadError {
    ReadError::BrokenOff { reason: reason.to_owned(), is_transient: true }
}

/// Sends the request and hands over the answer until it ends or the caller has left.
fn work(agent: &Agent, outgoing: OutgoingRequest, pieces: &SyncSender<Piece>) {
    let mut request = agent.post(&outgoing.url);
    for (name, value) in outgoing.headers {
        request = request.header(name, value);
    }
    let response = match request.send(outgoing.body) {
        Ok(response) => response,
        Err(error) => {
            let error = ReadError::BrokenOff { reason: describe_error(&error), is_transient: is_transient(&error) };
            // The caller may have left.
            let _ = pieces.send(Piece::Failed(error));
            return;
        }
    };
    let (parts, body) = response.into_parts();
    let mut piece = Piece::Head(ResponseHead { status: parts.status.as_u16(), headers: parts.headers });
    let mut reader = body.into_reader();
    let mut block = vec![0; PIECE];
    while pieces.send(piece).is_ok() {
        piece = match reader.read(&mut block) {
            Ok(0) => Piece::End,
            Ok(read) => Piece::Bytes(block[..read].to_vec()),
            Err(error) => Piece::Failed(broken_off(&error.to_string())),
        };
        if !matches!(piece, Piece::Bytes(_)) {
            let _ = pieces.send(piece);
            return;
        }
    }
}
