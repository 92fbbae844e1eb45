//! Cuts the elements out of a JSON list without reading all of it into memory.

use std::io::{self, BufRead};

/// Longest conversation, in bytes.
pub(super) const MAX_BYTES: usize = 32 << 20;

/// An element of the list.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Element<'e> {
    /// An object, complete by its braces.
    Whole(&'e [u8]),
    /// An object of more than [`MAX_BYTES`].
    TooLong {
        /// Its length.
        bytes: u64,
    },
}

/// Why a text is no list of objects.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It begins with something else.
    #[error("it does not begin with [")]
    NotAList,
    /// An element is no object.
    #[error("entry {number} of the list is no object")]
    NotAnObject {
        /// Its number, from 1.
        number: usize,
    },
    /// It ends too early.
    #[error("it ends in the middle; download or unpack it again")]
    Unfinished,
}

/// The elements of a list, one after the other.
pub(super) struct Elements<R> {
    reader: R,
    element: Vec<u8>,
    most: usize,
    number: usize,
    has_begun: bool,
}

impl<R: BufRead> Elements<R> {
    pub(super) fn new(reader: R) -> Self {
        Self::with_most(reader, MAX_BYTES)
    }

    pub(super) fn with_most(reader: R, most: usize) -> Self {
        Self { reader, element: Vec::new(), most, number: 0, has_begun: false }
    }

    /// Returns the next element, or `None` at the end of the list.
    pub(super) fn next(&mut self) -> Result<Option<Element<'_>>, ListError> {
        if !self.has_begun {
            if self.after_blanks(b"\xef\xbb\xbf")? != Some(b'[') {
                return Err(ListError::NotAList);
            }
            self.reader.consume(1);
            self.has_begun = true;
        }
        match self.after_blanks(b",")? {
            None => return Err(ListError::Unfinished),
            Some(b']') => return Ok(None),
            Some(b'{') => self.number += 1,
            Some(_) => return Err(ListError::NotAnObject { number: self.number + 1 }),
        }
        let bytes = self.read_object()?;
        Ok(Some(match bytes > self.most as u64 {
            true => Element::TooLong { bytes },
            false => Element::Whole(&self.element),
        }))
    }

    /// Skips blanks and bytes of `more`, and returns the next byte without consuming it.
    fn after_blanks(&mut self, more: &[u8]) -> io::Result<Option<u8>> {
        loop {
            let block = self.filled()?;
            if block.is_empty() {
                return Ok(None);
            }
            let is_skipped = |byte: &u8| byte.is_ascii_whitespace() || more.contains(byte);
            let skipped = block.iter().take_while(|byte| is_skipped(byte)).count();
            let next = block.get(skipped).copied();
            self.reader.consume(skipped);
            if next.is_some() {
                return Ok(next);
            }
        }
    }

    /// Reads an object up to its closing brace, and returns its length. The rest of an object above the limit is skipped.
    fn read_object(&mut self) -> Result<u64, ListError> {
        self.element.clear();
        // Releases the memory of a long one.
        self.element.shrink_to(1 << 20);
        let (mut length, mut depth) = (0_u64, 0_usize);
        let (mut is_string, mut is_escaped) = (false, false);
        loop {
            let block = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                block => block?,
            };
            if block.is_empty() {
                return Err(ListError::Unfinished);
            }
            let mut end = None;
            for (at, byte) in block.iter().enumerate() {
                if is_string {
                    match byte {
                        _ if is_escaped => is_escaped = false,
                        b'\\' => is_escaped = true,
                        b'"' => is_string = false,
                        _ => {}
                    }
                    continue;
                }
                match byte {
                    b'"' => is_string = true,
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => {
                        depth = depth.saturating_sub(1);
                        if depth == 0 {
                            end = Some(at + 1);
                            break;
                        }
                    }
                    _ => {}
                }
            }
            let used = end.unwrap_or(block.len());
            length += used as u64;
            if length <= self.most as u64 {
                self.element.extend_from_slice(&block[..used]);
            } else {
                self.element.clear();
            }
            self.reader.consume(used);
            if end.is_some() {
                return Ok(length);
            }
        }
    }

    fn filled(&mut self) -> io::Result<&[u8]> {
        loop {
            match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(_) => break,
            }
        }
        self.reader.fill_buf()
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn all(text: &str, block: usize) -> Result<Vec<String>, String> {
        let mut elements = Elements::with_most(BufReader::with_capacity(block, text.as_bytes()), 20);
        let mut found = Vec::new();
        while let Some(element) = elements.next().map_err(|error| error.to_string())? {
            found.push(match element {
                Element::Whole(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
                Element::TooLong { bytes } => format!("{bytes} bytes"),
            });
        }
        Ok(found)
    }

    #[test]
    fn objects_are_cut_at_their_braces_whatever_the_size_of_the_blocks() {
        let text = "\u{feff} [ {\"a\":\"}\\\"]\"} ,\n{\"b\":[{}]},{\"long\":\"xxxxxxxxxxxxxxxxxxx\"},{}] rest";
        for block in [1, 2, 7, 1000] {
            assert_eq!(all(text, block).unwrap(), ["{\"a\":\"}\\\"]\"}", "{\"b\":[{}]}", "30 bytes", "{}"], "{block}");
        }
        assert_eq!(all("[]", 8), Ok(Vec::new()));
    }

    #[test]
    fn other_texts_are_no_lists() {
        for (text, reason) in [
            ("", "does not begin with ["),
            ("{}", "does not begin with ["),
            ("<html>", "does not begin with ["),
            ("[{}, 3]", "entry 2 of the list is no object"),
            ("[{\"a\":", "ends in the middle"),
            ("[{}", "ends in the middle"),
            ("[", "ends in the middle"),
        ] {
            let error = all(text, 8).unwrap_err();
            assert!(error.contains(reason), "{text:?}: {error}");
        }
    }
}
