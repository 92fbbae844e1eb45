//! Finds the places: one pass for the keywords of all rules, then each rule at its own.

use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind, Match};

use super::hidden::{self, Hidden, View};
use super::{Finding, MARKER, assignment, blocks, tokens};

/// What a keyword calls.
#[derive(Clone, Copy)]
enum Rule {
    /// What was taken out already.
    Marker,
    Private,
    Key,
    Putty,
    Assignment,
    /// An index into [`tokens::TOKENS`].
    Token(usize),
    /// What a reader does not see.
    Hidden(Hidden),
}

/// The keywords of all rules, and the rule of each.
struct Keywords {
    words: Vec<&'static str>,
    rules: Vec<Rule>,
}

/// Finds keywords fastest, but takes milliseconds to make.
static AUTOMATON: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let dfa = Some(AhoCorasickKind::DFA);
    let automaton = AhoCorasick::builder().ascii_case_insensitive(true).kind(dfa).build(&KEYWORDS.words);
    automaton.expect("a few short words fit an automaton")
});
/// The numbers of the keywords that begin with each byte, a small letter.
static BY_FIRST_BYTE: LazyLock<Vec<Vec<usize>>> = LazyLock::new(|| {
    let mut numbers = vec![Vec::new(); 256];
    for (number, word) in KEYWORDS.words.iter().enumerate() {
        numbers[usize::from(word.as_bytes()[0].to_ascii_lowercase())].push(number);
    }
    numbers
});
/// Bytes that this process has looked at.
static LOOKED_AT: AtomicUsize = AtomicUsize::new(0);
/// With more bytes than this, as in an index run, [`AUTOMATON`] is made. A question or a hook has fewer.
const MANY: usize = 32 << 10;

static KEYWORDS: LazyLock<Keywords> = LazyLock::new(|| {
    let mut words = vec![MARKER, "private", "-----BEGIN ", "Private-Lines:"];
    let mut rules = vec![Rule::Marker, Rule::Private, Rule::Key, Rule::Putty];
    for (index, token) in tokens::TOKENS.iter().enumerate() {
        words.extend(token.keywords);
        rules.extend(token.keywords.iter().map(|_| Rule::Token(index)));
    }
    words.extend(assignment::KEYWORDS);
    rules.extend(assignment::KEYWORDS.iter().map(|_| Rule::Assignment));
    for (texts, kind) in [(hidden::INVISIBLE, Hidden::Invisible), (hidden::BLANKS, Hidden::Blank)] {
        words.extend(texts);
        rules.extend(texts.iter().map(|_| Rule::Hidden(kind)));
    }
    Keywords { words, rules }
});

/// A place and what is there; `None` for a marker.
type Found = (Option<&'static str>, Range<usize>);

/// Returns the secrets and private spans of `text`, in order, apart from each other.
///
/// Blocks and markers are found first. They part the text into pieces, in which the other rules look on their own; where
/// these find something, they look again at the pieces it leaves. What is left holds nothing more for any rule, so that
/// redacting twice is redacting once.
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

/// Returns the keywords in `text` by where they end; of those that end together the longest first.
fn keywords(text: &str) -> Vec<Match> {
    let looked_at = LOOKED_AT.fetch_add(text.len(), Ordering::Relaxed);
    match looked_at.saturating_add(text.len()) <= MANY {
        true => one_by_one(text.as_bytes()),
        false => AUTOMATON.find_overlapping_iter(text).collect(),
    }
}

/// Looks for each keyword by itself.
fn one_by_one(text: &[u8]) -> Vec<Match> {
    let mut found = Vec::new();
    for (at, byte) in text.iter().enumerate() {
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

/// Finds credentials in a piece as it is read: with what is hidden left out, and blanks of all kinds as common ones, or
/// left out too. What stands apart in the text must not hide it, so this comes after a look at the text itself.
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

/// Returns where what was found in a view stands in the original.
fn original(view: &View, found: Vec<Found>) -> Vec<Found> {
    found.into_iter().map(|(kind, span)| (kind, view.original(&span))).collect()
}

/// Returns what lies between the places `found` in `piece`.
fn between(piece: Range<usize>, found: &[Found]) -> Vec<Range<usize>> {
    let starts = std::iter::once(piece.start).chain(found.iter().map(|(_, span)| span.end));
    let ends = found.iter().map(|(_, span)| span.start).chain(std::iter::once(piece.end));
    starts.zip(ends).map(|(start, end)| start..end).filter(|gap| !gap.is_empty()).collect()
}

/// Finds what hides whatever else is in it: markers, private spans, private keys.
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
            Rule::Assignment | Rule::Token(_) | Rule::Hidden(_) => None,
        });
    }
    found
}

/// Finds credentials in a piece of the text, as if there were nothing else.
fn credentials(text: &str, hits: &[Match], piece: Range<usize>) -> Vec<Found> {
    let bytes = &text.as_bytes()[piece.clone()];
    let mut found: Vec<Found> = Vec::new();
    // Up to here the text fitted a row and was no credential. It is not looked at again, or the cost were quadratic.
    let mut refused = [0; tokens::TOKENS.len()];
    // The last finding.
    let mut taken = 0..0;
    let first = hits.partition_point(|hit| hit.end() <= piece.start);
    for hit in hits[first..].iter().take_while(|hit| hit.end() <= piece.end) {
        let Some(at) = hit.start().checked_sub(piece.start) else { continue };
        if taken.start < at && at < taken.end {
            continue;
        }
        let one = match KEYWORDS.rules[hit.pattern().as_usize()] {
            // Of `secret_access_key` the first name to find the value is as good as the next.
            Rule::Assignment => assignment::find(bytes, at).filter(|(_, span)| *span != taken),
            Rule::Token(index) if at >= refused[index] => tokens::find(index, bytes, at).and_then(|found| {
                refused[index] = if found.secret.is_none() { found.whole.end } else { 0 };
                found.secret.map(|span| (tokens::TOKENS[index].kind, span))
            }),
            _ => None,
        };
        let Some((kind, span)) = one else { continue };
        found.push((Some(kind), whole_characters(text, piece.start + span.start..piece.start + span.end)));
        if span.end > taken.end {
            taken = span;
        }
    }
    merged(found)
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
    fn keywords_are_found_alike_with_and_without_an_automaton() {
        let upper: Vec<String> = KEYWORDS.words.iter().map(|word| word.to_uppercase()).collect();
        let text = [KEYWORDS.words.join("\n"), KEYWORDS.words.concat(), upper.join(" x")].join("\nno secret\n");
        let found: Vec<Match> = AUTOMATON.find_overlapping_iter(&text).collect();
        assert!(found.len() > 2 * KEYWORDS.words.len());
        assert_eq!(one_by_one(text.as_bytes()), found);
    }
}
