//! Drops opaque data within a line: data URIs, and long runs of random text.

use super::data_blocks::is_random_run;
use super::rewriter::Rewriter;

/// Length of a run, in bytes, from which it is judged.
pub(super) const MIN_BYTES: usize = 512;

/// Drops data URIs: those in base64, and long ones in other encodings.
pub(super) fn without_uris(line: &str) -> Option<String> {
    if !line.contains("ata:") && !line.contains("ATA:") {
        return None;
    }
    let mut rewriter = Rewriter::new(line);
    let mut at = 0;
    while let Some(colon) = line[at..].find(':').map(|colon| at + colon) {
        at = colon + 1;
        let Some(start) = colon.checked_sub(4).filter(|&start| line.is_char_boundary(start)) else { continue };
        if start < rewriter.copied || !line[start..colon].eq_ignore_ascii_case("data") {
            continue;
        }
        let is_kind =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'+' | b'-' | b'.' | b';' | b'=');
        let comma = colon + 1 + run(&line[colon + 1..], is_kind);
        if line[colon + 1..comma].ends_with(";base64") && line[comma..].starts_with(',') {
            let is_data =
                |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_' | b'%');
            at = comma + 1 + run(&line[comma + 1..], is_data);
            rewriter.skip(start, at);
        } else if comma > colon + 1 && line[comma..].starts_with(',') && length_of_value(&line[comma..]) >= MIN_BYTES {
            at = comma + length_of_value(&line[comma..]);
            rewriter.skip(start, at);
        } else {
            at = comma;
        }
    }
    rewriter.finish()
}

/// Drops runs of at least [`MIN_BYTES`] without blanks that look random.
pub(super) fn without_runs(line: &str) -> Option<String> {
    if line.len() < MIN_BYTES {
        return None;
    }
    let is_data = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte);
    let mut rewriter = Rewriter::new(line);
    let mut at = 0;
    while at < line.len() {
        let length = run(&line[at..], is_data);
        if length >= MIN_BYTES && is_random_run(&line[at..at + length]) {
            rewriter.skip(at, at + length);
        }
        at += length;
        at += line[at..].bytes().take_while(|byte| !is_data(*byte)).count();
    }
    rewriter.finish()
}

/// Returns the length of the value of an attribute or of a link at the beginning of a text.
fn length_of_value(text: &str) -> usize {
    text.find(|c: char| c.is_whitespace() || matches!(c, '"' | ')' | '>' | '`')).unwrap_or(text.len())
}

/// Returns the length of the run of such bytes at the beginning of a text.
pub(super) fn run(text: &str, member: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|&byte| member(byte)).count()
}
