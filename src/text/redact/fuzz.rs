//! Fuzzes redaction with hostile texts and secrets.

use super::{MARKER, redact};
use tars_testing::fuzz::{fuzz, text};

/// Longest name of a kind of secret.
const MAX_KIND: usize = 40;

/// Findings are ordered, do not overlap and name the right lines. The rest of the text and each line end stay, byte for
/// byte. Only markers make the text longer. Redaction is idempotent.
#[test]
fn fuzz_redact() {
    fuzz("redact", |bytes| {
        let text = text(bytes);
        let redacted = redact(&text);
        let (mut rest, mut end, mut line) = (redacted.text.as_ref(), 0, 1);
        for finding in &redacted.findings {
            let span = finding.span.clone();
            assert!(end <= span.start && span.start < span.end, "{finding:?} after {end}");
            line += text[end..span.start].matches('\n').count();
            assert_eq!(finding.line, line);
            rest = rest.strip_prefix(&text[end..span.start]).expect("what is no secret stays");
            rest = rest.strip_prefix(MARKER).and_then(|rest| rest.strip_prefix(finding.kind)).expect("a marker");
            rest = rest.strip_prefix(']').expect("the marker's end");
            for ended in text[span.clone()].split_inclusive('\n').filter(|ended| ended.ends_with('\n')) {
                let line_end = if ended.ends_with("\r\n") { "\r\n" } else { "\n" };
                rest = rest.strip_prefix(line_end).expect("line ends stay");
                line += 1;
            }
            end = span.end;
            assert!(finding.kind.len() <= MAX_KIND);
        }
        assert_eq!(rest, &text[end..]);
        assert_eq!(redacted.text.matches('\n').count(), text.matches('\n').count());
        assert!(redacted.text.len() <= text.len() + redacted.findings.len() * (MARKER.len() + MAX_KIND + 1));
        let again = redact(&redacted.text);
        assert_eq!(again.text, redacted.text, "redacting twice changes more");
    });
}
