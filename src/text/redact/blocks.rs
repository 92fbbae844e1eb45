//! Secrets of several lines: spans that the writer marked as private, and private keys in PEM and PuTTY form.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::pattern::pattern;

// Attributes only without a blank after the bracket: `a < private and b > c` is a comparison.
static OPENING: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\A(?i)(?:<private(?:\s[^<>]{0,100})?|<[ \t]{1,4}private[ \t]{0,4})>"));
static TAG: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)<[ \t]{0,4}(/)?[ \t]{0,4}private(?:[ \t]{0,4}|\s[^<>]{0,100})>"));
static BEGIN: LazyLock<Regex> = LazyLock::new(|| pattern(r"\A-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"));
static PUTTY: LazyLock<Regex> = LazyLock::new(|| pattern(r"\A[ \t]{0,4}([0-9]{1,4})[ \t]{0,4}\r?\n[ \t>]{0,8}"));
static PUTTY_LINE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\A[ \t>]*[A-Za-z0-9+/]{1,200}={0,2}\s*\z"));
static END: LazyLock<Regex> = LazyLock::new(|| pattern(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"));
static NEXT: LazyLock<Regex> = LazyLock::new(|| pattern(r"-----BEGIN |(?i:<[ \t]{0,4}private)|\[redacted:"));
static BODY: LazyLock<Regex> = LazyLock::new(|| pattern(r"[A-Za-z0-9+/]{16}"));
static BODY_LINE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\A[ \t>|#*/-]*(?:[A-Za-z0-9+/]{1,200}={0,3}|=[A-Za-z0-9+/]{4}|[A-Za-z-]{3,30}: [^\n\[]{0,120})?[ \t\r]*\z",
    )
});

/// Maximum length of a private key: twice the longest keys in use (RSA, 16384 bits).
const MAX_KEY: usize = 32 * 1024;

/// Returns the span, with its tags, that the word `private` at `word` opens, if it stands in a tag. Spans may nest. An
/// unclosed span reaches to the end of the text, because hiding too much does less harm. `last` is the end of the
/// previous redacted block.
pub(super) fn private(text: &[u8], word: usize, last: usize) -> Option<Range<usize>> {
    let blanks = text[..word].iter().rev().take(5).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let at = (word - blanks).checked_sub(1)?;
    let from = at + OPENING.find(&text[at..])?.end();
    let mut depth = 1;
    for tag in TAG.captures_iter(&text[from..]) {
        depth = if tag.get(1).is_some() { depth - 1 } else { depth + 1 };
        if depth == 0 {
            return tag.get(0).map(|tag| at..from + tag.end());
        }
    }
    // `Local<Private>` is code and has no closing tag. A closing bracket may also end the marker of a credential that
    // stood there like a name, but not the marker of a block redacted right before it.
    let is_code = text[word] == b'P'
        && at > last
        && matches!(text[..at], [.., last] if last.is_ascii_alphanumeric() || matches!(last, b'_' | b':' | b'>' | b']'));
    (!is_code).then_some(at..text.len())
}

/// Returns the private lines of a PuTTY key, which the words up to `at` announce. The public lines and the checksum are
/// kept.
pub(super) fn putty(text: &[u8], at: usize) -> Option<Range<usize>> {
    let head = PUTTY.captures(&text[at..])?;
    let announced: usize = std::str::from_utf8(head.get(1)?.as_bytes()).ok()?.parse().ok()?;
    let from = at + head.get(0)?.end();
    let reach = &text[from..text.len().min(from + MAX_KEY)];
    let lines = reach.split_inclusive(|byte| *byte == b'\n').take(announced);
    let body: usize = lines.take_while(|line| PUTTY_LINE.is_match(line)).map(<[u8]>::len).sum();
    let body = reach[..body].trim_ascii_end();
    BODY.is_match(body).then(|| from..from + body.len())
}

/// Returns the private key that starts at `at`. Without its last line the key reaches as far as the lines look like
/// one. An explanation of the format that holds no key is ignored.
pub(super) fn key(text: &[u8], at: usize) -> Option<Range<usize>> {
    let from = at + BEGIN.find(&text[at..])?.end();
    let reach = &text[from..text.len().min(from + MAX_KEY)];
    let reach = NEXT.find(reach).map_or(reach, |next| &reach[..next.start()]);
    let end = from + END.find(reach).map_or_else(|| unclosed(reach), |last| last.end());
    BODY.is_match(&text[from..end]).then_some(at..end)
}

/// Returns the length of the key's body at the start of `text`, without the blank lines after it.
fn unclosed(text: &[u8]) -> usize {
    let mut lines = text.split_inclusive(|byte| *byte == b'\n');
    // If line ends are written as `\n`, the key follows on the first line.
    let first = lines.next().unwrap_or_default();
    let quote = first.iter().position(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    let mut end = quote.unwrap_or(first.len());
    if quote.is_none() {
        end += lines.map_while(|line| BODY_LINE.is_match(line.trim_ascii_end()).then_some(line.len())).sum::<usize>();
    }
    text[..end]
        .iter()
        .rposition(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte))
        .map_or(0, |last| last + 1)
}
