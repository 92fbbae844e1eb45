//! Reads an answer from the bytes of a response: a stream of events, or one JSON object.
//!
//! The bytes decide which of the two it is: some servers never stream, some send a stream as `application/json`, and some send no content
//! type at all.

use super::answer::AnswerBuilder;
use super::error::{ReadError, excerpt};
use super::sse::{EventReader, MAX_EVENT};
use super::{Dialect, anthropic, openai};

/// Maximum size of an answer in bytes. In a stream, most bytes are field names: about 200 bytes per token.
const MAX_ANSWER: usize = 32 << 20;
/// The beginnings of lines in a stream of events.
const FIELDS: [&str; 6] = ["data:", "event:", "error:", "id:", "retry:", ":"];
/// Number of bytes that tell a stream of events from an object, behind a byte order mark.
const BEGINNING: usize = 9;
/// UTF-8 byte order mark, which both formats allow at their beginning.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Returns the next bytes of a response; `None` at its end.
pub(super) type NextBytes<'n> = dyn FnMut() -> Result<Option<Vec<u8>>, ReadError> + 'n;

/// Reads an answer with this content type.
pub(super) fn read(
    dialect: Dialect,
    content_type: &str,
    next: &mut NextBytes<'_>,
    answer: &mut AnswerBuilder<'_>,
    key: Option<&str>,
) -> Result<(), ReadError> {
    let mut body = Vec::new();
    let mut failed = None;
    // A response must not be read on behind its end.
    let mut is_over = false;
    while body.trim_ascii_start().len() < BEGINNING && body.len() < MAX_ANSWER {
        match next() {
            Ok(Some(bytes)) => body.extend(bytes),
            Ok(None) => {
                is_over = true;
                break;
            }
            Err(error) => {
                failed = Some(error);
                break;
            }
        }
    }
    if body.starts_with(BOM) {
        body.drain(..BOM.len());
    }
    let begun = body.trim_ascii_start();
    let is_object = begun.starts_with(b"{");
    let is_stream = FIELDS.iter().any(|field| begun.starts_with(field.as_bytes()));
    let kind = content_type.to_ascii_lowercase();
    let is_announced = kind.contains("event-stream") || (answer.is_streamed() && kind.is_empty());
    if is_stream || (is_announced && !is_object) {
        let mut first = Some(body);
        let mut next = || match (first.take(), failed.take()) {
            (Some(bytes), error) if !bytes.is_empty() => {
                failed = error;
                Ok(Some(bytes))
            }
            (_, Some(error)) => Err(error),
            _ if is_over => Ok(None),
            _ => next(),
        };
        return read_events(dialect, &mut next, answer, key);
    }
    if let Some(error) = failed {
        return Err(error);
    }
    if !is_over {
        collect(next, MAX_ANSWER + 1, &mut body)?;
    }
    if body.len() > MAX_ANSWER {
        return Err(too_large());
    }
    let shown = || excerpt(&body, key);
    let object = serde_json::from_slice(&body).map_err(|error| ReadError::Unusable(format!("{error}: {}", shown())))?;
    match dialect {
        Dialect::OpenAi => openai::read_object(&object, answer, key)?,
        Dialect::Anthropic => anthropic::read_object(&object, answer, key)?,
    }
    if answer.is_empty() && !answer.is_stopped() {
        return Err(ReadError::Unusable(format!("no text: {}", shown())));
    }
    Ok(())
}

/// Reads a stream of events.
pub(super) fn read_events(
    dialect: Dialect,
    next: &mut NextBytes<'_>,
    answer: &mut AnswerBuilder<'_>,
    key: Option<&str>,
) -> Result<(), ReadError> {
    let mut reader = EventReader::default();
    let mut size = 0;
    loop {
        let bytes = match next() {
            Ok(Some(bytes)) => bytes,
            Ok(None) => break,
            // The answer is complete; only usage figures can be missing.
            Err(ReadError::BrokenOff { .. } | ReadError::Silent(_)) if answer.is_stopped() => return Ok(()),
            Err(error) => return Err(error),
        };
        size += bytes.len();
        if size > MAX_ANSWER {
            return Err(too_large());
        }
        let events = reader
            .push(&bytes)
            .map_err(|_| ReadError::Unusable(format!("an event has more than {MAX_EVENT} bytes")))?;
        for data in events {
            if read_event(dialect, &data, answer, key)? {
                return Ok(());
            }
        }
    }
    // The last event may be complete even without the blank line that ends it.
    let is_over = match reader.finish().map(|data| read_event(dialect, &data, answer, key)) {
        None | Some(Err(ReadError::Unusable(_))) => false,
        Some(read) => read?,
    };
    if is_over || answer.is_stopped() {
        return Ok(());
    }
    Err(ReadError::BrokenOff { reason: "the answer ends before it is whole".into(), is_transient: true })
}

/// Reads the data of one event. Returns whether the stream is over.
fn read_event(
    dialect: Dialect,
    data: &str,
    answer: &mut AnswerBuilder<'_>,
    key: Option<&str>,
) -> Result<bool, ReadError> {
    let data = data.trim();
    // Some servers write comments, which keep the connection open, into the data.
    if data.is_empty() || data.starts_with(':') {
        return Ok(false);
    }
    // Some servers omit the blank line between two events.
    if data.contains('\n') && serde_json::from_str::<serde::de::IgnoredAny>(data).is_err() {
        for line in data.lines() {
            if read_event(dialect, line, answer, key)? {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    match dialect {
        Dialect::OpenAi => openai::read_event(data, answer, key),
        Dialect::Anthropic => anthropic::read_event(data, answer, key),
    }
}

fn too_large() -> ReadError {
    ReadError::Unusable(format!("it has more than {MAX_ANSWER} bytes"))
}

/// Appends the response's bytes to `all`, up to a length of `most`.
pub(super) fn collect(next: &mut NextBytes<'_>, most: usize, all: &mut Vec<u8>) -> Result<(), ReadError> {
    while all.len() < most
        && let Some(bytes) = next()?
    {
        all.extend(bytes);
    }
    all.truncate(most);
    Ok(())
}
