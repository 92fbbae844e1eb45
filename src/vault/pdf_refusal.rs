//! The limits of PDFs, and the reasons for which their text is left out.

/// Maximum size of a PDF, in bytes; `index.max_file_size` limits its text.
pub(super) const MAX_PDF_BYTES: u64 = 64 << 20;
/// Time for one PDF.
pub(super) const MAX_SECONDS: u64 = 20;
/// Memory for one PDF, in bytes of address space.
pub(super) const MAX_MEMORY: u64 = 1 << 30;

/// Why the text of a PDF is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PdfRefusal {
    /// A password is needed.
    #[error("the PDF is encrypted")]
    Encrypted,
    /// Its structure is damaged, or it is something else.
    #[error("the PDF is damaged")]
    Damaged,
    /// It has too much text.
    #[error("the PDF holds more text than index.max_file_size")]
    TooMuchText,
    /// It is too large.
    #[error("the PDF is larger than {} MiB", MAX_PDF_BYTES >> 20)]
    TooLarge,
    /// It took too long.
    #[error("reading the PDF takes longer than {MAX_SECONDS} seconds")]
    TooSlow,
    /// The process ended: no memory is left, or the reader has a defect.
    #[error("reading the PDF fails, or needs more than {} MiB of memory", MAX_MEMORY >> 20)]
    Failed,
    /// No page holds text, as after a scan.
    #[error("the PDF holds no text (a scan?)")]
    NoText,
}
