//! A scripted HTTP server on the loopback interface, for tests of HTTP clients.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A request that the server received.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    /// `GET` or `POST`.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Lower-case names, and values.
    pub headers: Vec<(String, String)>,
    /// Bytes of the body.
    pub body: Vec<u8>,
}

impl ReceivedRequest {
    /// Returns the value of a header by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The server's reaction to a request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// Answers in full.
    Answer { status: u16, headers: Vec<(String, String)>, body: Vec<u8> },
    /// Announces `promised` bytes, sends `body` and closes.
    Broken { promised: usize, body: Vec<u8> },
    /// Closes without an answer.
    Closed,
    /// Sends these bytes, possibly none, and stays silent until the server is dropped.
    Hang(Vec<u8>),
    /// Answers 200 with an event stream in these pieces, each an HTTP chunk.
    Stream { pieces: Vec<Vec<u8>>, end: StreamEnd },
}

/// How a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamEnd {
    /// Regularly.
    Whole,
    /// The connection closes before the end.
    Broken,
    /// The stream stays open and silent until the server is dropped.
    Silent,
    /// A comment is sent every few milliseconds until the client leaves.
    Drip,
}

impl Reply {
    /// Answers 200 with `body`.
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::status(200, body)
    }

    /// Answers `status` with `body`.
    pub fn status(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::Answer { status, headers: Vec::new(), body: body.into() }
    }

    /// Answers 302 to `location`.
    pub fn redirect(location: impl Into<String>) -> Self {
        Self::status(302, "").with_header("location", location)
    }

    /// Answers 200 with an event stream.
    pub fn stream(text: impl Into<Vec<u8>>, end: StreamEnd) -> Self {
        Self::Stream { pieces: vec![text.into()], end }
    }

    /// Adds a header to an answer.
    pub fn with_header(mut self, name: &str, value: impl Into<String>) -> Self {
        if let Self::Answer { headers, .. } = &mut self {
            headers.push((name.into(), value.into()));
        }
        self
    }
}

/// A server that runs until it is dropped.
pub struct Loopback {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<ReceivedRequest>>>,
    stop: Arc<AtomicBool>,
    worker: Option<JoinHandle<()>>,
}

impl Loopback {
    /// Starts a server that answers with `handler`, one connection at a time.
    pub fn start(handler: impl Fn(&ReceivedRequest) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let (log, stopped) = (asked.clone(), stop.clone());
        let worker = thread::spawn(move || {
            let mut silent = Vec::new();
            for stream in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                // Errors are ignored: in some tests the client disconnects.
                if let Ok(stream) = stream
                    && let Ok(Some(stream)) = serve(stream, &handler, &log)
                {
                    silent.push(stream);
                }
            }
        });
        Self { address, asked, stop, worker: Some(worker) }
    }

    /// Starts a server that gives these replies in turn, and then repeats the last one.
    pub fn script(replies: Vec<Reply>) -> Self {
        let next = Mutex::new(0);
        Self::start(move |_| {
            let mut next = next.lock().unwrap();
            let reply = replies[(*next).min(replies.len() - 1)].clone();
            *next += 1;
            reply
        })
    }

    /// Returns `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the requests received so far.
    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Loopback {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}

/// Serves one request. Returns the stream if it must stay open.
fn serve(
    stream: TcpStream,
    handler: &impl Fn(&ReceivedRequest) -> Reply,
    log: &Mutex<Vec<ReceivedRequest>>,
) -> io::Result<Option<TcpStream>> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let Some(asked) = read_request(&mut reader)? else { return Ok(None) };
    log.lock().unwrap().push(asked.clone());
    let mut stream = stream;
    match handler(&asked) {
        Reply::Answer { status, headers, body } => {
            let mut head = format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
            for (name, value) in headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            stream.write_all(format!("{head}\r\n").as_bytes())?;
            stream.write_all(&body)?;
        }
        Reply::Broken { promised, body } => {
            let head = format!("HTTP/1.1 200 X\r\nconnection: close\r\ncontent-length: {promised}\r\n\r\n");
            stream.write_all(head.as_bytes())?;
            stream.write_all(&body)?;
        }
        Reply::Closed => {}
        Reply::Hang(bytes) => {
            stream.write_all(&bytes)?;
            return Ok(Some(stream));
        }
        Reply::Stream { pieces, end } => {
            let head = "HTTP/1.1 200 X\r\nconnection: close\r\ncontent-type: text/event-stream; charset=utf-8\r\n\
                        transfer-encoding: chunked\r\n\r\n";
            stream.write_all(head.as_bytes())?;
            // An empty chunk would end the stream.
            for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
                write_chunk(&mut stream, piece)?;
            }
            match end {
                StreamEnd::Whole => write_chunk(&mut stream, b"")?,
                StreamEnd::Broken => {}
                StreamEnd::Silent => return Ok(Some(stream)),
                StreamEnd::Drip => loop {
                    write_chunk(&mut stream, b": still here\n\n")?;
                    thread::sleep(Duration::from_millis(5));
                },
            }
        }
    }
    Ok(None)
}

fn write_chunk(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(&[format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat())
}

fn read_request(reader: &mut impl BufRead) -> io::Result<Option<ReceivedRequest>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut asked = ReceivedRequest { method, path, headers, body: Vec::new() };
    let length = asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    reader.take(length).read_to_end(&mut asked.body)?;
    Ok(Some(asked))
}
