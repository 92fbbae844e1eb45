//! The process that reads one PDF.

use std::io::{Read, Write, stdin, stdout};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::process::ExitCode;
use std::thread;

use pdf_extract::{Document, PlainTextOutput, output_doc_page};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{MAX_MEMORY, MAX_PAGES, MAX_PDF_BYTES, MAX_SECONDS, PAGE_END};

/// Exit codes that name a reason.
pub(super) const ENCRYPTED: i32 = 3;
pub(super) const DAMAGED: i32 = 4;
/// Exit code if the limits cannot be set, or the output is closed.
const FAILED: u8 = 5;
/// Objects of a PDF nest, and its reader calls itself for each level.
const STACK: usize = 64 << 20;

/// Reads a PDF from the standard input and writes its pages to the standard output, each with [`PAGE_END`]. A page that cannot be read is
/// empty. The process limits itself first, and does nothing else.
pub fn run() -> ExitCode {
    if limit().is_err() {
        return ExitCode::from(FAILED);
    }
    // The reader of PDFs panics on what it does not know.
    set_hook(Box::new(|_| {}));
    let reading = thread::Builder::new().stack_size(STACK).spawn(pages);
    let code = reading.ok().and_then(|thread| thread.join().ok()).unwrap_or(FAILED);
    ExitCode::from(code)
}

fn limit() -> rustix::io::Result<()> {
    let limits = [
        (Resource::As, MAX_MEMORY),
        (Resource::Cpu, MAX_SECONDS),
        (Resource::Fsize, 0),
        (Resource::Core, 0),
        (Resource::Nofile, 16),
    ];
    for (resource, value) in limits {
        let value = getrlimit(resource).maximum.map_or(value, |maximum| maximum.min(value));
        let limited = setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) });
        // macOS does not limit the address space.
        if cfg!(not(target_os = "macos")) {
            limited?;
        }
    }
    Ok(())
}

/// Returns the exit code.
fn pages() -> u8 {
    let mut bytes = Vec::new();
    if stdin().lock().take(MAX_PDF_BYTES + 1).read_to_end(&mut bytes).is_err() {
        return FAILED;
    }
    let Ok(Ok(mut document)) = catch_unwind(|| Document::load_mem(&bytes)) else { return DAMAGED as u8 };
    drop(bytes);
    // Many PDFs are encrypted with an empty password, to forbid changes.
    let is_open =
        !document.is_encrypted() || catch_unwind(AssertUnwindSafe(|| document.decrypt("").is_ok())).unwrap_or_default();
    if !is_open {
        return ENCRYPTED as u8;
    }
    let Ok(count) = catch_unwind(AssertUnwindSafe(|| document.get_pages().len())) else { return DAMAGED as u8 };
    if count == 0 {
        return DAMAGED as u8;
    }
    let mut out = stdout().lock();
    for number in 1..=count.min(MAX_PAGES) {
        let mut text = String::new();
        let page = u32::try_from(number).unwrap_or(u32::MAX);
        // What was read before a failure is kept.
        let _ =
            catch_unwind(AssertUnwindSafe(|| output_doc_page(&document, &mut PlainTextOutput::new(&mut text), page)));
        let text = text.replace(PAGE_END, " ");
        if write!(out, "{text}{PAGE_END}").is_err() {
            return FAILED;
        }
    }
    if out.flush().is_err() { FAILED } else { 0 }
}
