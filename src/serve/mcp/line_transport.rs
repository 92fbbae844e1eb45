//! The transport over standard input and output: a message a line.
//!
//! The SDK's own transport drops a line that it cannot parse, and a client then waits forever. This one answers each such line.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, mpsc};

use super::message::{Refused, read, typed};

/// Largest message, in bytes.
const MAX_LINE_BYTES: usize = 16 << 20;
/// Messages that wait for the SDK.
const MAX_WAITING: usize = 16;

/// The transport. A task reads the input, so that the SDK may give up waiting for a message without losing a part of it.
pub(super) struct LineTransport<W> {
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
    output: Output<W>,
}

/// The output; `None` once it is closed.
type Output<W> = Arc<Mutex<Option<W>>>;

impl<W: AsyncWrite + Send + Unpin + 'static> LineTransport<W> {
    /// Starts to read `input` on the current runtime.
    pub(super) fn start(input: impl AsyncRead + Send + Unpin + 'static, output: W) -> Self {
        let output: Output<W> = Arc::new(Mutex::new(Some(output)));
        let (sender, messages) = mpsc::channel(MAX_WAITING);
        let answers = Arc::clone(&output);
        tokio::spawn(async move {
            if let Err(error) = read_lines(BufReader::new(input), &sender, &answers).await {
                tracing::debug!(%error, "the connection ended");
            }
        });
        Self { messages, output }
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for LineTransport<W> {
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move { write(&output, &message).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.messages.close();
        self.output.lock().await.take();
        Ok(())
    }
}

/// Passes messages on until the input ends, and answers lines that are none.
async fn read_lines<R: AsyncRead + Unpin, W: AsyncWrite + Unpin>(
    mut input: BufReader<R>,
    messages: &mpsc::Sender<ClientJsonRpcMessage>,
    output: &Output<W>,
) -> io::Result<()> {
    let (mut line, mut has_begun) = (Vec::new(), false);
    while let Some(is_whole) = next_line(&mut input, &mut line, MAX_LINE_BYTES).await? {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let message = match is_whole {
            true => read(&line).and_then(typed),
            false => Err(Refused::too_long(&line, MAX_LINE_BYTES)),
        };
        match message {
            // The SDK ends the connection over one of these before the client has introduced itself.
            Ok(message) if !has_begun && !is_request(&message) => {
                tracing::debug!("a message before the first request is passed over")
            }
            Ok(message) => {
                has_begun |= introduces_client(&message);
                // Otherwise the SDK is gone, and nothing will answer.
                if messages.send(message).await.is_err() {
                    return Ok(());
                }
            }
            Err(refused) if refused.wants_no_answer => tracing::debug!(?refused, "a notification is passed over"),
            Err(refused) => write(output, &refused.response()).await?,
        }
    }
    Ok(())
}

fn is_request(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Request(_))
}

/// Whether a client names the version of the protocol with this message, which begins the exchange.
fn introduces_client(message: &ClientJsonRpcMessage) -> bool {
    match message {
        JsonRpcMessage::Request(request) => match &request.request {
            ClientRequest::InitializeRequest(_) => true,
            other => other.get_meta().protocol_version().is_some(),
        },
        _ => false,
    }
}

/// Reads the next line, also one without an end at the end of the input. From a line longer than `most` bytes it reads the beginning and
/// skips the rest. Returns whether the line is whole; `None` at the end of the input.
async fn next_line<R: AsyncRead + Unpin>(
    input: &mut BufReader<R>,
    line: &mut Vec<u8>,
    most: usize,
) -> io::Result<Option<bool>> {
    line.clear();
    let (mut is_whole, mut has_begun) = (true, false);
    loop {
        let bytes = input.fill_buf().await?;
        if bytes.is_empty() {
            return Ok(has_begun.then_some(is_whole));
        }
        has_begun = true;
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        let room = most.saturating_sub(line.len()).min(part.len());
        is_whole &= room == part.len();
        line.extend_from_slice(&part[..room]);
        let taken = end.map_or(bytes.len(), |end| end + 1);
        input.consume(taken);
        if end.is_some() {
            return Ok(Some(is_whole));
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(output: &Output<W>, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    match &mut *output.lock().await {
        Some(output) => {
            output.write_all(&line).await?;
            output.flush().await
        }
        None => Err(io::ErrorKind::NotConnected.into()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tokio::io::AsyncReadExt;

    use super::*;

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
    }

    #[test]
    fn broken_lines_are_answered_and_the_next_message_is_read() {
        let input = b"nonsense\n\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{}}\n{\"id\":1,\"a\":\"\\ud800\"}\n{\"id\":2,\"a\":\"\xff\"}\r\n\
            {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}";
        let ids = run(async {
            let (output, mut client) = tokio::io::duplex(1 << 16);
            let mut transport = LineTransport::start(&input[..], output);
            for id in [3, 4] {
                let message = serde_json::to_value(transport.receive().await.unwrap()).unwrap();
                assert_eq!(message["id"], id, "a last line needs no end");
            }
            assert!(transport.receive().await.is_none());
            transport.close().await.unwrap();
            drop(transport);
            let mut written = String::new();
            client.read_to_string(&mut written).await.unwrap();
            written.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone()).collect::<Vec<_>>()
        });
        assert_eq!(ids, [json!(null), json!(1), json!(2)]);
    }

    #[test]
    fn a_line_that_is_too_long_is_cut_and_skipped() {
        run(async {
            let mut input = BufReader::with_capacity(3, &b"0123456789\nnext\nlast"[..]);
            let mut line = Vec::new();
            for (is_whole, text) in [(false, "01234"), (true, "next"), (true, "last")] {
                assert_eq!(next_line(&mut input, &mut line, 5).await.unwrap(), Some(is_whole));
                assert_eq!(String::from_utf8_lossy(&line), text);
            }
            assert_eq!(next_line(&mut input, &mut line, 5).await.unwrap(), None);
        });
    }
}
