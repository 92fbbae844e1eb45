//! Finds blocks of opaque data: lines that no person reads, such as base64, drawings, keys, minified code. Nothing of them is indexed.
//!
//! The shape of the lines decides, not the name of a format: lines without blanks whose letters, capitals and digits alternate like
//! those of random text; bytes in hexadecimal; the numbers of a drawing; code without blanks. Blank lines may stand between. Prose, lists,
//! tables of numbers, logs and code that people write have none of these shapes, and scripts other than Latin are never opaque.

use std::ops::RangeInclusive;

use super::CodeFence;

/// Smallest block, in bytes.
const MIN_BYTES: usize = 512;
/// Shortest line of a wrapped block, in bytes; narrow lines must be more numerous than those of a list.
const MIN_WIDTH: usize = 16;
const NARROW: usize = 40;
const MIN_NARROW_LINES: usize = 24;
/// Shortest line of code that may be minified, in bytes.
const MIN_CODE_LINE: usize = 200;
/// Lengths of digests in hexadecimal: a list of them is a list.
const DIGESTS: [usize; 6] = [32, 40, 56, 64, 96, 128];

/// The shape of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Text, or anything else that is indexed.
    Text,
    Blank,
    /// One word without blanks, as in base64.
    Unbroken,
    /// Bytes in hexadecimal, separated by blanks or commas.
    Bytes,
    /// Mostly the numbers of a drawing.
    Drawing,
    /// Code without blanks.
    Minified,
}

/// Returns the line ranges of opaque data among `lines`, in order. Lines count from 1; `lines` begin at `first`.
pub(super) fn data_blocks<'t>(lines: impl Iterator<Item = &'t str>, first: usize) -> Vec<RangeInclusive<usize>> {
    let lines: Vec<&str> = lines.collect();
    let shapes: Vec<Shape> = lines.iter().map(|line| shape(line)).collect();
    let fences = fences(&lines);
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let shape = shapes[at];
        if matches!(shape, Shape::Text | Shape::Blank) {
            at += 1;
            continue;
        }
        let beyond = (at..lines.len()).find(|next| shapes[*next] != shape && shapes[*next] != Shape::Blank);
        let end = beyond.unwrap_or(lines.len());
        let last = (at..end).rev().find(|index| shapes[*index] == shape).unwrap_or(at);
        // The last line of a wrapped block may be short.
        let next = (last + 1..lines.len()).find(|index| shapes[*index] != Shape::Blank);
        let is_spaced = shapes[at..last].contains(&Shape::Blank);
        let tail =
            next.filter(|next| shape == Shape::Unbroken && (is_spaced || *next == last + 1) && is_tail(lines[*next]));
        let data: Vec<&str> =
            (at..=last).filter(|index| shapes[*index] == shape).map(|index| data(lines[index])).collect();
        if is_opaque(shape, &data) {
            let (start, stop) = with_delimiters(&lines, &fences, at, tail.unwrap_or(last));
            blocks.push(first + start..=first + stop);
            at = stop + 1;
        } else {
            at = last + 1;
        }
    }
    blocks
}

/// Returns which lines open or close a fenced block.
fn fences(lines: &[&str]) -> Vec<bool> {
    let mut fence = CodeFence::default();
    let is_mark = |line: &str| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
    lines.iter().map(|line| fence.holds(line) && is_mark(line)).collect()
}

/// Widens a block by the fences around it, if they hold nothing else, and by the last line of an armoured block.
fn with_delimiters(lines: &[&str], fences: &[bool], first: usize, last: usize) -> (usize, usize) {
    let before = (0..first).rev().find(|at| !lines[*at].trim().is_empty());
    let after = (last + 1..lines.len()).find(|at| !lines[*at].trim().is_empty());
    match (before, after) {
        (Some(before), Some(after)) if fences[before] && fences[after] => (before, after),
        (_, Some(after)) if data(lines[after]).starts_with("-----END ") => (first, after),
        _ => (first, last),
    }
}

