//! The file of a transcript, which may be compressed.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use super::TranscriptError;
use super::line_reader::Backwards;
use crate::client::AgentClient;
use tars_base::private;

/// How many bytes of a file are read to tell whose it is.
const MAX_BEGINNING: u64 = 4 << 10;
/// How many bytes a compressed file may unpack to.
const MAX_UNPACKED: u64 = 1 << 30;
/// The memory for unpacking, as a power of two: the most that RFC 8878 recommends to support is 2^23; some writers use more.
const MAX_WINDOW: u32 = 27;
/// The first bytes of a file that is compressed with Zstandard (RFC 8878).
const COMPRESSED: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// An open transcript.
#[derive(Debug)]
pub(super) struct TranscriptFile {
    file: File,
    /// The place at which reading ends: the length at the time of opening, so that a growing file ends.
    end: u64,
    client: AgentClient,
    is_compressed: bool,
    is_one_value: bool,
    /// The directory of the session, if the client keeps it beside the transcript.
    directory: Option<String>,
    /// Files with the conversation before it, the first one first.
    earlier: Vec<PathBuf>,
}

impl TranscriptFile {
    /// Opens a transcript up to its byte `end`, which does not count for a compressed one. The path comes from a client, which may have been
    /// tricked into naming another file.
    pub(super) fn open(path: &Path, end: u64) -> Result<Self, TranscriptError> {
        let failed = |reason: io::Error| match reason.kind() {
            io::ErrorKind::InvalidInput => TranscriptError::NotAFile { path: path.to_owned() },
            _ => TranscriptError::Io { path: path.to_owned(), reason },
        };
        let file = private::open_untrusted_path(path).map_err(failed)?;
        // Files that the system generates, such as /proc/kmsg, have length 0.
        let length = file.metadata().map_err(failed)?.len();
        let (client, earlier) = Default::default();
        let (is_compressed, is_one_value, directory) = (false, false, None);
        let mut opened = Self { file, end: length, client, is_compressed, is_one_value, directory, earlier };
        let beginning = opened.beginning().map_err(failed)?;
        opened.is_compressed = beginning.starts_with(&COMPRESSED);
        let beginning = if opened.is_compressed { opened.beginning().map_err(failed)? } else { beginning };
        opened.client = AgentClient::of_transcript(&beginning);
        opened.earlier = opened.client.earlier_files(path);
        opened.is_one_value = opened.client.writes_one_value(&beginning);
        opened.directory = opened.client.project_file(path).and_then(|file| first_line(&file));
        // A part of a compressed file, or of one value, cannot be read.
        opened.end = if opened.is_compressed || opened.is_one_value { length } else { length.min(end) };
        Ok(opened)
    }

    /// Whether it is one JSON value instead of lines.
    pub(super) fn is_one_value(&self) -> bool {
        self.is_one_value
    }

    /// Returns the directory of its session, if the client keeps that beside the transcript.
    pub(super) fn directory(&self) -> Option<&str> {
        self.directory.as_deref()
    }

    /// Returns the id of its session, if the client writes that at the beginning only.
    pub(super) fn session_id(&mut self) -> Option<String> {
        self.client.session_in(&self.beginning().ok()?)
    }

    /// Returns the client that wrote it.
    pub(super) fn client(&self) -> AgentClient {
        self.client
    }

    /// Returns the text of the session from the beginning, with that of the earlier files.
    pub(super) fn session(&mut self) -> io::Result<Box<dyn Read + '_>> {
        let mut text: Box<dyn Read> = Box::new(io::empty());
        for earlier in &self.earlier {
            let file = private::open_untrusted_path(earlier)?;
            let length = file.metadata()?.len();
            text = Box::new(text.chain(file.take(length)));
        }
        Ok(Box::new(text.chain(self.unpacked()?)))
    }

    /// Returns its text from the beginning. A text that unpacks to too much ends with an error.
    fn unpacked(&mut self) -> io::Result<Box<dyn Read + '_>> {
        self.file.rewind()?;
        let packed = (&mut self.file).take(self.end);
        if !self.is_compressed {
            return Ok(Box::new(packed));
        }
        let mut unpacked = zstd::stream::read::Decoder::new(packed)?;
        unpacked.window_log_max(MAX_WINDOW)?;
        Ok(Box::new(Bounded { reader: unpacked, left: MAX_UNPACKED }))
    }

    /// Returns its lines from the last one, down to about `reach` bytes before its end. Only a plain file has any.
    pub(super) fn backwards(self, reach: u64) -> io::Result<Backwards<File>> {
        let end = if self.is_compressed { 0 } else { self.end };
        Backwards::new(self.file, end, reach)
    }

    fn beginning(&mut self) -> io::Result<Vec<u8>> {
        let mut beginning = Vec::new();
        self.unpacked()?.take(MAX_BEGINNING).read_to_end(&mut beginning)?;
        Ok(beginning)
    }
}

/// Returns the first line of a small file; `None` if it is empty.
fn first_line(path: &Path) -> Option<String> {
    let mut text = String::new();
    private::open_untrusted_path(path).ok()?.take(MAX_BEGINNING).read_to_string(&mut text).ok()?;
    text.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}

/// A reader that fails when there is more to read than allowed.
struct Bounded<R> {
    reader: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        let left = u64::try_from(read).ok().and_then(|read| self.left.checked_sub(read));
        self.left = left.ok_or_else(|| io::Error::other("it unpacks to more than 1 GiB"))?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_unpacks_to_too_much_is_refused() {
        let mut text = String::new();
        let bounded = |left| Bounded { reader: &b"abcdef"[..], left };
        assert_eq!(bounded(6).read_to_string(&mut text).unwrap(), 6);
        assert!(bounded(5).read_to_string(&mut text).is_err());
    }
}
