//! Redacts secrets from a text before anything is remembered or indexed.
//!
//! One pass of an Aho-Corasick automaton finds the keywords of all rules; each rule then looks only at the place of its
//! keyword. So clean text costs one pass, and a keyword in prose costs the start of one anchored match.
//!
//! Four kinds of secrets are found: spans between `<private>` and `</private>` and private keys (`blocks`), credentials
//! of a recognizable format or in a statement of SQL (`formats`), passwords on command lines (`commands`, `stdin`), and
//! values whose name marks them, `api_key = "…"` (`assignment`).
//! `[redacted:KIND]` replaces each, followed by as many line ends as the secret held, so that line numbers stay true.
//! Invisible characters do not hide a secret (`hidden`). Paths are redacted one file or folder name at a time (`path`).
//!
//! The rules aim to be wrong rarely rather than never: a random string without a telling name or format is kept,
//! because hashes and ids look the same. Text that must be kept out belongs between `<private>` tags.

mod assignment;
mod base64;
mod blocks;
mod commands;
mod find;
mod formats;
#[cfg(test)]
mod fuzz;
mod hidden;
mod password_words;
mod path;
mod pattern;
mod sentence;
mod stdin;
mod turn;
mod value;

use std::borrow::Cow;
use std::ops::Range;

pub use find::find;
pub use path::{find_in_path, redact_path};
pub use turn::redact_turn;

/// Changes whenever this module finds other secrets. Notes that were indexed under another version are read again.
pub const VERSION: u32 = 3;

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// The text, borrowed if nothing was found. It has as many lines as the original.
    pub text: Cow<'a, str>,
    /// The redacted secrets, in order and without overlap.
    pub findings: Vec<Finding>,
}

/// A place that holds a secret. It does not repeat the secret, so it may be logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The kind in the marker: lower-case with hyphens.
    pub kind: &'static str,
    /// The line on which it starts, from 1.
    pub line: usize,
    /// The secret's place, in bytes of the original text.
    pub span: Range<usize>,
}

/// Opens the marker that replaces a secret; its kind and `]` follow.
const MARKER: &str = "[redacted:";

/// Replaces each secret of `text` with `[redacted:KIND]`. Redaction is idempotent.
///
/// Line ends are kept, so no line moves. The text grows only where a secret is shorter than the marker of its kind (at
/// most 33 bytes): by less than the marker's length for each finding.
#[must_use]
pub fn redact(text: &str) -> Redacted<'_> {
    let findings = find(text);
    if findings.is_empty() {
        return Redacted { text: Cow::Borrowed(text), findings };
    }
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for finding in &findings {
        out.push_str(&text[end..finding.span.start]);
        out.push_str(MARKER);
        out.push_str(finding.kind);
        out.push(']');
        for line in text[finding.span.clone()].split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            out.push_str(if line.ends_with("\r\n") { "\r\n" } else { "\n" });
        }
        end = finding.span.end;
    }
    out.push_str(&text[end..]);
    Redacted { text: Cow::Owned(out), findings }
}

#[cfg(test)]
mod tests;
