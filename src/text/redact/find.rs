//! Finds secrets: one pass for the keywords of all rules, then each rule at its own keywords.

use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind, Match};

use super::hidden::{self, Hidden, View};
use super::{Finding, MARKER, assignment, blocks, commands, formats, stdin};

/// The rule of a keyword.
#[derive(Clone, Copy)]
enum Rule {
    /// The marker of an earlier redaction.
    Marker,
    Private,
    Key,
    Putty,
    Assignment,
    /// A program, by its index in the table of `commands`.
    Command(usize),
    /// A command that reads a password.
    Stdin,
    /// An index into [`formats::FORMATS`].
    Format(usize),
    /// A character that a reader does not see.
    Hidden(Hidden),
}

/// The keywords of all rules, and the rule of each.
struct Keywords {
    words: Vec<&'static str>,
    rules: Vec<Rule>,
}

/// The fastest search for keywords, but it takes milliseconds to build.
static AUTOMATON: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let dfa = Some(AhoCorasickKind::DFA);
    let automaton = AhoCorasick::builder().ascii_case_insensitive(true).kind(dfa).build(&KEYWORDS.words);
    automaton.expect("a few short words fit an automaton")
});
/// The indices of the keywords by their first byte, in lower case.
static BY_FIRST_BYTE: LazyLock<Vec<Vec<usize>>> = LazyLock::new(|| {
    let mut numbers = vec![Vec::new(); 256];
    for (number, word) in KEYWORDS.words.iter().enumerate() {
        numbers[usize::from(word.as_bytes()[0].to_ascii_lowercase())].push(number);
    }
    numbers
});
/// A bit for each pair of bytes that a keyword starts with, in lower case: most places of a text start none.
static FIRST_PAIRS: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut bits = vec![0; (1 << 16) / 64];
    for word in &KEYWORDS.words {
        let pair = pair(word.as_bytes());
        bits[pair / 64] |= 1 << (pair % 64);
    }
    bits
});
/// Bytes that this process has searched.
static SEARCHED: AtomicUsize = AtomicUsize::new(0);
/// Beyond this many bytes, as in an index run, [`AUTOMATON`] pays off. A question or a hook searches fewer.
const AUTOMATON_THRESHOLD: usize = 32 << 10;

static KEYWORDS: LazyLock<Keywords> = LazyLock::new(|| {
    let mut words = vec![MARKER, "private", "-----BEGIN ", "Private-Lines:"];
    let mut rules = vec![Rule::Marker, Rule::Private, Rule::Key, Rule::Putty];
    for (index, format) in formats::FORMATS.iter().enumerate() {
        words.extend(format.keywords);
        rules.extend(format.keywords.iter().map(|_| Rule::Format(index)));
    }
    words.extend(assignment::keywords());
    rules.extend(assignment::keywords().map(|_| Rule::Assignment));
    for (name, program) in commands::keywords() {
        words.push(name);
        rules.push(Rule::Command(program));
    }
    words.extend(stdin::KEYWORDS);
    rules.extend(stdin::KEYWORDS.iter().map(|_| Rule::Stdin));
    words.extend(hidden::INVISIBLE.iter().map(String::as_str));
    rules.extend(hidden::INVISIBLE.iter().map(|_| Rule::Hidden(Hidden::Invisible)));
    words.extend(hidden::SPECIAL_BLANKS);
    rules.extend(hidden::SPECIAL_BLANKS.iter().map(|_| Rule::Hidden(Hidden::Blank)));
    Keywords { words, rules }
});

