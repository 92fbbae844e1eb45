use super::*;

mod blind_commands;
mod blind_sentences;
mod blocks;
mod keeps;
mod properties;
mod prose;
mod takes;

fn redacted(text: &str) -> String {
    redact(text).text.into_owned()
}

/// Checks texts whose secrets stand in `«»`: exactly these are redacted.
fn check(marked: &[&str]) {
    let wrong = |text: &&&str| {
        let plain = text.replace(['«', '»'], "");
        let parts = text.split('«').map(|part| part.split_once('»').map_or(part, |(_, after)| after));
        redacted(&plain) != parts.collect::<Vec<_>>().join("[redacted:password]")
    };
    let wrong: Vec<_> = marked.iter().filter(wrong).map(|text| redacted(&text.replace(['«', '»'], ""))).collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), marked.len());
}

const HEX: &str = "0123456789abcdef";
const ALPHANUMERIC: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Returns `length` pseudo-random characters of `alphabet`, always the same, so that the tests hold no real-looking
/// secret.
fn drawn(alphabet: &str, length: usize) -> String {
    let mut seed = length as u64 * 31 + alphabet.len() as u64;
    let draw = |_| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(alphabet.as_bytes()[(seed >> 33) as usize % alphabet.len()])
    };
    (0..length).map(draw).collect()
}

#[test]
fn every_pattern_compiles() {
    formats::compile_all();
}

#[test]
fn clean_text_is_borrowed() {
    let clean = redact("# A note\n\nOn bread, and on passwords.\n");
    assert!(matches!(clean.text, Cow::Borrowed(_)) && clean.findings.is_empty());
    assert!(redact("").findings.is_empty());
}

#[test]
fn findings_name_kind_line_and_span() {
    let token = format!("ghp_{}", drawn(ALPHANUMERIC, 36));
    let text = format!("é\n<private>a\nb</private> x\nuse {token} here");
    let private = text.find(" x").unwrap();
    let start = text.find("ghp_").unwrap();
    let expected = [
        Finding { kind: "private", line: 2, span: 3..private },
        Finding { kind: "github-token", line: 4, span: start..start + token.len() },
    ];
    assert_eq!(redact(&text).findings, expected);
    assert_eq!(redacted(&text), "é\n[redacted:private]\n x\nuse [redacted:github-token] here");
}

#[test]
fn overlapping_findings_are_merged() {
    let token = format!("ghp_{}", drawn(ALPHANUMERIC, 36));
    assert_eq!(redacted(&format!("token = \"x1-{token}\"")), "token = \"[redacted:token]\"");
    assert_eq!(redacted(&format!("https://u:{token}@host/")), "https://u:[redacted:github-token]@host/");
    assert_eq!(redacted(&format!("<private>{token}</private>")), "[redacted:private]");
    assert_eq!(redacted("password=ab1<private>x</private>"), "password=ab1[redacted:private]");
}
