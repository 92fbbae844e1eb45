//! Connections: their limit, and the eviction of idle ones.
//!
//! A connection is idle while it has not sent a whole request head, or after its answer is complete. At the limit, the connection that
//! has been idle longest makes room, so that a thousand half-sent requests block nobody.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::header;
use hyper::Request;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1::Builder;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustix::net::{Shutdown, shutdown};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use tokio::time::{Sleep, sleep};

/// Concurrent connections.
const MAX_CONNECTIONS: usize = 512;
/// Timeout of a request head, which also bounds the wait for the next request on a connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a client may stall while it reads an answer.
const STALL_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a closing connection drains further input.
const LINGER_TIME: Duration = Duration::from_secs(1);
/// Largest request head, in bytes.
const MAX_HEAD_BYTES: usize = 32 << 10;

/// Serves connections forever.
pub(super) async fn accept(listener: TcpListener, router: Router) {
    let connections = Connections::default();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => connections.serve(stream, &router),
            Err(error) => {
                // For example out of file descriptors: other connections need a moment to close theirs.
                tracing::warn!(%error, "a connection could not be opened");
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// The open connections.
#[derive(Clone, Default)]
struct Connections(Arc<Mutex<Open>>);

#[derive(Default)]
struct Open {
    next: u64,
    entries: HashMap<u64, Entry>,
}

struct Entry {
    task: AbortHandle,
    /// Time since which the connection is idle; `None` while it waits for its answer.
    idle: Option<Instant>,
}

impl Connections {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves a connection, if there is room or an idle one can be evicted.
    fn serve(&self, stream: TcpStream, router: &Router) {
        let mut open = self.lock();
        if open.entries.len() >= MAX_CONNECTIONS {
            let idle = open.entries.iter().filter_map(|(id, entry)| Some((entry.idle?, *id)));
            let Some((_, id)) = idle.min() else { return };
            if let Some(entry) = open.entries.remove(&id) {
                entry.task.abort();
            }
        }
        let id = open.next;
        open.next += 1;
        let guard = ConnectionGuard { connections: self.clone(), id };
        // The task cannot remove its entry before it is inserted, because removal needs the lock held here.
        let task = tokio::spawn(converse(stream, router.clone(), guard)).abort_handle();
        open.entries.insert(id, Entry { task, idle: Some(Instant::now()) });
    }

    fn set_idle(&self, id: u64, idle: Option<Instant>) {
        if let Some(entry) = self.lock().entries.get_mut(&id) {
            entry.idle = idle;
        }
    }
}

/// The entry of an open connection. Dropping it removes the entry.
struct ConnectionGuard {
    connections: Connections,
    id: u64,
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.connections.lock().entries.remove(&self.id);
    }
}

/// Marks a connection as busy until it is dropped.
struct BusyGuard {
    connections: Connections,
    id: u64,
}

impl Drop for BusyGuard {
    fn drop(&mut self) {
        self.connections.set_idle(self.id, Some(Instant::now()));
    }
}

async fn converse(stream: TcpStream, router: Router, guard: ConnectionGuard) {
    // Answers are written in one go, so Nagle's algorithm would only delay them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY could not be set");
    }
    let stream = Arc::new(stream);
    let router = TowerToHyperService::new(router);
    let service = service_fn(|request: Request<Incoming>| {
        guard.connections.set_idle(guard.id, None);
        let busy = BusyGuard { connections: guard.connections.clone(), id: guard.id };
        let (answer, watched) = (router.call(request), Arc::clone(&stream));
        async move {
            let response = answer.await?;
            let kind = response.headers().get(header::CONTENT_TYPE);
            let is_stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
            let watched = is_stream.then_some(watched);
            Ok::<_, Infallible>(response.map(|body| BusyBody { body, watched, _busy: busy }))
        }
    });
    let stream = TimedStream { stream: Arc::clone(&stream), stalled: None, closing: None };
    let connection = Builder::new()
        .timer(TokioTimer::new())
        // A client that has sent everything may close its side and still read the answer.
        .half_close(true)
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    if let Err(error) = connection.await {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// The body of an answer, which keeps its connection busy until it is sent.
struct BusyBody {
    body: Body,
    /// The connection of an answer that streams events. It has no end of its own, so it ends when the client closes its side; a client
    /// that waits for a whole answer may do so and still read.
    watched: Option<Arc<TcpStream>>,
    _busy: BusyGuard,
}

impl BusyBody {
    /// Whether the client of a stream has closed its side. Otherwise, the task wakes when it does.
    fn is_abandoned(&self, context: &mut Context<'_>) -> bool {
        let Some(stream) = &self.watched else { return false };
        let mut byte = [0; 1];
        match stream.poll_peek(context, &mut ReadBuf::new(&mut byte)) {
            Poll::Ready(Ok(count)) => count == 0,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        }
    }
}

impl HttpBody for BusyBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.is_abandoned(context) {
            return Poll::Ready(Some(Err(axum::Error::new(io::Error::from(io::ErrorKind::ConnectionAborted)))));
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A stream that fails if the client stalls for too long, and that drains its input when it closes.
struct TimedStream {
    stream: Arc<TcpStream>,
    /// The timeout of a pending write.
    stalled: Option<Pin<Box<Sleep>>>,
    /// The end of the draining phase.
    closing: Option<Pin<Box<Sleep>>>,
}

impl TimedStream {
    /// Passes on the result of a write, and fails if the write has been pending for too long.
    fn check_stall(&mut self, written: Poll<io::Result<usize>>, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(STALL_TIMEOUT)));
        stalled.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for TimedStream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            ready!(self.stream.poll_read_ready(context))?;
            match self.stream.try_read(buffer.initialize_unfilled()) {
                Ok(count) => {
                    buffer.advance(count);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl TimedStream {
    /// Writes with `write` as soon as the connection takes bytes, and fails if the client stalls.
    fn poll_write_with(
        &mut self,
        context: &mut Context<'_>,
        write: impl Fn(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        let written = loop {
            match self.stream.poll_write_ready(context) {
                Poll::Pending => break Poll::Pending,
                Poll::Ready(Err(error)) => break Poll::Ready(Err(error)),
                Poll::Ready(Ok(())) => match write(&self.stream) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    written => break Poll::Ready(written),
                },
            }
        };
        self.check_stall(written, context)
    }
}

impl AsyncWrite for TimedStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_with(context, |stream| stream.try_write(bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_with(context, |stream| stream.try_write_vectored(parts))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// Nothing is buffered here.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Closes the write side, and then drains the input for a moment. Otherwise the system would reset the connection, and a client that
    /// sends too much would never read the error.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.closing.is_none() {
            shutdown(&*self.stream, Shutdown::Write)?;
            self.closing = Some(Box::pin(sleep(LINGER_TIME)));
        }
        let mut bytes = [0; 8 << 10];
        loop {
            if let Some(closing) = &mut self.closing
                && closing.as_mut().poll(context).is_ready()
            {
                return Poll::Ready(Ok(()));
            }
            let mut buffer = ReadBuf::new(&mut bytes);
            match ready!(self.as_mut().poll_read(context, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => {}
                _ => return Poll::Ready(Ok(())),
            }
        }
    }
}