/// The kind of a finding and its place; the kind is `None` for a marker.
type Found = (Option<&'static str>, Range<usize>);

/// Returns the secrets and private spans of `text`, in order and without overlap.
///
/// Blocks and markers come first. They split the text into pieces, in which the other rules search separately. After a
/// finding they search the remaining pieces again, until no rule finds anything. Hence redaction is idempotent.
#[must_use]
pub fn find(text: &str) -> Vec<Finding> {
    let hits = keywords(text);
    let hidden: Vec<(Range<usize>, Hidden)> = hits.iter().filter_map(hidden_place).collect();
    let mut found = if hidden.is_empty() {
        blocks(text.as_bytes(), &hits)
    } else {
        let view = View::new(text, 0..text.len(), &hidden, " ");
        original(&view, blocks(view.text.as_bytes(), &keywords(&view.text)))
    };
    let mut pieces = between(0..text.len(), &found);
    while let Some(piece) = pieces.pop() {
        let mut more = credentials(text, &hits, piece.clone());
        if more.is_empty() {
            more = disguised(text, piece.clone(), &hidden);
        }
        if !more.is_empty() {
            pieces.extend(between(piece, &more));
            found.extend(more);
        }
    }
    found.sort_by_key(|(_, span)| span.start);
    numbered(text.as_bytes(), found)
}

/// Returns the keywords in `text`, ordered by their end and then longest first.
fn keywords(text: &str) -> Vec<Match> {
    let searched = SEARCHED.fetch_add(text.len(), Ordering::Relaxed);
    match searched.saturating_add(text.len()) <= AUTOMATON_THRESHOLD {
        true => one_by_one(text.as_bytes()),
        false => AUTOMATON.find_overlapping_iter(text).collect(),
    }
}

/// Returns the number of the first two bytes, in lower case.
fn pair(text: &[u8]) -> usize {
    let byte = |at: usize| text.get(at).map_or(0, |byte| usize::from(byte.to_ascii_lowercase()));
    byte(0) << 8 | byte(1)
}

/// Finds keywords without the automaton.
fn one_by_one(text: &[u8]) -> Vec<Match> {
    let mut found = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        let pair = pair(&text[at..]);
        if FIRST_PAIRS[pair / 64] >> (pair % 64) & 1 == 0 {
            continue;
        }
        for number in &BY_FIRST_BYTE[usize::from(byte.to_ascii_lowercase())] {
            let word = KEYWORDS.words[*number].as_bytes();
            let span = at..at + word.len();
            if text.get(span.clone()).is_some_and(|part| part.eq_ignore_ascii_case(word)) {
                found.push(Match::must(*number, span));
            }
        }
    }
    found.sort_by_key(|hit| (hit.end(), hit.start()));
    found
}

fn hidden_place(hit: &Match) -> Option<(Range<usize>, Hidden)> {
    match KEYWORDS.rules[hit.pattern().as_usize()] {
        Rule::Hidden(kind) => Some((hit.range(), kind)),
        _ => None,
    }
}

/// Finds credentials in a piece as a reader sees it: without invisible characters, and with special blanks as plain
/// ones or removed. It runs only after a search of the text itself, because removing characters can join a credential
/// to the text around it.
fn disguised(text: &str, piece: Range<usize>, hidden: &[(Range<usize>, Hidden)]) -> Vec<Found> {
    let from = hidden.partition_point(|(place, _)| place.start < piece.start);
    let hidden = &hidden[from..];
    let hidden = &hidden[..hidden.partition_point(|(place, _)| place.end <= piece.end)];
    let blanks: &[&str] = match hidden {
        [] => &[],
        _ if hidden.iter().all(|(_, kind)| *kind == Hidden::Invisible) => &[""],
        _ => &[" ", ""],
    };
    let seen = |blank: &&str| {
        let view = View::new(text, piece.clone(), hidden, blank);
        let found = credentials(&view.text, &keywords(&view.text), 0..view.text.len());
        original(&view, found)
    };
    blanks.iter().map(seen).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Translates findings in a view to places in the original.
fn original(view: &View, found: Vec<Found>) -> Vec<Found> {
    found.into_iter().map(|(kind, span)| (kind, view.original(&span))).collect()
}

/// Returns the gaps between the places `found` in `piece`.
fn between(piece: Range<usize>, found: &[Found]) -> Vec<Range<usize>> {
    let starts = std::iter::once(piece.start).chain(found.iter().map(|(_, span)| span.end));
    let ends = found.iter().map(|(_, span)| span.start).chain(std::iter::once(piece.end));
    starts.zip(ends).map(|(start, end)| start..end).filter(|gap| !gap.is_empty()).collect()
}

/// Finds markers, private spans and private keys, which hide everything inside them.
fn blocks(text: &[u8], hits: &[Match]) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for hit in hits {
        let at = hit.start();
        if found.last().is_some_and(|(_, last)| at < last.end) {
            continue;
        }
        let taken_out = || found.last().filter(|(kind, _)| kind.is_some()).map_or(0, |(_, last)| last.end);
        found.extend(match KEYWORDS.rules[hit.pattern().as_usize()] {
            Rule::Marker => marker_end(text, hit.end()).map(|end| (None, at..end)),
            Rule::Private => blocks::private(text, at, taken_out()).map(|span| (Some("private"), span)),
            Rule::Key => blocks::key(text, at).map(|span| (Some("private-key"), span)),
            Rule::Putty => blocks::putty(text, hit.end()).map(|span| (Some("private-key"), span)),
            Rule::Assignment | Rule::Format(_) | Rule::Command(_) | Rule::Stdin | Rule::Hidden(_) => None,
        });
    }
    found
}

