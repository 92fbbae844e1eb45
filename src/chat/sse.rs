//! Parses a server-sent event stream into the data of its events (WHATWG HTML, section 9.2).
//!
//! Existing crates target asynchronous streams or buffer lines of any length. This parser is bounded and handles the
//! one deviation that matters: older versions of llama.cpp report an error as `error: {…}`, a field that the standard
//! tells readers to ignore. Event names and ids are ignored, because both dialects repeat the name in the data.

/// Maximum length of an event and of a line, in bytes.
pub(super) const MAX_EVENT: usize = 1 << 20;

/// An event or a line has more than [`MAX_EVENT`] bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// Parses a stream that arrives in pieces of any size.
#[derive(Debug, Default)]
pub(super) struct EventReader {
    line: Vec<u8>,
    /// The data lines of the current event, each followed by a line break.
    data: Vec<u8>,
    /// Whether the last byte was a carriage return; a line feed may complete it.
    after_return: bool,
}

impl EventReader {
    /// Returns the data of the events that `bytes` complete.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, TooLong> {
        let mut events = Vec::new();
        for byte in bytes {
            let is_second_half = std::mem::replace(&mut self.after_return, *byte == b'\r') && *byte == b'\n';
            match byte {
                b'\n' if is_second_half => {}
                b'\r' | b'\n' => events.extend(self.end_line()),
                _ if self.line.len() + self.data.len() >= MAX_EVENT => return Err(TooLong),
                byte => self.line.push(*byte),
            }
        }
        Ok(events)
    }

    /// Returns the data of the last event if the stream ended without its blank line. llama.cpp and others end with `[DONE]` this way.
    pub(super) fn finish(mut self) -> Option<String> {
        let whole = self.end_line();
        whole.or_else(|| self.end_line())
    }

    fn end_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            self.data.pop();
            let data = std::mem::take(&mut self.data);
            return (!data.is_empty()).then(|| String::from_utf8_lossy(&data).into_owned());
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (name, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => self.data.extend_from_slice(value),
            b"error" => self.data.extend([b"{\"error\":", value, b"}"].concat()),
            // A comment (with an empty name), an event's name or id, or an unknown field.
            _ => return None,
        }
        self.data.push(b'\n');
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<String> {
        let mut reader = EventReader::default();
        let mut events: Vec<String> = pieces.iter().flat_map(|piece| reader.push(piece).unwrap()).collect();
        events.extend(reader.finish());
        events
    }

    #[test]
    fn data_is_read_from_every_kind_of_line() {
        let stream = ": comment\n\ndata: one\n\nevent: x\r\ndata:two\r\ndata:  lines\r\n\r\nid: 1\rdata: three\r\rdata\n\nnew: field\n\ndata: last";
        assert_eq!(read(&[stream.as_bytes()]), ["one", "two\n lines", "three", "last"]);
        assert!(read(&[b""]).is_empty() && read(&[b"\n\n\r\n: only a comment"]).is_empty());
    }

    #[test]
    fn an_error_field_counts_as_an_event() {
        assert_eq!(read(&[b"error: {\"code\":500}\n\n"]), ["{\"error\":{\"code\":500}}"]);
    }

    #[test]
    fn an_endless_line_or_event_is_refused() {
        let mut reader = EventReader::default();
        assert_eq!(reader.push(&vec![b'x'; MAX_EVENT]), Ok(vec![]));
        assert_eq!(reader.push(b"x"), Err(TooLong));
        let mut reader = EventReader::default();
        let endless = b"data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n".repeat(MAX_EVENT / 50 + 1);
        assert_eq!(reader.push(&endless), Err(TooLong));
    }

    proptest::proptest! {
        #[test]
        fn splitting_the_stream_does_not_change_its_events(text in "(data: |data:|: |error:|event: |[aé😀:]|\r\n|\n|\r){0,30}", cut in 0..80usize, second in 0..80usize) {
            let bytes = text.as_bytes();
            let first = cut.min(bytes.len());
            let second = second.clamp(first, bytes.len().max(first));
            let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
            proptest::prop_assert_eq!(read(&pieces), read(&[bytes]));
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            proptest::prop_assert_eq!(read(&single), read(&[bytes]));
        }
    }
}