/// Returns the data of a line: without indentation, marks of quotes, and the marks of a string in code.
fn data(line: &str) -> &str {
    let quotes = ['"', '\'', '`'];
    let line = line.trim().trim_start_matches(['>', ' ', '\t']);
    let is_string = |part: &&str| part.ends_with(quotes);
    let line = line.strip_suffix('+').map(str::trim_end).filter(is_string).unwrap_or(line);
    line.trim_start_matches(quotes).trim_end_matches([',', ';', '\\']).trim_end_matches(quotes)
}

fn shape(line: &str) -> Shape {
    let data = data(line);
    if data.is_empty() {
        return Shape::Blank;
    }
    if data.len() < MIN_WIDTH || !data.is_ascii() {
        return Shape::Text;
    }
    if is_minified(data) {
        return Shape::Minified;
    }
    if !data.contains([' ', '\t']) && is_unbroken(data) {
        return Shape::Unbroken;
    }
    if is_bytes(data) {
        return Shape::Bytes;
    }
    if is_drawing(data) { Shape::Drawing } else { Shape::Text }
}

fn is_opaque(shape: Shape, lines: &[&str]) -> bool {
    let bytes: usize = lines.iter().map(|line| line.len()).sum();
    let is_large = bytes >= MIN_BYTES;
    match shape {
        Shape::Unbroken => is_large && is_random(lines, bytes),
        Shape::Bytes | Shape::Minified => is_large,
        // A path begins by moving the pen.
        Shape::Drawing => is_large && lines.iter().any(|line| line.contains(['M', 'm'])),
        Shape::Text | Shape::Blank => false,
    }
}

/// Whether a line without blanks is neither an address nor a path nor an identifier of a known form.
fn is_unbroken(data: &str) -> bool {
    let is_uuid = data.len() == 36 && [8, 13, 18, 23].iter().all(|at| data.as_bytes()[*at] == b'-');
    let is_link = data.contains("://") || data.contains("](") || data.starts_with("[[") || data.starts_with("-----");
    let is_row = data.starts_with('|') || data.matches([',', ';', '|', ':']).count() * 12 > data.len();
    !(is_uuid || is_link || is_row)
}

/// Whether a run without blanks in a line looks random.
pub(super) fn is_random_run(run: &str) -> bool {
    is_random(&[run], run.len())
}

/// Whether a line may be the last of a wrapped block.
fn is_tail(line: &str) -> bool {
    let data = line.trim().trim_start_matches(['>', ' ']);
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-');
    let is_telling = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'/' | b'=');
    let is_random = || data.bytes().any(is_telling) || changes(&[data]) > 2;
    (1..MIN_WIDTH).contains(&data.len()) && data.bytes().all(is_base64) && is_random()
}

