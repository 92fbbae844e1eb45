//! The text of PDFs, page by page.
//!
//! A PDF is a program of a stranger's making, and a reader of PDFs fails in many ways on one. So another process reads it: this program
//! itself, which receives the bytes on its standard input and writes the pages to its standard output. It has limits of memory, processor
//! time and files, and is killed after a limit of time. Any failure becomes a refusal with a reason.

mod child;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::file::{ReadError, SourceFile, read_bytes};
use super::pdf_refusal::{MAX_PDF_BYTES, MAX_SECONDS, PdfRefusal};
use crate::Decoding;
use tars_base::domain::ContentHash;
use tars_base::process::{OutputReader, POLL_INTERVAL, ProcessGroup};
use tars_text::formats::pages_as_markdown;

pub use child::run as run_pdf_child;

/// The only argument of the process that reads a PDF. People never type it.
pub const PDF_COMMAND: &str = "--read-pdf";

/// Pages beyond this are not read.
const MAX_PAGES: usize = 5_000;
/// Ends each page of the output.
const PAGE_END: char = '\u{c}';

/// Reads PDFs in other processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfReader {
    /// The program to start: tars.
    pub program: PathBuf,
}

impl PdfReader {
    /// Reads a PDF like [`crate::read_following`]. The text has a section `Page N` for each page with text, and `limit` bytes at most. If
    /// the bytes are `known`, no text is read.
    ///
    /// # Errors
    /// As [`crate::read_following`], or the text is refused.
    pub fn read(
        &self,
        root: &Path,
        links: &[PathBuf],
        path: &str,
        limit: u64,
        known: impl FnOnce(&ContentHash) -> bool,
    ) -> Result<SourceFile, ReadError> {
        let refused = |reason| ReadError::Pdf { path: root.join(path), reason };
        let (bytes, stat) = read_bytes(root, links, path, MAX_PDF_BYTES).map_err(|error| match error {
            ReadError::TooLarge { .. } => refused(PdfRefusal::TooLarge),
            other => other,
        })?;
        let hash = ContentHash::of(&bytes);
        let text = if known(&hash) { String::new() } else { self.text(root.join(path), bytes, limit)? };
        Ok(SourceFile { text, decoding: Decoding::Utf8, hash, stat })
    }

    fn text(&self, path: PathBuf, bytes: Vec<u8>, limit: u64) -> Result<String, ReadError> {
        let refused = |reason| ReadError::Pdf { path: path.clone(), reason };
        if !bytes[..bytes.len().min(1024)].windows(5).any(|window| window == b"%PDF-") {
            return Err(refused(PdfRefusal::Damaged));
        }
        let failed = |reason| ReadError::Io { path: path.clone(), reason };
        let mut command = Command::new(&self.program);
        command.arg(PDF_COMMAND).env_clear().current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // A missing program must not look like a missing note.
        let not_started =
            |error: io::Error| failed(io::Error::other(format!("cannot start {}: {error}", self.program.display())));
        let mut group = ProcessGroup::spawn(&mut command).map_err(not_started)?;
        let input = group.child().stdin.take();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        // One byte more shows that there is too much.
        let output = OutputReader::of(group.child().stdout.take(), limit.saturating_add(1));
        // A process that ends early closes the pipe, which ends the thread.
        let feeding = thread::spawn(move || input.map(|mut input| input.write_all(&bytes)));
        let started = Instant::now();
        while !group.has_ended().map_err(failed)? {
            if started.elapsed() >= Duration::from_secs(MAX_SECONDS) {
                return Err(refused(PdfRefusal::TooSlow));
            }
            thread::sleep(POLL_INTERVAL);
        }
        output.drain();
        let status = group.end().map_err(failed)?;
        let _ = feeding.join();
        let bytes = output.bytes();
        if bytes.len() > limit {
            return Err(refused(PdfRefusal::TooMuchText));
        }
        match status.code().and_then(|code| u8::try_from(code).ok()) {
            Some(0) => {}
            Some(child::ENCRYPTED) => return Err(refused(PdfRefusal::Encrypted)),
            Some(child::DAMAGED) => return Err(refused(PdfRefusal::Damaged)),
            _ => return Err(refused(PdfRefusal::Failed)),
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = pages_as_markdown(text.split(PAGE_END));
        if text.is_empty() { Err(refused(PdfRefusal::NoText)) } else { Ok(text) }
    }
}
