//! The process that reads one PDF.

use std::io::{Read, Write, stdin, stdout};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::process::ExitCode;
use std::thread;

use pdf_extract::{Document, PlainTextOutput, output_doc_page};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{MAX_PAGES, PAGE_END};
use crate::pdf_refusal::{MAX_MEMORY, MAX_PDF_BYTES, MAX_SECONDS};

/// Exit codes that name a reason.
pub(super) const ENCRYPTED: u8 = 3;
pub(super) const DAMAGED: u8 = 4;
/// Exit code if the limits cannot be set, or the output is closed.
const FAILED: u8 = 5;
/// Objects of a PDF nest, and its reader calls itself for each level.
const STACK: usize = 64 << 20;

/// Reads a PDF from the standard input and writes its pages to the standard output, each with `PAGE_END`. A page that cannot be read is
/// empty. The process limits itself first, and does nothing else.
pub fn run() -> ExitCode {
    if limit().is_err() {
        return ExitCode::from(FAILED);
    }
    // The reader of PDFs panics on what it does not know.
    set_hook(Box::new(|_| {}));
    let reading = thread::Builder::new().stack_size(STACK).spawn(read);
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

/// Reads the PDF and returns the exit code.
fn read() -> u8 {
    let mut bytes = Vec::new();
    match stdin().lock().take(MAX_PDF_BYTES + 1).read_to_end(&mut bytes) {
        Ok(_) => pages(bytes, &mut stdout().lock()),
        Err(_) => FAILED,
    }
}

/// Writes the pages of a PDF and returns the exit code.
fn pages(bytes: Vec<u8>, out: &mut dyn Write) -> u8 {
    let Ok(Ok(document)) = catch_unwind(|| Document::load_mem(&bytes)) else {
        // The reader does not know every kind of encryption.
        let names_encryption = bytes.windows(8).any(|part| part == b"/Encrypt");
        return if names_encryption { ENCRYPTED } else { DAMAGED };
    };
    drop(bytes);
    // The reader has removed the mark if it could decrypt the objects: with an empty password, as many PDFs are to forbid changes.
    if document.trailer.get(b"Encrypt").is_ok() {
        return ENCRYPTED;
    }
    let count = catch_unwind(AssertUnwindSafe(|| document.get_pages().len())).unwrap_or_default();
    if count == 0 {
        return DAMAGED;
    }
    for number in 1..=count.min(MAX_PAGES) {
        let mut text = String::new();
        let page = u32::try_from(number).unwrap_or(u32::MAX);
        // Pages that were read before a failure stay.
        let read = || output_doc_page(&document, &mut PlainTextOutput::new(&mut text), page);
        let _ = catch_unwind(AssertUnwindSafe(read));
        let text = text.replace(PAGE_END, " ");
        if write!(out, "{text}{PAGE_END}").is_err() {
            return FAILED;
        }
    }
    if out.flush().is_err() { FAILED } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a PDF of one page with this text, and more entries of its trailer.
    fn pdf(text: &str, trailer: &str) -> Vec<u8> {
        let content = format!("BT /F1 12 Tf 72 720 Td ({text}) Tj 0 -20 Td (second line) Tj ET");
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            "<< /Type /Pages /Kids [4 0 R 4 0 R] /Count 2 /MediaBox [0 0 612 792] >>".to_owned(),
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
            "<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>".to_owned(),
            format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        ];
        let (mut file, mut table) = ("%PDF-1.4\n".to_owned(), String::new());
        for (number, object) in objects.iter().enumerate() {
            table += &format!("{:010} 00000 n \n", file.len());
            file += &format!("{} 0 obj\n{object}\nendobj\n", number + 1);
        }
        let start = file.len();
        let head = "xref\n0 6\n0000000000 65535 f \n";
        file += &format!("{head}{table}trailer\n<< /Size 6 /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n");
        file.into_bytes()
    }

    fn read(bytes: &[u8]) -> (u8, String) {
        let mut out = Vec::new();
        let code = pages(bytes.to_vec(), &mut out);
        (code, String::from_utf8(out).unwrap())
    }

    #[test]
    fn pages_come_one_by_one() {
        let (code, text) = read(&pdf("The warranty \\374ber all", ""));
        let shown: Vec<&str> = text.split(PAGE_END).map(str::trim).collect();
        assert_eq!((code, shown.len()), (0, 3), "{text:?}");
        assert!(shown[0].starts_with("The warranty über all") && shown[1].ends_with("second line"), "{text:?}");
    }

    #[test]
    fn damaged_and_encrypted_files_are_distinguished() {
        let encrypted = "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O (00000000000000000000000000000000) \
            /U (00000000000000000000000000000000) >> /ID [(0000000000000000) (0000000000000000)]";
        assert_eq!(read(&pdf("x", encrypted)).0, ENCRYPTED);
        for damaged in [&b"%PDF-1.4\n"[..], b"", b"%PDF-1.4\ntrailer << /Root 1 0 R >>\n%%EOF", &[b'['; 1000]] {
            assert_eq!(read(damaged).0, DAMAGED);
        }
    }

    #[test]
    fn a_bent_file_breaks_nothing() {
        let whole = pdf("walrus", "");
        for byte in 0..whole.len() {
            let mut bent = whole.clone();
            bent[byte] ^= 0x15;
            read(&bent);
            read(&whole[..byte]);
        }
    }
}
