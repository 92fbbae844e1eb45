//! Finds the places: one pass for the keywords of all rules, then each rule at its own.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::bytes::{Regex, RegexBuilder};

use super::{Finding, MARKER, assignment, blocks, tokens};

/// What a keyword calls.
#[derive(Clone, Copy)]
enum Rule {
    /// What was taken out already.
    Marker,
    Private,
    Key,
    Assignment,
    /// An index into [`tokens::TOKENS`].
    Token(usize),
}

/// The keywords of all rules, and the rule of each.
struct Keywords {
    automaton: AhoCorasick,
    rules: Vec<Rule>,
}

static KEYWORDS: LazyLock<Keywords> = LazyLock::new(|| {
    let mut words = vec![MARKER, "<private", "-----BEGIN "];
    let mut rules = vec![Rule::Marker, Rule::Private, Rule::Key];
    for (index, token) in tokens::TOKENS.iter().enumerate() {
        words.extend(token.keywords);
        rules.extend(token.keywords.iter().map(|_| Rule::Token(index)));
    }
    words.extend(assignment::KEYWORDS);
    rules.extend(assignment::KEYWORDS.iter().map(|_| Rule::Assignment));
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words)
        .expect("a few short words fit an automaton");
    Keywords { automaton, rules }
});

/// Compiles a pattern of ours, over bytes and ASCII.
pub(super) fn pattern(source: &str) -> Regex {
    RegexBuilder::new(source).unicode(false).build().expect("the tests compile every pattern")
}

/// Returns the secrets and private spans of `text`, in order, apart from each other.
#[must_use]
pub fn find(text: &str) -> Vec<Finding> {
    let bytes = text.as_bytes();
    let mut found: Vec<(&'static str, Range<usize>)> = Vec::new();
    // Up to here the text is marked, or part of a block that hides whatever else is in it.
    let mut hidden = 0;
    // Up to here the text fitted a row and was no credential. It is not looked at again, or the cost were quadratic.
    let mut refused = [0; tokens::TOKENS.len()];
    // The last finding.
    let mut taken = 0..0;
    for hit in KEYWORDS.automaton.find_overlapping_iter(bytes) {
        let at = hit.start();
        if at < hidden {
            continue;
        }
        let rule = KEYWORDS.rules[hit.pattern().as_usize()];
        let one = match rule {
            Rule::Marker => {
                hidden = marker_end(bytes, hit.end()).unwrap_or(hidden);
                continue;
            }
            Rule::Private => blocks::private(bytes, at, taken.end).map(|span| ("private", span)),
            Rule::Key => blocks::key(bytes, at).map(|span| ("private-key", span)),
            _ if taken.start < at && at < taken.end => continue,
            // Of `secret_access_key` the first name to find the value is as good as the next.
            Rule::Assignment => assignment::find(bytes, at).filter(|(_, span)| *span != taken),
            Rule::Token(index) if at < refused[index] => continue,
            Rule::Token(index) => tokens::find(index, bytes, at, taken.end).and_then(|found| {
                refused[index] = if found.secret.is_none() { found.whole.end } else { 0 };
                found.secret.map(|span| (tokens::TOKENS[index].kind, span))
            }),
        };
        let Some((kind, span)) = one else { continue };
        if matches!(rule, Rule::Private | Rule::Key) {
            hidden = span.end;
        }
        let span = whole_characters(text, span);
        if span.end > taken.end {
            taken = span.clone();
        }
        found.push((kind, span));
    }
    with_lines(bytes, merged(found))
}

/// Returns where the marker ends whose kind starts at `at`.
fn marker_end(text: &[u8], at: usize) -> Option<usize> {
    let length = text[at..].iter().take(40).position(|byte| !matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))?;
    (length > 0 && text[at + length] == b']').then_some(at + length + 1)
}

/// Widens a span of bytes so that it cuts no character.
fn whole_characters(text: &str, span: Range<usize>) -> Range<usize> {
    let start = (0..=span.start).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let end = (span.end..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    start..end
}

/// Joins what overlaps; the widest part of it gives the kind, and of equal ones the last found, whose name was longer.
fn merged(mut found: Vec<(&'static str, Range<usize>)>) -> Vec<(&'static str, Range<usize>)> {
    found.sort_by_key(|(_, span)| (span.start, std::cmp::Reverse(span.end)));
    let mut out: Vec<(&'static str, Range<usize>)> = Vec::new();
    let mut widest = 0;
    for (kind, span) in found {
        match out.last_mut() {
            Some((last_kind, last)) if span.start < last.end => {
                if span.len() >= widest {
                    (*last_kind, widest) = (kind, span.len());
                }
                last.end = last.end.max(span.end);
            }
            _ => {
                widest = span.len();
                out.push((kind, span));
            }
        }
    }
    out
}

fn with_lines(text: &[u8], found: Vec<(&'static str, Range<usize>)>) -> Vec<Finding> {
    let (mut line, mut counted) = (1, 0);
    let number = |(kind, span): (&'static str, Range<usize>)| {
        line += text[counted..span.start].iter().filter(|byte| **byte == b'\n').count();
        counted = span.start;
        Finding { kind, line, span }
    };
    found.into_iter().map(number).collect()
}
