//! Connections: how many there are, and how long one may keep others waiting.
//!
//! A connection that has not sent a whole request head, or whose answer is out, is idle. Where all places are taken, the one that
//! has been idle longest makes room, so that a thousand half requests keep nobody out.

use std::collections::HashMap;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use hyper::Request;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1::Builder;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::{Sleep, sleep};

/// Connections at once.
const MOST: usize = 512;
/// How long the head of a request may take, and how long a connection may wait for its next one.
const HEAD: Duration = Duration::from_secs(15);
/// How long a reader may take nothing of an answer.
const STALL: Duration = Duration::from_secs(15);
/// How long a connection that is being closed takes in what still comes.
const LINGER: Duration = Duration::from_secs(1);
/// The longest head of a request, in bytes.
const LONGEST_HEAD: usize = 32 << 10;

/// Serves connections for ever.
pub(super) async fn accept(listener: TcpListener, router: Router) {
    let places = Places::default();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => places.seat(stream, &router),
            Err(error) => {
                // Out of descriptors, for example: others need a moment to give theirs back.
                tracing::warn!(%error, "a connection could not be opened");
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// The connections that are open.
#[derive(Clone, Default)]
struct Places(Arc<Mutex<Open>>);

#[derive(Default)]
struct Open {
    next: u64,
    places: HashMap<u64, Place>,
}

struct Place {
    task: AbortHandle,
    /// Since when it is idle; `None` while it waits for its answer.
    idle: Option<Instant>,
}

impl Places {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves a connection, where there is a place or one can be had.
    fn seat(&self, stream: TcpStream, router: &Router) {
        let mut open = self.lock();
        if open.places.len() >= MOST {
            let idle = open.places.iter().filter_map(|(id, place)| Some((place.idle?, *id)));
            let Some((_, id)) = idle.min() else { return };
            if let Some(place) = open.places.remove(&id) {
                place.task.abort();
            }
        }
        let id = open.next;
        open.next += 1;
        let seat = Seat { places: self.clone(), id };
        // The task cannot leave its place before it has one: leaving needs the lock that is held here.
        let task = tokio::spawn(converse(stream, router.clone(), seat)).abort_handle();
        open.places.insert(id, Place { task, idle: Some(Instant::now()) });
    }

    fn note(&self, id: u64, idle: Option<Instant>) {
        if let Some(place) = self.lock().places.get_mut(&id) {
            place.idle = idle;
        }
    }
}

/// A place of one's own, left when it is dropped.
struct Seat {
    places: Places,
    id: u64,
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.places.lock().places.remove(&self.id);
    }
}

/// Keeps a connection from being idle.
struct Busy {
    places: Places,
    id: u64,
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.places.note(self.id, Some(Instant::now()));
    }
}

async fn converse(stream: TcpStream, router: Router, seat: Seat) {
    // An answer is written at once, and shall not wait for more to be sent with it.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "answers may wait for a moment");
    }
    let router = TowerToHyperService::new(router);
    let service = service_fn(|request: Request<Incoming>| {
        seat.places.note(seat.id, None);
        let busy = Busy { places: seat.places.clone(), id: seat.id };
        let answer = router.call(request);
        async move { answer.await.map(|response| response.map(|body| Held { body, _busy: busy })) }
    });
    let patient = Patient { stream, stalled: None, closing: None };
    let connection = Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(LONGEST_HEAD)
        .serve_connection(TokioIo::new(patient), service);
    if let Err(error) = connection.await {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// The body of an answer; until it is out, its connection is not idle.
struct Held {
    body: Body,
    _busy: Busy,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A connection that fails where its reader takes nothing for too long, and that is closed in peace.
struct Patient {
    stream: TcpStream,
    /// Until when what is written must be taken.
    stalled: Option<Pin<Box<Sleep>>>,
    /// Until when it lingers.
    closing: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    /// Passes on what a write came to, and fails where it has waited for too long.
    fn judge(&mut self, written: Poll<io::Result<usize>>, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(STALL)));
        stalled.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.judge(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    /// Closes its side, and then takes in for a moment what the other one still sends: the system would otherwise reset the
    /// connection, and who sends too much would never read that it is too much.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.closing.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
            self.closing = Some(Box::pin(sleep(LINGER)));
        }
        let mut bytes = [0; 8 << 10];
        loop {
            if let Some(closing) = &mut self.closing
                && closing.as_mut().poll(context).is_ready()
            {
                return Poll::Ready(Ok(()));
            }
            let mut buffer = ReadBuf::new(&mut bytes);
            match ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => {}
                _ => return Poll::Ready(Ok(())),
            }
        }
    }
}
