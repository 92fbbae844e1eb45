//! Hostile texts with secrets.

use super::{MARKER, redact};
use crate::fuzz::{fuzz, text};

/// Longest name of a kind of secret.
const LONGEST_KIND: usize = 40;

/// What was found lies in order and apart, on the lines that are named; the rest of the text stays, byte for byte; each line
/// end stays; a marker is all that may make the text longer; redacting twice changes no more than once.
#[test]
fn fuzz_redact() {
    fuzz("redact", |bytes| {
        let text = text(bytes);
        let redacted = redact(&text);
        let (mut rest, mut end) = (redacted.text.as_ref(), 0);
        for finding in &redacted.findings {
            let span = finding.span.clone();
            assert!(end <= span.start && span.start < span.end, "{finding:?} after {end}");
            assert_eq!(finding.line, text[..span.start].matches('\n').count() + 1);
            let ends: String = text[span.clone()].matches(['\n']).collect();
            rest = rest.strip_prefix(&text[end..span.start]).expect("what is no secret stays");
            rest = rest.strip_prefix(MARKER).and_then(|rest| rest.strip_prefix(finding.kind)).expect("a marker");
            rest = rest.strip_prefix(']').expect("the marker's end");
            let kept = rest.len() - rest.trim_start_matches(['\r', '\n']).len();
            assert!(kept >= ends.len(), "line ends are lost");
            let crlf = text[span.clone()].matches("\r\n").count();
            rest = &rest[ends.len() + crlf..];
            end = span.end;
            assert!(finding.kind.len() <= LONGEST_KIND);
        }
        assert_eq!(rest, &text[end..]);
        assert_eq!(redacted.text.matches('\n').count(), text.matches('\n').count());
        assert!(redacted.text.len() <= text.len() + redacted.findings.len() * (MARKER.len() + LONGEST_KIND + 1));
        let again = redact(&redacted.text);
        assert_eq!(again.text, redacted.text, "redacting twice changes more");
    });
}
