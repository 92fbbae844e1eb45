//! Text to text without secrets: what is taken out before anything is remembered or indexed.
//!
//! One pass of an Aho-Corasick automaton over the text finds the keywords of all rules; a rule then looks at the place of
//! its keyword alone. So clean text costs one pass, and a keyword in prose costs the start of one anchored match.
//!
//! Three things are found: spans between `<private>` and `</private>` and private keys (`blocks`), credentials that
//! their own form gives away (`tokens`), and values that a name gives away, `api_key = "…"` (`assignment`).
//! Each becomes `[redacted:KIND]`, followed by as many line ends as it held, so that line numbers stay true. Characters
//! that show nothing part no secret (`hidden`). Names of files are redacted name by name (`path`).
//!
//! Meant to be wrong rarely rather than never: without a name or a form of its own a random string is left alone, since
//! hashes and ids look the same. What is sure to be kept out belongs between `<private>` tags.

mod assignment;
mod base64;
mod blocks;
mod find;
#[cfg(test)]
mod fuzz;
mod hidden;
mod path;
mod pattern;
mod tokens;
mod turn;
mod value;

use std::borrow::Cow;
use std::ops::Range;

pub use find::find;
pub use path::{find_in_path, redact_path};
pub use turn::redact_turn;

/// Changes whenever this module finds other secrets: notes that were indexed under another version are read again.
pub const VERSION: u32 = 2;

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// The text; borrowed if nothing was found. It has as many lines as the original.
    pub text: Cow<'a, str>,
    /// What was taken out, in order, apart from each other.
    pub findings: Vec<Finding>,
}

/// A place that holds a secret. What stands there is not repeated, so a finding may be logged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is, in lower case with hyphens: the word in the marker.
    pub kind: &'static str,
    /// The line on which it starts, from 1.
    pub line: usize,
    /// Where it stands, in bytes of the original text.
    pub span: Range<usize>,
}

/// Opens the marker that stands where a secret was; its kind and `]` follow.
const MARKER: &str = "[redacted:";

/// Puts `[redacted:KIND]` in the place of each secret of `text`. Redacting twice changes no more than redacting once.
///
/// The text has the same line ends as before, and no line moves. It gets longer only where a secret is shorter than the
/// marker of its kind, which has 33 bytes at most: by less than that for each finding.
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
