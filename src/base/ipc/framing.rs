//! Framing: one JSON object per line, of bounded length.

use std::io::{self, BufRead, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Writes one line.
pub fn send(out: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    out.write_all(&line)?;
    out.flush()
}

/// Reads one line of at most `max_bytes` bytes, or returns `None` at the end of the stream.
///
/// # Errors
/// The stream fails, ends within a line, or holds no such message.
pub fn receive<T: DeserializeOwned>(input: &mut impl BufRead, max_bytes: usize) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    input.by_ref().take(max_bytes as u64 + 1).read_until(b'\n', &mut line)?;
    match line.pop() {
        None => Ok(None),
        Some(b'\n') => serde_json::from_slice(&line).map(Some).map_err(io::Error::from),
        Some(_) if line.len() == max_bytes => Err(io::Error::other(format!("a line is longer than {max_bytes} bytes"))),
        Some(_) => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}