/// Finds credentials in a piece of the text, independent of the text around it.
fn credentials(text: &str, hits: &[Match], piece: Range<usize>) -> Vec<Found> {
    let bytes = &text.as_bytes()[piece.clone()];
    let mut found: Vec<Found> = Vec::new();
    // For each row, the end of a match that was no credential. Skipping it keeps the cost linear.
    let mut refused = [0; formats::FORMATS.len()];
    // The last finding.
    let mut taken = 0..0;
    let place = |span: Range<usize>| whole_characters(text, piece.start + span.start..piece.start + span.end);
    let first = hits.partition_point(|hit| hit.end() <= piece.start);
    for hit in hits[first..].iter().take_while(|hit| hit.end() <= piece.end) {
        let Some(at) = hit.start().checked_sub(piece.start) else { continue };
        if taken.start < at && at < taken.end {
            continue;
        }
        let one = match KEYWORDS.rules[hit.pattern().as_usize()] {
            // In `secret_access_key` several names lead to the same value; one finding is enough.
            Rule::Assignment => assignment::find(bytes, at).filter(|(_, span)| *span != taken),
            Rule::Format(index) if at >= refused[index] => formats::find(index, bytes, at).and_then(|found| {
                refused[index] = if found.secret.is_none() { found.whole.end } else { 0 };
                found.secret.map(|span| (formats::FORMATS[index].kind, span))
            }),
            // A command may hold several.
            Rule::Command(program) => {
                found
                    .extend(commands::find(program, bytes, at).into_iter().map(|span| (Some("password"), place(span))));
                None
            }
            Rule::Stdin => {
                found.extend(stdin::find(bytes, at).into_iter().map(|span| (Some("password"), place(span))));
                None
            }
            _ => None,
        };
        let Some((kind, span)) = one else { continue };
        found.push((Some(kind), place(span.clone())));
        if span.end > taken.end {
            taken = span;
        }
    }
    merged(found)
}

/// Returns the end of the marker whose kind starts at `at`.
fn marker_end(text: &[u8], at: usize) -> Option<usize> {
    let length = text[at..].iter().take(40).position(|byte| !matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))?;
    (length > 0 && text[at + length] == b']').then_some(at + length + 1)
}

/// Widens a span of bytes to whole characters.
fn whole_characters(text: &str, span: Range<usize>) -> Range<usize> {
    let start = (0..=span.start).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let end = (span.end..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    start..end
}

/// Merges overlapping findings. The widest one gives the kind; among equals, the last one found, whose name is longer.
fn merged(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|(_, span)| (span.start, std::cmp::Reverse(span.end)));
    let mut out: Vec<Found> = Vec::new();
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

fn numbered(text: &[u8], found: Vec<Found>) -> Vec<Finding> {
    let (mut line, mut counted) = (1, 0);
    let number = |(kind, span): Found| {
        line += text[counted..span.start].iter().filter(|byte| **byte == b'\n').count();
        counted = span.start;
        kind.map(|kind| Finding { kind, line, span })
    };
    found.into_iter().filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keyword_search_is_the_same_with_and_without_the_automaton() {
        let upper: Vec<String> = KEYWORDS.words.iter().map(|word| word.to_uppercase()).collect();
        let text = [KEYWORDS.words.join("\n"), KEYWORDS.words.concat(), upper.join(" x")].join("\nno secret\n");
        let found: Vec<Match> = AUTOMATON.find_overlapping_iter(&text).collect();
        assert!(found.len() > 2 * KEYWORDS.words.len());
        assert_eq!(one_by_one(text.as_bytes()), found);
    }
}