/// Whether lines without blanks are wrapped random text: they have one width, or none is short, and their characters alternate between
/// small letters, capitals, digits and marks as in random text.
fn is_random(lines: &[&str], bytes: usize) -> bool {
    let width = lines[0].len();
    let (last, others) = lines.split_last().unwrap_or((&"", &[]));
    let is_wrapped = others.iter().all(|line| line.len() == width) && (others.is_empty() || last.len() <= width);
    let is_narrow = lines.iter().any(|line| line.len() < NARROW);
    if !is_wrapped && lines.iter().rev().skip(1).any(|line| line.len() < 2 * NARROW)
        || is_narrow && width < NARROW && lines.len() < MIN_NARROW_LINES
    {
        return false;
    }
    let is_hex = lines.iter().all(|line| line.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if is_hex {
        let is_list = lines.len() > 1 && DIGESTS.contains(&width) && last.len() == width;
        return !is_list && changes(lines) * 4 > bytes;
    }
    let is_alphabet = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_.".contains(&byte);
    let is_base64 = lines.iter().all(|line| line.bytes().all(is_alphabet));
    let is_mixed =
        |class: fn(&u8) -> bool| lines.iter().flat_map(|line| line.bytes()).filter(class).count() * 40 > bytes;
    let classes = [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit];
    let mixed = classes.into_iter().filter(|class| is_mixed(*class)).count();
    match is_base64 {
        // Names in `camelCase` change less often. An alphabet of capitals and figures, as in base32, has fewer classes.
        true => match is_mixed(u8::is_ascii_lowercase) {
            true => mixed >= 2 && changes(lines) * 5 > 2 * bytes && bits(lines, bytes) > 4.0,
            false => mixed == 2 && changes(lines) * 5 > bytes && bits(lines, bytes) > 4.0,
        },
        // Other encodings of bytes, such as base85.
        false => {
            is_wrapped && width >= NARROW && mixed == 3 && changes(lines) * 20 > 9 * bytes && bits(lines, bytes) > 5.0
        }
    }
}

/// Counts the neighbours of different classes: small letters, capitals, digits, marks.
fn changes(lines: &[&str]) -> usize {
    let class = |byte: u8| match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let changed = |line: &&str| line.as_bytes().windows(2).filter(|pair| class(pair[0]) != class(pair[1])).count();
    lines.iter().map(changed).sum()
}

/// Returns the entropy of the lines' bytes, in bits per byte.
fn bits(lines: &[&str], bytes: usize) -> f64 {
    let mut counts = [0usize; 256];
    lines.iter().flat_map(|line| line.bytes()).for_each(|byte| counts[usize::from(byte)] += 1);
    let share = |count: usize| count as f64 / bytes.max(1) as f64;
    counts.into_iter().filter(|count| *count > 0).map(share).map(|share| -share * share.log2()).sum()
}

/// Whether most of a line is a run of bytes in hexadecimal: `7f45 4c46`, `0x1f, 0x8b`.
fn is_bytes(data: &str) -> bool {
    let (mut run, mut lettered, mut longest) = ((0, 0), 0, (0, 0, 0));
    for token in data.split([' ', '\t', ',']).filter(|token| !token.is_empty()) {
        let digits = token.strip_prefix("0x").unwrap_or(token);
        if matches!(digits.len(), 2 | 4 | 8) && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            run = (run.0 + 1, run.1 + token.len() + 1);
            lettered += usize::from(
                digits.bytes().any(|byte| byte.is_ascii_alphabetic())
                    && token.bytes().any(|byte| byte.is_ascii_digit()),
            );
            longest = longest.max((run.1, run.0, lettered));
        } else {
            (run, lettered) = ((0, 0), 0);
        }
    }
    let (bytes, tokens, lettered) = longest;
    tokens >= 8 && bytes * 2 >= data.len() && lettered * 5 >= tokens
}

/// Whether most of a line is the path of a drawing: numbers and the letters of its commands.
fn is_drawing(data: &str) -> bool {
    if data.len() < 2 * NARROW {
        return false;
    }
    let is_path = |byte: u8| byte.is_ascii_digit() || b" ,.-+eMmLlHhVvCcSsQqTtAaZz".contains(&byte);
    let is_command = |byte: &u8| byte.is_ascii_alphabetic() && *byte != b'e';
    let mut drawn = 0;
    for part in data.as_bytes().split(|byte| !is_path(*byte)) {
        let digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
        let commands = part.iter().filter(|byte| is_command(byte)).count();
        // Commands come before their numbers, units after them: `1m 20s`.
        let units =
            part.windows(3).filter(|of| of[0].is_ascii_digit() && is_command(&of[1]) && b" ,".contains(&of[2])).count();
        let words = part.windows(2).filter(|pair| is_command(&pair[0]) && is_command(&pair[1])).count();
        if part.len() >= 24
            && digits * 5 >= part.len() * 2
            && commands > 0
            && words * 3 <= commands
            && units * 2 <= commands
        {
            drawn += part.len();
        }
    }
    drawn * 2 >= data.len()
}

/// Whether a long line is code without blanks: many brackets and ends of statements, few blanks, quotes and links.
fn is_minified(data: &str) -> bool {
    if data.len() < MIN_CODE_LINE {
        return false;
    }
    let count = |of: &[u8]| data.bytes().filter(|byte| of.contains(byte)).count();
    let percent = |of: &[u8]| count(of) * 100 / data.len();
    percent(b" \t") < 6
        && percent(b"{}();") >= 5
        && percent(b"{}") >= 1
        && percent(b"\"") < 7
        && percent(b"\\") < 4
        && !data.starts_with('|')
        && (data.matches("](").count() + data.matches("://").count()) * 100 < data.len()
}

#[cfg(test)]
mod tests;
