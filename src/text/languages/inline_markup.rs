//! Finds markup inside words: `un**believ**able`, `H<sub>2</sub>O`. A reader sees one word.

use std::ops::Range;

/// HTML elements that do not separate words.
const INLINE: [&str; 22] = [
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "del", "em", "font", "i", "ins", "kbd", "mark", "s", "small",
    "span", "strong", "sub", "sup", "u", "wbr",
];
/// Longest tag, in bytes.
const MAX_TAG_BYTES: usize = 200;
/// Number of marks that may be open at once, or stand beside each other.
const MAX_OPEN: usize = 16;

/// A mark of emphasis or a tag.
struct Mark<'t> {
    place: Range<usize>,
    kind: Kind<'t>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind<'t> {
    /// `*`, `**`, `~~`, `==`.
    Emphasis(&'t str),
    Opening(&'t str),
    Closing(&'t str),
}

/// Returns the places in `text` of markup inside words, in order. A pair of marks counts if one of them stands between letters.
pub(super) fn within_words(text: &str) -> Vec<Range<usize>> {
    if !text.bytes().any(|byte| matches!(byte, b'*' | b'<' | b'~' | b'=')) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        find_in_line(line, start, &mut found);
        start += line.len();
    }
    found.sort_by_key(|place| place.start);
    found
}

fn find_in_line(line: &str, start: usize, found: &mut Vec<Range<usize>>) {
    let marks = marks(line);
    if !(0..marks.len()).any(|at| is_within_word(line, &marks, at)) {
        return;
    }
    let mut open: Vec<usize> = Vec::new();
    for (at, mark) in marks.iter().enumerate() {
        let partner = match mark.kind {
            Kind::Opening(name) if name.eq_ignore_ascii_case("wbr") => Some(at),
            Kind::Opening(_) => None,
            Kind::Emphasis(_) => open.iter().copied().rfind(|other| marks[*other].kind == mark.kind),
            Kind::Closing(name) => open.iter().copied().rfind(
                |other| matches!(marks[*other].kind, Kind::Opening(opened) if opened.eq_ignore_ascii_case(name)),
            ),
        };
        let Some(partner) = partner else {
            if open.len() == MAX_OPEN {
                open.remove(0);
            }
            open.push(at);
            continue;
        };
        open.retain(|other| *other < partner);
        let between = &line[marks[partner].place.end.min(mark.place.start)..mark.place.start];
        let within = [partner, at].map(|at| is_within_word(line, &marks, at));
        // Over several words, marks may also be operators: `x**y + z**w`.
        let belongs = match mark.kind {
            Kind::Emphasis(text) if between.contains(char::is_whitespace) => {
                text.starts_with("**") && within[0] != within[1]
            }
            _ => within.contains(&true),
        };
        if belongs {
            let whole = |at: usize| start + marks[at].place.start..start + marks[at].place.end;
            found.push(whole(partner));
            if partner != at {
                found.push(whole(at));
            }
        }
    }
}

/// Returns the marks of a line, except those in code.
fn marks(line: &str) -> Vec<Mark<'_>> {
    let bytes = line.as_bytes();
    let (mut marks, mut at, mut in_code) = (Vec::new(), 0, false);
    while at < bytes.len() {
        let byte = bytes[at];
        let end = match byte {
            b'*' | b'~' | b'=' => at + bytes[at..].iter().take_while(|other| **other == byte).count(),
            b'<' => tag_end(line, at).unwrap_or(at + 1),
            _ => at + 1,
        };
        if byte == b'`' {
            in_code = !in_code;
        }
        let kind = match (byte, end - at) {
            _ if in_code => None,
            (b'*', 1..=3) | (b'~' | b'=', 2) => Some(Kind::Emphasis(&line[at..end])),
            (b'<', 2..) => kind_of_tag(&line[at + 1..end - 1]),
            _ => None,
        };
        if let Some(kind) = kind {
            marks.push(Mark { place: at..end, kind });
        }
        at = end;
    }
    marks
}

/// Returns the end of the tag that begins at `at`.
fn tag_end(line: &str, at: usize) -> Option<usize> {
    let reach = &line.as_bytes()[at..line.len().min(at + MAX_TAG_BYTES)];
    let end = reach.iter().skip(1).position(|byte| matches!(byte, b'>' | b'<'))? + 1;
    (reach[end] == b'>').then_some(at + end + 1)
}

fn kind_of_tag(inside: &str) -> Option<Kind<'_>> {
    let closes = inside.starts_with('/');
    let inside = inside.strip_prefix('/').unwrap_or(inside);
    let name = &inside[..inside.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inside.len())];
    let is_inline = INLINE.iter().any(|known| known.eq_ignore_ascii_case(name));
    is_inline.then_some(if closes { Kind::Closing(name) } else { Kind::Opening(name) })
}

/// Whether a mark stands between letters or digits, perhaps with other marks beside it. Emphasis needs letters: `2**3` is a power.
fn is_within_word(line: &str, marks: &[Mark<'_>], at: usize) -> bool {
    let (mut first, mut last) = (at, at);
    while first > 0 && at - first < MAX_OPEN && marks[first - 1].place.end == marks[first].place.start {
        first -= 1;
    }
    while last + 1 < marks.len() && last - at < MAX_OPEN && marks[last + 1].place.start == marks[last].place.end {
        last += 1;
    }
    let before = line[..marks[first].place.start].chars().next_back();
    let after = line[marks[last].place.end..].chars().next();
    let belongs = match marks[at].kind {
        Kind::Emphasis(_) => char::is_alphabetic,
        Kind::Opening(_) | Kind::Closing(_) => char::is_alphanumeric,
    };
    before.is_some_and(belongs) && after.is_some_and(belongs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(text: &str) -> String {
        let mut out = text.to_owned();
        for place in within_words(text).into_iter().rev() {
            out.replace_range(place, "");
        }
        out
    }

    #[test]
    fn emphasis_and_tags_inside_words_are_found() {
        for (text, seen) in [
            ("un**believ**able", "unbelievable"),
            ("**un**believable and be*lieve*", "unbelievable and believe"),
            ("==high==light ~~un~~done", "highlight undone"),
            ("un***believ***able", "unbelievable"),
            ("H<sub>2</sub>O and x<sup>2</sup>", "H2O and x2"),
            ("<b>un</b>believable", "unbelievable"),
            ("un<mark style=\"color: red\">believ</mark>able", "unbelievable"),
            ("un**<b>believ</b>**able", "unbelievable"),
            ("Donau<wbr>dampf", "Donaudampf"),
            ("**a whole**ness of it", "a wholeness of it"),
            ("übér**größe** und **Über**größe", "übérgröße und Übergröße"),
        ] {
            assert_eq!(without(text), seen, "{text}");
        }
    }

    #[test]
    fn marks_beside_words_stay() {
        for text in [
            "**bold** text and *more*",
            "2**3**4 and x * y",
            "a*b + c*d",
            "x**y + z**w",
            "char *a, *b",
            "`un**believ**able`",
            "snake_case_word",
            "a == b and c==d",
            "one<br>two",
            "Vec<T> and a<b>c",
            "a<b and c>d",
            "<b>bold</b> text",
            "***",
            "x<",
        ] {
            assert_eq!(without(text), text);
        }
    }

    #[test]
    fn a_line_of_marks_takes_linear_time() {
        for unit in ["a*", "<b>a", "a**b", "<", "</b>", "a<sub>2</sub>", "=="] {
            let _ = within_words(&unit.repeat((1 << 19) / unit.len()));
        }
    }
}
