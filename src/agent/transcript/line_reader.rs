//! Reads the lines of a file forwards and backwards, with bounded memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

/// Maximum length of a line, in bytes: several pictures fit into one.
const MAX_LINE: usize = 32 << 20;
const BLOCK: usize = 256 << 10;

/// A line without its line feed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// A complete line.
    Whole(&'a [u8]),
    /// The last line, without a line feed.
    Torn(&'a [u8]),
    /// A line longer than [`MAX_LINE`].
    TooLong,
}

/// Lines from first to last.
pub(super) struct Forwards<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    max_line: usize,
    /// The byte at which a line ends.
    end: u8,
}

impl<R: Read> Forwards<R> {
    pub(super) fn new(reader: R) -> Self {
        Self::with_max_line(reader, MAX_LINE)
    }

    pub(super) fn with_max_line(reader: R, max_line: usize) -> Self {
        Self { reader: BufReader::with_capacity(BLOCK, reader), line: Vec::new(), max_line, end: b'\n' }
    }

    /// Lets lines end at another byte than a line feed.
    pub(super) fn with_end(self, end: u8) -> Self {
        Self { end, ..self }
    }

    /// Returns the next line, or `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        // Releases the memory of a long line before the end of the file.
        self.line.shrink_to(BLOCK);
        let mut too_long = false;
        loop {
            let block = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                block => block?,
            };
            if block.is_empty() {
                return Ok(match (too_long, self.line.is_empty()) {
                    (true, _) => Some(Line::TooLong),
                    (false, true) => None,
                    (false, false) => Some(Line::Torn(&self.line)),
                });
            }
            let end = block.iter().position(|byte| *byte == self.end);
            let part = &block[..end.unwrap_or(block.len())];
            too_long |= self.line.len() + part.len() > self.max_line;
            if too_long {
                self.line.clear();
            } else {
                self.line.extend_from_slice(part);
            }
            let used = end.map_or(block.len(), |end| end + 1);
            self.reader.consume(used);
            if end.is_some() {
                return Ok(Some(if too_long { Line::TooLong } else { Line::Whole(&self.line) }));
            }
        }
    }
}

/// Lines from last to first, down to a limit.
pub(super) struct Backwards<R> {
    file: R,
    /// The start of the block in the file.
    position: u64,
    /// The position at which reading stops.
    floor: u64,
    /// The unread rest of the block.
    block: Vec<u8>,
    /// Parts of the current line after the block, the last one first.
    parts: Vec<Vec<u8>>,
    size: usize,
}

impl Backwards<File> {
    /// Starts at the end of `file`, or at its byte `end`, and reads back about `reach` bytes.
    pub(super) fn new(file: File, end: u64, reach: u64) -> io::Result<Self> {
        Self::with_block(file, end, reach, BLOCK)
    }
}

impl<R: Read + Seek> Backwards<R> {
    pub(super) fn with_block(mut file: R, end: u64, reach: u64, size: usize) -> io::Result<Self> {
        let end = file.seek(SeekFrom::End(0))?.min(end);
        let floor = end.saturating_sub(reach);
        Ok(Self { file, position: end, floor, block: Vec::new(), parts: Vec::new(), size })
    }

    /// Returns the preceding line, or `None` at the beginning of the file or at the limit. A last line without a line
    /// end counts.
    pub(super) fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if let Some(at) = self.block.iter().rposition(|byte| *byte == b'\n') {
                let line = self.line(at + 1);
                self.block.truncate(at);
                return Ok(Some(line));
            }
            if self.position == 0 {
                let line = self.line(0);
                self.block.clear();
                return Ok((!line.is_empty()).then_some(line));
            }
            if self.position <= self.floor {
                return Ok(None);
            }
            let length = self.size.min(usize::try_from(self.position).unwrap_or(usize::MAX));
            let mut block = vec![0; length];
            self.position -= length as u64;
            self.file.seek(SeekFrom::Start(self.position))?;
            self.file.read_exact(&mut block)?;
            self.parts.push(std::mem::replace(&mut self.block, block));
        }
    }

    /// Returns the line from `start` of the block on, including its parts after the block.
    fn line(&mut self, start: usize) -> Vec<u8> {
        let mut line = self.block[start..].to_vec();
        for part in self.parts.drain(..).rev() {
            line.extend_from_slice(&part);
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn forwards(text: &[u8], max_line: usize) -> Vec<String> {
        let mut lines = Forwards::with_max_line(text, max_line);
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push(match line {
                Line::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                Line::Torn(bytes) => format!("torn {}", String::from_utf8_lossy(bytes)),
                Line::TooLong => "too long".into(),
            });
        }
        found
    }

    fn backwards(text: &[u8], reach: u64, block: usize) -> Vec<Vec<u8>> {
        let mut lines = Backwards::with_block(Cursor::new(text.to_vec()), u64::MAX, reach, block).unwrap();
        std::iter::from_fn(|| lines.next().unwrap()).collect()
    }

    #[test]
    fn long_lines_and_a_torn_end_are_reported() {
        assert_eq!(forwards(b"a\n\nbcd\nabcdef\ne", 3), ["a", "", "bcd", "too long", "torn e"]);
        assert_eq!(forwards(b"abcdef", 3), ["too long"]);
        assert!(forwards(b"", 3).is_empty());
    }

    #[test]
    fn reading_backwards_ends_at_its_limit() {
        assert_eq!(backwards(b"aaaa\nbbbb\ncc\n", 4, 4), [b"".to_vec(), b"cc".to_vec()]);
    }

    proptest::proptest! {
        #[test]
        fn backwards_is_forwards_reversed(text in "[ab\n]{0,40}", block in 1..9usize) {
            let mut lines: Vec<Vec<u8>> = text.split('\n').map(|line| line.as_bytes().to_vec()).collect();
            if lines[0].is_empty() {
                // An empty first line is not returned.
                lines.remove(0);
            }
            lines.reverse();
            proptest::prop_assert_eq!(backwards(text.as_bytes(), 1 << 20, block), lines);
        }
    }
}
